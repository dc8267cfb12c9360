//! A page of a ring with whatever in it, for fuzzing.

use blockyard_machine::Tracepoint;
use blockyard_trace::block::Kind;

use crate::events::page::Layout;
use crate::{calls, ios};

/// How a kernel of 2025 described a page, and what it recorded of an IO and of both ends of a call.
const PAGE: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
const IO: &str = "ID: 2102\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
    \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
    \tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\
    \tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n\
    \tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n\
    \tfield:char comm[16];\toffset:44;\tsize:16;\tsigned:0;\n";
const BEGIN: &str = "ID: 838\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
    \tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n";
const END: &str = "ID: 837\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
    \tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";

/// Reads a page, and each of its events in each way that it may be meant. Gives how many it has.
///
/// # Panics
/// If what is described above cannot be read any more.
#[must_use]
#[expect(clippy::expect_used, reason = "the descriptions are constants")]
pub fn page(bytes: &[u8]) -> usize {
    let of = |text| Tracepoint::parse(text).expect("a description");
    let io = ios::Layout::of(&of(IO), Kind::Arrival).expect("its fields");
    let calls = [
        calls::Layout::begin(&of(BEGIN), 1),
        calls::Layout::end(&of(END), 1),
    ];
    let mut count = 0;
    let layout = Layout::parse(PAGE).expect("a description");
    for (time, raw) in layout.open(bytes) {
        count += 1;
        let _ = io.read(time, raw);
        for call in calls.iter().flatten() {
            let _ = call.read(time, raw);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Pages that a kernel wrote, and what fuzzers made of them.
    #[test]
    fn the_corpus_is_survived() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_page");
        let pages = fs::read_dir(corpus).unwrap();
        let pages = pages.map(|entry| fs::read(entry.unwrap().path()).unwrap());
        let events: usize = pages.map(|bytes| page(&bytes)).sum();
        assert!(events >= 100, "{events} events in the corpus");
    }
}
