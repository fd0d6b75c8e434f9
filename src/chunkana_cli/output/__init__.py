"""Write output completely, to standard output or to files that are replaced atomically."""
