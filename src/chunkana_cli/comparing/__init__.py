"""What `chunkana compare` does: cut a document with several tools, and measure all alike."""
