//! Traces packed by other programs.

use std::fs;
use std::io::Write;
use std::path::Path;

use blockyard_trace::{Row, open};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Its rows, and what is wrong after them.
fn read(path: &Path) -> (Vec<Row>, Option<String>) {
    let (mut rows, mut wrong) = (Vec::new(), None);
    for row in open(path, None).unwrap() {
        match row {
            Ok(row) => rows.push(row),
            Err(error) => wrong = Some(error.to_string()),
        }
    }
    (rows, wrong)
}

#[test]
fn what_gzip_packed_is_read_as_often_as_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let line = |nth: u64| format!("1,R,{},4096,{}\n", nth * 7919 % 1000 * 4096, nth * 13);
    let text: String = (0..100_000).map(line).collect();
    // As of several files that were packed one by one.
    let (first, second) = text.split_at(text.len() / 3);
    let mut packed = Vec::new();
    for part in [first, second] {
        let mut packer = GzEncoder::new(&mut packed, Compression::fast());
        packer.write_all(part.as_bytes()).unwrap();
        packer.finish().unwrap();
    }
    fs::write(at("plain.csv"), &text).unwrap();
    fs::write(at("t.csv.gz"), &packed).unwrap();
    let (rows, _) = read(&at("plain.csv"));
    for _ in 0..2 {
        assert!(read(&at("t.csv.gz")) == (rows.clone(), None));
    }
    fs::write(at("t.csv.gz"), &packed[..packed.len() / 2]).unwrap();
    let (some, wrong) = read(&at("t.csv.gz"));
    assert!(!some.is_empty() && some.len() < rows.len());
    let wrong = wrong.unwrap();
    assert!(
        wrong.contains("t.csv.gz:") && wrong.contains("cannot be read"),
        "{wrong}"
    );
}

#[test]
fn how_to_unpack_what_xz_packed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv.xz");
    fs::write(&file, b"\xfd7zXZ\0\0\x04").unwrap();
    let said = open(&file, None).unwrap_err().to_string();
    assert!(
        said.ends_with("t.csv.xz: packed by xz; unpack it with `xz -dk` first"),
        "{said}"
    );
}
