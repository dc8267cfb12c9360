//! IOs or bytes a second, and the units in which they are stated.

use std::fmt;
use std::str::FromStr;

use blockyard_model::spec::Unit;
use blockyard_text::grouped;
use blockyard_text::units::Throughput;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

/// IOs a second, written `3000`, or bytes a second, written `250MiB/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// IOs or bytes a second.
    pub per_s: u64,
    /// Which of the two.
    pub unit: Unit,
}

/// The unit in which a provider states throughput.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub enum ByteUnit {
    /// 2^20 bytes a second.
    #[default]
    #[serde(rename = "MiB/s")]
    Mib,
    /// 10^6 bytes a second.
    #[serde(rename = "MB/s")]
    Mb,
}

impl ByteUnit {
    /// Its name, `MiB/s`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mib => "MiB/s",
            Self::Mb => "MB/s",
        }
    }

    /// Bytes a second in one such unit.
    #[must_use]
    pub const fn bytes_per_s(self) -> u64 {
        match self {
            Self::Mib => 1 << 20,
            Self::Mb => 1_000_000,
        }
    }
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
