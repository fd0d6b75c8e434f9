"""Which blocks stay together: drafts, strategies, merging, headings that would dangle."""
