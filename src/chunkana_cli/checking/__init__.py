"""Check the chunks of any tool: against the laws, or in comparison with other tools."""
