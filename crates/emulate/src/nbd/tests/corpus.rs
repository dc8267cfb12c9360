//! Conversations with real clients, and what fuzzers made of them.

use std::fs;
use std::path::Path;

fn replay(target: &str, converse: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut count = 0;
    for entry in fs::read_dir(corpus.join(target)).unwrap() {
        converse(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "{target} has no corpus");
}

#[test]
fn handshakes_are_survived() {
    replay("nbd_handshake", crate::fuzz::handshake);
}

#[test]
fn transmissions_are_survived() {
    replay("nbd_transmission", crate::fuzz::transmission);
}
