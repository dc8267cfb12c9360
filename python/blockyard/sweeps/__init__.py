"""Sweeps: many runs of a scenario, handed to engines, kept as they are done, read back."""
