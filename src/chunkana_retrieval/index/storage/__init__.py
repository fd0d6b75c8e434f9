"""The database of an index: tables, values as bytes, connections and repair."""
