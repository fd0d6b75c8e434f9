"""A retriever with its own index, which returns passages and can be updated."""
