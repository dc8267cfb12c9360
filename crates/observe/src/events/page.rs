//! A page of a ring, as the kernel gives it: a header, then records, each with the time since the
//! one before (`linux/ring_buffer.h`).

use blockyard_machine::{Field, Fields};
use blockyard_model::units::Nanos;

/// The events of a page that were not read yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Records<'a> {
    /// The kernel overwrote events between this page and the one before.
    pub(crate) missed: bool,
    /// That of the record before.
    pub(crate) time: Nanos,
    /// They end where the page's records do.
    pub(crate) rest: &'a [u8],
}

/// Where a page has what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The time that the first record counts from.
    stamp: Field,
    /// The length of all records in bytes, and flags.
    commit: Field,
    /// Where the records begin.
    pub(super) records: usize,
}

/// Kinds of records; any other kind is the length of an event in words.
const LONG: u32 = 0;
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;

/// Bytes of a word.
const WORD: usize = 4;

/// In `commit`, the length, and a flag, which the kernel adds as a negative number. Where there is
/// room, the number of missed events follows the records; the ring's own counter always has it.
const LENGTH: u64 = (1 << 27) - 1;
const MISSED: u64 = 1 << 31;

/// Bits of a time in the first word of a record, and of a time stamp in both.
const DELTA_BITS: u32 = 27;
const STAMP_BITS: u32 = 59;

impl Layout {
    /// Of the text of `events/header_page`; none if it lacks a field.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fields = Fields::parse(text)?;
        Some(Self {
            stamp: fields.named("timestamp")?,
            commit: fields.named("commit")?,
            records: fields.named("data")?.offset,
        })
    }

    /// What a page has. A record that cannot be is the last one.
    pub(crate) fn open<'a>(&self, page: &'a [u8]) -> Records<'a> {
        let number = |field: Field| number(page.get(field.offset..)?.get(..field.size)?);
        let (Some(time), Some(commit)) = (number(self.stamp), number(self.commit)) else {
            return Records::default();
        };
        let length = (commit & LENGTH) as usize;
        let records = page.get(self.records..).unwrap_or_default();
        Records {
            missed: commit & MISSED != 0,
            time,
            rest: &records[..records.len().min(length)],
        }
    }
}

impl<'a> Iterator for Records<'a> {
    /// A time, and what a tracepoint recorded then.
    type Item = (Nanos, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while let Some((time, event, rest)) = record(self.rest, self.time) {
            (self.time, self.rest) = (time, rest);
            if let Some(raw) = event {
                return Some((time, raw));
            }
        }
        None
    }
}

/// The time of a record, the event that it has, if any, and what lies behind it.
type Split<'a> = (Nanos, Option<&'a [u8]>, &'a [u8]);

/// The first record.
#[inline]
fn record(bytes: &[u8], before: Nanos) -> Option<Split<'_>> {
    let (first, body) = word(bytes)?;
    let (kind, delta) = split_bits(first);
    let at = before.saturating_add(delta);
    Some(match kind {
        // Nothing was written from here on.
        PADDING if delta == 0 => return None,
        // An event that was taken back.
        PADDING => (at, None, body.get(word(body)?.0 as usize..)?),
        TIME_EXTEND | TIME_STAMP => {
            let (high, behind) = word(body)?;
            let whole = u64::from(high) << DELTA_BITS | delta;
            let at = if kind == TIME_STAMP {
                stamped(whole, before)
            } else {
                before.saturating_add(whole)
            };
            (at, None, behind)
        }
        LONG => {
            let (length, body) = word(body)?;
            let length = (length as usize).checked_sub(WORD)?;
            let (raw, behind) = body.split_at_checked(length.next_multiple_of(WORD))?;
            (at, Some(raw), behind)
        }
        words => {
            let (raw, behind) = body.split_at_checked(words as usize * WORD)?;
            (at, Some(raw), behind)
        }
    })
}

/// A time stamp lacks the highest bits, which are those of the time before.
fn stamped(stamp: u64, before: Nanos) -> Nanos {
    let whole = before >> STAMP_BITS << STAMP_BITS | stamp;
    if whole < before {
        whole.saturating_add(1 << STAMP_BITS)
    } else {
        whole
    }
}

/// Kind and time of a record. Bit fields begin where the machine's bytes do.
fn split_bits(first: u32) -> (u32, u64) {
    if cfg!(target_endian = "little") {
        (first & 31, u64::from(first >> 5))
    } else {
        (
            first >> DELTA_BITS,
            u64::from(first & ((1 << DELTA_BITS) - 1)),
        )
    }
}

fn word(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk()?;
    Some((u32::from_ne_bytes(*first), rest))
}

/// A number of 4 or 8 bytes.
fn number(bytes: &[u8]) -> Option<u64> {
    match *bytes {
        [..] if bytes.len() == 4 => Some(u32::from_ne_bytes(bytes.try_into().ok()?).into()),
        _ => Some(u64::from_ne_bytes(bytes.try_into().ok()?)),
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
pub(super) mod tests;
