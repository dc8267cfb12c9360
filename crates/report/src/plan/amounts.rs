//! Amounts as a plan says them.

use blockyard_plan::Layout;

use crate::text::format::{count, grouped, number_to, significant};

const UNITS: [(&str, u64); 4] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
];

/// A size of this many units or more is rounded in a larger one.
const UNWIELDY: u64 = 100_000;

/// What a layout costs in a month.
pub(super) fn money(layout: &Layout) -> String {
    dollars(layout.usd_per_month)
}

/// `$1,515.98`.
pub(super) fn dollars(amount: f64) -> String {
    format!("${}", grouped(amount, 2))
}

/// In the largest unit of which it is a whole number, `2,964GiB`, unless that is unwieldy.
pub(super) fn size(of: u64) -> String {
    let whole =
        |&&(_, unit): &&(&str, u64)| unit <= of && of / unit < UNWIELDY && of.is_multiple_of(unit);
    if let Some((name, unit)) = UNITS.iter().find(whole) {
        return format!("{}{name}", count(of / unit));
    }
    match UNITS.iter().find(|(_, unit)| of >= *unit) {
        Some((name, unit)) => format!("{}{name}", grouped(of as f64 / *unit as f64, 1)),
        None => format!("{of}B"),
    }
}

/// A time in its largest unit, `1.5h`.
pub(super) fn lasting(seconds: f64) -> String {
    let units = [("d", 86_400.0), ("h", 3_600.0), ("m", 60.0)];
    let largest = units.into_iter().find(|(_, unit)| seconds >= *unit);
    let (name, unit) = largest.unwrap_or(("s", 1.0));
    format!("{}{name}", significant(seconds / unit, 3))
}

/// `3 years`, `18 months`, `3.7 years`, `3.7 months`.
pub(super) fn years(years: f64) -> String {
    let months = 12.0 * years;
    if years == 1.0 {
        "1 year".to_owned()
    } else if years >= 2.0 {
        format!("{} years", significant(years, 2))
    } else if format!("{months:.1}") == "1.0" {
        "a month".to_owned()
    } else {
        format!("{} months", significant(months, 2))
    }
}

/// Milliseconds, from a thousand of them on in seconds.
pub(super) fn ms(of: f64) -> String {
    if of < 1000.0 {
        format!("{of:.2} ms")
    } else {
        format!("{:.1} s", of / 1e3)
    }
}

/// Of what is rarer nobody can know more.
const RAREST: f64 = 1e-12;

/// A share to two digits, `5.5%`, `0.001%`.
pub(super) fn share(of: f64) -> String {
    if of > 0.0 && of < RAREST {
        return format!("less than {}", share(RAREST));
    }
    format!("{}%", number_to(100.0 * of, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_the_largest_unit_of_which_it_is_whole() {
        let sizes = [
            (500, "500B"),
            (1 << 30, "1GiB"),
            (1536 << 30, "1,536GiB"),
            ((1 << 30) + 1, "1.0GiB"),
            ((100_000 << 30) + (1 << 29), "97.7TiB"),
        ];
        for (of, said) in sizes {
            assert_eq!(size(of), said);
        }
    }

    #[test]
    fn times_have_their_largest_unit() {
        assert_eq!(lasting(5_400.0), "1.5h");
        assert_eq!(lasting(0.5), "0.5s");
        let said = [1.0 / 12.0, 1.5, 1.0, 2.0, 3.72].map(years);
        assert_eq!(
            said,
            ["a month", "18 months", "1 year", "2 years", "3.7 years"]
        );
        assert_eq!(ms(999.0), "999.00 ms");
        assert_eq!(ms(1_000.0), "1.0 s");
    }

    #[test]
    fn a_share_has_two_digits() {
        assert_eq!(
            [0.0546, 0.00001, 1.0].map(share),
            ["5.5%", "0.001%", "100%"]
        );
    }
}
