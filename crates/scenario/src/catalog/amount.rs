//! An amount a second in the catalog's text: IOs or bytes.

use std::fmt;
use std::str::FromStr;

use blockyard_model::spec::Unit;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::units::Throughput;

/// IOs a second, written `3000`, or bytes a second, written `250MiB/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Amount {
    /// IOs or bytes a second.
    pub(crate) per_s: u64,
    /// Which of the two.
    pub(crate) unit: Unit,
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.bytes().all(|b| b.is_ascii_digit()) {
            let per_s = text
                .parse()
                .map_err(|_| format!("`{text}` is too large or empty; expected IOs a second"))?;
            let unit = Unit::Io;
            return Ok(Self { per_s, unit });
        }
        let throughput: Throughput = text.parse()?;
        Ok(Self {
            per_s: throughput.bytes_per_s(),
            unit: Unit::Byte,
        })
    }
}

/// Prints `3,000 IOPS` or `250MiB/s`.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Io => write!(f, "{} IOPS", grouped(self.per_s)),
            Unit::Byte => write!(f, "{}", Throughput::new(self.per_s)),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("IOs a second as in `3000`, or a throughput as in `250MiB/s`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Text)
    }
}

/// A number as prose writes it: `16,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_print_as_prose() {
        for (text, printed) in [
            ("500", "500 IOPS"),
            ("3000", "3,000 IOPS"),
            ("1440000", "1,440,000 IOPS"),
            ("256KiB/s", "256KiB/s"),
        ] {
            assert_eq!(text.parse::<Amount>().unwrap().to_string(), printed);
        }
        assert!("".parse::<Amount>().is_err());
        assert!("3k".parse::<Amount>().is_err());
    }
}
