//! An HdrHistogram log, whoever wrote it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = blockyard_record::read_log(bytes);
});
