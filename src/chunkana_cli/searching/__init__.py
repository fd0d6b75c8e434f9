"""Search by words over the chunks of files, and the passages to read for a question."""
