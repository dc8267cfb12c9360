//! Marks a file as ours, with how far it is filled, and tells whether it has changed since.
//!
//! The mark, an extended attribute, has three states: *filling* while a file is filled,
//! *writing* while jobs write to it, and *holds*, with a fingerprint of the content, once
//! nothing writes to it any more. The first two do not identify any content, so a file that a
//! killed run left in one of them is not known to be ours. Where a file system has no extended
//! attributes, files stay unmarked, and a later run treats them as foreign.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

use blockyard_model::units::Bytes;
use rustix::fs::{Advice, XattrFlags, fadvise, fgetxattr, fsetxattr};

use crate::samples::places;

/// The extended attribute.
const ATTRIBUTE: &str = "user.blockyard";

/// How many places are sampled, and their size.
const PLACES: u64 = 64;
const PLACE: Bytes = 4096;

/// Where a file comes from, by its mark. `filled` is the number of bytes, from its start, that
/// were filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nothing says that it was made here.
    Foreign,
    /// It was made here, and something else has changed it since.
    Changed,
    /// A run that did not finish was filling it.
    Filling,
    /// Jobs of a run that did not finish wrote to it.
    Writing { filled: Bytes },
    /// It is as a run left it.
    Ours { filled: Bytes },
}

/// What the mark says.
#[derive(Debug, PartialEq, Eq)]
enum Mark {
    Filling,
    Writing {
        filled: Bytes,
    },
    Holds {
        filled: Bytes,
        fingerprint: Fingerprint,
    },
}

/// Identifies a file and its content.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    inode: u64,
    size: Bytes,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// Of the bytes at the sampled places.
    checksum: u32,
}

/// Where the file comes from.
pub(crate) fn origin(file: &File) -> Origin {
    match get(file) {
        None => Origin::Foreign,
        Some(Mark::Filling) => Origin::Filling,
        Some(Mark::Writing { filled }) => Origin::Writing { filled },
        Some(Mark::Holds {
            filled,
            fingerprint,
        }) => match Fingerprint::of(file) {
            Ok(found) if found == fingerprint => Origin::Ours { filled },
            _ => Origin::Changed,
        },
    }
}

/// The file is about to be written through.
pub(crate) fn fill(file: &File) {
    set(file, &Mark::Filling);
}

/// Jobs are about to write to the file.
pub(crate) fn write(file: &File) {
    let filled = match get(file) {
        Some(Mark::Holds { filled, .. } | Mark::Writing { filled }) => filled,
        Some(Mark::Filling) | None => 0,
    };
    set(file, &Mark::Writing { filled });
}

/// Jobs no longer write to the file.
pub(crate) fn written(file: &File) {
    if let Some(Mark::Writing { filled }) = get(file) {
        rest(file, filled);
    }
}

/// The file is written through for its first `filled` bytes, and nothing
/// writes to it.
pub(crate) fn rest(file: &File, filled: Bytes) {
    // A file that cannot be read stays as it is marked.
    if let Ok(fingerprint) = Fingerprint::of(file) {
        set(
            file,
            &Mark::Holds {
                filled,
                fingerprint,
            },
        );
    }
}

impl Fingerprint {
    fn of(file: &File) -> io::Result<Self> {
        // Opened anew: direct IO takes whole blocks only.
        let file = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let _ = fadvise(&file, 0, None, Advice::Random);
        let found = file.metadata()?;
        let mut checksum = crc32fast::Hasher::new();
        let mut buffer = [0; PLACE as usize];
        for place in places(found.len(), PLACES, PLACE) {
            let bytes = &mut buffer[..(place.end - place.start) as usize];
            file.read_exact_at(bytes, place.start)?;
            checksum.update(bytes);
        }
        Ok(Self {
            inode: found.ino(),
            size: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            checksum: checksum.finalize(),
        })
    }
}

fn set(file: &File, mark: &Mark) {
    let _ = fsetxattr(file, ATTRIBUTE, mark.text().as_bytes(), XattrFlags::empty());
}

fn get(file: &File) -> Option<Mark> {
    let mut value = [0; 256];
    let length = fgetxattr(file, ATTRIBUTE, &mut value[..]).ok()?;
    Mark::read(std::str::from_utf8(value.get(..length)?).ok()?)
}

