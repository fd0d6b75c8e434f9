"""What `chunkana validate` does: read the chunks of any tool, and check them against the laws."""
