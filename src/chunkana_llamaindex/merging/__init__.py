"""Retrievers over the tree of nodes: auto-merging, and what LlamaIndex's own take."""
