"""Runs side by side: whether they are comparable, what differs, and what it amounts to."""
