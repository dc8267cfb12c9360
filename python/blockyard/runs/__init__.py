"""Runs: making them, their directories, and a run read back as an object."""
