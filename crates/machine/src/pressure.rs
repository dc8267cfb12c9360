//! How long tasks waited for IO: `/proc/pressure/io`.

use std::fs;

/// Time since the machine started in which tasks waited for IO, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// At least one did.
    pub some_us: u64,
    /// All that were not idle did.
    pub full_us: u64,
}

impl Pressure {
    /// That of the machine; none if the kernel does not keep it.
    #[must_use]
    pub fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/pressure/io").ok()?)
    }

    /// Of the text of the file; none if it is no such file.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let total = |kind: &str| -> Option<u64> {
            let mut lines = text.lines();
            let rest = lines.find_map(|line| line.strip_prefix(kind))?;
            let mut words = rest.split_ascii_whitespace();
            words
                .find_map(|word| word.strip_prefix("total="))?
                .parse()
                .ok()
        };
        Some(Self {
            some_us: total("some ")?,
            full_us: total("full ")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "some avg10=0.02 avg60=0.22 avg300=1.31 total=2735106511\n\
                        full avg10=0.00 avg60=0.04 avg300=0.59 total=419633448\n";

    #[test]
    fn totals_are_read() {
        let expected = Pressure {
            some_us: 2_735_106_511,
            full_us: 419_633_448,
        };
        assert_eq!(Pressure::parse(TEXT), Some(expected));
        assert_eq!(Pressure::parse("some total=1\n"), None);
        assert_eq!(Pressure::parse("some total=1\nfull total=x\n"), None);
    }

    proptest! {
        #[test]
        fn a_text_cut_anywhere_is_read_or_refused(at in 0..TEXT.len(), other in "\\PC{0,8}") {
            let _ = Pressure::parse(&TEXT[..at]);
            let _ = Pressure::parse(&(TEXT[..at].to_owned() + &other + &TEXT[at..]));
        }
    }
}
