//! The kernel's tables under `/proc`: a line an entry, fields between blanks.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The fields of each line.
pub fn lines(table: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    table.split(|byte| *byte == b'\n').map(|line| {
        let fields = line.split(|byte| byte.is_ascii_whitespace());
        fields.filter(|field| !field.is_empty()).collect()
    })
}

/// A path as the kernel writes it: blanks and backslashes as three octal digits.
pub fn unescaped(field: &[u8]) -> PathBuf {
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
