"""The work of `chunkana demo`: lexical search, auto-merging of the hits, and their display."""
