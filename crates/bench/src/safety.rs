//! What must not be written to.
