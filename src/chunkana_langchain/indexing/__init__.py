"""The stores of an index: records of documents, leaves with vectors, words."""
