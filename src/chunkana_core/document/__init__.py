"""A parsed document: its blocks, sections, counts, and the location of spans in it."""
