"""Chunks and their tree: ids, nodes and leaves, the result, the merge tree."""
