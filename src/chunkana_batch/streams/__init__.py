"""Documents larger than memory: read in windows, each of which goes through the one pipeline."""
