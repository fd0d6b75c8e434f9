"""A run of `split`: rendering, reuse of an earlier run's chunks, manifest, summary."""
