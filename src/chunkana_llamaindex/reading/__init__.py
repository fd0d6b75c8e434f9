"""Postprocessors of search results: propagate scores, assemble passages within a budget."""
