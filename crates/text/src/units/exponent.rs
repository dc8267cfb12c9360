//! A number without a unit.

use std::fmt;
use std::str::FromStr;

use super::text::text_type;
use crate::tree::shorten;

/// An exponent from 0.01 to 10, to three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exponent(u32);

const EXPECTED: &str = "expected a number from 0.01 to 10, to three decimals, as in `1.1`";

/// In 1/1000.
const RANGE: std::ops::RangeInclusive<u32> = 10..=10_000;

impl Exponent {
    /// In 1/1000.
    #[must_use]
    pub const fn permille(self) -> u32 {
        self.0
    }
}

impl FromStr for Exponent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = read(text).filter(|permille| RANGE.contains(permille));
        let wrong = || format!("`{}` is not an exponent; {EXPECTED}", shorten(text));
        read.map(Self).ok_or_else(wrong)
    }
}

/// Thousandths, unchecked.
fn read(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 2 || decimals.len() > 3 || !digits(whole) {
        return None;
    }
    if !digits(decimals) || text.ends_with('.') {
        return None;
    }
    format!("{whole}{decimals:0<3}").parse().ok()
}

impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:03}", self.0 / 1000, self.0 % 1000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

text_type!(
    Exponent,
    EXPECTED,
    schemars::json_schema!({
        "type": "number",
        "minimum": 0.01,
        "maximum": 10,
        "description": "A number from 0.01 to 10, to three decimals.",
    })
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_read_and_written_exactly() {
        for (text, permille) in [
            ("1", 1000),
            ("0.99", 990),
            ("1.1", 1100),
            ("10", 10_000),
            ("0.01", 10),
            ("2.125", 2125),
        ] {
            let exponent: Exponent = text.parse().unwrap();
            assert_eq!(exponent.permille(), permille);
            assert_eq!(exponent.to_string(), text);
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "0",
            "0.009",
            "10.001",
            "-1",
            "1.",
            ".5",
            "1.0001",
            "1e3",
            "x",
            "99999999999",
        ] {
            let refused = text.parse::<Exponent>().unwrap_err();
            assert_eq!(refused, format!("`{text}` is not an exponent; {EXPECTED}"));
        }
    }
}
