//! Figures in the words of events.

use blockyard_model::units::Bytes;

/// `5.8 MiB`.
pub(crate) fn in_bytes(bytes: Bytes) -> String {
    let kib = bytes as f64 / 1024.0;
    let mib = kib / 1024.0;
    if kib < 100.0 {
        format!("{kib:.1} KiB")
    } else if mib < 10_240.0 {
        format!("{mib:.1} MiB")
    } else {
        format!("{:.1} GiB", mib / 1024.0)
    }
}
