"""Write output completely: to standard streams, and to files that are replaced atomically."""
