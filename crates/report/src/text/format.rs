//! Times and figures as people read them: three digits, a unit that fits, no exponent.

/// What a time is counted in, and from how many seconds on.
const UNITS: [(f64, f64, &str); 4] = [
    (1.0, 1.0, "s"),
    (1e-4, 1e-3, "ms"),
    (1e-6, 1e-6, "µs"),
    (0.0, 1e-9, "ns"),
];

/// From when on times are written in two units; what rounds to it is.
const LONG_S: f64 = 119.5;

/// What is counted in millions: what rounds to one.
const MILLION: f64 = 999_500.0;

/// IOs a second from which on parts of one are not shown.
const MANY: f64 = 10.0;

/// Two units of time, each with its length in seconds.
type Pair = ((u64, &'static str), (u64, &'static str));

/// Up to when a duration is written in which two units; a last minute that is rounded up to an
/// hour is one.
const PAIRS: [(f64, Pair); 3] = [
    (3_599.5, ((60, "min"), (1, "s"))),
    (172_770.0, ((3_600, "h"), (60, "min"))),
    (f64::INFINITY, ((86_400, "d"), (3_600, "h"))),
];

/// A time of microseconds to three digits: `250 ns`, `0.62 ms`, `36.4 ms`, `5 min 10 s`.
///
/// Tenths of a millisecond have two digits. From two minutes on it is as long as [`duration`]s.
#[must_use]
pub fn latency(us: f64) -> String {
    let seconds = us / 1e6;
    if seconds == 0.0 {
        return "0 ms".to_owned();
    }
    if seconds >= LONG_S {
        return duration(seconds);
    }
    // What rounds up to a unit is written in it: 999.9 ms is 1.00 s.
    let rounded = rounded(seconds, 3);
    let fits = |&&(least, ..): &&(f64, f64, &str)| rounded >= least;
    let &(_, unit, name) = UNITS.iter().find(fits).unwrap_or(&UNITS[UNITS.len() - 1]);
    let value = seconds / unit;
    if name == "ns" || value >= 99.95 {
        return format!("{} {name}", grouped(value, 0));
    }
    if value < 9.995 {
        format!("{value:.2} {name}")
    } else {
        format!("{value:.1} {name}")
    }
}

/// What was said as a sentence: a capital letter, unless it begins with a name.
///
/// That is one of `names`, or has a figure, as volume and instance types have, or a dot or
/// underscore, as files and fields.
#[must_use]
pub fn sentence_with(said: &str, names: &[&str]) -> String {
    let end = said.find(|letter: char| {
        !(letter.is_alphanumeric() || letter == '_' || letter == '.' || letter == '-')
    });
    let first = &said[..end.unwrap_or(said.len())];
    let name = first.trim_end_matches('.');
    let is_names = |letter: char| letter.is_ascii_digit() || letter == '_' || letter == '.';
    let is_name = names.contains(&name) || name.contains(is_names);
    if is_name && !first.is_empty() {
        return format!("{said}.");
    }
    format!("{}.", capital(said))
}

/// As [`sentence_with`], where no name begins it.
#[must_use]
pub fn sentence(said: &str) -> String {
    sentence_with(said, &[])
}

/// With its first letter as a capital.
#[must_use]
pub fn capital(said: &str) -> String {
    let mut letters = said.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    first + letters.as_str()
}

/// A figure with its unit; of times with whichever fits: `3,000 IOPS`, `1 ms`, `5 min 10 s`.
#[must_use]
pub fn quantity(value: f64, unit: &str) -> String {
    let us = match unit {
        "ms" => 1e3,
        "s" => 1e6,
        _ => return format!("{} {unit}", number(value)).trim_end().to_owned(),
    };
    let said = latency(us * value);
    match said.split_once(' ') {
        Some((figure, name)) => format!("{} {name}", trimmed(figure)),
        None => said,
    }
}

/// An amount a second: `0.25`, `7.5`, `3,000`, `1.2 million`.
#[must_use]
pub fn rate(value: f64) -> String {
    if value < 1.0 {
        return number_to(value, 2);
    }
    if value >= MILLION {
        return number(value);
    }
    grouped(value, usize::from(value < MANY))
}

/// How long something lasts: `0.5 s`, `90 s`, `30 min`, `5 h 36 min`, `2 d 3 h`.
///
/// To three digits below two minutes, above to the second, from an hour on to the minute
/// and from two days on to the hour.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if seconds < LONG_S {
        return format!("{} s", number(seconds));
    }
    let fits = |&&(end, _): &&(f64, Pair)| seconds < end;
    let (_, ((large, one), (small, other))) = PAIRS.iter().find(fits).unwrap_or(&PAIRS[2]);
    let smalls = (seconds / *small as f64).round_ties_even() as u64;
    let (whole, rest) = (smalls / (large / small), smalls % (large / small));
    let rest = if rest > 0 {
        format!(" {rest} {other}")
    } else {
        String::new()
    };
    format!("{} {one}{rest}", count(whole))
}

