//! A civil date.

use std::fmt;
use std::str::FromStr;

use super::text::text_type;
use crate::tree::shorten;

/// A day of the Gregorian calendar, `2022-11-10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    // In this order, so that the derived ordering is chronological.
    year: u16,
    month: u8,
    day: u8,
}

const EXPECTED: &str = "expected a day as in `2022-11-10`";

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let date =
            read(text).ok_or_else(|| format!("`{}` is not a date; {EXPECTED}", shorten(text)))?;
        if !(1..=12).contains(&date.month) {
            return Err(format!(
                "`{text}` is not a date: there is no month {:02}",
                date.month
            ));
        }
        let days = days_in_month(date.year, date.month);
        if !(1..=days).contains(&date.day) {
            return Err(format!(
                "`{text}` is not a date: that month has {days} days"
            ));
        }
        Ok(date)
    }
}

impl Date {
    /// The last day of a month such as `2022-11`; none if the text is not one.
    pub fn last_of_month(text: &str) -> Option<Self> {
        let first: Self = format!("{text}-01").parse().ok()?;
        Some(Self {
            day: days_in_month(first.year, first.month),
            ..first
        })
    }
}

impl Date {
    /// How many days it is after 1970-01-01; 0 of an earlier one.
    #[must_use]
    pub fn days_since_1970(&self) -> u32 {
        // Of years that begin in March, so that a leap day is the last one (H. Hinnant,
        // chrono-compatible low-level date algorithms).
        let (year, month) = match u32::from(self.month) {
            month @ 3.. => (u32::from(self.year), month - 3),
            month => (u32::from(self.year).saturating_sub(1), month + 9),
        };
        let of_years = year * 365 + year / 4 - year / 100 + year / 400;
        let of_months = (153 * month + 2) / 5;
        (of_years + of_months + u32::from(self.day) - 1).saturating_sub(719_468)
    }
}

/// The three numbers, unchecked.
fn read(text: &str) -> Option<Date> {
    let number = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then_some(digits)
    };
    if text.len() != 10 || text.get(4..5)? != "-" || text.get(7..8)? != "-" {
        return None;
    }
    Some(Date {
        year: number(0..4)?.parse().ok()?,
        month: number(5..7)?.parse().ok()?,
        day: number(8..10)?.parse().ok()?,
    })
}

fn days_in_month(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

text_type!(
    Date,
    EXPECTED,
    schemars::json_schema!({
        "type": "string",
        "format": "date",
        "description": "A day of the Gregorian calendar, `2022-11-10`.",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        "examples": ["2022-11-10"],
    })
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted() {
        let days = |text: &str| text.parse::<Date>().unwrap().days_since_1970();
        let known = [
            "1970-01-01",
            "1970-03-01",
            "2000-02-29",
            "2000-03-01",
            "2026-11-26",
        ];
        assert_eq!(known.map(days), [0, 59, 11_016, 11_017, 20_783]);
        assert_eq!(days("1969-12-31"), 0);
    }

    #[test]
    fn only_days_that_exist_are_dates() {
        for text in ["2022-11-10", "2024-02-29", "2000-02-29", "0001-01-01"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        let wrong = [
            (
                "2023-02-29",
                "`2023-02-29` is not a date: that month has 28 days",
            ),
            (
                "1900-02-29",
                "`1900-02-29` is not a date: that month has 28 days",
            ),
            (
                "2023-13-01",
                "`2023-13-01` is not a date: there is no month 13",
            ),
            (
                "2023-00-01",
                "`2023-00-01` is not a date: there is no month 00",
            ),
            (
                "10.11.2022",
                "`10.11.2022` is not a date; expected a day as in `2022-11-10`",
            ),
            (
                "2022-11-1é",
                "`2022-11-1é` is not a date; expected a day as in `2022-11-10`",
            ),
            (
                "+022-11-10",
                "`+022-11-10` is not a date; expected a day as in `2022-11-10`",
            ),
        ];
        for (text, message) in wrong {
            assert_eq!(text.parse::<Date>(), Err(message.to_owned()));
        }
    }

    #[test]
    fn dates_order_as_time_does() {
        let dates = ["2020-12-03", "2022-02-28", "2022-11-10"].map(|d| d.parse::<Date>().unwrap());
        assert!(dates.is_sorted());
    }
}
