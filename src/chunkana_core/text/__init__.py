"""The source text, spans of it, and where it may be cut."""
