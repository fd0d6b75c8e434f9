"""Split drafts that do not fit: units, plans of cuts, packing, contents of parts."""
