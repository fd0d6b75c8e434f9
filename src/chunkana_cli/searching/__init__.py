"""Lexical search over the chunks of files, and assembly of passages for a question."""
