"""A parsed document: blocks, sections, counts, and where a span belongs."""
