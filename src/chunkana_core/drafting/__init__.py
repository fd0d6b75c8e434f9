"""Drafts, the runs of blocks that stay together: strategies, merging, dangling headings."""