/// A moment as MINUTES:SECONDS, from an hour on as HOURS:MINUTES:SECONDS.
///
/// With tenths of a second where there are any.
#[must_use]
pub fn clock(seconds: f64) -> String {
    let tenths = (10.0 * seconds).round_ties_even().max(0.0) as u64;
    let (minutes, tenths) = (tenths / 600, tenths % 600);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    let mut whole = format!("{:02}", tenths / 10);
    if tenths % 10 > 0 {
        whole += &format!(".{}", tenths % 10);
    }
    if hours > 0 {
        format!("{hours}:{minutes:02}:{whole}")
    } else {
        format!("{minutes}:{whole}")
    }
}

/// A figure to three digits, or all before the point: `0.0123`, `12,345`, `1.2 million`.
#[must_use]
pub fn number(value: f64) -> String {
    number_to(value, 3)
}

/// A figure to some digits, at least one, or all before the point.
#[must_use]
pub fn number_to(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return plain(value);
    }
    if value.abs() >= MILLION {
        return format!("{} million", to_digits(value / 1e6, digits));
    }
    to_digits(value, digits)
}

/// Bytes in the largest binary unit that they have one of: `2 TiB`, `1.5 GiB`, `512 B`.
#[must_use]
pub fn size(of: u64) -> String {
    const NAMES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = (of.checked_ilog2().unwrap_or(0) as usize / 10).min(NAMES.len() - 1);
    let value = of as f64 / (1_u64 << (10 * power)) as f64;
    format!("{} {}", number_to(value, 4), NAMES[power])
}

/// A price as exact as it is stated, to the millionth: `0.0455`.
#[must_use]
pub fn price(dollars: f64) -> String {
    trimmed(&format!("{dollars:.6}")).to_owned()
}

/// A figure with this many places behind the point, and commas: `12,345.6`.
#[must_use]
pub fn grouped(value: f64, places: usize) -> String {
    with_commas(&format!("{value:.places$}"))
}

/// A whole number with commas: `12,345`.
#[must_use]
pub fn count(value: u64) -> String {
    with_commas(&value.to_string())
}

/// A share of 0 to 1 in percent, with this many places behind the point: `12%`, `0.5%`.
#[must_use]
pub fn percent(share: f64, places: usize) -> String {
    format!("{:.places$}%", share * 100.0)
}

/// A figure to some significant digits without trailing zeros, with an exponent where it is far
/// from 1: what `%.3g` writes.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return plain(value);
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let exponent = exponent_of(&scientific);
    if exponent < -4 || exponent >= digits as i32 {
        let mantissa = scientific.split('e').next().unwrap_or_default();
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    let places = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{value:.places$}")).to_owned()
}

/// `value` to some significant digits.
#[must_use]
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.max(1) - 1)
        .parse()
        .unwrap_or(value)
}

fn plain(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else {
        value.to_string()
    }
}

fn to_digits(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits.max(1) - 1);
    let places = digits as i32 - 1 - exponent_of(&scientific);
    let text = grouped(value, usize::try_from(places).unwrap_or(0));
    trimmed(&text).to_owned()
}

/// The power of ten in a number that was written with one.
fn exponent_of(scientific: &str) -> i32 {
    let exponent = scientific.split_once('e');
    exponent
        .and_then(|(_, power)| power.parse().ok())
        .unwrap_or(0)
}

fn with_commas(text: &str) -> String {
    let start = text
        .find(|letter: char| letter.is_ascii_digit())
        .unwrap_or(0);
    let end = text.find('.').unwrap_or(text.len());
    let (sign, digits, rest) = (&text[..start], &text[start..end], &text[end..]);
    let mut whole = String::with_capacity(text.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            whole.push(',');
        }
        whole.push(digit);
    }
    format!("{sign}{whole}{rest}")
}

fn trimmed(figure: &str) -> &str {
    if figure.contains('.') {
        figure.trim_end_matches('0').trim_end_matches('.')
    } else {
        figure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_even() {
        assert_eq!(grouped(0.5, 0), "0");
        assert_eq!(grouped(1.5, 0), "2");
        assert_eq!(grouped(2.5, 0), "2");
        assert_eq!(grouped(0.125, 2), "0.12");
        assert_eq!(grouped(1234.5, 0), "1,234");
        assert_eq!(grouped(-1_234_567.0, 1), "-1,234,567.0");
    }

    #[test]
    fn figures_have_three_digits_and_their_unit() {
        assert_eq!(latency(0.25), "250 ns");
        assert_eq!(latency(620.0), "0.62 ms");
        assert_eq!(latency(999_900.0), "1.00 s");
        assert_eq!(latency(310e6), "5 min 10 s");
        assert_eq!(number(0.0123), "0.0123");
        assert_eq!(number(12_345.0), "12,345");
        assert_eq!(number(1_200_000.0), "1.2 million");
        assert_eq!(significant(8192.0 / 1024.0, 3), "8");
        assert_eq!(significant(1234.0, 3), "1.23e+03");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(price(0.0455), "0.0455");
        assert_eq!(clock(3_661.5), "1:01:01.5");
        assert_eq!(quantity(1.0, "ms"), "1 ms");
    }

    #[test]
    fn a_name_keeps_its_letter() {
        assert_eq!(sentence("gp3 is full"), "gp3 is full.");
        assert_eq!(sentence("no IO"), "No IO.");
        assert_eq!(sentence_with("data is full", &["data"]), "data is full.");
        assert_eq!(sentence("ios.csv ends at 3.0 s"), "ios.csv ends at 3.0 s.");
    }
}
