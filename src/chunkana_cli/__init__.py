"""The `chunkana` command; needs the extra: `pip install "chunkana-rag[cli]"`."""

from importlib.util import find_spec

# Looked for, not imported: bm25s loads numpy, which only commands that search need.
_missing = [name for name in ("typer", "rich", "bm25s", "jinja2") if find_spec(name) is None]
if _missing:
    raise ImportError(
        f'chunkana_cli needs {", ".join(_missing)}: pip install "chunkana-rag[cli]"',
        name=_missing[0],
    )

__all__: list[str] = []
