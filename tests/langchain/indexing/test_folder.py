"""An index in a folder: other processes, processes that are killed, full disks, damaged files."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaRetriever
from chunkana_retrieval import IndexFileError
from tests.langchain.indexing.parts import QUERY, SPLITTER, TEA, TEXTS, documents, found, texts_of
from tests.langchain.parts import WordEmbeddings

FILE = "chunkana_index.bin"


def made(folder: Path, **options: Any) -> ChunkanaRetriever:  # noqa: ANN401
    """Return a retriever that is saved."""
    options = {"embedding": WordEmbeddings(), **options}
    return ChunkanaRetriever.from_documents(
        documents(TEXTS), splitter=SPLITTER, folder=folder, **options
    )


def python(script: str, **options: Any) -> subprocess.Popen[str]:  # noqa: ANN401
    """Start another process."""
    command = [sys.executable, "-W", "error", "-c", script]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)


def change(retriever: ChunkanaRetriever, how: str) -> object:
    """Change an index."""
    edited = documents({"oven.md": "# Oven\n\nMine.\n"})
    if how == "update":
        return retriever.update(edited)
    if how == "delete":
        return retriever.delete(["oven.md"])
    if how == "aupdate":
        return asyncio.run(retriever.aupdate(edited))
    return asyncio.run(retriever.adelete(["oven.md"]))


@pytest.mark.parametrize("has_store", [False, True])
@pytest.mark.parametrize("how", ["update", "delete", "aupdate", "adelete"])
def test_what_another_writer_saved_is_not_lost(
    how: str, *, has_store: bool, tmp_path: Path
) -> None:
    embedding = WordEmbeddings()
    options: Any = {"vectorstore": InMemoryVectorStore(embedding)} if has_store else {}
    made(tmp_path, **(options | {"embedding": None} if has_store else {}))
    options = options or {"embedding": embedding}
    first, second = (
        ChunkanaRetriever.load(tmp_path, splitter=SPLITTER, **options) for _ in range(2)
    )
    before = found(second)
    first.update(documents({"iron.md": "# Iron\n\nGreen tea waits for silk.\n"}))
    embedded = [*embedding.embedded]
    with pytest.raises(IndexFileError, match="written by another since it was loaded; `load` it"):
        change(second, how)
    assert embedding.embedded == embedded
    assert has_store or found(second) == before
    again = ChunkanaRetriever.load(tmp_path, splitter=SPLITTER, **options)
    assert "Green tea waits for silk." in "".join(found(again, "silk"))
    assert change(again, how)


def test_who_saves_while_another_does_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(tmp_path)
    second = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER)
    embed = WordEmbeddings.embed_documents

    def embed_later(self: WordEmbeddings, texts: list[str]) -> list[list[float]]:
        monkeypatch.undo()
        first.update(documents({"iron.md": "# Iron\n\nSilk.\n"}))
        return embed(self, texts)

    monkeypatch.setattr(WordEmbeddings, "embed_documents", embed_later)
    with pytest.raises(IndexFileError, match="written by another"):
        second.update(documents({"oven.md": "# Oven\n\nMine.\n"}))
    again = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER)
    assert found(again, "silk") == found(first, "silk")


def test_an_index_whose_file_is_gone_is_saved_anew(tmp_path: Path) -> None:
    retriever = made(tmp_path)
    (tmp_path / FILE).unlink()
    retriever.delete(["oven.md"])
    loaded = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER)
    assert found(loaded) == found(retriever)


IMPORTS = """
from chunkana_langchain import ChunkanaRetriever as R
from tests.langchain.indexing.parts import *
from tests.langchain.parts import WordEmbeddings as W
"""


@pytest.mark.slow
@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
def test_another_process_gives_the_same_answers(search: str, tmp_path: Path) -> None:
    retriever = made(tmp_path, search=search)
    process = python(
        f"{IMPORTS}\nr = R.load({str(tmp_path)!r}, W(), search={search!r})\n"
        "print(repr([(p.page_content, p.metadata) for p in r.invoke(QUERY)]))"
    )
    out, err = process.communicate(timeout=60)
    assert out.strip() == repr([(p.page_content, p.metadata) for p in retriever.invoke(QUERY)]), err


async def test_what_is_loaded_is_updated_and_saved_again_without_embedding_what_is_known(
    tmp_path: Path,
) -> None:
    made(tmp_path)
    embedding = WordEmbeddings()
    loaded = await ChunkanaRetriever.aload(tmp_path, embedding, splitter=SPLITTER)
    before = (tmp_path / FILE).stat()
    assert loaded.update(documents(TEXTS)).unchanged == [*TEXTS]
    assert (tmp_path / FILE).stat() == before
    moved = {"oven.md": TEXTS["oven.md"], "/tea.md": TEA}
    loaded.update(documents(moved), delete_missing=True)
    assert embedding.embedded == []
    again = ChunkanaRetriever.load(tmp_path, WordEmbeddings())
    assert texts_of(again.invoke(QUERY)) == texts_of(loaded.invoke(QUERY))
    assert {p.metadata["source"] for p in again.invoke(QUERY)} == set(moved)
    assert os.listdir(tmp_path) == [FILE]  # noqa: PTH208


def test_words_of_a_dense_index_are_collected_when_it_is_loaded(tmp_path: Path) -> None:
    made(tmp_path, search="dense")
    loaded = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER)
    assert found(loaded) == found(made(tmp_path / "other"))
    by_words = ChunkanaRetriever.load(tmp_path, search="lexical")
    assert "80 degrees" in found(by_words)[0]


def test_an_empty_index_is_saved_and_grows(tmp_path: Path) -> None:
    ChunkanaRetriever.from_documents([], WordEmbeddings(), folder=tmp_path)
    retriever = ChunkanaRetriever.load(tmp_path, WordEmbeddings())
    retriever.update(documents(TEXTS))
    assert found(ChunkanaRetriever.load(tmp_path, WordEmbeddings())) == found(retriever)


# What is missing


def message(**options: Any) -> str:  # noqa: ANN401
    with pytest.raises(ConfigurationError) as raised:
        ChunkanaRetriever.load(**options)
    return str(raised.value)


def test_load_says_what_it_needs(tmp_path: Path) -> None:
    embedding, in_memory, both = WordEmbeddings(), tmp_path / "in_memory", tmp_path / "stores"
    made(in_memory)
    assert message(folder=in_memory) == (
        "embedding is None; allowed: an Embeddings, or a `vectorstore` that has one, or "
        "search='lexical'"
    )
    stores: dict[str, Any] = {
        "vectorstore": InMemoryVectorStore(embedding),
        "docstore": InMemoryStore(),
    }
    made(both, embedding=None, **stores)
    assert message(folder=both, embedding=embedding, docstore=stores["docstore"]) == (
        "vectorstore is None; allowed: the vectorstore that has the leaves of this index, which "
        "are not in its folder"
    )
    assert message(folder=both, vectorstore=stores["vectorstore"]) == (
        "docstore is None; allowed: the docstore that has the records of this index, which "
        "are not in its folder"
    )
    assert message(folder=in_memory, vectorstore=stores["vectorstore"]).endswith(
        "allowed: None: the leaves of this index are in its folder"
    )
    assert message(folder=in_memory, embedding=embedding, docstore=stores["docstore"]).endswith(
        "allowed: None: the records of this index are in its folder"
    )
    loaded = ChunkanaRetriever.load(both, **stores)
    assert found(loaded) == found(ChunkanaRetriever.load(in_memory, embedding))


def test_a_folder_without_vectors_says_so(tmp_path: Path) -> None:
    made(tmp_path, search="lexical")
    assert message(folder=tmp_path, embedding=WordEmbeddings()) == (
        "search is 'hybrid'; allowed: 'lexical': the folder has no vectors; make the index again "
        "for another search"
    )


def test_search_by_words_in_a_folder_with_vectors_needs_the_embedding_for_changes(
    tmp_path: Path,
) -> None:
    made(tmp_path)
    retriever = ChunkanaRetriever.load(tmp_path, search="lexical", splitter=SPLITTER)
    retriever.delete(["oven.md"])
    with pytest.raises(ConfigurationError, match="the folder's vectors were made with"):
        retriever.update(documents({"tea.md": TEA.replace("80", "75")}))
    assert "80 degrees" in found(retriever)[0]
    with pytest.warns(UserWarning, match=r"not finished.* tea\.md \(before\)"):
        dense = ChunkanaRetriever.load(
            tmp_path, WordEmbeddings(), splitter=SPLITTER, search="dense"
        )
    assert {p.metadata["source"] for p in dense.invoke(QUERY)} == {"tea.md"}
    dense.update(documents({"tea.md": TEA.replace("80", "75")}))
    assert any("75 degrees" in text for text in found(dense))


# What was not finished, and what is damaged


class Unreachable(WordEmbeddings):
    """Embeds nothing."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ConnectionError(len(texts))


