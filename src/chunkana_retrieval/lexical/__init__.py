"""Search by words: needs the extra `retrieval` when it is used, not when it is imported."""
