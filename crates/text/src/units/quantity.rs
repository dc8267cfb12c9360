//! A number with a unit: parsed exactly, printed in its shortest form.

use std::ops::RangeInclusive;

use crate::tree::shorten;

/// Most decimals that are read or printed; no unit needs more.
const MAX_DECIMALS: usize = 19;

/// How a kind of quantity is written.
pub(super) struct Quantity {
    /// What it is, for messages.
    pub(super) name: &'static str,
    /// How zero is printed.
    pub(super) zero: &'static str,
    /// (suffix, base units in one), largest first.
    pub(super) units: &'static [(&'static str, u64)],
    pub(super) example: &'static str,
    /// The allowed values in base units.
    pub(super) range: RangeInclusive<u64>,
    /// (suffix often written by mistake, the one that is meant).
    pub(super) mistaken: &'static [(&'static str, &'static str)],
    /// Whether it may be a sum, the largest unit first: `1h30m`.
    pub(super) sums: bool,
}

impl Quantity {
    /// The value in base units.
    pub(super) fn parse(&self, text: &str) -> Result<u64, String> {
        let (shown, name) = (shorten(text), self.name);
        if text.starts_with('-') {
            return Err(format!(
                "`{shown}` is negative; expected a {name} as in `{}`",
                self.example
            ));
        }
        let mut value = 0;
        let mut rest = text;
        let mut least = u64::MAX;
        while !rest.is_empty() || text.is_empty() {
            let (number, suffix, following) = self.first_part(rest);
            let Some((whole, fraction)) = split_decimal(number) else {
                return Err(format!("`{shown}` is not a {name}; {}", self.expected()));
            };
            let Some(&(_, factor)) = self.units.iter().find(|(known, _)| *known == suffix) else {
                let before = &text[..text.len() - rest.len()];
                return Err(self.wrong_unit(&shown, &format!("{before}{number}"), suffix));
            };
            if factor >= least {
                return Err(format!("`{shown}` is not a {name}; {}", self.expected()));
            }
            let part = fraction_of(fraction, factor)
                .ok_or_else(|| format!("`{shown}` is too fine; {}", self.finest()))?;
            value = whole
                .parse::<u64>()
                .ok()
                .and_then(|whole| {
                    whole
                        .checked_mul(factor)?
                        .checked_add(part)?
                        .checked_add(value)
                })
                .filter(|value| value <= self.range.end())
                .ok_or_else(|| {
                    let largest = self.print(*self.range.end());
                    format!("`{shown}` is too large for a {name}; expected at most {largest}")
                })?;
            (rest, least) = (following, factor);
        }
        if value < *self.range.start() {
            return Err(format!(
                "`{shown}` is zero; expected a {name} as in `{}`",
                self.example
            ));
        }
        Ok(value)
    }

