"""How the command shows results on a screen: names, sizes, trees, a progress bar."""
