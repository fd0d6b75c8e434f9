"""Formats: each turns a text into a `Document`."""
