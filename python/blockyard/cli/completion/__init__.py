"""Completion in bash, zsh and fish: the scripts that they run, and the values to offer."""