def test_load_warns_once_of_what_was_not_finished_and_says_of_which_state(tmp_path: Path) -> None:
    made(tmp_path)
    broken = ChunkanaRetriever.load(tmp_path, Unreachable(), splitter=SPLITTER)
    edited = documents({"tea.md": TEA.replace("80", "75"), "new.md": "# New\n\nNothing.\n"})
    with pytest.raises(ConnectionError):
        broken.update(edited)
    with pytest.warns(UserWarning, match="not finished") as seen:
        loaded = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER)
    (warning,) = seen
    assert str(warning.message) == (
        "an update was not finished; until you pass these documents to `update`, searches find "
        "each as it was before or after that update: tea.md (before), new.md (before)"
    )
    assert "80 degrees" in found(loaded)[0]
    assert set(loaded.update(edited).mended) == {"tea.md", "new.md"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER)
    assert "75 degrees" in found(again)[0]


def test_an_index_that_cannot_be_made_leaves_the_one_that_was_there(tmp_path: Path) -> None:
    made(tmp_path)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ConnectionError):
        made(tmp_path, embedding=Unreachable())
    assert (tmp_path / FILE).read_bytes() == before
    ChunkanaRetriever.from_documents([], WordEmbeddings(), folder=tmp_path)
    assert ChunkanaRetriever.load(tmp_path, WordEmbeddings()).invoke(QUERY) == []


