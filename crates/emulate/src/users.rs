//! Who uses files and block devices, so that they can be told.

pub(crate) mod writers;

use std::fs;
use std::path::{Path, PathBuf};

/// Users that are named.
const NAMED: usize = 3;

/// Other processes, and loop devices, that have `place` or something under it
/// open, as far as this user can see them. It is an absolute path.
pub(crate) fn of(place: &Path) -> Vec<String> {
    let here =
        processes().filter(|process| open_files(process).any(|file| file.starts_with(place)));
    let loops = loops(place).map(|device| device.display().to_string());
    here.map(|process| called(&process))
        .chain(loops)
        .take(NAMED)
        .collect()
}

/// Loop devices over `place` or something under it, an absolute path.
pub(crate) fn loops(place: &Path) -> impl Iterator<Item = PathBuf> {
    entries("/sys/class/block".as_ref()).filter_map(move |device| {
        let file = fs::read_to_string(device.join("loop/backing_file")).ok()?;
        let is_it = Path::new(&file).starts_with(place);
        is_it.then_some(Path::new("/dev").join(device.file_name()?))
    })
}

/// The folders of all other processes in procfs.
fn processes() -> impl Iterator<Item = PathBuf> {
    let own = std::process::id();
    entries("/proc".as_ref()).filter(move |process| {
        let number = process
            .file_name()
            .and_then(|name| name.to_str()?.parse().ok());
        number.is_some_and(|number: u32| number != own)
    })
}

/// The name and number of a process.
fn called(process: &Path) -> String {
    let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
    let number = process.file_name().unwrap_or_default();
    format!("{} (process {})", name.trim(), number.display())
}

fn open_files(process: &Path) -> impl Iterator<Item = PathBuf> {
    let open = entries(&process.join("fd")).chain([process.join("cwd")]);
    open.filter_map(|link| fs::read_link(link).ok())
}

/// What is in a folder that can be read.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}
