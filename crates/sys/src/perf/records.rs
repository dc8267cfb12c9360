//! Records as the kernel writes them into a ring.

/// What a ring has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A tracepoint at a time of `CLOCK_MONOTONIC` in nanoseconds, and what it recorded.
    Event(u64, &'a [u8]),
    /// So many events found no room.
    Lost(u64),
}

const LOST: u32 = 2;
const SAMPLE: u32 = 9;

/// The bytes of a record's kind, flags and size.
const HEADER: usize = 8;

/// Splits bytes into records. What is of another kind is passed over, and so is all from a record
/// on whose size cannot be.
pub fn records<'a>(bytes: &'a [u8], mut each: impl FnMut(Record<'a>)) {
    let mut rest = bytes;
    while let Some((kind, size)) = header(rest) {
        let Some(body) = rest.get(HEADER..size) else {
            return;
        };
        let found = match kind {
            SAMPLE => sample(body),
            // The number of the event comes first.
            LOST => number(body, 8).map(Record::Lost),
            _ => None,
        };
        found.into_iter().for_each(&mut each);
        rest = &rest[size..];
    }
}

fn header(bytes: &[u8]) -> Option<(u32, usize)> {
    let kind = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?);
    let size = u16::from_ne_bytes(bytes.get(6..HEADER)?.try_into().ok()?);
    Some((kind, size.into()))
}

/// The time, the length of what was recorded, and that.
fn sample(body: &[u8]) -> Option<Record<'_>> {
    let time = number(body, 0)?;
    let length = u32::from_ne_bytes(body.get(8..12)?.try_into().ok()?);
    let raw = body.get(12..)?.get(..length as usize)?;
    Some(Record::Event(time, raw))
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.get(..8)?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, body: &[u8]) -> Vec<u8> {
        let size = (HEADER + body.len()) as u16;
        let parts = [&kind.to_ne_bytes()[..], &[0, 0], &size.to_ne_bytes(), body];
        parts.concat()
    }

    fn all(bytes: &[u8]) -> Vec<Record<'_>> {
        let mut found = Vec::new();
        records(bytes, |one| found.push(one));
        found
    }

    fn whole() -> Vec<u8> {
        let event = [
            &7_u64.to_ne_bytes()[..],
            &2_u32.to_ne_bytes(),
            b"ab",
            &[0; 2],
        ]
        .concat();
        let lost = [1_u64.to_ne_bytes(), 3_u64.to_ne_bytes()].concat();
        [
            record(SAMPLE, &event),
            record(5, &[1; 8]),
            record(LOST, &lost),
        ]
        .concat()
    }

    #[test]
    fn events_and_losses_are_told_apart() {
        assert_eq!(all(&whole()), [Record::Event(7, b"ab"), Record::Lost(3)]);
    }

    #[test]
    fn records_cut_or_changed_anywhere_are_passed_over() {
        let whole = whole();
        for end in 0..whole.len() {
            assert!(all(&whole[..end]).len() <= 2);
            for byte in [0, 1, 255] {
                let mut changed = whole.clone();
                changed[end] = byte;
                assert!(all(&changed).len() <= 2);
            }
        }
    }
}
