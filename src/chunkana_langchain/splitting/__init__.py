"""The text splitter, and the conversion of the core's chunks to LangChain documents."""
