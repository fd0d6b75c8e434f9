"""Chunks replaced by their parents where enough of them were found."""
