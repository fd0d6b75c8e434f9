"""YAML front matter: whether it is any, and its title."""

from __future__ import annotations

import yaml

_MAX_NESTING = 50  # PyYAML recurses; without a limit, what it reads depends on its caller's depth


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, but linear; its C twin crashes on deep nesting."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Read a node that is not too deep inside others."""
        if self.depth > _MAX_NESTING:
            raise yaml.YAMLError("too deep")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Leave merged mappings where they are."""
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
                if not all(isinstance(each, yaml.MappingNode) for each in merged):
                    raise yaml.YAMLError("no mapping to merge")
                key.tag = "tag:yaml.org,2002:str"
        super().flatten_mapping(node)


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int | str:
    """Read an integer, but add up no digits in base 60."""
    return str(node.value) if ":" in node.value else loader.construct_yaml_int(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


def mapping_title(text: str) -> str | None:
    """Return the `title` of a YAML mapping as it is written, None if the text is no mapping."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        loader.construct_document(node)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, OverflowError, RecursionError):
        return None  # that is all that PyYAML is known to raise
    if not isinstance(node, yaml.MappingNode):
        return None
    title = next((value for key, value in node.value if key.value == "title"), None)
    return title.value.strip() if isinstance(title, yaml.ScalarNode) else ""
