//! The kernel's tables under `/proc`, with one entry per line and fields separated by blanks; and
//! folders.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The fields of each line.
pub(crate) fn lines(table: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    table.split(|byte| *byte == b'\n').map(|line| {
        let fields = line.split(|byte| byte.is_ascii_whitespace());
        fields.filter(|field| !field.is_empty()).collect()
    })
}

/// A path from a table, in which the kernel writes blanks and backslashes as three octal digits.
pub(crate) fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::new();
    let mut rest = field;
    while let [first, after @ ..] = rest {
        let code = match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..]) => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        path.push(code.unwrap_or(*first));
        rest = &after[if code.is_some() { 3 } else { 0 }..];
    }
    OsString::from_vec(path).into()
}

/// The entries of a folder, in order.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<_> = paths.collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// The entries of a folder, in order; empty where there is no such folder.
pub(crate) fn entries_if_there(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match entries(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_unescaped() {
        for (field, path) in [
            ("/mnt", "/mnt"),
            (r"/a\040b\134", r"/a b\"),
            (r"/a\04", r"/a\04"),
            (r"/a\999", r"/a\999"),
        ] {
            assert_eq!(unescaped(field.as_bytes()), PathBuf::from(path));
        }
    }
}
