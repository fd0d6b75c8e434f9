"""Indexes of files: how they are opened, brought up to date and kept."""
