"""A run of `split`: what it writes, what it takes from an earlier run, its summary."""
