"""Auto-merging: replacement of chunks by their parent if enough of its children were found."""
