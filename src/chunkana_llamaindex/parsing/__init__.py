"""The node parser, which converts documents to linked nodes."""
