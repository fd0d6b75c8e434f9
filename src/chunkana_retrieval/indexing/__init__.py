"""The life of an index: what it knows of documents, how it is brought up to date and asked."""
