"""`ChunkanaRetriever` in a folder: another process, edits there, and processes that are killed."""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex import ChunkanaRetriever, MarkdownHierarchyNodeParser
from chunkana_retrieval import IndexFileError, UnknownLeavesWarning
from tests.llamaindex.parts import CountingEmbedding, FailingEmbedding, WordEmbedding

QUESTIONS = ["Wait for 80 degrees?", "damp silk", "tea"]
PARSER = MarkdownHierarchyNodeParser(max_chunk_size=80, min_chunk_size=0)
_IMPORTS = """
import json, os, signal, sys
from chunkana_llamaindex import ChunkanaRetriever
from tests.llamaindex.parts import WordEmbedding
from tests.llamaindex.test_retriever_saving import PARSER, QUESTIONS, documents
"""
_OTHER_PROCESS = f"""{_IMPORTS}
folder, search = sys.argv[1:]
made = ChunkanaRetriever.load(folder, WordEmbedding(), search=search, parser=PARSER)
answers = [[one.to_dict() for one in made.retrieve(question)] for question in QUESTIONS]
print(json.dumps(answers), flush=True)
made.update(documents(5))
"""
# Forks a process for each folder, which is killed at its first, second, … file operation.
_KILLED_PROCESSES = f"""{_IMPORTS}
def update(folder, last_call):
    made, calls = ChunkanaRetriever.load(folder, WordEmbedding(), parser=PARSER), 0

    def count(event, _):
        nonlocal calls
        if event in {{"open", "os.mkdir", "os.scandir", "os.rename", "os.remove"}}:
            calls += 1
            if calls == last_call:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    made.update(documents(5))

for number, folder in enumerate(sys.argv[1:], 1):
    child = os.fork()
    if not child:
        update(folder, number)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def documents(version: int = 0) -> list[Document]:
    tea = f"# Tea\n\nVersion {version}.\n\n## Green\n\nWait for {80 + version} degrees.\n"
    iron = "# Iron\n\n## Silk\n\nIron it while it is damp.\n"
    many = [f"# Page {n}\n\nIt is about item{n}, as in {version}.\n" for n in range(30)]
    texts = {"tea.md": tea, "iron.md": iron, **{f"{n}.md": text for n, text in enumerate(many)}}
    return [Document(text=text, id_=name, metadata={"name": name}) for name, text in texts.items()]


def answers(made: ChunkanaRetriever) -> list[list[dict[str, Any]]]:
    return [[one.to_dict() for one in made.retrieve(question)] for question in QUESTIONS]


def save(folder: Path, search: Any = "hybrid") -> ChunkanaRetriever:  # noqa: ANN401
    return ChunkanaRetriever.from_documents(
        documents(), WordEmbedding(), parser=PARSER, folder=folder, search=search
    )


def other_process(script: str, *arguments: str) -> str:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.parametrize(
    "search",
    ["hybrid", *(pytest.param(one, marks=pytest.mark.slow) for one in ("dense", "lexical"))],
)
def test_another_process_answers_the_same_and_its_edits_are_seen(
    search: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    made = save(tmp_path, search)
    out = other_process(_OTHER_PROCESS, str(tmp_path), search)
    assert json.loads(out) == json.loads(json.dumps(answers(made)))
    with pytest.raises(IndexFileError, match="written by another"):
        made.update(documents(5))
    again = ChunkanaRetriever.load(tmp_path, WordEmbedding(), search=search, parser=PARSER)
    today = ChunkanaRetriever.from_documents(
        documents(5), WordEmbedding(), parser=PARSER, search=search
    )
    assert answers(again) == answers(today)


def change(retriever: ChunkanaRetriever, how: str) -> object:
    edited = [Document(text="# Mine", id_="mine.md")]
    if how == "update":
        return retriever.update(edited)
    if how == "delete":
        return retriever.delete(["1.md"])
    if how == "aupdate":
        return asyncio.run(retriever.aupdate(edited))
    return asyncio.run(retriever.adelete(["1.md"]))


@pytest.mark.parametrize("has_store", [False, True])
@pytest.mark.parametrize("how", ["update", "delete", "aupdate", "adelete"])
def test_what_another_writer_saved_is_not_lost(
    how: str, *, has_store: bool, tmp_path: Path
) -> None:
    options: Any = {"parser": PARSER}
    if has_store:
        options["vectorstore"] = SimpleVectorStore()
    ChunkanaRetriever.from_documents(documents(), WordEmbedding(), folder=tmp_path, **options)
    first = ChunkanaRetriever.load(tmp_path, WordEmbedding(), **options)
    embedding = CountingEmbedding()
    second = ChunkanaRetriever.load(tmp_path, embedding, **options)
    before = answers(second)
    first.update([Document(text="# Tea\n\nThe damp silk is theirs.", id_="theirs.md")])
    count = embedding.count
    with pytest.raises(IndexFileError, match="written by another since it was loaded; `load` it"):
        change(second, how)
    assert embedding.count == count
    if not has_store:
        assert answers(second) == before
    again = ChunkanaRetriever.load(tmp_path, WordEmbedding(), **options)
    assert "theirs.md" in {one.node.ref_doc_id for one in again.retrieve("damp silk theirs")}
    assert change(again, how)


def test_an_index_whose_file_is_gone_is_saved_anew(tmp_path: Path) -> None:
    made = save(tmp_path)
    (tmp_path / "chunkana_index.bin").unlink()
    made.delete(["1.md"])
    assert answers(ChunkanaRetriever.load(tmp_path, WordEmbedding(), parser=PARSER)) == answers(
        made
    )


def test_an_idle_update_after_loading_embeds_and_writes_nothing(tmp_path: Path) -> None:
    save(tmp_path)
    (path,) = tmp_path.iterdir()
    before, embedding = path.stat().st_mtime_ns, CountingEmbedding()
    made = ChunkanaRetriever.load(tmp_path, embedding, parser=PARSER)
    report = made.update(documents(), delete_missing=True)
    assert (len(report.unchanged), embedding.count) == (32, 0)
    assert path.stat().st_mtime_ns == before
    renamed = [Document(text=one.text, id_=f"new/{one.node_id}") for one in documents()]
    made.update(renamed, delete_missing=True)
    assert embedding.count == 0


@pytest.mark.slow
def test_who_is_killed_while_saving_leaves_the_old_index_or_the_new_one(tmp_path: Path) -> None:
    """Killed at the first file operation, at the second, and so on."""
    states = [found(fresh(version)) for version in (0, 5)]
    folders = [tmp_path / str(number) for number in range(1, 20)]
    save(folders[0])
    for folder in folders[1:]:
        shutil.copytree(folders[0], folder)
    out = other_process(_KILLED_PROCESSES, *map(str, folders))
    seen, codes = [], [int(code) for code in out.split()]
    for folder in folders:
        loaded = ChunkanaRetriever.load(folder, WordEmbedding(), parser=PARSER)
        seen.append(states.index(found(loaded)))
        loaded.update(documents(5))
        assert found(loaded) == states[1]
    count = codes.index(0)
    assert codes == [-signal.SIGKILL] * count + [0] * (len(folders) - count)
    assert seen == sorted(seen)
    assert set(seen[:count]) == {0, 1}


def found(made: ChunkanaRetriever) -> list[set[str]]:
    """Return the answers, equal ones in any order: they come as documents were added."""
    return [{one.node.get_content() for one in made.retrieve(question)} for question in QUESTIONS]


def fresh(version: int) -> ChunkanaRetriever:
    return ChunkanaRetriever.from_documents(documents(version), WordEmbedding(), parser=PARSER)


def test_a_full_disk_leaves_the_old_index(tmp_path: Path) -> None:
    made = save(tmp_path)
    before = answers(made)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"."):
            made.update(documents(3))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert answers(ChunkanaRetriever.load(tmp_path, WordEmbedding(), parser=PARSER)) == before
    assert len([*tmp_path.iterdir()]) == 1


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    save(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(IndexFileError, match="is damaged; index the documents again") as raised:
        ChunkanaRetriever.load(tmp_path, WordEmbedding())
    assert raised.value.path == str(path)
    save(tmp_path)
    assert ChunkanaRetriever.load(tmp_path, WordEmbedding()).retrieve("tea")
    with pytest.raises(FileNotFoundError):
        ChunkanaRetriever.load(tmp_path / "nowhere", WordEmbedding())


async def test_it_is_made_and_loaded_asynchronously(tmp_path: Path) -> None:
    made = await ChunkanaRetriever.afrom_documents(
        documents(), WordEmbedding(), parser=PARSER, folder=tmp_path
    )
    loaded = await ChunkanaRetriever.aload(tmp_path, WordEmbedding(), parser=PARSER)
    assert answers(loaded) == answers(made)
    await loaded.adelete(["tea.md"])
    again = ChunkanaRetriever.load(tmp_path, WordEmbedding(), parser=PARSER)
    assert "tea.md" not in {one.node.ref_doc_id for one in again.retrieve("80 degrees")}


async def test_an_index_of_nothing_is_saved_too(tmp_path: Path) -> None:
    save(tmp_path)
    ChunkanaRetriever.from_documents([], WordEmbedding(), folder=tmp_path)
    assert ChunkanaRetriever.load(tmp_path, WordEmbedding()).retrieve("tea") == []
    await ChunkanaRetriever.afrom_documents([], WordEmbedding(), folder=tmp_path / "b")
    made = await ChunkanaRetriever.aload(tmp_path / "b", WordEmbedding())
    assert (await made.aretrieve("tea"), await made.aretrieve("")) == ([], [])


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    docstore, store = SimpleDocumentStore(), SimpleVectorStore()
    ChunkanaRetriever.from_documents(
        documents(), WordEmbedding(), folder=tmp_path / "a", docstore=docstore, vectorstore=store
    )
    save(tmp_path / "b")
    missing = "the {0} that has the {1} of this index, which are not in its folder"
    there = "None: the {1} of this index are in its folder"
    for folder, options, field, kind, message in (
        ("a", {}, "docstore", "records", missing),
        ("a", {"docstore": docstore}, "vectorstore", "leaves", missing),
        ("b", {"docstore": docstore}, "docstore", "records", there),
        ("b", {"vectorstore": store}, "vectorstore", "leaves", there),
    ):
        given: dict[str, Any] = options
        with pytest.raises(ConfigurationError) as raised:
            ChunkanaRetriever.load(tmp_path / folder, WordEmbedding(), **given)
        assert str(raised.value).endswith(f"allowed: {message.format(field, kind)}")
        assert raised.value.field == field
    loaded = ChunkanaRetriever.load(
        tmp_path / "a", WordEmbedding(), docstore=docstore, vectorstore=store
    )
    assert "80 degrees" in loaded.retrieve("80 degrees")[0].node.get_content()


def test_an_index_with_vectors_that_words_search_needs_the_embedding_for_new_texts(
    tmp_path: Path,
) -> None:
    save(tmp_path)
    made = ChunkanaRetriever.load(tmp_path, search="lexical")
    assert "80 degrees" in made.retrieve("degrees")[0].node.get_content()
    made.delete(["tea.md"])
    with pytest.raises(ConfigurationError, match="the folder's vectors were made with"):
        made.update(documents(1))
    with pytest.warns(UserWarning, match="an update was not finished"):
        loaded = ChunkanaRetriever.load(tmp_path, WordEmbedding(), parser=PARSER)
    assert "tea.md" not in {one.node.ref_doc_id for one in loaded.retrieve("tea")}
    loaded.update(documents(1))
    assert found(loaded) == found(fresh(1))


def test_records_of_the_folder_outlive_a_vector_store_of_the_callers(tmp_path: Path) -> None:
    store = SimpleVectorStore()
    options: dict[str, Any] = {"vectorstore": store, "folder": tmp_path, "parser": PARSER}
    ChunkanaRetriever.from_documents(documents(), WordEmbedding(), **options)
    embedding, count = CountingEmbedding(), len(store.data.embedding_dict)
    made = ChunkanaRetriever.from_documents(documents()[:5], embedding, **options)
    assert (embedding.count, len(store.data.embedding_dict)) == (0, count)
    made.update(documents()[:5], delete_missing=True)
    assert len(store.data.embedding_dict) < count
    (path,) = tmp_path.iterdir()
    path.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="the vectorstore may keep leaves that are never found"):
        ChunkanaRetriever.from_documents(documents()[:5], embedding, **options)


def test_an_update_that_was_not_finished_is_said_once_and_finished_next(tmp_path: Path) -> None:
    store = SimpleVectorStore()
    options: dict[str, Any] = {"vectorstore": store, "parser": PARSER}
    ChunkanaRetriever.from_documents(documents(), WordEmbedding(), folder=tmp_path, **options)
    failing = ChunkanaRetriever.load(tmp_path, FailingEmbedding(), **options)
    with pytest.raises(RuntimeError, match="no connection"):
        failing.update(documents(1))
    with pytest.warns(UserWarning, match="an update was not finished") as warned:
        loaded = ChunkanaRetriever.load(tmp_path, WordEmbedding(), **options)
    (warning,) = warned
    assert str(warning.message).startswith(
        "an update was not finished; until you pass these documents to `update`, searches "
        "find each as it was before or after that update: tea.md (before), 0.md (before)"
    )
    assert warning.filename == __file__
    assert "80 degrees" in loaded.retrieve("80 degrees")[0].node.get_content()
    report = loaded.update(documents(1))
    assert report.mended["tea.md"] == "before"
    assert found(loaded) == found(fresh(1))
    leaves = ChunkanaRetriever.load(tmp_path, WordEmbedding(), **options).update(documents(1))
    assert (leaves.leaves_added, leaves.leaves_deleted, leaves.mended) == (0, 0, {})


async def test_another_embedding_model_than_before_is_said(tmp_path: Path) -> None:
    save(tmp_path)
    loaded = ChunkanaRetriever.load(tmp_path, MockEmbedding(8), parser=PARSER)
    message = (
        "embedding is 'a model of 8 numbers'; allowed: the model that this index was made with: "
        "its vectors have 512 numbers"
    )
    with pytest.raises(ConfigurationError) as raised:
        loaded.retrieve("tea")
    assert str(raised.value) == message
    with pytest.raises(ConfigurationError, match="made with"):
        await loaded.aretrieve("tea")
    with pytest.raises(ConfigurationError, match="made with"):
        loaded.update(documents(1))


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_a_vector_store_without_the_leaves_is_named(
    search: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    options: Any = {"parser": PARSER, "search": search}
    ChunkanaRetriever.from_documents(
        documents(), WordEmbedding(), vectorstore=SimpleVectorStore(), folder=tmp_path, **options
    )
    other = SimpleVectorStore()
    loaded = ChunkanaRetriever.load(tmp_path, WordEmbedding(), vectorstore=other, **options)
    theirs = Document(text="# Silk\n\nDamp silk.", id_="other.md")
    for given in ([], [theirs]):  # empty, then with leaves of another's
        mixed = ChunkanaRetriever.from_documents(
            given, WordEmbedding(), vectorstore=other, **options
        )
        with pytest.warns(UnknownLeavesWarning, match="no leaf of this index"):
            found = loaded.retrieve("damp silk")
        with pytest.warns(UnknownLeavesWarning, match="no leaf of this index"):
            assert len(await loaded.aretrieve("damp silk")) == len(found)
        assert bool(found) is (search == "hybrid")
        assert bool(mixed.retrieve("damp silk")) is bool(given)
    assert loaded.retrieve("") == await loaded.aretrieve("") == []
