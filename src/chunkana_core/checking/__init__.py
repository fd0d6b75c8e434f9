"""Validation of any list of chunks: the laws, and coverage of the source."""
