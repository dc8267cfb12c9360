//! How much of what is stored must outlast a year, as a user writes it.

use std::fmt;
use std::str::FromStr;

use blockyard_text::shorten;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// How much of what is stored outlasts a year, as `99.999%`, to four decimals; or `ephemeral`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The maximum losses a year, of a million.
    Losses(u64),
    /// All of it may be lost when the instance stops.
    Ephemeral,
}

impl Durability {
    /// The losses a year, of a million; none if they do not matter.
    #[must_use]
    pub const fn losses(self) -> Option<u64> {
        match self {
            Self::Losses(losses) => Some(losses),
            Self::Ephemeral => None,
        }
    }
}

impl FromStr for Durability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{}` is no durability; expected a share of less than 100% with at most four \
                 decimals, as in `99.999%`, or `ephemeral`",
                shorten(text)
            )
        };
        if text == "ephemeral" {
            return Ok(Self::Ephemeral);
        }
        let number = text.strip_suffix('%').ok_or_else(wrong)?;
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 4 {
            return Err(wrong());
        }
        let kept: u64 = format!("{whole}{decimals:0<4}")
            .parse()
            .map_err(|_| wrong())?;
        match 1_000_000_u64.checked_sub(kept) {
            Some(losses) if losses > 0 => Ok(Self::Losses(losses)),
            _ => Err(wrong()),
        }
    }
}

impl<'de> Deserialize<'de> for Durability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Losses(losses) => write!(f, "{}%", (1_000_000 - losses) as f64 / 1e4),
            Self::Ephemeral => f.write_str("ephemeral"),
        }
    }
}

impl JsonSchema for Durability {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Durability".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "The share of what is stored that outlasts a year, as in `99.999%`, or \
                            `ephemeral`",
            "pattern": "^([0-9]{1,2}(\\.[0-9]{1,4})?%|ephemeral)$",
        })
    }
}
