//! An amount of money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::str::FromStr;

use crate::grouped;
use crate::tree::shorten;

/// US dollars in whole millionths, so that sums are exact.
///
/// Written as a number of dollars with up to six decimals, `0.065`; printed with
/// thousands separated and at least two decimals, `1,234.56`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

/// Millionths in a dollar.
const DOLLAR: u64 = 1_000_000;

/// The largest price that is read. Products with any quantity that a scenario can state
/// stay within `i64`.
const MOST: u64 = 1_000_000;

const EXPECTED: &str = "expected dollars with up to six decimals, as in `0.065`";

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// An amount in millionths of a dollar.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// In millionths of a dollar.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// In dollars, to the nearest `f64`.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The amount × `count` / `per`, rounded to the nearest millionth, halves away from
    /// zero. This is the one place where money is rounded.
    ///
    /// `per` must not be zero; it counts as one then.
    #[must_use]
    pub fn times(self, count: u64, per: u64) -> Self {
        self.share(count.into(), per.into())
    }

    /// [`Money::times`] of a share whose terms are products; one that overflows is the largest
    /// amount.
    #[must_use]
    pub fn share(self, count: u128, per: u128) -> Self {
        let per = i128::try_from(per.max(1)).unwrap_or(i128::MAX);
        let count = i128::try_from(count).ok();
        let Some(product) = count.and_then(|count| i128::from(self.0).checked_mul(count)) else {
            return Self(i64::MAX);
        };
        let (whole, rest) = (product / per, product % per);
        let up = i128::from(rest.abs() >= per - rest.abs());
        let rounded = whole + up * product.signum();
        Self(i64::try_from(rounded).unwrap_or(i64::MAX))
    }
}

impl FromStr for Money {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{}` {why}; {EXPECTED}", shorten(text));
        if text.starts_with('-') {
            return Err(wrong("is negative"));
        }
        if text.contains('$') || text.to_ascii_uppercase().contains("USD") {
            return Err(wrong("has a currency; prices are in US dollars"));
        }
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(decimals) {
            return Err(wrong("is not an amount of money"));
        }
        let decimals = decimals.trim_end_matches('0');
        if decimals.len() > 6 {
            return Err(wrong("is too fine"));
        }
        let micros: Option<u64> = format!("{whole}{decimals:0<6}").parse().ok();
        match micros.filter(|micros| *micros <= MOST * DOLLAR) {
            Some(micros) => Ok(Self(i64::try_from(micros).unwrap_or(i64::MAX))),
            None => Err(format!(
                "`{}` is too large for a price; expected at most {}",
                shorten(text),
                grouped(MOST)
            )),
        }
    }
}

/// Prints `1,234.56`, or with as many decimals as it has beyond two: `0.03185`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let decimals = format!("{:06}", micros % DOLLAR);
        let finest = decimals.trim_end_matches('0').len().max(2);
        let whole = grouped(micros / DOLLAR);
        write!(f, "{sign}{whole}.{}", &decimals[..finest])
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl serde::Serialize for Money {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> serde::Deserialize<'de> for Money {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Dollars;

        impl serde::de::Visitor<'_> for Dollars {
            type Value = Money;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED.trim_start_matches("expected "))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Money, E> {
                text.parse().map_err(E::custom)
            }

            // As it was written by `serialize`, where sums may be larger than any price.
            fn visit_f64<E: serde::de::Error>(self, dollars: f64) -> Result<Money, E> {
                Ok(Money((dollars * DOLLAR as f64).round() as i64))
            }

            fn visit_u64<E: serde::de::Error>(self, dollars: u64) -> Result<Money, E> {
                self.visit_f64(dollars as f64)
            }
        }

        deserializer.deserialize_any(Dollars)
    }
}

impl schemars::JsonSchema for Money {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "number",
            "description": "US dollars, to a millionth.",
            "examples": [0.065],
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn money_is_read_exactly_and_wrong_amounts_say_why() {
        let price = |text: &str| text.parse::<Money>().map(Money::micros);
        assert_eq!(price("0.03185"), Ok(31_850));
        assert_eq!(price("12"), Ok(12_000_000));
        assert_eq!(price("0.1000000000"), Ok(100_000));
        for (text, why) in [
            ("-1", "`-1` is negative; "),
            ("0.0000001", "`0.0000001` is too fine; "),
            (
                "$0.08",
                "`$0.08` has a currency; prices are in US dollars; ",
            ),
            ("0,08", "`0,08` is not an amount of money; "),
            ("1e3", "`1e3` is not an amount of money; "),
            (".5", "`.5` is not an amount of money; "),
        ] {
            assert_eq!(price(text), Err(format!("{why}{EXPECTED}")));
        }
        let large = "`1000001` is too large for a price; expected at most 1,000,000";
        assert_eq!(price("1000001"), Err(large.to_owned()));
    }

    #[test]
    fn money_prints_as_amounts_are_written() {
        let printed = |micros| Money::from_micros(micros).to_string();
        assert_eq!(printed(1_234_560_000), "1,234.56");
        assert_eq!(printed(31_850), "0.03185");
        assert_eq!(printed(-500_000), "-0.50");
        assert_eq!(printed(0), "0.00");
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(micros in 0_i64..=1_000_000_000_000) {
            let money = Money::from_micros(micros);
            let text = money.to_string().replace(',', "");
            prop_assert_eq!(text.parse(), Ok(money));
        }

        #[test]
        fn a_share_is_within_half_a_millionth(
            micros in -1_000_000_000_000_i64..=1_000_000_000_000,
            count in 0_u64..=1 << 50,
            per in 1_u64..=1 << 50,
        ) {
            let share = i128::from(Money::from_micros(micros).times(count, per).micros());
            let exact = i128::from(micros) * i128::from(count);
            if share < i128::from(i64::MAX) {
                prop_assert!(2 * (share * i128::from(per) - exact).abs() <= i128::from(per));
            }
        }
    }
}