@pytest.mark.parametrize("size", [0, 10, 500, -1])
def test_a_damaged_file_is_named(size: int, tmp_path: Path) -> None:
    made(tmp_path)
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(IndexFileError, match=FILE):
        ChunkanaRetriever.load(tmp_path, WordEmbeddings())


def test_a_folder_without_an_index_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=FILE):
        ChunkanaRetriever.load(tmp_path, WordEmbeddings())


UPDATING = f"""{IMPORTS}
r = R.load(FOLDER, W(), splitter=SPLITTER)
print("loaded", flush=True)
for n in range(1, 1000):
    text = "# Tea\\n\\n## Green\\n\\nWait for " + str(n) + " degrees of green tea.\\n"
    r.update([Document(text, metadata={{"source": "tea.md"}})])
    print(n, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 7])
def test_a_process_that_is_killed_leaves_the_old_index_or_the_new_one(
    count: int, tmp_path: Path
) -> None:
    """It is killed inside an update, wherever it is then."""
    made(tmp_path)
    process = python(UPDATING.replace("FOLDER", repr(str(tmp_path))))
    assert process.stdout is not None
    done = [process.stdout.readline() for _ in range(count + 1)]
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate()
    last = int([*done, *out.splitlines()][-1].replace("loaded", "0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = ChunkanaRetriever.load(tmp_path, WordEmbeddings())
    (passage,) = loaded.invoke("green tea", budget=60)
    told = {n: f"Wait for {n} degrees" for n in (last, last + 1)} | ({} if last else {0: "80"})
    assert any(text in passage.page_content for text in told.values())


@pytest.mark.slow
def test_a_full_disk_leaves_the_index_that_was_there(tmp_path: Path) -> None:
    made(tmp_path)
    before = (tmp_path / FILE).read_bytes()

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    script = UPDATING.replace("FOLDER", repr(str(tmp_path)))
    process = python(script, preexec_fn=limit)
    _, err = process.communicate(timeout=60)
    assert "OSError: [Errno 27]" in err
    assert (tmp_path / FILE).read_bytes() == before
    assert os.listdir(tmp_path) == [FILE]  # noqa: PTH208
