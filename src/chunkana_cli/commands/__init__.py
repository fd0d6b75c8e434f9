"""The commands, a module each: options, and what is done with them."""
