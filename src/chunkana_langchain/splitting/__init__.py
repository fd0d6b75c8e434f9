"""Documents to chunks: the text splitter, and how results of the core become documents."""
