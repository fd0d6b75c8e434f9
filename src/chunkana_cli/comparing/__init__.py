"""The work of `chunkana compare`: split documents with several tools, and measure the result."""
