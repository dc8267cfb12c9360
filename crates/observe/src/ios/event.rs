//! An event of a block tracepoint, read from the bytes that the kernel recorded.

use blockyard_machine::{Field, Tracepoint};
use blockyard_model::units::Nanos;
use blockyard_trace::block::{Event, Kind, NAME, Name, Task, What};

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
    #[inline]
    pub(crate) fn read(&self, time: Nanos, raw: &[u8]) -> Option<Event> {
        let short = |field| Some(u32::from_ne_bytes(bytes(raw, field)?));
        let letters = raw.get(self.letters.offset..)?.get(..self.letters.size)?;
        let error = match self.error {
            Some(field) => short(field)?,
            None => 0,
        };
        let name = match self.name {
            Some(field) => bytes(raw, field)?.into(),
            None => Name::default(),
        };
        Some(Event {
            time,
            kind: self.kind,
            device: short(self.device)?,
            sector: u64::from_ne_bytes(bytes(raw, self.sector)?),
            sectors: short(self.sectors)?.into(),
            failed: error != 0,
            what: What::parse(letters)?,
            by: Task {
                thread: short(self.thread)?,
                name,
            },
        })
    }
}

/// Those of a field, whose size is known.
fn bytes<const N: usize>(raw: &[u8], field: Field) -> Option<[u8; N]> {
    raw.get(field.offset..)?.first_chunk().copied()
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
            op: 1,
            preflush: true,
            fua: false,
        };
        assert_eq!(crate::events::tracepoint_of(&raw), Some(7));
        assert_eq!((event.device, event.sector, event.sectors), (5, 99, 16));
        assert_eq!((event.time, event.failed, event.what), (3, true, what));
        assert_eq!(event.by.thread, 31);
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
