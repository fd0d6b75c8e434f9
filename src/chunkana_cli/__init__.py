"""The `chunkana` command; needs the extra: `pip install "chunkana-rag[cli]"`."""

__all__: list[str] = []


def describe_version() -> str:
    """Return the name of the command and the version of the package."""
    from importlib.metadata import version  # noqa: PLC0415  # slow; needed here only

    return f"chunkana {version('chunkana-rag')}"
