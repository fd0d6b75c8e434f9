"""How results look as HTML: by `chunkana_view`, which the core knows by name alone.

It is looked for when it is called, so that the core imports nothing that stands above it.
"""

from __future__ import annotations

from importlib import import_module


def rendered(form: str, *arguments: object) -> str:
    """Return what a function of `chunkana_view` makes of its arguments.

    Raises:
        ImportError: if its extra is not installed; the message names it.
    """
    html: str = getattr(import_module("chunkana_view"), form)(*arguments)
    return html


def rendered_or_none(form: str, *arguments: object) -> str | None:
    """Return the same, None where the extra is not installed: notebooks then show the `repr`."""
    try:
        import_module("chunkana_view")
    except ImportError:
        return None
    return rendered(form, *arguments)
