"""Assembly of search hits into passages within a budget."""
