//! Any bytes are read or refused; what a fuzzer found is kept.

use std::fs;
use std::path::Path;

use blockyard_trace::{Format, Trace};
use proptest::prelude::*;

fn read(bytes: &[u8], format: Option<Format>) {
    if let Ok(trace) = Trace::new(bytes, "fuzzed", format) {
        for row in trace.flatten() {
            let _ = row.latency();
        }
    }
}

#[test]
fn the_corpus_is_survived() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace");
    let mut count = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        read(&bytes, None);
        Format::ALL
            .into_iter()
            .for_each(|format| read(&bytes, Some(format)));
        count += 1;
    }
    assert!(count >= Format::ALL.len(), "{count} in the corpus");
}

proptest! {
    #[test]
    fn bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes, None);
        Format::ALL.into_iter().for_each(|format| read(&bytes, Some(format)));
    }

    /// A byte of a trace that is read becomes another.
    #[test]
    fn a_wrong_byte_is_survived(place in any::<prop::sample::Index>(), byte: u8, nth in 0..13_usize) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace");
        let mut files: Vec<_> = fs::read_dir(corpus).unwrap().map(|it| it.unwrap().path()).collect();
        files.sort();
        let mut bytes = fs::read(&files[nth % files.len()]).unwrap();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        read(&bytes, None);
    }
}
