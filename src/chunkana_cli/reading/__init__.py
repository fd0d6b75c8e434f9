"""What the command reads: files, standard input, and the encodings of both."""
