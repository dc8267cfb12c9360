//! The beginning or the end of a call, read from the bytes that the kernel recorded.

use blockyard_machine::{Field, Tracepoint};
use blockyard_model::units::Nanos;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(super) time: Nanos,
    pub(super) thread: u32,
    /// Index into [`super::kinds::CALLS`].
    pub(super) call: usize,
    pub(super) what: What,
}

/// Which end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Its first argument, where that is an open file.
    Begin(Option<u32>),
    /// What it gave: a number of bytes or, negative, of an error.
    End(i64),
}

/// Where an event has its fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    call: usize,
    thread: Field,
    figure: Figure,
}

#[derive(Clone, Copy, Debug)]
enum Figure {
    File(Option<Field>),
    Result(Field),
}

impl Layout {
    /// That of the beginning of a call; none if a field is missing or has another size.
    pub(crate) fn begin(tracepoint: &Tracepoint, call: usize) -> Option<Self> {
        let file = tracepoint.field("fd").filter(|field| field.size == 8);
        Self::of(tracepoint, call, Figure::File(file))
    }

    /// That of its end.
    pub(crate) fn end(tracepoint: &Tracepoint, call: usize) -> Option<Self> {
        let result = tracepoint.field("ret").filter(|field| field.size == 8)?;
        Self::of(tracepoint, call, Figure::Result(result))
    }

    fn of(tracepoint: &Tracepoint, call: usize, figure: Figure) -> Option<Self> {
        let thread = tracepoint.field("common_pid");
        Some(Self {
            call,
            thread: thread.filter(|field| field.size == 4)?,
            figure,
        })
    }

    /// The event of what was recorded; none if that is too short.
    pub(crate) fn read(&self, time: Nanos, raw: &[u8]) -> Option<Event> {
        let bytes = |field: Field| raw.get(field.offset..field.offset + field.size);
        let whole = |field: Field| Some(i64::from_ne_bytes(bytes(field)?.try_into().ok()?));
        let what = match self.figure {
            Figure::File(None) => What::Begin(None),
            // An argument is a word, of which a file's number is the lower half.
            Figure::File(Some(field)) => What::Begin(Some(whole(field)? as u32)),
            Figure::Result(field) => What::End(whole(field)?),
        };
        Some(Event {
            time,
            thread: u32::from_ne_bytes(bytes(self.thread)?.try_into().ok()?),
            call: self.call,
            what,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BEGIN: &str = "ID: 838\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
        \tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\
        \tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n";
    const END: &str = "ID: 837\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
        \tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";

    fn layouts() -> [Layout; 2] {
        let of = |text| Tracepoint::parse(text).unwrap();
        [
            Layout::begin(&of(BEGIN), 1).unwrap(),
            Layout::end(&of(END), 1).unwrap(),
        ]
    }

    #[test]
    fn both_ends_of_a_call_are_read() {
        let mut raw = vec![0; 24];
        raw[4..8].copy_from_slice(&31_u32.to_ne_bytes());
        raw[16..].copy_from_slice(&(-5_i64).to_ne_bytes());
        let [begin, end] = layouts().map(|layout| layout.read(9, &raw).unwrap());
        assert_eq!((begin.time, begin.thread, begin.call), (9, 31, 1));
        assert_eq!(begin.what, What::Begin(Some(-5_i32 as u32)));
        assert_eq!(end.what, What::End(-5));
    }

    #[test]
    fn a_call_of_no_file_has_none() {
        let text = BEGIN.replace(" fd;", " start;");
        let layout = Layout::begin(&Tracepoint::parse(&text).unwrap(), 13).unwrap();
        assert_eq!(layout.read(1, &[0; 24]).unwrap().what, What::Begin(None));
        let other = END.replace("size:8", "size:4");
        assert!(Layout::end(&Tracepoint::parse(&other).unwrap(), 1).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(raw in prop::collection::vec(any::<u8>(), 0..40)) {
            for layout in layouts() {
                prop_assert_eq!(layout.read(1, &raw).is_some(), raw.len() >= 24);
            }
        }
    }
}
