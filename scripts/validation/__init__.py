"""Fills the tables of docs/validation.md from fresh runs."""
