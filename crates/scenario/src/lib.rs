//! The scenario language: YAML with places, catalog lookup, resolution to model objects.
