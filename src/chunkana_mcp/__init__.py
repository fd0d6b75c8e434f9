"""A server by which agents ask an index over the Model Context Protocol, and only read it."""

try:
    import mcp  # noqa: F401
except ImportError as error:
    raise ImportError('the server needs mcp: pip install "chunkana-rag[mcp]"') from error

from chunkana_mcp.server import IndexServer
from chunkana_mcp.tools import IndexTools

__all__ = ["IndexServer", "IndexTools"]
