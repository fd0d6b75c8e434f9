"""Documents of any format, chosen by their metadata, and the labels of their contexts."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from chunkana_core import ConfigurationError
from chunkana_core.formats import registry
from tests.conformance.adapters import Adapter, Metadata, Native
from tests.conformance.frameworks import Framework
from tests.conformance.models import Model
from tests.conformance.repository import FILES, FORMATS
from tests.corpora import NOTEBOOK

CODE = "class Tea:\n    def boil(self):\n        return 100\n"
TEA = "# Tea\n\nBoil it.\n\n## Green\n\nWait.\n"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"source": "a.py", "mime_type": "text/plain"}, "python"),
        ({"source": "crawl-7", "file_path": "a.rb"}, "ruby"),
        ({"source": "blob-7", "mime_type": "application/json"}, "json"),
        ({"file_type": "text/x-python"}, "python"),
        ({"file_path": None, "source": 5, "file_type": ["text/plain"]}, "markdown"),
        ({}, "markdown"),
    ],
)
def test_the_format_is_that_of_the_name_else_of_the_media_type(
    splitting: Adapter, metadata: Metadata, expected: str
) -> None:
    """As tests/core/test_source_files.py has it."""
    (leaf,) = splitting.split("[1, 2]", metadata).leaves
    assert leaf.metadata["format"] == expected


def test_a_media_type_may_be_in_a_key_of_ours(splitting: Adapter) -> None:
    with pytest.warns(UserWarning, match="keeps? (its|their) own .*content_type"):
        (leaf,) = splitting.split("[1, 2]", {"content_type": "application/json"}).leaves
    assert leaf.metadata["format"] == "json"
    assert leaf.metadata["content_type"] == "application/json"


def test_every_file_of_a_repository_is_in_its_format(splitting: Adapter) -> None:
    documents = [splitting.document(text, {"source": name}) for name, text in FILES.items()]
    found = splitting.run(splitting.make(max_chunk_size=250, min_chunk_size=0), documents).leaves
    assert {one.metadata["source"]: one.metadata["format"] for one in found} == FORMATS
    assert {
        (one.metadata["kind"], one.metadata["name"]) for one in found
    } >= {("method", "getUser"), ("function", "add_tax"), ("class", "Cart")}  # fmt: skip
    as_text = splitting.run(splitting.make(format="text"), documents).leaves
    assert {one.metadata["format"] for one in as_text} == {"text"}


def test_a_missing_extra_is_an_error_before_any_document_is_split(
    splitting: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    documents = [splitting.document(text, {"source": name}) for name, text in FILES.items()]
    message = r"src/app\.py.*chunkana-rag\[code\].*format=\"markdown\""
    with pytest.raises(ImportError, match=message):
        splitting.run(splitting.make(), documents)
    with pytest.raises(ImportError, match=r"chunkana-rag\[code\]"):
        splitting.make(format="python")
    found = splitting.run(splitting.make(format="markdown"), documents).leaves
    assert {one.metadata["source"] for one in found} == {*FILES}


def test_a_missing_extra_is_an_error_before_anything_is_embedded(
    adapter: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    model = Model()
    with pytest.raises(ImportError, match=r"app\.py.*chunkana-rag\[code\]"):
        adapter.make({"README.md": TEA, "src/app.py": CODE}, model)
    assert model.texts == []


@pytest.mark.parametrize("name", ["tea.json", "tea.ipynb", "tea.go"])
def test_what_does_not_load_is_plain_text_or_of_the_fallback_with_a_warning(
    splitting: Adapter, name: str
) -> None:
    text = (
        "# Tea\n\nNo data { here.\n" if name != "tea.go" else "# Tea\n\n" + "?? ) ) ( ( ]] !\n" * 5
    )
    with pytest.warns(UserWarning, match=r"is not (valid|in the format)") as caught:
        (leaf, *_) = splitting.leaves(text, name)
    assert len(caught) == 1
    assert (leaf.metadata["format"], leaf.metadata["header_path"]) == ("text", "/")
    assert leaf.embedded.startswith(f"{name}\n\n# Tea")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        splitting.run(splitting.make(max_chunk_size=1000), [leaf.native])
    if name != "tea.go":
        with pytest.warns(UserWarning, match="is not"):
            (leaf,) = splitting.leaves(text, name, fallback="markdown")
        assert (leaf.metadata["format"], leaf.metadata["header_path"]) == ("markdown", "/Tea")


def test_a_leaf_of_code_that_is_split_further_keeps_its_format(splitting: Adapter) -> None:
    for name in ("src/app.py", "web/cart.ts"):
        (large,) = splitting.leaves(FILES[name], name, max_chunk_size=4000)
        parser = splitting.make(max_chunk_size=250, min_chunk_size=0)
        parts = splitting.run(parser, [large.native]).leaves
        direct = splitting.leaves(FILES[name], name, max_chunk_size=250, min_chunk_size=0)
        for one in parts:
            assert one.is_exact(FILES[name])
            assert one.metadata["format"] == FORMATS[name]
            assert one.context.startswith(name)
        paths = ({one.metadata["header_path"] for one in some} for some in (parts, direct))
        assert next(paths) == next(paths)


def test_a_notebook_is_its_cells_and_leaves_and_passages_say_which(splitting: Adapter) -> None:
    leaves = splitting.leaves(NOTEBOOK, "trip.ipynb", max_chunk_size=75, min_chunk_size=0)
    assert [leaf.metadata["cell"] for leaf in leaves] == [1, 2, 3]
    assert [leaf.metadata["cell_end_line"] for leaf in leaves] == [3, 2, 3]
    assert [leaf.metadata["kind"] for leaf in leaves] == ["", "function", ""]
    again = splitting.run(splitting.make(), [leaf.native for leaf in leaves]).leaves
    assert [one.start for one in again] == [one.start for one in leaves]
    cells = [
        (one.metadata["cell"], one.metadata["cell_end"]) for one in splitting.assemble(leaves[1:])
    ]
    assert cells == [(2, 2), (3, 3)]


# Labels


def test_contexts_begin_with_the_file(splitting: Adapter) -> None:
    name = "/home/ada/shop/src/tea.py"
    assert splitting.leaves(CODE, name)[0].context == "src/tea.py > Tea"
    assert splitting.leaves(TEA, "tea.md")[0].context == "tea.md > Tea"
    assert splitting.leaves("# of tea\n", "tea.txt")[0].context == "tea.txt"
    assert splitting.leaves(CODE, name, has_context=False)[0].embedded == CODE.rstrip()


def of_team(document: Native) -> str:
    """Return a label that a function makes."""
    return f"of {document.metadata['team']}"


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (None, "shop/tea.md > Tea"),
        ("team", "kitchen > Tea"),
        ("", "Tea"),
        (of_team, "of kitchen > Tea"),
        ("none", "shop/tea.md > Tea"),
        ("many", "shop/tea.md > Tea"),
    ],
)
@pytest.mark.filterwarnings("ignore:source_label is 'many'")
def test_a_label_that_is_given_is_in_place_of_the_file(
    splitting: Adapter, label: str | Callable[[Native], str] | None, expected: str
) -> None:
    """It is a key of the metadata, also of one that is None or missing, or a function."""
    metadata = {"source": "shop/tea.md", "team": "kitchen", "none": None}
    (leaf, _) = splitting.split(TEA, metadata, source_label=label).leaves
    assert leaf.context == expected
    options = {"min_chunk_size": 0, "introductions": False, "source_label": label}
    text = f"{TEA}{'Wait. ' * 40}"
    leaves = splitting.split(text, metadata, max_chunk_size=120, **options).leaves
    parser = splitting.make(max_chunk_size=80, **options)
    parts = splitting.run(parser, [leaf.native for leaf in leaves]).leaves
    assert len(parts) > len(leaves)
    assert {part.context for part in parts} == {expected, f"{expected} > Green"}


def test_a_label_goes_first_where_there_is_no_room(splitting: Adapter) -> None:
    text = TEA + "Words of it. " * 20
    leaves = splitting.split(
        text, {"team": "k" * 30}, source_label="team", max_chunk_size=72, introductions=False
    ).leaves
    assert leaves[-1].context == "Tea > Green"


def five(_: Native) -> int:
    """Return what is no label."""
    return 5


def test_a_label_is_a_text(splitting: Adapter) -> None:
    with pytest.raises((TypeError, ValueError), match="source_label"):
        splitting.make(source_label=5)
    with pytest.raises(
        ConfigurationError, match=r"(label|what source_label returns) is 5; allowed: "
    ):
        splitting.split(TEA, source_label=five)
