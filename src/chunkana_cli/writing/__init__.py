"""What the command writes: whole streams, files that replace others only when they are whole."""
