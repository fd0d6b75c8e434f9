"""Auto-merging, and the inputs of LlamaIndex's own retrievers over hierarchies."""
