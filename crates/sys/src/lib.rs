//! The only unsafe code: what the kernel offers that the standard library has not.
