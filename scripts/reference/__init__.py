"""The generated parts of the pages in docs/reference."""
