//! Cells of a line as values.

use blockyard_model::units::{Bytes, Nanos};
use blockyard_text::shorten;
use memchr::memchr_iter;

use crate::row::SECTOR;

/// What is wrong with a line, without its place.
pub(crate) type Wrong = String;

/// No device is larger.
pub(crate) const MOST_BYTES: u64 = 1 << 62;
/// No IO is larger: the kernel counts its sectors in 32 bits.
pub(crate) const MOST_IO: Bytes = SECTOR << 32;

/// That a value is not what is expected.
pub(crate) fn unexpected(what: &str, cell: &[u8], expected: &str) -> Wrong {
    let text = String::from_utf8_lossy(cell);
    format!("{what} `{}`; expected {expected}", shorten(&text))
}

/// The first `N` cells of a line, and how many it has.
pub(crate) fn cells<const N: usize>(line: &[u8], separator: u8) -> ([&[u8]; N], usize) {
    let mut found: [&[u8]; N] = [&[]; N];
    let (mut count, mut from) = (0, 0);
    for end in memchr_iter(separator, line).chain([line.len()]) {
        if let Some(place) = found.get_mut(count) {
            *place = line[from..end].trim_ascii();
        }
        (count, from) = (count + 1, end + 1);
    }
    (found, count)
}

/// All of `N` cells, or of more.
pub(crate) fn at_least<'a, const N: usize>(
    line: &'a [u8],
    columns: &str,
) -> Result<[&'a [u8]; N], Wrong> {
    let (found, count) = cells(line, b',');
    if count < N {
        return Err(format!("{count} values; expected {N}: {columns}"));
    }
    Ok(found)
}

/// Words between blanks.
pub(crate) fn words(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// Numbers of so many digits fit 64 bits, whatever the digits.
const SURE: usize = 19;

/// A whole number.
pub(crate) fn whole(cell: &[u8]) -> Option<u64> {
    match digits(cell)? {
        (value, length) if length == cell.len() => Some(value),
        _ => None,
    }
}

/// The digits at the beginning of `cell`, at least one: their value, and how many there are.
fn digits(cell: &[u8]) -> Option<(u64, usize)> {
    let (mut value, mut length) = (0_u64, 0);
    for byte in cell {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = match length < SURE {
            true => value * 10 + u64::from(digit),
            false => value.checked_mul(10)?.checked_add(digit.into())?,
        };
        length += 1;
    }
    (length > 0).then_some((value, length))
}

/// A number of `unit`s of nanoseconds, a power of ten, with decimals; finer ones are cut off.
pub(crate) fn decimal(cell: &[u8], unit: Nanos) -> Option<Nanos> {
    let (before, length) = digits(cell)?;
    let mut value = before.checked_mul(unit)?;
    let Some((point, after)) = cell[length..].split_first() else {
        return Some(value);
    };
    if *point != b'.' {
        return None;
    }
    let mut unit = unit;
    for digit in after {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        unit /= 10;
        value = value.checked_add(u64::from(digit) * unit)?;
    }
    Some(value)
}

/// The time of `cell`, in `unit`s.
pub(crate) fn time(cell: &[u8], unit: Nanos, expected: &str) -> Result<Nanos, Wrong> {
    decimal(cell, unit).ok_or_else(|| unexpected("time", cell, expected))
}

/// An offset in units of `unit` bytes.
pub(crate) fn offset(cell: &[u8], unit: Bytes) -> Result<Bytes, Wrong> {
    whole(cell)
        .and_then(|value| value.checked_mul(unit))
        .filter(|value| *value <= MOST_BYTES)
        .ok_or_else(|| unexpected("offset", cell, place(unit)))
}

/// The size of an IO in units of `unit` bytes.
pub(crate) fn size(cell: &[u8], unit: Bytes) -> Result<Bytes, Wrong> {
    whole(cell)
        .and_then(|value| value.checked_mul(unit))
        .filter(|value| *value <= MOST_IO)
        .ok_or_else(|| unexpected("size", cell, place(unit)))
}

fn place(unit: Bytes) -> &'static str {
    match unit {
        1 => "a whole number of bytes",
        _ => "a whole number of sectors",
    }
}

/// A number of a thread or process.
pub(crate) fn thread(cell: &[u8]) -> Result<u32, Wrong> {
    whole(cell)
        .and_then(|value| u32::try_from(value).ok())
        .ok_or_else(|| unexpected("thread", cell, "its number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        for wrong in ["", "18446744073709551616", "-1", "1.0", " 1", "1e3"] {
            assert_eq!(whole(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(
            decimal(b"1456095145.133076000", 1_000_000_000),
            Some(1_456_095_145_133_076_000)
        );
        assert_eq!(decimal(b"0.27", 1_000_000), Some(270_000));
        assert_eq!(decimal(b"7", 1_000_000_000), Some(7_000_000_000));
        assert_eq!(decimal(b"1.0000000009", 1_000_000_000), Some(1_000_000_000));
        for wrong in ["", ".5", "1.x", "99999999999", "1.5.2"] {
            assert_eq!(decimal(wrong.as_bytes(), 1_000_000_000), None, "{wrong}");
        }
    }
}
