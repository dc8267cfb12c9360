//! How data grows, and for how long a layout is to do, as a user writes it.

use std::fmt;
use std::str::FromStr;

use blockyard_model::units::Bytes;
use blockyard_text::shorten;
use schemars::JsonSchema;
use serde::Deserialize;

/// The most that data grows in a year, in percent, and the longest horizon in months.
const MOST_A_YEAR: f64 = 1000.0;
const LONGEST: u32 = 120;

/// By how much data grows in a year, compounding: `40%/year`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Growth(f64);

/// How long a layout is to do: `3 years`, `18 months`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Horizon {
    months: u32,
}

impl Growth {
    /// What one becomes in a year.
    #[must_use]
    pub fn factor(self) -> f64 {
        1.0 + self.0 / 100.0
    }

    /// What so many bytes become in that time, rounded up.
    #[must_use]
    pub fn of(self, bytes: Bytes, horizon: Horizon) -> Bytes {
        (bytes as f64 * self.factor().powf(horizon.years())).ceil() as Bytes
    }

    /// After how many years something has grown by a factor.
    #[must_use]
    pub fn years_to(self, factor: f64) -> f64 {
        factor.ln() / self.factor().ln()
    }
}

impl Horizon {
    /// What holds where only a growth is stated.
    pub(crate) const YEAR: Self = Self { months: 12 };

    /// In years.
    #[must_use]
    pub fn years(self) -> f64 {
        f64::from(self.months) / 12.0
    }
}

impl FromStr for Growth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix("%/year").map(str::trim);
        let found = number.and_then(|number| number.parse::<f64>().ok());
        match found.filter(|it| *it > 0.0 && *it <= MOST_A_YEAR) {
            Some(percent) => Ok(Self(percent)),
            None => Err(format!(
                "`{}` is no growth; expected more than 0% and at most 1000% a year, as in `40%/year`",
                shorten(text)
            )),
        }
    }
}

impl FromStr for Horizon {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{}` is no horizon; expected 1 month to 10 years, as in `3 years` or `18 months`",
                shorten(text)
            )
        };
        let (number, unit) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let each = match unit.trim() {
            "month" | "months" => 1,
            "year" | "years" => 12,
            _ => return Err(wrong()),
        };
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let months = number.saturating_mul(each);
        match (1..=LONGEST).contains(&months) {
            true => Ok(Self { months }),
            false => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Growth {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl TryFrom<String> for Horizon {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%/year", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_compounds_and_takes_as_long_to_get_there() {
        let growth: Growth = "40%/year".parse().unwrap();
        let of = |text: &str| growth.of(1_000_000, text.parse().unwrap());
        assert_eq!(of("1 year"), 1_400_000);
        assert_eq!(of("3 years"), 2_744_000);
        assert_eq!(of("6 months"), 1_183_216);
        assert!((growth.years_to(2.744) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn others_are_refused_with_what_is_expected() {
        for text in [
            "40%",
            "-5%/year",
            "0%/year",
            "2000%/year",
            "NaN%/year",
            "x%/year",
        ] {
            let said = text.parse::<Growth>().unwrap_err();
            assert!(
                said.starts_with(&format!("`{text}` is no growth; expected")),
                "{said}"
            );
        }
        for text in [
            "3",
            "3 days",
            "0 months",
            "11 years",
            "-1 years",
            "99999999999 years",
        ] {
            let said = text.parse::<Horizon>().unwrap_err();
            assert!(
                said.starts_with(&format!("`{text}` is no horizon; expected")),
                "{said}"
            );
        }
    }
}
