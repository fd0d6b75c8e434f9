"""Documents to finished nodes: the node parser."""
