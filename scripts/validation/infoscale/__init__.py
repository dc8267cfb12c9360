"""Fills the tables of docs/validation-infoscale.md from fresh runs."""
