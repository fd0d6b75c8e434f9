"""Document formats: the table of formats, and the parsers from text to `Document`."""
