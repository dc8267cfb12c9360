//! A trace, whoever wrote it.
#![no_main]

use blockyard_trace::Trace;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(trace) = Trace::new(bytes, "fuzzed", None) {
        trace.for_each(drop);
    }
});
