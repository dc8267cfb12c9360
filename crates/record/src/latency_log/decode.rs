//! A histogram from HdrHistogram's bytes, version 2, plain or deflated.
//!
//! Written for bytes of strangers: nothing is allocated for what a header
//! merely claims.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::histogram::Histogram;
use crate::varint;

const PLAIN: u32 = 0x1c84_9303;
const DEFLATED: u32 = 0x1c84_9304;
/// Bits of a cookie that tell how wide counts are: always as wide as they need.
const WIDTH: u32 = 0xf0;
/// What a histogram may come to when inflated; five digits over the whole range
/// of latencies stay below.
const LARGEST: u64 = 8 << 20;
/// Counts of one histogram, together. Far above what storage does in an
/// interval, and low enough that no sum of a log's counts overflows.
const MOST: u64 = 1 << 40;

/// Adds the histogram that `bytes` hold to `into`; an error says what is wrong
/// with them.
pub(super) fn decode(bytes: &[u8], into: &mut Histogram) -> Result<(), String> {
    let (mut cookie, mut rest) = part(bytes)?;
    let mut inflated = Vec::new();
    if u32::from_be_bytes(cookie) & !WIDTH == DEFLATED {
        let (_length, deflated) = part::<4>(rest)?;
        let mut plain = ZlibDecoder::new(deflated).take(LARGEST);
        let read = plain.read_to_end(&mut inflated);
        read.map_err(|error| format!("a histogram that does not inflate: {error}"))?;
        if inflated.len() as u64 == LARGEST {
            return Err(format!("a histogram of {LARGEST} bytes or more"));
        }
        (cookie, rest) = part(&inflated)?;
    }
    let cookie = u32::from_be_bytes(cookie);
    if cookie & !WIDTH != PLAIN {
        return Err(format!(
            "a histogram that begins with {cookie:08x}; expected HdrHistogram's encoding of version 2"
        ));
    }
    plain(rest, into)
}

fn plain(bytes: &[u8], into: &mut Histogram) -> Result<(), String> {
    let (length, rest) = part(bytes)?;
    let (offset, rest) = part(rest)?;
    let (digits, rest) = part(rest)?;
    let (lowest, rest) = part(rest)?;
    let (_highest, rest) = part::<8>(rest)?;
    let (ratio, rest) = part(rest)?;
    if u32::from_be_bytes(offset) != 0 || f64::from_be_bytes(ratio) != 1.0 {
        return Err("a histogram that is shifted or scaled; expected plain counts".to_owned());
    }
    let scale = Scale::new(u32::from_be_bytes(digits), u64::from_be_bytes(lowest))?;
    let counts = rest
        .get(..u32::from_be_bytes(length) as usize)
        .ok_or_else(cut_off)?;
    record(counts, scale, into)
}

/// A count for each bucket from the first; a negative one stands for as many
/// empty buckets.
fn record(mut counts: &[u8], scale: Scale, into: &mut Histogram) -> Result<(), String> {
    let (mut bucket, mut total) = (0_u64, 0);
    while !counts.is_empty() {
        let number = varint::take(&mut counts).ok_or_else(cut_off)?;
        // Zigzag: the sign is the lowest bit.
        let magnitude = number.div_ceil(2);
        if number % 2 == 1 {
            bucket = bucket.saturating_add(magnitude);
            continue;
        }
        total += magnitude.min(MOST + 1);
        if total > MOST {
            return Err(format!("a histogram of more than {MOST} values"));
        }
        if magnitude > 0 {
            let value = scale.middle(bucket);
            into.record_many(
                value.ok_or("a histogram with a value beyond 63 bits")?,
                magnitude,
            );
        }
        bucket = bucket.saturating_add(1);
    }
    Ok(())
}

/// How buckets lie: exact in units up to two halves, then one half a power of
/// two.
#[derive(Clone, Copy)]
struct Scale {
    /// Bits of the unit.
    unit: u32,
    /// Bits of a half.
    half: u32,
}

impl Scale {
    fn new(digits: u32, lowest: u64) -> Result<Self, String> {
        if digits > 5 {
            return Err(format!(
                "a histogram of {digits} significant digits; expected 0 to 5"
            ));
        }
        let unit = lowest
            .checked_ilog2()
            .ok_or("a histogram whose lowest value is 0; expected 1 or more")?;
        let half = (2 * 10_u64.pow(digits)).next_power_of_two().ilog2() - 1;
        Ok(Self { unit, half })
    }

    fn middle(self, bucket: u64) -> Option<u64> {
        let power = (bucket >> self.half).saturating_sub(1);
        let shift = u32::try_from(power).ok()?.checked_add(self.unit)?;
        if shift + self.half >= 63 {
            return None;
        }
        let low = (bucket - (power << self.half)) << shift;
        Some(low + (1 << shift) / 2)
    }
}

/// The first `N` bytes, and the rest.
fn part<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), String> {
    let (part, rest) = bytes.split_first_chunk().ok_or_else(cut_off)?;
    Ok((*part, rest))
}

fn cut_off() -> String {
    "a histogram that is cut off".to_owned()
}
