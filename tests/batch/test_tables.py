"""`chunk_table` and `chunk_batches`: rows of documents in, rows of chunks out."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkana_batch
from chunkana_batch import (
    SCHEMA,
    SCHEMA_VERSION,
    DocumentError,
    chunk_batches,
    chunk_table,
    spark_schema,
)
from chunkana_batch.rows import FIELDS
from chunkana_batch.tables import TableOptions
from chunkana_core import (
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchicalChunkingResult,
    InputTypeError,
)
from tests.corpora import REPOSITORY, own_documents
from tests.scale.documents import broken_strings, make_strict_size

NAMES = [sample.name for sample in own_documents()]
TEXTS = [sample.text for sample in own_documents()]
DOCUMENTS = pa.table({"text": TEXTS, "path": NAMES})
CONFIG = ChunkConfig(max_chunk_size=300, atomic_blocks="split")
FORMATS = {
    "a.md": "# A\n\nText.\n",
    "b.txt": "# no heading\n",
    "c.json": '{"a": {"b": 1}}',
    "d.py": "class A:\n    def f(self):\n        return 1\n",
    "noted": "# Of no known kind\n\nMarkdown.\n",
}


def chunked(
    *texts: object,
    config: ChunkConfig | None = None,
    options: TableOptions | None = None,
    **columns: object,
) -> list[dict[str, Any]]:
    """Return the rows of the chunks of texts; by default, chunks have a context."""
    table = pa.table({"text": texts[0] if isinstance(texts[0], pa.Array) else texts, **columns})
    return list(chunk_table(table, config, **(options or {})).to_pylist())


def test_rows_are_the_leaves_with_what_is_embedded() -> None:
    rows = iter(chunk_table(DOCUMENTS, CONFIG).to_pylist())
    for name, text in zip(NAMES, TEXTS, strict=True):
        result = Chunker(CONFIG, Context()).chunk_hierarchical(text, path=name)
        for chunk in result.get_leaves():
            row = next(rows)
            assert (row["file"], row["document_title"]) == (name, result.title)
            assert (row["embedded"], row["content"]) == (chunk.embedded, chunk.content)
            assert row["path"] == list(chunk.section.path)
            exact = text[row["start_char"] : row["end_char"]]
            assert row["content"][row["prefix_chars"] :].startswith(exact)
            assert row["size"] == chunk.size == len(str(row["embedded"]))
            assert (row["start_line"], row["end_line"]) == (
                chunk.text_start_line,
                chunk.text_end_line,
            )
    assert next(rows, None) is None


@pytest.mark.parametrize("context", [None, Context(label="site")])
def test_the_context_is_the_callers(context: Context | None) -> None:
    (row,) = chunk_table(pa.table({"text": ["# A\n\nText."]}), context=context).to_pylist()
    expected = Chunker(ChunkConfig(), context).chunk("# A\n\nText.")[0].embedded
    assert row["embedded"] == expected


FEW = DOCUMENTS.filter(pc.less(pc.utf8_length(DOCUMENTS["text"]), 2_500))


@settings(max_examples=20)
@given(st.lists(st.integers(0, len(FEW)), max_size=6))
def test_rows_do_not_depend_on_batches(stops: Sequence[int]) -> None:
    """A document has the same rows in whatever batch it is, so that tasks may be tried again."""
    cuts = sorted({0, len(FEW), *stops})
    batches = [
        FEW.slice(start, stop - start).combine_chunks().to_batches()[0]
        for start, stop in pairwise(cuts)
    ]
    whole = pa.Table.from_batches(chunk_batches(batches, CONFIG), SCHEMA)
    assert whole.equals(chunk_table(FEW, CONFIG))


def test_the_schema_is_what_spark_knows_and_documented() -> None:
    table = chunk_table(DOCUMENTS)
    assert table.schema.equals(SCHEMA, check_metadata=True)
    assert SCHEMA.metadata == {b"chunkana_schema_version": str(SCHEMA_VERSION).encode()}
    assert {str(field.type) for field in SCHEMA} == {
        "string", "int64", "bool", "list<item: string>",
    }  # fmt: skip
    assert all(field.nullable for field in SCHEMA)
    page = (REPOSITORY / "docs" / "tables.md").read_text("utf-8")
    documented = re.findall(r"^\| `(\w+)` \| `?([\w<>]+)`? \|", page, re.MULTILINE)
    assert documented == list(FIELDS.items())


def test_spark_reads_the_schema_as_its_own_ddl() -> None:
    columns = dict(column.split(" ") for column in spark_schema().split(", "))
    assert [name.strip("`") for name in columns] == SCHEMA.names
    assert set(columns.values()) == {"string", "bigint", "boolean", "array<string>"}


def test_ids_are_unique_over_documents_and_the_same_again() -> None:
    twice = pa.table({"text": TEXTS * 2, "path": [*NAMES, *(f"copy/{name}" for name in NAMES)]})
    ids = chunk_table(twice)["id"].to_pylist()
    assert len(set(ids)) == len(ids)
    assert ids == chunk_table(twice)["id"].to_pylist()
    assert all(re.fullmatch(r"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}", each) for each in ids)


def test_a_document_is_known_by_its_id_else_its_path_else_its_text() -> None:
    paths, names = ["a.md", "a.md", None], ["7", None, None]
    rows = chunked("One.", "One.", "One.", path=paths, document_id=names)
    assert [row["document_id"] for row in rows][:2] == ["7", "a.md"]
    assert rows[2]["document_id"] == rows[2]["document_hash"] == rows[0]["document_hash"]
    assert len({row["id"] for row in rows}) == 3


def test_ids_of_databases_may_be_numbers() -> None:
    (row,) = chunked("One.", document_id=[7])
    assert row["document_id"] == "7"


def test_hashes_are_those_that_databases_compute() -> None:
    """SHA-256 of UTF-8, as `sha256` of DuckDB and `sha2(text, 256)` of Spark."""
    (row,) = chunked("abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert row["document_hash"] == row["chunk_hash"] == digest
    rows = chunked("# A\n\nSame.\n", "# B\n\nSame.\n", "# A\n\nSame.\n")
    first, other, again = (row["chunk_hash"] for row in rows)  # of what is embedded
    assert first == again != other


def test_the_format_is_that_of_the_path() -> None:
    rows = chunked(*FORMATS.values(), path=[*FORMATS])
    formats = {row["file"]: row["format"] for row in rows}
    assert list(formats.values()) == ["markdown", "text", "json", "python", "markdown"]


_JSON, _READ = '{"a": 1, "tags": ["x"]}', {"a": 1, "tags": ["x"]}
METADATA: list[tuple[pa.Array, object]] = [
    (pa.array([_READ, None]), _READ),
    (pa.array([_JSON, None]), _READ),
    (pa.array([_JSON.encode(), None]), _READ),
    (pa.array([_JSON, None]).dictionary_encode(), _READ),
    (pa.array([[("a", 1.5), ("b", float("nan"))], None], pa.map_(pa.string(), pa.float64())),
     {"a": 1.5, "b": None}),
    (pa.array([{"day": dt.date(2026, 1, 2), "raw": b"ab"}, None]),
     {"day": "2026-01-02", "raw": "YWI="}),
]  # fmt: skip


@pytest.mark.parametrize(("column", "expected"), METADATA)
def test_metadata_are_json_whatever_their_type(column: pa.Array, expected: object) -> None:
    first, second = chunked("One.", "Two.", metadata=column)
    assert (json.loads(first["metadata"]), second["metadata"]) == (expected, "{}")


def test_keys_of_front_matter_are_copied_below_the_callers() -> None:
    text = "---\nauthor: Ann\nlang: en\ndate: 2026-01-02\n---\n\n# A\n\nText.\n"
    options: TableOptions = {"front_matter_keys": ["author", "lang", "date", "none"]}
    rows = chunked(text, metadata=['{"lang": "fr"}'], options=options)
    expected = {"author": "Ann", "date": "2026-01-02", "lang": "fr"}
    assert [json.loads(row["metadata"]) for row in rows] == [expected] * len(rows)


def text_columns() -> Iterator[pa.Array]:
    texts = ["# A\n\nGrüße.", "", "Text."]
    data = [text.encode() for text in texts]
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield pa.array(texts, kind)
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        yield pa.array(data, kind)
    yield pa.array(texts).dictionary_encode()


@pytest.mark.parametrize("column", list(text_columns()), ids=lambda c: str(c.type))
def test_texts_may_be_of_any_type_of_string(column: pa.Array) -> None:
    rows = chunked(column)
    assert [row["content"] for row in rows] == ["# A\n\nGrüße.", "Text."]


NAMED = "allowed: one column 'text', and at most one of each of 'path', 'document_id', 'metadata'"
COLUMNS = [
    ({"text": [1]}, "text is 'int64'; allowed: a column of strings or bytes"),
    ({"text": [["a"]]}, "text is 'list<item: string>'; allowed: a column of strings or bytes"),
    ({"text": ["a"], "path": [1]}, "path is 'int64'; allowed: a column of strings"),
    ({"text": ["a"], "document_id": [1.5]},
     "document_id is 'double'; allowed: a column of strings or integers"),
    ({"text": ["a"], "metadata": [1]},
     "metadata is 'int64'; allowed: a column of structs, maps, or strings of JSON"),
    ({"body": ["a"]}, f"columns is ['body']; {NAMED}"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "message"), COLUMNS)
def test_other_columns_are_errors(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        chunk_table(pa.table(columns))
    assert str(caught.value) == message
    assert isinstance(caught.value, InputTypeError) == ("text" in columns)


@pytest.mark.parametrize("name", ["text", "path", "document_id", "metadata"])
def test_two_columns_of_a_name_are_an_error(name: str) -> None:
    names = ["text", name, name]
    with pytest.raises(ConfigurationError) as caught:
        chunk_table(pa.table([pa.array(["a"])] * 3, names=names))
    assert str(caught.value) == f"columns is {names}; {NAMED}"


@pytest.mark.parametrize("table", [pa.table({}), pa.table({"text": pa.array([], pa.string())})])
def test_no_rows_are_no_chunks(table: pa.Table) -> None:
    assert chunk_table(table).num_rows == 0
    assert chunk_table(table).schema.equals(SCHEMA)


def column_of(kind: pa.DataType, *values: object) -> pa.Array:
    return pa.array(values, kind)


BAD = [
    (pa.array([None, "fine"]), "text is null"),
    (pa.array(["x" * 50, "fine"]), "text has 50 characters; max_characters is 40"),
    (pa.array([b"caf\xe9", b"fine"]), "text is not utf-8 at byte 3"),
    (broken_strings(), "text is not utf-8 at byte 3"),
    (pa.array(["never", "fine"]), "ValueError: no size of this"),
]


@pytest.mark.parametrize(("column", "message"), BAD, ids=[message for _, message in BAD])
def test_a_bad_row_is_an_error_row_and_the_others_are_chunked(
    column: pa.Array, message: str
) -> None:
    table = pa.table({"text": column, "path": ["bad.md", "fine.md"]})
    config = ChunkConfig(length_function=make_strict_size())
    bad, fine = chunk_table(table, config, max_characters=40).to_pylist()
    assert {name: value for name, value in bad.items() if value is not None} == {
        "document_id": "bad.md", "file": "bad.md", "error": message,
    }  # fmt: skip
    assert (fine["content"], fine["error"]) == ("fine", None)
    with pytest.raises(DocumentError) as caught:
        chunk_table(table, config, max_characters=40, on_error="raise")
    assert str(caught.value) == f"bad.md: cannot be chunked: {message}"


# Deeper than any Python reads: the limit of 3.11 is 1,000, that of 3.12 and later several thousand.
NESTED = "[" * 100_000 + "]" * 100_000
BAD_METADATA = {
    "no JSON": pa.array(["{", None]),
    "a list": pa.array(["[1]", None]),
    "a number": pa.array(["7", None]),
    "nested deeply": pa.array([f'{{"a": {NESTED}}}', None]),
    "a year after 9999": column_of(
        pa.struct([("at", pa.timestamp("s"))]), {"at": 253_402_300_800}, None
    ),
    "an unknown time zone": column_of(
        pa.struct([("at", pa.timestamp("s", tz="Mars/Phobos"))]), {"at": 0}, None
    ),
    "keys that are structs": column_of(
        pa.map_(pa.struct([("a", pa.int64())]), pa.int64()), [({"a": 1}, 1)], None
    ),
    "two fields of a name": pa.StructArray.from_arrays(
        [pa.array([1, None])] * 2, ["a", "a"], mask=pa.array([False, True])
    ),
}


@pytest.mark.parametrize("column", BAD_METADATA.values(), ids=BAD_METADATA)
def test_metadata_that_cannot_be_read_is_an_error_of_its_row(column: pa.Array) -> None:
    table = pa.table({"text": ["One.", "Two."], "document_id": [1, 2], "metadata": column})
    bad, fine = chunk_table(table).to_pylist()
    assert (bad["document_id"], bad["content"], bad["metadata"]) == ("1", None, None)
    assert bad["error"].startswith("metadata is not ")
    assert (fine["content"], fine["error"]) == ("Two.", None)
    with pytest.raises(DocumentError, match=r"^1: cannot be chunked: metadata is not "):
        chunk_table(table, on_error="raise")


def test_metadata_that_cannot_be_written_is_an_error_of_its_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endless: dict[str, object] = {}
    endless["a"] = endless
    monkeypatch.setattr(HierarchicalChunkingResult, "front_matter", endless)
    (bad,) = chunked("One.", options={"front_matter_keys": ["a"]})
    assert bad["error"].startswith("RecursionError: ")


def test_bytes_are_decoded_as_asked() -> None:
    table = pa.table({"text": [b"caf\xe9"]})
    assert chunk_table(table, encoding="latin-1")["content"].to_pylist() == ["café"]
    replaced = chunk_table(table, encoding_errors="replace")
    assert replaced["content"].to_pylist() == ["caf\ufffd"]


def test_texts_over_20_million_characters_are_errors_by_default() -> None:
    bad, fine = chunked("a b " * 5_000_001, "fine")
    assert bad["error"] == "text has 20,000,004 characters; max_characters is 20,000,000"
    assert fine["content"] == "fine"


def test_lone_surrogates_in_titles_are_replaced() -> None:
    texts = ['{"\\ud800": {"b": 1}}', '---\ntitle: "\\ud800x"\n---\n\nText.']
    rows = chunked(*texts, path=["a.json", "b.md"], options={"front_matter_keys": ["title"]})
    assert all(row["error"] is None for row in rows)
    assert json.loads(rows[-1]["metadata"]) == {"title": "\ufffdx"}
    assert "\ufffd" in rows[0]["path"]


def test_batches_are_bounded_and_made_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkana_batch.tables._MAX_BATCH_ROWS", 41)
    read: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(12):
            read.append(number)
            yield pa.record_batch({"text": [f"Text {each} of {number}." for each in range(5)]})

    outcome = chunk_batches(batches())
    assert next(outcome).num_rows == 41
    assert len(read) == 9
    assert [batch.num_rows for batch in outcome] == [19]
    assert len(read) == 12


@pytest.mark.parametrize(
    ("text", "metadata"), [("x" * 40_000, "{}"), ("Text.", json.dumps({"a": "x" * 40_000}))]
)
def test_long_texts_and_metadata_fill_a_batch_before_many_rows_do(
    text: str, metadata: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chunkana_batch.tables._MAX_BATCH_CHARACTERS", 320_000)
    batch = pa.record_batch({"text": [text] * 40, "metadata": [metadata] * 40})
    made = chunk_batches([batch], ChunkConfig(max_chunk_size=100_000))
    assert [each.num_rows for each in made] == [8, 8, 8, 8, 8]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_error": "row"}, "on_error is 'row'; allowed: 'raise' or 'skip'"),
        ({"encoding": "utf-9"},
         "encoding is 'utf-9'; allowed: the name of an encoding, such as 'utf-8' or 'latin-1'"),
        ({"encoding_errors": "no"},
         "encoding_errors is 'no'; allowed: 'strict', 'replace' or 'ignore'"),
        ({"front_matter_keys": "tags"},
         "front_matter_keys is 'tags'; allowed: a list or tuple of str"),
        ({"front_matter_keys": [1]}, "front_matter_keys[0] is 1; allowed: a str"),
        ({"max_characters": 0},
         "max_characters is 0; allowed: a whole number of at least 1"),
        ({"config": 1000}, "config is 1000; allowed: a ChunkConfig"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_errors_before_anything_is_read(
    options: dict[str, object], message: str
) -> None:
    batches = map(pytest.fail, ["was read"])
    with pytest.raises(ConfigurationError) as caught:
        chunk_batches(batches, **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_options_of_chunking_are_said_to_go_into_a_config() -> None:
    unknown = "chunk_table() got an unexpected keyword argument "
    with pytest.raises(TypeError) as caught:
        chunk_table(pa.table({"text": ["A."]}), max_chunk_size=500)  # type: ignore[call-arg]
    hint = "; it is a chunking option: config=ChunkConfig(max_chunk_size=...)"
    assert str(caught.value) == f"{unknown}'max_chunk_size'{hint}"
    with pytest.raises(TypeError) as caught:
        chunk_table(pa.table({"text": ["A."]}), colour="red")  # type: ignore[call-arg]
    assert str(caught.value) == f"{unknown}'colour'"


def test_what_engines_send_to_their_workers_can_be_pickled() -> None:
    function = pickle.loads(pickle.dumps(partial(chunk_batches, config=CONFIG)))  # noqa: S301
    (batch,) = function(iter(pa.table({"text": ["One."]}).to_batches()))
    assert batch["content"].to_pylist() == ["One."]


def test_processes_need_no_arrow() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None; import chunkana_batch as b; b.chunk_many\n"
        "try: b.SCHEMA\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == 'tables need pyarrow: pip install "chunkana-rag[arrow]"\n'


def test_unknown_names_are_errors_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'chunkana_batch' has no attribute 'tabel'"):
        _ = chunkana_batch.tabel
