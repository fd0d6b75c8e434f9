"""Searches of an index: options, scores of words and vectors, filters, and what is found."""
