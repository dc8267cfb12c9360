//! An NBD client's bytes, from the first.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| blockyard_emulate::fuzz::handshake(bytes));
