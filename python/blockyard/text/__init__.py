"""How text is read, and how figures, limits, tables and their provenance are written."""