impl Mark {
    fn text(&self) -> String {
        match self {
            Self::Filling => "filling".into(),
            Self::Writing { filled } => format!("writing {filled}"),
            Self::Holds {
                filled,
                fingerprint,
            } => {
                let Fingerprint {
                    inode,
                    size,
                    modified: (seconds, nanos),
                    checksum,
                } = fingerprint;
                format!("holds {filled} {inode} {size} {seconds} {nanos} {checksum}")
            }
        }
    }

    fn read(text: &str) -> Option<Self> {
        match text.split(' ').collect::<Vec<_>>()[..] {
            ["filling"] => Some(Self::Filling),
            ["writing", filled] => Some(Self::Writing {
                filled: filled.parse().ok()?,
            }),
            ["holds", filled, inode, size, seconds, nanos, checksum] => Some(Self::Holds {
                filled: filled.parse().ok()?,
                fingerprint: Fingerprint {
                    inode: inode.parse().ok()?,
                    size: size.parse().ok()?,
                    modified: (seconds.parse().ok()?, nanos.parse().ok()?),
                    checksum: checksum.parse().ok()?,
                },
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, FileTimes};

    use super::*;

    const SIZE: usize = 1 << 20;

    /// A file that is at rest; none, which is fine too, where there are no
    /// extended attributes.
    fn resting(folder: &std::path::Path) -> Option<File> {
        let path = folder.join("file");
        fs::write(&path, vec![7; SIZE]).unwrap();
        let file = File::options().read(true).write(true).open(path).unwrap();
        rest(&file, SIZE as Bytes);
        (origin(&file) != Origin::Foreign).then_some(file)
    }

    #[test]
    fn a_mark_goes_through_its_states() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = resting(folder.path()) else {
            return;
        };
        let filled = SIZE as Bytes;
        assert_eq!(origin(&file), Origin::Ours { filled });
        write(&file);
        assert_eq!(origin(&file), Origin::Writing { filled });
        file.write_all_at(b"by a job", 0).unwrap();
        written(&file);
        assert_eq!(origin(&file), Origin::Ours { filled });
        fill(&file);
        assert_eq!(origin(&file), Origin::Filling);
        written(&file);
        assert_eq!(origin(&file), Origin::Filling);
    }

    #[test]
    fn a_change_shows_although_size_and_times_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let last = SIZE as Bytes - 6;
        let between = places(SIZE as Bytes, PLACES, PLACE).nth(32).unwrap();
        for at in [None, Some(0), Some(between.start), Some(last)] {
            let Some(file) = resting(folder.path()) else {
                return;
            };
            let modified = file.metadata().unwrap().modified().unwrap();
            if let Some(at) = at {
                file.write_all_at(b"theirs", at).unwrap();
            }
            // As `cp -p` and `rsync -t` do: only the content tells.
            file.set_times(FileTimes::new().set_modified(modified))
                .unwrap();
            let ours = matches!(origin(&file), Origin::Ours { .. });
            assert_eq!(ours, at.is_none(), "{at:?}");
        }
    }

    #[test]
    fn a_change_between_the_places_shows_by_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = resting(folder.path()) else {
            return;
        };
        let modified = file.metadata().unwrap().modified().unwrap();
        let later = modified + std::time::Duration::from_nanos(1);
        file.set_times(FileTimes::new().set_modified(later))
            .unwrap();
        assert_eq!(origin(&file), Origin::Changed);
    }

    #[test]
    fn a_copy_is_not_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let Some(file) = resting(folder.path()) else {
            return;
        };
        let copy = folder.path().join("copy");
        fs::copy(folder.path().join("file"), &copy).unwrap();
        let copy = File::options().read(true).write(true).open(copy).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        copy.set_times(FileTimes::new().set_modified(modified))
            .unwrap();
        set(&copy, &get(&file).unwrap());
        assert_eq!(origin(&copy), Origin::Changed);
    }

    #[test]
    fn what_is_no_mark_is_none() {
        for text in [
            "",
            "16777216",
            "writing",
            "writing x",
            "holds 1 2 3",
            "filling 1",
        ] {
            assert_eq!(Mark::read(text), None, "{text}");
        }
    }
}
