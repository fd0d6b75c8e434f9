"""What is read of nodes that were found: scores propagated, passages within a budget."""
