//! An event of a block tracepoint, read from the bytes that the kernel recorded.

use blockyard_machine::{Field, Tracepoint};
use blockyard_model::units::Nanos;

/// Something that happened to a request, or to a bio of a device without requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) time: Nanos,
    pub(crate) kind: Kind,
    /// The device, as the kernel numbers it: major << 20 | minor.
    pub(crate) device: u32,
    pub(crate) sector: u64,
    pub(crate) sectors: u64,
    /// Of a completion: whether it failed.
    pub(crate) failed: bool,
    pub(crate) what: What,
    pub(crate) by: Task,
}

/// Who was running when something happened: of an arrival, who asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Task {
    /// The number of the thread.
    pub(crate) thread: u32,
    /// Its name, filled up with 0; empty where an event has none.
    pub(crate) name: [u8; NAME],
}

/// The kernel cuts names of threads to one byte less.
const NAME: usize = 16;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It came, and began to count.
    Arrival,
    /// A bio became the new beginning of a request that waits.
    FrontMerge,
    /// It became a part of the request before it.
    Merge,
    /// The driver got it.
    Issue,
    /// It ended, or a part of it.
    Completion,
}

/// What a request asks for, of the letters that the kernel calls RWBS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct What {
    /// Index into [`crate::counts::OPS`].
    pub(crate) op: usize,
    /// The device is to be flushed first.
    pub(crate) preflush: bool,
    /// It ends only when it is durable.
    pub(crate) fua: bool,
}

const READ: usize = 0;
const WRITE: usize = 1;
pub(crate) const FLUSH: usize = 2;
const TRIM: usize = 3;

impl What {
    /// The letters: F of a preflush, one of the operation, then F of FUA, A, S and M. FF is the
    /// flush itself, that the kernel sends to the device.
    pub(crate) fn parse(letters: &[u8]) -> Option<Self> {
        let end = letters.iter().position(|letter| *letter == 0);
        let letters = &letters[..end.unwrap_or(letters.len())];
        let (preflush, rest) = match letters {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, letters),
        };
        let (op, rest) = rest.split_first()?;
        let op = match op {
            b'R' => READ,
            b'F' => FLUSH,
            b'D' => TRIM,
            // Zeroes are written without a letter of their own.
            b'W' | b'N' => WRITE,
            _ => return None,
        };
        Some(Self {
            op,
            preflush,
            fua: rest.contains(&b'F'),
        })
    }
}

/// Where an event has its fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    kind: Kind,
    device: Field,
    sector: Field,
    sectors: Field,
    letters: Field,
    error: Option<Field>,
    thread: Field,
    name: Option<Field>,
}

impl Layout {
    /// That of a tracepoint; none if a field is missing or has another size.
    pub(crate) fn of(tracepoint: &Tracepoint, kind: Kind) -> Option<Self> {
        let sized = |name: &str, size: usize| {
            let field = tracepoint.field(name)?;
            (field.size == size).then_some(field)
        };
        Some(Self {
            kind,
            device: sized("dev", 4)?,
            sector: sized("sector", 8)?,
            sectors: sized("nr_sector", 4)?,
            letters: tracepoint.field("rwbs")?,
            error: sized("error", 4),
            thread: sized("common_pid", 4)?,
            name: sized("comm", NAME),
        })
    }

    /// The event of what was recorded; none if that is too short, or asks for nothing that counts.
    pub(crate) fn read(&self, time: Nanos, raw: &[u8]) -> Option<Event> {
        let bytes = |field: Field| raw.get(field.offset..field.offset + field.size);
        let short = |field| Some(u32::from_ne_bytes(bytes(field)?.try_into().ok()?));
        let error = match self.error {
            Some(field) => short(field)?,
            None => 0,
        };
        let name = match self.name {
            Some(field) => bytes(field)?.try_into().ok()?,
            None => Default::default(),
        };
        Some(Event {
            time,
            kind: self.kind,
            device: short(self.device)?,
            sector: u64::from_ne_bytes(bytes(self.sector)?.try_into().ok()?),
            sectors: short(self.sectors)?.into(),
            failed: error != 0,
            what: What::parse(bytes(self.letters)?)?,
            by: Task {
                thread: short(self.thread)?,
                name,
            },
        })
    }
}

/// The number of a recorded event's tracepoint: the first two bytes.
pub(crate) fn tracepoint_of(raw: &[u8]) -> Option<u32> {
    Some(u16::from_ne_bytes(raw.get(..2)?.try_into().ok()?).into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FORMAT: &str = "ID: 7\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
        \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\
        \tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n\
        \tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n\
        \tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n";

    fn layout() -> Layout {
        Layout::of(&Tracepoint::parse(FORMAT).unwrap(), Kind::Completion).unwrap()
    }

    #[test]
    fn fields_are_read_where_the_kernel_says() {
        let mut raw = vec![0; 44];
        raw[..2].copy_from_slice(&7_u16.to_ne_bytes());
        raw[4..8].copy_from_slice(&31_u32.to_ne_bytes());
        raw[8..12].copy_from_slice(&5_u32.to_ne_bytes());
        raw[16..24].copy_from_slice(&99_u64.to_ne_bytes());
        raw[24..28].copy_from_slice(&16_u32.to_ne_bytes());
        raw[28..32].copy_from_slice(&(-5_i32).to_ne_bytes());
        raw[34..37].copy_from_slice(b"FWS");
        let event = layout().read(3, &raw).unwrap();
        let what = What {
            op: WRITE,
            preflush: true,
            fua: false,
        };
        assert_eq!(tracepoint_of(&raw), Some(7));
        assert_eq!((event.device, event.sector, event.sectors), (5, 99, 16));
        assert_eq!((event.time, event.failed, event.what), (3, true, what));
        assert_eq!(event.by.thread, 31);
    }

    #[test]
    fn letters_are_told_apart_by_their_places() {
        for (letters, op, preflush, fua) in [
            ("R", READ, false, false),
            ("RAM", READ, false, false),
            ("WFS", WRITE, false, true),
            ("FWFSM", WRITE, true, true),
            ("FF", FLUSH, true, false),
            ("DS", TRIM, false, false),
        ] {
            let found = What { op, preflush, fua };
            assert_eq!(What::parse(letters.as_bytes()), Some(found), "{letters}");
        }
        for letters in ["", "F", "X"] {
            assert_eq!(What::parse(letters.as_bytes()), None, "{letters}");
        }
    }

    #[test]
    fn a_field_of_another_size_is_refused() {
        let other = FORMAT.replace("offset:16;\tsize:8", "offset:16;\tsize:4");
        assert!(Layout::of(&Tracepoint::parse(&other).unwrap(), Kind::Issue).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(raw in prop::collection::vec(any::<u8>(), 0..60)) {
            let found = layout().read(1, &raw);
            prop_assert!(found.is_none() || raw.len() >= 44);
        }
    }
}
