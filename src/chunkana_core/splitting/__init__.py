"""What does not fit is cut here: units, what cuts cost, packing, contents."""
