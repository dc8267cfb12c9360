//! A page of a ring of the kernel's tracepoints.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = blockyard_observe::fuzz::page(bytes);
});
