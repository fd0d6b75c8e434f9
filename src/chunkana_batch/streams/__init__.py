"""Chunk documents larger than memory: read a window at a time, and run the pipeline on each."""
