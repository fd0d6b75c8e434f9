"""Chunk a document that is larger than memory in windows."""
