//! `--backing`: memory, a folder of sparse files, or an existing image.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use blockyard_machine::Error;
use blockyard_scenario::units::Size;
use blockyard_text::said;
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use serde::Deserialize;

use super::Store;
use super::image::Image;
use crate::users;

/// Where the bytes of disks lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Backing {
    /// Memory, which is gone with the process. It is taken only where
    /// something was written.
    #[default]
    Ram,
    /// An existing folder, with a sparse file `NAME.img` for each disk.
    Folder(PathBuf),
    /// An existing file, at least as large as the one disk that it holds.
    Image(PathBuf),
}

impl FromStr for Backing {
    type Err = String;

    /// Reads `ram`, or the path of a folder or file that exists.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "ram" {
            return Ok(Self::Ram);
        }
        let wrong = |what: String| {
            format!("`{text}`: {what}; expected ram, a folder or an existing image file")
        };
        let kind = fs::metadata(text).map_err(|error| wrong(said(&error)))?;
        match () {
            () if kind.is_dir() => Ok(Self::Folder(text.into())),
            () if kind.is_file() => Ok(Self::Image(text.into())),
            () => Err(wrong("neither a folder nor a regular file".into())),
        }
    }
}

impl TryFrom<String> for Backing {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Backing {
    /// In words: `RAM, volatile` or the path.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Ram => "RAM, volatile".into(),
            Self::Folder(path) | Self::Image(path) => path.display().to_string(),
        }
    }

    /// Opens a store for each of `disks` (name, bytes), in their order. New
    /// files are removed again if one of them cannot be opened.
    pub(crate) fn open(&self, disks: &[(String, u64)]) -> Result<Vec<Store>, Error> {
        match self {
            Self::Ram => disks
                .iter()
                .map(|(name, size)| memory(name, *size))
                .collect(),
            Self::Folder(folder) => in_folder(folder, disks),
            Self::Image(path) => match disks {
                [(name, size)] => Ok(vec![image(path, name, *size)?]),
                _ => Err(Error::Input(format!(
                    "--backing {}: an image holds one disk, not {}; \
                     name one with --device, or give a folder",
                    path.display(),
                    disks.len()
                ))),
            },
        }
    }
}

fn memory(name: &str, size: u64) -> Result<Store, Error> {
    let image = Image::in_memory(name, size).map_err(|error| {
        Error::Failed(format!("{name}: no memory for it: {}", said(&error.into())))
    })?;
    Ok(Store::new(name, size, image))
}

fn image(path: &Path, name: &str, size: u64) -> Result<Store, Error> {
    let file = existing(path)?;
    let found = length(&file, path)?;
    if found < size {
        let (found, size) = (bytes(found), bytes(size));
        return Err(Error::Input(format!(
            "{}: {found}; `{name}` has {size}, expected at least that",
            path.display()
        )));
    }
    Ok(Store::new(name, size, Image::new(file)))
}

fn in_folder(folder: &Path, disks: &[(String, u64)]) -> Result<Vec<Store>, Error> {
    let mut created = Vec::new();
    let stores = disks
        .iter()
        .map(|(name, size)| {
            let path = folder.join(format!("{name}.img"));
            let file = match path.exists() {
                true => of_size(&path, *size)?,
                false => create(&path, *size, &mut created)?,
            };
            Ok(Store::new(name, *size, Image::new(file)))
        })
        .collect();
    if Result::is_err(&stores) {
        for path in created {
            // The first error is what the user is to know.
            let _ = fs::remove_file(path);
        }
    }
    stores
}

/// The image of an earlier run.
fn of_size(path: &Path, size: u64) -> Result<File, Error> {
    let file = existing(path)?;
    let found = length(&file, path)?;
    if found != size {
        let (found, size) = (bytes(found), bytes(size));
        return Err(Error::Input(format!(
            "{}: {found}; the disk has {size}; remove the file or give another folder",
            path.display()
        )));
    }
    Ok(file)
}

fn create(path: &Path, size: u64, created: &mut Vec<PathBuf>) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create_new(true);
    // As a disk: its bytes are its owner's alone.
    let options = options.mode(0o600);
    let file = options.open(path).map_err(|error| failed(path, &error))?;
    created.push(path.into());
    lock(&file, path)?;
    match rustix::fs::ftruncate(&file, size) {
        Ok(()) => Ok(file),
        Err(Errno::FBIG | Errno::INVAL) => Err(Error::Lacks(format!(
            "{}: {} is too large for this file system, whose files have at most {}",
            path.display(),
            bytes(size),
            bytes(largest(&file, size))
        ))),
        Err(error) => Err(failed(path, &error.into())),
    }
}

/// The largest size below `refused` that a file can have, in whole MiB.
fn largest(file: &File, refused: u64) -> u64 {
    const STEP: u64 = 1 << 20;
    let (mut fits, mut refused) = (0, refused.div_ceil(STEP));
    while refused - fits > 1 {
        let middle = fits.midpoint(refused);
        match rustix::fs::ftruncate(file, middle * STEP) {
            Ok(()) => fits = middle,
            Err(_) => refused = middle,
        }
    }
    fits * STEP
}

fn existing(path: &Path) -> Result<File, Error> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    let file = opened.map_err(|error| failed(path, &error))?;
    lock(&file, path)?;
    let users = users::writers(path).map_err(|error| failed(path, &error))?;
    match users.is_empty() {
        true => Ok(file),
        false => Err(in_use(path, &users)),
    }
}

/// Two servers over one file would each answer from what the other changes.
/// Others may write without a lock.
fn lock(file: &File, path: &Path) -> Result<(), Error> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(()),
        Err(Errno::WOULDBLOCK) => Err(in_use(path, &users::writers(path).unwrap_or_default())),
        Err(error) => Err(failed(path, &error.into())),
    }
}

fn in_use(path: &Path, users: &[String]) -> Error {
    let by = match users {
        [] => "another process".into(),
        users => users.join("; "),
    };
    Error::Input(format!("{}: in use by {by}", path.display()))
}

fn length(file: &File, path: &Path) -> Result<u64, Error> {
    let metadata = file.metadata().map_err(|error| failed(path, &error))?;
    Ok(metadata.len())
}

fn failed(path: &Path, error: &io::Error) -> Error {
    let what = format!("{}: {}", path.display(), said(error));
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::Input(format!(
            "{what}; a disk is written to: expected a backing that may be, as a copy, or ram"
        )),
        _ => Error::Failed(what),
    }
}

fn bytes(size: u64) -> Size {
    Size::new(size)
}

#[cfg(test)]
mod tests;
