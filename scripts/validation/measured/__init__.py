"""The model against the public measurements of `measurements/`."""
