"""The life of an index: edits, renames, deletions, and processes that end half-way."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, ConfigurationError, Context, MarkdownChunker
from chunkana_retrieval import Hit, IndexFileError, LexicalIndex
from chunkana_retrieval.files import read_index_file, write_index_file
from chunkana_retrieval.indexing import (
    DocumentRecord,
    IndexFile,
    IndexSnapshot,
    IndexStores,
    Leaf,
    Procedure,
    Proposal,
    RankingOptions,
    Relation,
    SourceDocuments,
    Update,
    UpdateLock,
    UpdateReport,
    add_related_leaves,
    call,
    fingerprint,
    rank_leaves,
    read_records,
    record_document,
    run,
    run_async,
)

CHUNKER = MarkdownChunker(ChunkConfig(max_chunk_size=80), Context())
Texts = dict[str, str]


class PowerCutError(Exception):
    """The process ends here."""


@dataclass
class Stores:
    """Records and leaves in dictionaries, as text, which carry out so many steps and no more."""

    records: dict[str, str] = field(default_factory=dict)
    leaves: dict[str, tuple[str, str]] = field(default_factory=dict)  # document, what is embedded
    embedded: list[str] = field(default_factory=list)
    steps: float = float("inf")

    is_in_memory = True

    def use(self) -> Procedure[None]:
        """Take a step, in an event loop or without one."""

        async def take_later() -> None:
            self.take()

        yield from call(self.take, take_later)

    def take(self) -> None:
        if self.steps <= 0:
            raise PowerCutError
        self.steps -= 1

    def names(self) -> Procedure[list[str]]:
        yield from self.use()
        return [*self.records]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        yield from self.use()
        return [self.record(name) for name in names if name in self.records]

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        yield from self.use()
        self.records |= {record.document_id: record.to_json() for record in records}
        for name in deleted:
            del self.records[name]

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        yield from self.use()
        for record, leaf in leaves:
            assert leaf.leaf_id not in self.leaves
            self.embedded.append(record.embedded(leaf))
            self.leaves[leaf.leaf_id] = (record.document_id, record.embedded(leaf))

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        yield from self.use()
        for name in leaf_ids:
            self.leaves.pop(name, None)

    def find(self, asked: str) -> Procedure[list[Proposal]]:
        raise AssertionError(asked)

    def vectors(self) -> dict[str, list[float]]:
        raise AssertionError

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        raise AssertionError(vectors)

    def of_index(self, lexical: LexicalIndex | None = None) -> IndexStores[str]:
        """Return them as the stores of an index."""
        return IndexStores(self, self, lexical, None)

    def record(self, name: str) -> DocumentRecord:
        return DocumentRecord.from_json(self.records[name])

    def texts(self) -> dict[str, str]:
        """Return what the index answers from."""
        records = map(self.record, self.records)
        return {record.document_id: record.text for record in records if record.fingerprint}


def indexed(name: str, text: str) -> DocumentRecord:
    result = CHUNKER.chunk_hierarchical(text)
    return record_document(name, result, {"source": name}, fingerprint_of(name, text))


def fingerprint_of(name: str, text: str) -> str:
    return fingerprint(name, text, {"source": name}, "80")


def update(
    stores: Stores,
    texts: Texts,
    lexical: LexicalIndex | None = None,
    *,
    deleted: Iterable[str] = (),
    delete_missing: bool = True,
) -> UpdateReport:
    prints = {name: fingerprint_of(name, text) for name, text in texts.items()}
    if delete_missing and not texts:
        delete_missing, deleted = False, [*stores.records]
    today = SourceDocuments(prints, lambda name: indexed(name, texts[name]))
    procedure = Update(today, stores.of_index(lexical), 2)
    return run(procedure.steps(deleted, delete_missing=delete_missing))


def expected_leaves(texts: Texts) -> dict[str, tuple[str, str]]:
    records = [indexed(name, text) for name, text in texts.items()]
    return {
        leaf.leaf_id: (record.document_id, record.embedded(leaf))
        for record in records
        for leaf in record.leaves
    }


PARAGRAPHS = ["Boil the water first, then wait.", "Green tea takes 80 degrees.", "# Tea", "## Cup"]
TEXT = st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=5).map("\n\n".join)
STATE = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), TEXT, max_size=3)


@settings(max_examples=60)
@given(st.lists(STATE, min_size=1, max_size=5), st.sampled_from(["water", "green tea"]))
def test_after_any_edits_the_index_is_that_of_todays_documents(
    states: list[Texts], question: str
) -> None:
    stores, lexical = Stores(), LexicalIndex()
    for texts in states:
        update(stores, texts, lexical)
        assert stores.texts() == texts
        assert stores.leaves == expected_leaves(texts)
        fresh = LexicalIndex()
        update(Stores(), texts, fresh)
        found = {(hit.document_id, hit.node_id) for hit in lexical.search(question)}
        assert found == {(hit.document_id, hit.node_id) for hit in fresh.search(question)}
        done, report = len(stores.embedded), update(stores, texts, lexical)
        assert (report.added, report.changed, report.deleted) == ([], [], [])
        assert len(stores.embedded) == done


@settings(max_examples=100)
@given(STATE, STATE, st.integers(0, 12))
def test_who_ends_half_way_leaves_documents_as_before_or_as_after(
    before: Texts, after: Texts, steps: int
) -> None:
    stores = Stores()
    update(stores, before)
    stores.steps = steps
    try:
        update(stores, after)
    except PowerCutError:
        for name in before.keys() | after.keys():
            answered = stores.texts().get(name)
            assert answered in (before.get(name), after.get(name))
            record = stores.record(name) if name in stores.records else None
            if record is not None and record.unfinished:
                states = {"before": before, "after": after}
                assert answered == states[record.unfinished].get(name)
        known = {leaf.leaf_id for name in stores.records for leaf in stores.record(name).leaves}
        left = {leaf for name in stores.records for leaf in stores.record(name).leftover}
        assert known <= stores.leaves.keys() <= known | left
    stores.steps = float("inf")
    report = update(stores, after)
    assert stores.texts() == after
    assert stores.leaves == expected_leaves(after)
    assert set(report.mended.values()) <= {"before", "after"}
    assert not any(stores.record(name).unfinished for name in stores.records)


def test_an_update_says_what_it_did() -> None:
    stores, texts = Stores(), {"a.md": "# A\n\nFirst.\n", "b.md": "# B\n\nSecond.\n"}
    first = update(stores, texts)
    assert (first.added, first.leaves_added, first.leaves_deleted) == (["a.md", "b.md"], 2, 0)
    second = update(stores, {"b.md": "# B\n\nThird.\n", "c.md": "# C\n\nFirst.\n"})
    assert (second.added, second.changed, second.deleted) == (["c.md"], ["b.md"], ["a.md"])
    assert (second.leaves_added, second.leaves_deleted, second.unchanged) == (2, 2, [])


def test_a_paragraph_put_on_top_embeds_nothing_of_what_is_below() -> None:
    stores, below = Stores(), "## B\n\nBoil the water first, then wait for it.\n\n## C\n\nPour.\n"
    update(stores, {"a.md": "# A\n\nOne.\n\n" + below})
    stores.embedded.clear()
    update(stores, {"a.md": "# A\n\nOne.\n\nAnd one more.\n\n" + below})
    assert stores.embedded == ["A\n\n# A\n\nOne.\n\nAnd one more."]


def test_not_all_documents_are_deleted_because_none_are_given() -> None:
    stores = Stores()
    update(stores, {"a.md": "One."})
    procedure = Update(SourceDocuments({}, lambda name: indexed(name, "")), stores.of_index(), 2)
    with pytest.raises(ConfigurationError, match=r"delete\(document_ids\(\)\)"):
        run(procedure.steps(delete_missing=True))
    assert stores.texts() == {"a.md": "One."}


def test_a_report_prints_counts_and_a_few_ids() -> None:
    stores, texts = Stores(), {f"{n}.md": f"Text {n}." for n in range(300)}
    report = update(stores, texts)
    assert repr(report) == (
        "<UpdateReport: 300 added ('0.md', '1.md', '2.md', …), 0 changed, 0 deleted, 0 mended, "
        "0 unchanged; leaves: 300 added, 0 deleted>"
    )
    del texts["7.md"]
    report = update(stores, texts | {"8.md": "Another."})
    assert str(report) == (
        "<UpdateReport: 0 added, 1 changed ('8.md'), 1 deleted ('7.md'), 0 mended, "
        "298 unchanged; leaves: 1 added, 2 deleted>"
    )


def test_documents_are_deleted_by_their_ids_alone() -> None:
    stores, texts = Stores(), {"a.md": "One.", "b.md": "Two."}
    update(stores, texts)
    report = update(stores, {}, deleted=["a.md", "unknown.md"], delete_missing=False)
    assert report.deleted == ["a.md"]
    assert stores.texts() == {"b.md": "Two."}


def test_it_runs_in_an_event_loop_alike() -> None:
    import asyncio

    stores = Stores()
    today = SourceDocuments({"a.md": "1"}, lambda name: indexed(name, "One."))
    report = asyncio.run(run_async(Update(today, stores.of_index(), 9).steps()))
    assert (report.added, stores.texts()) == (["a.md"], {"a.md": "One."})


RECORD = indexed("tea.md", "# Tea\n\n## Green\n\nWait for it.\n\n## Black\n\nDo not wait.\n")


def proposals(record: DocumentRecord) -> list[Proposal]:
    return [Proposal(record.document_id, leaf.leaf_id, 1.0) for leaf in record.leaves]


def words(record: DocumentRecord, numbers: Sequence[int]) -> list[Hit]:
    ids = [record.leaves[number].chunk_id for number in numbers]
    return [Hit(name, 2.0, document_id=record.document_id) for name in ids]


def test_what_no_record_has_is_not_found() -> None:
    stale = [Proposal("tea.md", "gone", 9.0), Proposal("old.md", RECORD.leaves[0].leaf_id, 9.0)]
    found = [Hit("gone", 9.0, document_id="tea.md"), Hit("gone", 9.0, document_id="old.md")]
    assert rank_leaves(stale, found, [RECORD], RankingOptions()) == []


def test_what_no_record_has_was_proposed_all_the_same() -> None:
    """The search stopped there, and might have proposed more: scores are as they are without it."""
    options = RankingOptions(section_weight=0, document_weight=0)
    proposed = [*proposals(RECORD)[:1], Proposal("tea.md", "gone", 0.1)]
    hits = rank_leaves(proposed, words(RECORD, [1, 0]), [RECORD], options)
    scores = {hit.node_id: hit.score for hit in hits}
    assert scores[RECORD.leaves[1].chunk_id] == 1.0  # of both searches, as the worst that it found


@pytest.mark.parametrize(
    ("search", "is_filtered", "expected"),
    [
        ("hybrid", False, [0, 1]),
        ("hybrid", True, [0]),
        ("dense", False, [0]),
        ("lexical", False, [1]),
    ],
)
def test_searches_are_made_into_one_ranking(
    search: str, is_filtered: object, expected: list[int]
) -> None:
    options = RankingOptions(search)  # type: ignore[arg-type]
    is_dense, is_lexical = search != "lexical", search != "dense"
    hits = rank_leaves(
        proposals(RECORD)[:1] if is_dense else [],
        words(RECORD, [1]) if is_lexical else [],
        [RECORD],
        options,
        is_filtered=bool(is_filtered),
    )
    assert [hit.node_id for hit in hits] == [RECORD.leaves[number].chunk_id for number in expected]
    assert [hit.text for hit in hits] == [
        RECORD.text[RECORD.leaves[n].start : RECORD.leaves[n].end] for n in expected
    ]


def test_a_leaf_has_its_place_and_what_it_has_to_be_read_below() -> None:
    rows = "".join(f"| {n} | a cup of tea for many |\n" for n in range(9))
    table = indexed("t.md", f"# Sizes\n\n| n | what |\n|---|---|\n{rows}")
    config = ChunkConfig(max_chunk_size=120, atomic_blocks="split")
    result = MarkdownChunker(config, Context()).chunk_hierarchical(table.text)
    record = record_document("t.md", result, {}, "1")
    leaf = record.leaves[1]
    hit = record.hit(leaf, 0.5)
    assert hit.repeated == "| n | what |\n|---|---|\n"
    assert (hit.text, hit.path) == (record.text[leaf.start : leaf.end], ("Sizes",))
    chunks = result.get_flat_chunks()
    assert [record.embedded(one) for one in record.leaves] == [c.embedded for c in chunks]


def test_what_stands_before_a_content_may_be_given() -> None:
    result = CHUNKER.chunk_hierarchical("# Tea\n\nWait.\n")
    record = record_document("a", result, {}, "1", lambda chunk: f"source: a\n{chunk.context}\n\n")
    assert record.embedded(record.leaves[0]) == "source: a\nTea\n\n# Tea\n\nWait."


def test_the_id_of_a_leaf_says_all_that_is_stored_of_it() -> None:
    text = "# Tea\n\nWait.\n"
    first, result = indexed("a.md", text), CHUNKER.chunk_hierarchical(text)
    for name, metadata in (("b.md", {"source": "a.md"}), ("a.md", {"source": "b.md"})):
        other = record_document(name, result, metadata, "1")
        assert other.leaves[0].leaf_id != first.leaves[0].leaf_id
    again = record_document("a.md", result, {"source": "a.md"}, "2")
    assert again.leaves == first.leaves


def test_a_record_survives_json_with_any_text() -> None:
    record = indexed("a.md", "# T\ud800\n\nLone \udfff and \0 and\u2028.\n")
    attached = msgspec.structs.replace(record, attachment="[1]\n\ud800")
    for one in (record, attached):
        assert DocumentRecord.from_json(one.to_json()) == one
    bare = record.to_json(with_text=False)
    assert DocumentRecord.from_json(bare, record.text) == record
    assert "\n" not in record.to_json()


@pytest.mark.parametrize(
    "change",
    [
        lambda written: written[:-1],
        lambda _: "[]",
        lambda written: written.replace('"start": 0', '"start": 99'),
        lambda written: written.replace('"start": 0', '"start": "0"'),
    ],
)
def test_a_record_that_is_none_is_an_error(change: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        DocumentRecord.from_json(change(indexed("a.md", "One.").to_json()))


def test_a_damaged_record_names_the_leaves_that_may_be_left() -> None:
    record = indexed("a.md", "One.")
    stored = {"a.md": (record.to_json()[:-20], None), "b.md": ("nothing of it", "")}
    other = {"c.md": (record.to_json(), None), "d.md": (indexed("d.md", "One.").to_json(), None)}
    with pytest.warns(UserWarning, match=r"records of 'a.md', 'b.md', 'c.md' are damaged") as seen:
        damaged, lost, moved, sound = read_records({**stored, **other})
    assert seen[0].filename == __file__
    assert damaged.leftover == moved.leftover == (record.leaves[0].leaf_id,)
    assert (damaged.text, damaged.leaves, damaged.fingerprint) == ("", (), "")
    assert lost == DocumentRecord("b.md", "", {}, "")
    assert sound.text == "One."


def test_metadata_have_to_be_json() -> None:
    with pytest.raises(ConfigurationError, match="values that JSON can write"):
        fingerprint("a.md", "", {"when": object()}, "")


def snapshot(count: int) -> IndexSnapshot:
    records = [indexed(f"{n}.md", "# Tea\n\nWait for it.\n") for n in range(count)]
    leaves = [leaf for record in records for leaf in record.leaves]
    vectors = {leaf.leaf_id: [0.1, float(n)] for n, leaf in enumerate(leaves)}
    lexical = LexicalIndex(entry for record in records for entry in record.entries())
    return IndexSnapshot(records, vectors, lexical)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_index_is_saved_as_one_file(count: int, tmp_path: Path) -> None:
    saved = snapshot(count)
    saved.save(tmp_path / "new")
    loaded = IndexSnapshot.load(tmp_path / "new")
    assert (loaded.records, loaded.vectors) == (saved.records, saved.vectors)
    assert saved.lexical is not None
    assert loaded.lexical is not None
    assert loaded.lexical.search("wait") == saved.lexical.search("wait")
    assert len([*(tmp_path / "new").iterdir()]) == 1


def test_what_is_kept_elsewhere_is_not_saved(tmp_path: Path) -> None:
    IndexSnapshot(None, None, None).save(tmp_path)
    assert IndexSnapshot.load(tmp_path) == IndexSnapshot(None, None, None)


def test_the_file_that_another_wrote_is_not_replaced(tmp_path: Path) -> None:
    first = IndexFile(tmp_path)
    first.save(snapshot(1))
    second = IndexFile(tmp_path, IndexSnapshot.load(tmp_path).digest)
    first.save(snapshot(2))
    first.require_latest()
    with pytest.raises(IndexFileError, match="`load` it again"):
        second.require_latest()
    with pytest.raises(IndexFileError, match="`load` it again"):
        second.save(snapshot(3))
    assert [path.name for path in tmp_path.iterdir()] == ["chunkana_index.bin"]
    assert IndexSnapshot.load(tmp_path).digest == first.digest
    first.save(snapshot(1))
    second.require_latest()
    IndexFile(tmp_path).save(snapshot(3))
    assert len(IndexSnapshot.load(tmp_path).records or ()) == 3


def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    snapshot(1).save(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(IndexFileError, match="is damaged") as raised:
        IndexSnapshot.load(tmp_path)
    assert raised.value.path == str(path)


@pytest.mark.parametrize("counts", [[2, 2, 1], [2, 2, 3], [3, 4, -1]])
def test_vectors_without_their_numbers_are_damaged(counts: list[int], tmp_path: Path) -> None:
    """Found when they are loaded, and not by the first search."""
    saved = snapshot(3)
    assert saved.vectors
    saved.save(tmp_path)
    path = tmp_path / "chunkana_index.bin"
    with zipfile.ZipFile(io.BytesIO(read_index_file(path, "index", 1))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["vectors.json"] = json.dumps({"ids": [*saved.vectors], "counts": counts}).encode()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    write_index_file(path, "index", 1, content.getvalue())
    with pytest.raises(IndexFileError, match="is damaged"):
        IndexSnapshot.load(tmp_path)


def test_an_index_of_something_else_is_an_error(tmp_path: Path) -> None:
    for data in (b"", json.dumps([]).encode()):
        write_index_file(tmp_path / "chunkana_index.bin", "index", 1, data)
        with pytest.raises(IndexFileError, match="is damaged"):
            IndexSnapshot.load(tmp_path)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"search": "words"}, "search"),
        ({"fetch_k": 0}, "fetch_k"),
        ({"fetch_k": 1.5}, "fetch_k"),
        ({"lexical_weight": 2}, "lexical_weight"),
        ({"section_weight": -1}, "section_weight"),
        ({"document_weight": float("inf")}, "document_weight"),
    ],
)
def test_options_are_checked(options: dict[str, object], name: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        RankingOptions(**options)  # type: ignore[arg-type]
    assert raised.value.field == name


OUTLINE_TEXT = (
    "# Tea\n\nTea is a drink that is made of leaves and hot water.\n\n"
    "## Green\n\nGreen tea wants water that is not too hot for it.\n\n"
    "### Cups\n\nA cup of it takes two minutes, and the next cup three.\n\n"
    "## Black\n\nBlack tea wants water that boils, and five minutes.\n"
)
WHOLE_SECTIONS = MarkdownChunker(ChunkConfig(max_chunk_size=200, min_chunk_size=0))
OUTLINE = record_document("tea.md", WHOLE_SECTIONS.chunk_hierarchical(OUTLINE_TEXT), {}, "1")


def first_words(hits: Iterable[Hit]) -> list[str]:
    return [hit.text.split("\n\n")[1].split()[0] for hit in hits]


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ([], ["Green"]),
        (["parent"], ["Green", "Tea"]),
        (["siblings"], ["Green", "Black"]),
        (["children"], ["Green", "A"]),
        (["children", "siblings", "parent"], ["Green", "Tea", "Black", "A"]),
    ],
)
def test_what_is_around_a_hit_stands_behind_all_hits(
    around: list[Relation], expected: list[str]
) -> None:
    green = next(leaf for leaf in OUTLINE.leaves if leaf.path[-1] == "Green")
    hits = add_related_leaves([OUTLINE.hit(green, 1.0)], [OUTLINE], around)
    assert first_words(hits) == expected


def test_nothing_comes_twice_and_other_relations_are_errors() -> None:
    hits = [OUTLINE.hit(leaf, 1.0) for leaf in OUTLINE.leaves]
    assert add_related_leaves(hits, [OUTLINE], ["parent", "siblings", "children"]) == hits
    with pytest.raises(ConfigurationError, match="around"):
        add_related_leaves([], [], ["uncles"])  # type: ignore[list-item]


def test_one_update_runs_at_a_time_of_threads_and_event_loops() -> None:
    lock, running, most = UpdateLock(), 0, 0
    ends = Barrier(4)

    def enter() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)

    def leave() -> None:
        nonlocal running
        running -= 1

    async def task() -> None:
        async with lock:
            enter()
            await asyncio.sleep(0)
            leave()

    async def tasks() -> None:
        await asyncio.gather(*(task() for _ in range(5)))

    def thread(number: int) -> None:
        ends.wait()
        if number % 2:
            asyncio.run(tasks())
        else:
            with lock:
                enter()
                leave()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(thread, number) for number in range(4)]:
            done.result(timeout=60)
    assert (running, most) == (0, 1)
