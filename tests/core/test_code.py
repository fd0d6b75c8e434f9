"""Source code: its definitions are sections, whatever the language."""

from __future__ import annotations

import importlib
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkana_core import ChunkConfig, Chunker, Context, format_names
from chunkana_core.extending import BlockKind, Document
from chunkana_core.formats import registry
from chunkana_core.formats.code.languages.language import STRINGS, Language
from chunkana_core.formats.code.languages.table import LANGUAGES
from tests import corpora
from tests.core.outlines import (
    OutlineCase,
    outline,
    outline_cases,
    python_definitions,
    section_definitions,
)

tree_sitter = pytest.importorskip("tree_sitter")
from chunkana_core.formats.code import grammars  # noqa: E402  needs tree-sitter
from chunkana_core.formats.code.parser import parse_code  # noqa: E402

# Tagged in our cases, and no definitions of ours: declared elsewhere, named inside an expression.
UNDEFINED = frozenset({"declared", "open_shop", "node", "later", "inner", "g"})
UNDEFINED_KINDS = frozenset({"definition.constant", "definition.field"})
TAGGED = ("c", "cpp", "go", "java", "javascript", "php", "python", "ruby", "rust", "typescript")


def starts(document: Document) -> list[str]:
    """Return kind, depth and first line of each block."""
    texts = (document.text[block.start : block.end].rstrip() for block in document.blocks)
    return [
        f"{block.kind} {block.depth} {text.partition(chr(10))[0]}"
        for block, text in zip(document.blocks, texts, strict=True)
    ]


@pytest.mark.parametrize("case", outline_cases(), ids=lambda case: case.name)
def test_definitions_are_sections(case: OutlineCase) -> None:
    """With kind, level, path and lines, comments and decorators above them included."""
    assert outline(parse_code(case.text, case.language)) == case.expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_cases(language: str) -> None:
    assert sum(case.language == language for case in outline_cases()) >= 5


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.name)
def test_names_in_the_table_are_those_of_the_grammar(language: Language) -> None:
    """A node type that the grammar does not have would never be found."""
    grammar = grammars.grammar(language.name)
    every = range(grammar.node_kind_count)
    known = {grammar.node_kind_for_id(i) for i in every if grammar.node_kind_is_named(i)}
    named = set[str]().union(
        *(language.containers, language.loose_containers, language.definitions),
        *(language.body_required, language.type_kinds, language.wrappers),
        *(language.value_fields, language.function_kinds),
        *(language.title_templates, language.comments - {"html_comment"}, language.imports),
        *(language.attributes, language.modifiers, language.opaque - STRINGS),
    )
    assert named <= known


def tags(text: str, language: str) -> Iterator[tuple[str, int]]:
    """Yield name and offset of the definitions that a grammar's own query finds."""
    module = importlib.import_module(f"tree_sitter_{language}")
    query = tree_sitter.Query(grammars.grammar(language), module.TAGS_QUERY)
    root = grammars.parse(text, language)
    assert root
    for _, captures in tree_sitter.QueryCursor(query).matches(root):
        kinds = {kind for kind in captures if kind.startswith("definition.")}
        if kinds - UNDEFINED_KINDS and "name" in captures:
            name = captures["name"][0]
            title = text[name.start_byte : name.end_byte].strip("\"'")
            # A namespace of PHP without a body is a statement.
            if (
                kinds != {"definition.module"}
                or "{" in text[name.end_byte :].split("\n", maxsplit=1)[0]
            ):
                yield title, name.start_byte


@pytest.mark.parametrize("language", TAGGED)
def test_definitions_that_grammars_tag_are_sections(language: str) -> None:
    """Those of the cases, and of the corpus, by the queries that the grammars come with."""
    texts = [case.text for case in outline_cases() if case.language == language]
    for suffix in LANGUAGES[language].suffixes:
        texts += map(corpora.read, corpora.corpus_paths(f"code/*{suffix}"))
    for text in texts:
        document = parse_code(text, language)
        spans = [(s.title, document.trimmed_run(s.first, s.stop)) for s in document.sections[1:]]
        for name, offset in tags(text, language):
            around = [title for title, span in spans if span.start <= offset < span.end]
            assert name in UNDEFINED or any(title.endswith(name) for title in around), name


def test_installed_python_is_as_ast_has_it() -> None:
    """Names, kinds and lines of all definitions in the files of some installed packages."""
    packages, definitions = Path(sysconfig.get_path("purelib")), 0
    for folder in ("_pytest/mark", "msgspec", "yaml"):
        for path in sorted((packages / folder).rglob("*.py")):
            text = corpora.read(path)
            expected = python_definitions(text)
            assert [*section_definitions(parse_code(text, "python"))] == expected
            definitions += len(expected)
    assert definitions > 500


SERVICE = """\
class UserService:
    def getUser(self, name):
        return self.users[name]

    def close(self):
        self.users.clear()
"""
NESTED = "class A:\n    class B:\n        def f(self): pass\n\n        def g(self): pass\n"


