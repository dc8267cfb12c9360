//! A histogram in an HdrHistogram log. Base64 is done here, as no mutation keeps
//! it whole.
#![no_main]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let line = format!("0.0,1.0,0.0,{}", STANDARD.encode(bytes));
    let _ = blockyard_record::read_log(line.as_bytes());
});
