"""What stands before a chunk's content when it is embedded."""
