"""The table of languages: one row per language, with the node types of its grammar."""
