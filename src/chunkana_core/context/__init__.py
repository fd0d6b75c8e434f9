"""The context that is embedded before a chunk's content: label, breadcrumb, introduction."""
