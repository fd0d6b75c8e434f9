"""Split documents with Chunkana and other tools, and measure the pieces."""
