"""The retriever that has its index: documents in, passages out, and updates between."""
