"""The index of LangChain documents: stores of records and leaves, and the base retriever."""
