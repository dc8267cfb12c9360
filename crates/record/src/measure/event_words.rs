//! Figures in the words of events.

use blockyard_model::units::Bytes;

/// `5.8 MiB`.
pub(crate) fn in_bytes(bytes: Bytes) -> String {
    let kib = bytes as f64 / 1024.0;
    match kib < 100.0 {
        true => format!("{kib:.1} KiB"),
        false => format!("{:.1} MiB", kib / 1024.0),
    }
}
