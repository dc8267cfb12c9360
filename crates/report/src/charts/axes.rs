//! The axes that several charts have, and names for figures.

use crate::figure::{Axis, Scale};

/// Seconds since the run began.
pub(crate) fn time() -> Axis {
    Axis::new("time", "s")
}

/// Milliseconds, at equal ratios.
pub(crate) fn latency() -> Axis {
    Axis::new("latency", "ms").on(Scale::Log)
}

/// A name for a figure of parts such as jobs and devices.
pub(crate) fn name_of(parts: &[&str]) -> String {
    let parts: Vec<_> = parts.iter().map(|part| simple(part)).collect();
    parts.join("-")
}

/// In small letters and digits, with a dash for whatever lies between them.
fn simple(part: &str) -> String {
    let small = part.to_lowercase();
    let kept = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let words = small.split(|letter| !kept(letter));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_small_letters_digits_and_dashes() {
        assert_eq!(
            name_of(&["iops", "Data.0 (new)", "Ärger"]),
            "iops-data-0-new-rger"
        );
        assert_eq!(name_of(&["iops", "_"]), "iops-");
    }
}
