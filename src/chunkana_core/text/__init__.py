"""The source text, spans in it, and the positions where it may be cut."""
