"""What `chunkana demo` does: search by words, merge what is found, and show it."""
