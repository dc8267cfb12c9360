//! An NBD client's bytes, once it has chosen an export.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| blockyard_emulate::fuzz::transmission(bytes));
