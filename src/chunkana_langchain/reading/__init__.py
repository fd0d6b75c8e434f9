"""Passages within a budget: the context assembler and the retriever that returns passages."""