@pytest.mark.parametrize(
    ("text", "level", "path", "context"),
    [
        (SERVICE, 1, ("UserService",), "UserService"),
        (SERVICE.replace(":\n", ':\n    """Users."""\n', 1), 1, ("UserService",), "UserService"),
        (SERVICE.partition("\n\n")[0], 1, ("UserService", "getUser"), "UserService"),
        (NESTED, 1, ("A", "B"), "A"),
        (NESTED.partition("\n\n")[0], 1, ("A", "B", "f"), "A"),
        (f"import users\n{SERVICE}", 0, (), ""),
        (f"{SERVICE}\ndef main(): pass\n", 1, (), ""),
        ("def f():\n    def g(): pass\n    return g\n", 1, ("f", "g"), "f"),
    ],
)
def test_one_chunk_of_whole_definitions(
    text: str, level: int, path: tuple[str, ...], context: str
) -> None:
    """It has the level of the outermost one, whose opening line is in it; so is it named."""
    chunker = Chunker(ChunkConfig(min_chunk_size=1000), Context("a.py"))
    (chunk,) = chunker.chunk(text, "python")
    assert (chunk.section.level, chunk.section.path) == (level, path)
    assert chunk.context == " > ".join(filter(None, ("a.py", context)))


def test_signatures_are_headings_with_what_is_above_as_their_lead() -> None:
    """Of a class and its method; the lead is not repeated in the next part."""
    text = "# why\n@a\nclass A(B):\n    # x\n    @b\n    def f(self):  # y\n        g()\n"
    document = parse_code(text, "python")
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    assert [(b.level, b.info, text[b.start + b.lead : b.end]) for b in headings] == [
        (1, "A", "class A(B):\n"),
        (2, "f", "    def f(self):  # y\n"),
    ]
    assert [len(text[b.start : b.start + b.lead].splitlines()) for b in headings] == [2, 2]
    assert [b.info for b in document.blocks if b.kind is BlockKind.CODE] == ["python"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("java", "@A\n@B(1) class C {\n int x;\n}\n", "class C {"),
        ("java", "/* x */\n@A // y\npublic class C {\n int x;\n}\n", "public class C {"),
        ("java", "@A class C {\n int x;\n}\n", "class C {"),
        ("typescript", "@A()\nexport class C {\n x = 1;\n}\n", "export class C {"),
        ("typescript", "@A()\nexport default class C {\n x = 1;\n}\n", "export default class C {"),
        ("csharp", "[A]\n[B]\npublic class C {\n int x;\n}\n", "public class C {"),
        ("rust", "#[a]\n// b\n\npub struct C {\n x: u8,\n}\n", "pub struct C {"),
        ("php", "<?php\n#[A]\nclass C {\n const X = 1;\n}\n", "class C {"),
    ],
)
def test_signatures_are_without_attributes(language: str, text: str, expected: str) -> None:
    document = parse_code(text, language)
    heading = next(block for block in document.top if block.level)
    assert text[heading.start + heading.lead :].strip().startswith(f"{expected}\n")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "import a\n\n# of b\nfrom b import c  # d\nimport e\nx = 1\n",
         ["code 0 import a", "code 0 x = 1"]),
        ("python", "# License\n# of this\n\n# of x\nx = 1  # yes\n\n\n# the end\n",
         ["code 0 # License", "code 0 # of x", "code 0 # the end"]),
        ("python", "if a:\n    b()\n    c()\nelse:\n    for d in e:\n        f()\n        g()\n",
         ["code 0 if a:", "code 1 if a:", "code 1     c()", "code 1 else:", "code 2 else:",
          "code 2         g()"]),
        ("python", "if a:\n    if b:\n        if c:\n            d()\n", ["code 0 if a:"]),
        ("python", "if a:\n    if b:\n        c()\n        d()\n",
         ["code 0 if a:", "code 1 if a:", "code 1         d()"]),
        ("python", "if a:\n    def f():\n        pass\nelse:\n    b()\n",
         ["code 0 if a:", "heading 0     def f():", "code 0         pass", "code 0 else:"]),
        ("javascript", "f(() => {\n  a();\n  b();\n}, 1);\nclass A {\n  x = 1;\n};\n",
         ["code 0 f(() => {", "code 1 f(() => {", "code 1   b();", "heading 0 class A {",
          "code 0   x = 1;", "bracket 0 };"]),
        ("javascript", "if (a) {\n  class B {}\n} else {\n  c();\n}\n",
         ["code 0 if (a) {", "code 0   class B {}", "code 0 } else {", "bracket 0 }"]),
        ("javascript", "class A { f() { return 1; } }",
         ["heading 0 class A {", "heading 0 f() {", "code 0 return 1;", "bracket 0 }",
          "bracket 0 }"]),
        ("c", "struct a {\n  int x;\n} b,\n  c;\n",
         ["heading 0 struct a {", "code 0   int x;", "code 0 } b,"]),
        ("ruby", "def f # x\n  a\nend\n", ["heading 0 def f # x", "code 0   a", "bracket 0 end"]),
        ("ruby", "def f(x) = x\n", ["code 0 def f(x) = x"]),
        ("php", "<p>\n<?php if (a): ?>\n<b>\n<?php endif; ?>\n",
         ["code 0 <p>", "code 0 <?php if (a): ?>", "code 0 ?>"]),
        ("javascript", "\ufeffclass A {\n  x;\n}\n",
         ["heading 0 \ufeffclass A {", "code 0   x;", "bracket 0 }"]),
        ("python", "\ufeff\n# a\ndef f():\n    b\n", ["heading 0 \ufeff", "code 0     b"]),
        ("python", "\ufeff", ["code 0 \ufeff"]),
        ("javascript", ";", ["code 0 ;"]),
        ("python", " \n", []),
        ("python", "x = 1\n\n# One.\n\n# Two.\n",  # at the end they are titles of nothing
         ["code 0 x = 1", "code 0 # One.", "code 0 # Two."]),
    ],
)  # fmt: skip
def test_blocks(language: str, text: str, expected: list[str]) -> None:
    """Runs of imports, comments with what is below, statements in statements, brackets."""
    assert starts(parse_code(text, language)) == expected


