//! How a file says that it was made here, and how far it was written.

use std::fs::File;
use std::path::Path;

use blockyard_model::units::Bytes;
use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

/// The extended attribute: the number of bytes that were written.
const ATTRIBUTE: &str = "user.blockyard";

/// Marks a file whose first `written` bytes were written through. Where the
/// file system has no extended attributes the file stays unmarked, and a later
/// run will take it for somebody else's.
pub(crate) fn set(file: &File, written: Bytes) {
    let _ = fsetxattr(
        file,
        ATTRIBUTE,
        written.to_string().as_bytes(),
        XattrFlags::empty(),
    );
}

/// Whether the file at `path` was made here and written through for less than
/// `size`: for a smaller run, or by one that was killed meanwhile.
pub(crate) fn is_short(path: &Path, size: Bytes) -> bool {
    let written = File::open(path).ok().as_ref().and_then(get);
    written.is_some_and(|written| written < size)
}

/// How far a file was written through; none if it was not made here.
pub(crate) fn get(file: &File) -> Option<Bytes> {
    let mut value = [0; 24];
    let length = fgetxattr(file, ATTRIBUTE, &mut value[..]).ok()?;
    std::str::from_utf8(value.get(..length)?).ok()?.parse().ok()
}
