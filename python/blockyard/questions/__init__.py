"""The questions that Blockyard answers, a module a verb; `blockyard` offers their functions."""
