//! Overlays (overlayfs): a file in one has two names, and two identities.
//!
//! What is written to a file in an overlay lies in the overlay's upper folder. The kernel treats
//! the file there and the file in the overlay as different ones, so the users of both matter.

use std::io;
use std::path::{Path, PathBuf};

use super::mounts::{Mount, mounts};

/// All names by which the file at `path` may be in use: its own first, then, if it lies in an
/// overlay or in the upper folder of one, that on the other side. Only overlays that this
/// process sees, and upper folders that it can reach: from inside a container neither is the case.
///
/// # Errors
/// If the path leads nowhere, or the kernel's table cannot be read.
pub fn names_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    let real = path.canonicalize()?;
    let mut names = vec![path.to_path_buf()];
    for mount in mounts()? {
        names.extend(upper_folder(&mount).and_then(|upper| across(&real, &mount.on, &upper)));
    }
    Ok(names)
}

/// The folder that holds what is written below a mount, if it is a mount of an overlay.
fn upper_folder(mount: &Mount) -> Option<PathBuf> {
    let upper = mount.upper.as_ref()?;
    // A name that is not absolute was one in a folder that the kernel does not tell; mostly the
    // one that the overlay was mounted in. The others are of no effect on an absolute one.
    let mut bases = mount.on.ancestors();
    let folder = bases.find_map(|base| base.join(upper).canonicalize().ok())?;
    // Of a bind mount only a part of the overlay is there.
    Some(folder.join(mount.root.strip_prefix("/").unwrap_or(&mount.root)))
}

/// The name of a file on the other side, if it lies on one and there is one on the other.
fn across(file: &Path, overlay: &Path, upper: &Path) -> Option<PathBuf> {
    let moved = |from: &Path, to: &Path| Some(to.join(file.strip_prefix(from).ok()?));
    moved(overlay, upper)
        .or_else(|| moved(upper, overlay))
        .filter(|name| name.exists())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_file_is_named_on_both_sides() {
        let folder = TempDir::new().unwrap();
        let (overlay, upper) = (folder.path().join("overlay"), folder.path().join("upper"));
        for side in [&overlay, &upper] {
            std::fs::create_dir_all(side.join("in")).unwrap();
            std::fs::write(side.join("in/file"), "").unwrap();
        }
        std::fs::write(overlay.join("lower"), "").unwrap();
        let other = |file: &Path| across(file, &overlay, &upper);
        let (above, below) = (overlay.join("in/file"), upper.join("in/file"));
        assert_eq!(other(&above), Some(below.clone()));
        assert_eq!(other(&below), Some(above));
        // What nobody wrote to is not above; the rest lies elsewhere.
        assert_eq!(other(&overlay.join("lower")), None);
        assert_eq!(other(folder.path()), None);
    }
}
