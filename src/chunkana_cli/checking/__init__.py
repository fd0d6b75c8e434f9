"""What `chunkana validate` does: read chunks, whoever made them, and hold them against the laws."""
