"""The types of what Rust gives as JSON: results, facts, bills and answers."""
