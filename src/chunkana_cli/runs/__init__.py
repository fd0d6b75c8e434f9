"""A run of `split`: its output format, the chunks written, the reuse of an earlier run's chunks."""
