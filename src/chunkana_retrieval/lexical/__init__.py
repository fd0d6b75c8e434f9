"""Lexical search; creating an index needs the extra `retrieval`, importing the package does not."""
