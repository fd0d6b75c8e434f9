"""Front matter: a YAML mapping between `---` lines, or a TOML document between `+++` lines."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from datetime import date, time
from itertools import accumulate

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from chunkana_core.text.source import BOM, LINE_ENDING

MAX_LENGTH = 1 << 16  # code points; longer front matter is not parsed
_MAX_BITS = 14_000  # Python does not convert ints of more than 4,300 digits to str
_MAX_NESTING = 50  # both parsers recurse; without a limit, what they read depends on their caller
_STARTS_WITH_KEY = re.compile(r"""(?:[ \t]*+(?:\#.*+)?+\n)*+(?:["'\w.-]++[ \t]*+[:=]|\[)""")
_TOML_TEXT = re.compile(  # comments and strings; an unclosed string is an error anyway
    r'''\#[^\n]*+
    | """(?:[^\\"]|\\.|"(?!""))*+"{0,5}+ | "(?:[^"\\\n]|\\[^\n])*+"?+
    | \'\'\'(?:[^']|'(?!''))*+'{0,5}+ | '[^'\n]*+'?+''',
    re.DOTALL | re.VERBOSE,
)
_TOML_BRACKET = re.compile(r"[\[\]{}]")
_TOML_LONG_KEY = re.compile(rf"(?:\.[ \t]*+[\w-]*+[ \t]*+){{{_MAX_NESTING}}}")
_TAG = "tag:yaml.org,2002:"
# All exceptions that PyYAML is known to raise.
_ERRORS = (yaml.YAMLError, ValueError, LookupError, AttributeError, OverflowError, RecursionError)


def _text(loader: SafeConstructor, node: yaml.ScalarNode) -> str:
    """Return a scalar as a string."""
    return str(loader.construct_scalar(node))


def _value(loader: SafeConstructor, node: yaml.ScalarNode) -> object:
    """Return a scalar as a typed value, but numbers in base 60, such as 1:30, as strings."""
    if node.tag in {f"{_TAG}int", f"{_TAG}float"} and ":" in node.value:
        return node.value
    try:
        return SafeConstructor.yaml_constructors[node.tag](loader, node)
    except _ERRORS:
        return node.value


_VALUE_TAGS = [_TAG + name for name in ("bool", "int", "float", "null", "timestamp")]
_TEXT_TAGS = [*_VALUE_TAGS, *(_TAG + name for name in ("binary", "merge", "value"))]


class _Loader(Composer, SafeConstructor, Resolver):
    """PyYAML's safe loader with a limit of nesting, in which all scalars are strings.

    String keys keep loading linear: numbers can be chosen to have equal hashes. The parser is that
    of libyaml, which does not recurse; front matter takes a fifth of the time. The composer is in
    Python: that of PyYAML in C recurses without a limit, and crashes at 32,000 levels.
    """

    depth = 0
    yaml_constructors = SafeConstructor.yaml_constructors | dict.fromkeys(_TEXT_TAGS, _text)

    def __init__(self, text: str) -> None:
        for base in (Composer, SafeConstructor, Resolver):
            base.__init__(self)
        # Without libyaml, and for escaped surrogates, which libyaml takes for errors.
        in_python = not yaml.__with_libyaml__ or "\\u" in text
        parser = yaml.SafeLoader(text) if in_python else yaml.CSafeLoader(text)
        self.check_event, self.get_event = parser.check_event, parser.get_event
        self.peek_event = parser.peek_event

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node; raise an error beyond the limit of nesting."""
        if self.depth > _MAX_NESTING:
            raise yaml.YAMLError("too deep")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Make keys strings, including `<<`, whose mapping is not merged."""
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag.startswith(_TAG):
                key.tag = f"{_TAG}str"


class _ValueLoader(_Loader):
    """The same, but scalars are typed values if possible, and aliases are strings."""

    yaml_constructors = _Loader.yaml_constructors | dict.fromkeys(_VALUE_TAGS, _value)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node; an alias is a string, because its node may be recursive or huge."""
        event, node = self.peek_event(), super().compose_node(parent, index)
        if isinstance(event, yaml.AliasEvent):
            return yaml.ScalarNode(f"{_TAG}str", f"*{event.anchor}")
        return node


def front_matter_title(content: str, *, is_toml: bool) -> str | None:
    """Return the `title` of front matter, "" for none, or None if the text is no front matter.

    Args:
        content: the text between the marker lines; if longer than `MAX_LENGTH`, it counts as front
            matter without a title if it starts with a key.
        is_toml: whether the format is TOML, else YAML.
    """
    if len(content) > MAX_LENGTH:
        return "" if _STARTS_WITH_KEY.match(content) else None
    return _toml_title(content) if is_toml else _yaml_title(content)


def front_matter_data(block: str) -> dict[str, object]:
    """Return a block of front matter as a JSON-able dict; dates are strings.

    YAML aliases are not resolved, and merged mappings stay under the key `<<`. The result is {} for
    "" and for front matter longer than `MAX_LENGTH`.
    """
    opening, *lines = LINE_ENDING.split(block.removeprefix(BOM).rstrip())
    content = "\n".join(lines[:-1]).replace("\0", "\ufffd")
    if len(content) > MAX_LENGTH:
        return {}
    is_toml = opening.startswith("+")
    data = _toml(content) if is_toml else _ValueLoader(content).get_single_data()
    return {key: _json_value(value) for key, value in data.items()} if data else {}


def _json_value(value: object) -> object:
    """Return a value converted to types of JSON, with at most `_MAX_NESTING` levels."""
    if isinstance(value, Mapping):
        return {key: _json_value(inner) for key, inner in value.items()}
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, (list, tuple)):
        return [_json_value(inner) for inner in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    return _json_number(value)


def _json_number(value: object) -> object:
    """Return a number, as a string if JSON lacks it (NaN) or Python does not write it (long)."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    is_long = isinstance(value, int) and value.bit_length() > _MAX_BITS
    return f"{value:#x}" if is_long else value


def _yaml_title(text: str) -> str | None:
    """Return the `title` of a YAML mapping as a string, None if the text is no mapping."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        loader.construct_document(node)
    except _ERRORS:
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    title = next((value for key, value in node.value if key.value.lower() == "title"), None)
    return title.value.strip() if isinstance(title, yaml.ScalarNode) else ""


def _toml_title(content: str) -> str | None:
    """Return the `title` of a TOML document, None if the text is not TOML."""
    data = _toml(content)
    if data is None:
        return None
    title = next((value for key, value in data.items() if key.lower() == "title"), "")
    return "" if isinstance(title, (dict, list)) else str(_json_number(title)).strip()


def _toml(content: str) -> dict[str, object] | None:
    """Return a parsed TOML document, None if the text is not TOML or nests too deep."""
    syntax = _TOML_TEXT.sub("_", content)
    steps = (1 if bracket[0] in "[{" else -1 for bracket in _TOML_BRACKET.finditer(syntax))
    if max(accumulate(steps), default=0) > _MAX_NESTING or _TOML_LONG_KEY.search(syntax):
        return None
    try:
        return tomllib.loads(content)
    except ValueError:
        return None
