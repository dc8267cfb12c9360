"""Completion in bash, zsh and fish: what they run, and which values there are."""
