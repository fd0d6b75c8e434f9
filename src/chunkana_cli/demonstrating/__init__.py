"""The steps of `demo`: chunk, search, merge."""