    /// The number and the unit that `text` begins with, and what follows them. A blank may
    /// stand between them.
    fn first_part<'a>(&self, text: &'a str) -> (&'a str, &'a str, &'a str) {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let (number, after) = text.split_at(text.find(|c| !is_number(c)).unwrap_or(text.len()));
        let unit = after.strip_prefix(' ').filter(|_| !number.is_empty());
        let unit = unit.unwrap_or(after);
        let next = unit.find(is_number).filter(|_| self.sums);
        let (suffix, following) = unit.split_at(next.unwrap_or(unit.len()));
        let suffix = if following.is_empty() {
            suffix
        } else {
            suffix.trim_end_matches(' ')
        };
        (number, suffix, following)
    }

    fn wrong_unit(&self, shown: &str, number: &str, suffix: &str) -> String {
        let meant = self.mistaken.iter().find(|(wrong, _)| *wrong == suffix);
        match meant {
            Some((_, right)) => {
                format!("`{shown}` is not a {}; write `{number}{right}`", self.name)
            }
            None if suffix.is_empty() => format!("`{shown}` has no unit; {}", self.expected()),
            None => format!("`{shown}` is not a {}; {}", self.name, self.expected()),
        }
    }

    /// What a well-formed quantity looks like.
    pub(super) fn expected(&self) -> String {
        let suffixes: Vec<&str> = self.units.iter().map(|(suffix, _)| *suffix).collect();
        let list = match suffixes.as_slice() {
            [many @ .., last] if !many.is_empty() => format!("{} or {last}", many.join(", ")),
            _ => suffixes.concat(),
        };
        format!("expected a number with {list}, as in `{}`", self.example)
    }

    fn finest(&self) -> String {
        let (suffix, step) = self.units[self.units.len() - 1];
        let step = decimal(1, step).unwrap_or_default();
        format!("a {} counts in steps of {step}{suffix}", self.name)
    }

    /// The shortest exact form, with a number of at least 1 if there is one; of
    /// equally short forms the one with the largest unit.
    pub(super) fn print(&self, value: u64) -> String {
        if value == 0 {
            return self.zero.to_owned();
        }
        let smallest = self.units[self.units.len() - 1].1;
        self.units
            .iter()
            .filter(|&&(_, factor)| value >= factor || factor == smallest)
            .filter_map(|(suffix, factor)| Some(format!("{}{suffix}", decimal(value, *factor)?)))
            .min_by_key(String::len)
            // Never empty: the smallest unit is 1 or 10, and so always exact.
            .unwrap_or_default()
    }

    /// The pattern that editors check while typing.
    pub(super) fn pattern(&self) -> String {
        let suffixes: Vec<&str> = self.units.iter().map(|(suffix, _)| *suffix).collect();
        let part = format!("[0-9]+(\\.[0-9]+)? ?({})", suffixes.join("|"));
        if self.sums {
            format!("^{part}( ?{part})*$")
        } else {
            format!("^{part}$")
        }
    }

    /// The kind's JSON Schema.
    pub(super) fn schema(&self, description: &str) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": description,
            "pattern": self.pattern(),
            "examples": [self.example],
        })
    }
}

/// The digits before and after the point; none unless there are digits on
/// both sides of it.
fn split_decimal(number: &str) -> Option<(&str, &str)> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (digits(whole) && digits(fraction)).then_some((whole, fraction))
}

/// 0.`fraction` × `factor`, if that is a whole number.
fn fraction_of(fraction: &str, factor: u64) -> Option<u64> {
    let digits = fraction.trim_end_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    if digits.len() > MAX_DECIMALS {
        return None;
    }
    let scale = 10_u128.pow(u32::try_from(digits.len()).ok()?);
    let scaled = digits.parse::<u128>().ok()? * u128::from(factor);
    (scaled % scale == 0).then(|| u64::try_from(scaled / scale).ok())?
}

/// `value` ÷ `factor` in decimals, if that ends.
fn decimal(value: u64, factor: u64) -> Option<String> {
    let (factor, mut rest) = (u128::from(factor), u128::from(value % factor));
    let mut text = (u128::from(value) / factor).to_string();
    for place in 0..=MAX_DECIMALS {
        if rest == 0 {
            return Some(text);
        }
        if place == 0 {
            text.push('.');
        }
        rest *= 10;
        text.push_str(&(rest / factor).to_string());
        rest %= factor;
    }
    None
}

/// Defines a newtype over base units and how it is read, printed and described.
macro_rules! quantity_type {
    ($(#[doc = $doc:literal])+ $name:ident, $quantity:ident, $(#[doc = $getter_doc:literal])+ $getter:ident) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            $(#[doc = $getter_doc])+
            #[must_use]
            pub const fn $getter(self) -> u64 {
                self.0
            }

            /// The quantity of this number of base units.
            #[must_use]
            pub const fn new($getter: u64) -> Self {
                Self($getter)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                $quantity.parse(text).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&$quantity.print(self.0))
            }
        }

        crate::units::text::text_type!($name, $quantity.expected(), $quantity.schema(concat!($($doc),+).trim()));
    };
}

pub(super) use quantity_type;
