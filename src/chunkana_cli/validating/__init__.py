"""Check the chunks of any tool against the laws."""
