"""The `chunkana` command; needs the extra: `pip install "chunkana-rag[cli]"`."""

__all__: list[str] = []
