//! A histogram from HdrHistogram's bytes, version 2, plain or deflated.
//!
//! The library's reader trusts the sizes in a header, and a log may come from anywhere: they
//! are checked before anything is allocated.

use std::io::Read;

use flate2::read::ZlibDecoder;
use hdrhistogram::serialization::{DeserializeError, Deserializer};

use crate::measure::histogram::{Histogram, MOST_VALUES};

const PLAIN: [u8; 4] = [0x1c, 0x84, 0x93, 0x13];
const DEFLATED: [u8; 4] = [0x1c, 0x84, 0x93, 0x14];
/// Bytes before the counts: cookie, their length, offset, digits, lowest and
/// highest value, ratio.
const HEADER: usize = 40;
/// The most bytes that a histogram may inflate to; five digits over the whole range of
/// latencies need fewer.
const LARGEST: u64 = 8 << 20;
/// A run of 2^63 empty buckets, the one number that the reader cannot negate.
/// Numbers that mean anything have no such bytes.
const ENDLESS: [u8; 9] = [0xff; 9];
/// Nanoseconds; a latency of three centuries.
const LONGEST: u64 = 1 << 63;

/// Adds the histogram that `bytes` hold to `into`; an error says what is wrong
/// with them.
pub(super) fn decode(bytes: &[u8], into: &mut Histogram) -> Result<(), String> {
    let inflated;
    let mut plain = bytes;
    if bytes.starts_with(&DEFLATED) {
        inflated = inflate(bytes.get(8..).ok_or_else(cut_off)?)?;
        plain = &inflated;
    }
    check(plain)?;
    let read = Deserializer::new().deserialize::<u64, _>(&mut plain);
    let read = read.map_err(|error| match error {
        DeserializeError::IoError(_) => cut_off(),
        error => format!("a histogram that cannot be read: {error}"),
    })?;
    if read.len() > MOST_VALUES {
        return Err(format!("a histogram of more than {MOST_VALUES} values"));
    }
    if read.max() >= LONGEST {
        return Err("a histogram with a value beyond 63 bits".to_owned());
    }
    for bucket in read.iter_recorded() {
        let value = read.median_equivalent(bucket.value_iterated_to());
        into.record_many(value, bucket.count_at_value());
    }
    Ok(())
}

fn inflate(deflated: &[u8]) -> Result<Vec<u8>, String> {
    let mut inflated = Vec::new();
    let read = ZlibDecoder::new(deflated)
        .take(LARGEST)
        .read_to_end(&mut inflated);
    read.map_err(|error| format!("a histogram that does not inflate: {error}"))?;
    if inflated.len() as u64 == LARGEST {
        return Err(format!("a histogram of {LARGEST} bytes or more"));
    }
    Ok(inflated)
}

/// That the counts are there which the header claims, and can be read.
fn check(plain: &[u8]) -> Result<(), String> {
    let (cookie, rest) = plain.split_first_chunk::<4>().ok_or_else(cut_off)?;
    if *cookie != PLAIN {
        return Err(format!(
            "a histogram that begins with {:08x}; expected HdrHistogram's encoding of version 2",
            u32::from_be_bytes(*cookie)
        ));
    }
    let claimed = u32::from_be_bytes(*rest.first_chunk().ok_or_else(cut_off)?);
    let counts = plain.get(HEADER..).ok_or_else(cut_off)?;
    if claimed as usize > counts.len() {
        return Err(cut_off());
    }
    if counts.windows(ENDLESS.len()).any(|bytes| bytes == ENDLESS) {
        return Err("a histogram of endless empty buckets".to_owned());
    }
    Ok(())
}

fn cut_off() -> String {
    "a histogram that is cut off".to_owned()
}
