"""Find and read the input of commands: files, folders, standard input, tables of chunks."""
