"""Passages to read within a budget, assembled from what a search found."""
