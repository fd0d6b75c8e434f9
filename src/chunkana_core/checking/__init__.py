"""The laws asserted of any list of chunks, and how much of a text they hold."""