def test_lead_of_a_heading_after_a_bom() -> None:
    """It is longer by what is before it, so that the signature stays the same."""
    document = parse_code("\ufeff\n# a\ndef f():\n    b\n", "python")
    heading = document.heading_span(0)
    assert document.text[heading.start : heading.end] == "def f():"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A:\n    é = '日本 😀'\n    def ñ(self): pass\n", ["A", "ñ"]),
        ("class A:\r\n    x = 1\r\n    def f(self):\r\n        pass\r\n", ["A", "f"]),
        ("class A:\r    x = 1\r    def f(self):\r        pass\r", ["A", "f"]),
        ("x = '\0'\nclass A:\n    y = '\ud800'\n    def f(self): pass\n", ["A", "f"]),
        ("class A:\n\tdef f(self):\n\t\tpass\n\n\u3000\n", ["A", "f"]),
    ],
)
def test_offsets_are_of_code_points(text: str, expected: list[str]) -> None:
    """Whatever the characters and line endings are."""
    document = parse_code(text, "python")
    assert [section.title for section in document.sections[1:]] == expected
    for section in document.sections[1:]:
        span = document.trimmed_run(section.first, section.stop)
        assert text[span.start : span.end].lstrip().startswith(("class", "def"))
        assert section.title in text[span.start : span.end]


def test_titles_are_short() -> None:
    """Paths must not grow with the length of names."""
    name = "a" * 1000
    document = parse_code(f"def {name}():\n    pass\n", "python")
    assert len(document.sections[1].title) == 200


@pytest.mark.parametrize("size", [10, 400])
def test_at_most_64_levels_are_sections(size: int) -> None:
    """What is deeper is statements of the innermost."""
    text = "class A {" * size + "}" * size
    document = parse_code(text, "java")
    assert len(document.sections) - 1 == min(64, size)


@pytest.mark.parametrize("size", [200, 400])
def test_statements_in_statements_end(size: int) -> None:
    """Deep in each other they are lines of the innermost that is opened."""
    text = "".join(f"{' ' * i}if a:\n{' ' * i} b\n" for i in range(size))
    document = parse_code(text, "python")
    assert max(block.depth for block in document.blocks) == 64


def test_what_is_mostly_errors_is_plain_text() -> None:
    prose = 'It "is? what (it; was: or} not. To be, [here and there), they say.\n' * 3
    assert parse_code(prose, "java").traits.name == "text"
    text = "class A:\n    def f(self):\n        pass\n\n    def g(self:\n"
    document = parse_code(text, "python")
    assert document.traits.name == "python"
    assert "f" in {section.title for section in document.sections}


def test_what_is_long_is_plain_text() -> None:
    text = "x = 1\n" * (2_000_000 // 6 + 1)
    assert parse_code(text, "python").traits.name == "text"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *[(f"a/b{suffix}", name) for name, row in LANGUAGES.items() for suffix in row.suffixes],
        *[(media, name) for name, row in LANGUAGES.items() for media in row.media_types],
    ],
)
def test_files_are_of_the_language_of_their_suffix(path: str, expected: str) -> None:
    assert Chunker().chunk_hierarchical("", path=path).format == expected


def test_the_formats_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tree-sitter the error says what to install, and none of them is listed."""
    monkeypatch.setattr(registry, "find_spec", lambda module: None)  # noqa: ARG005
    for name in ("json", *LANGUAGES):
        with pytest.raises(
            ImportError, match=rf"'{name}' needs pip install \"chunkana-rag\[code\]"
        ):
            Chunker().chunk("x\n", name)
        assert name not in format_names()


def test_a_title_goes_with_the_first_part_of_what_is_below_it() -> None:
    """Of two comments the one next to a definition is its title, of two parts the first has it."""
    body = "".join(f"    x{n} = {n}\n" for n in range(30))
    text = f"a = 1\n\n# One.\n\n# Two.\n\ndef f():\n{body}"
    chunks = Chunker(ChunkConfig(max_chunk_size=200)).chunk(text, "python")
    assert [chunk.text.startswith("# Two.\n\ndef f():") for chunk in chunks[:3]] == [0, 1, 0]
    assert chunks[1].section.path == ("f",)
