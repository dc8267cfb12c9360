//! Who uses files and block devices, so that they can be told.

use std::fs;
use std::path::{Path, PathBuf};

/// Users that are named.
const NAMED: usize = 3;

/// Other processes, and loop devices, that have `place` or something under it
/// open, as far as this user can see them. It is an absolute path.
pub(crate) fn of(place: &Path) -> Vec<String> {
    processes(place).chain(loops(place)).take(NAMED).collect()
}

fn processes(place: &Path) -> impl Iterator<Item = String> {
    let own = std::process::id();
    let processes = entries("/proc".as_ref()).filter(move |process| {
        let number = process
            .file_name()
            .and_then(|name| name.to_str()?.parse().ok());
        number.is_some_and(|number: u32| number != own)
    });
    let here =
        processes.filter(move |process| open_files(process).any(|file| file.starts_with(place)));
    here.map(|process| {
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        let number = process.file_name().unwrap_or_default();
        format!("{} (process {})", name.trim(), number.display())
    })
}

fn open_files(process: &Path) -> impl Iterator<Item = PathBuf> {
    let open = entries(&process.join("fd")).chain([process.join("cwd")]);
    open.filter_map(|link| fs::read_link(link).ok())
}

fn loops(place: &Path) -> impl Iterator<Item = String> {
    entries("/sys/class/block".as_ref()).filter_map(move |device| {
        let file = fs::read_to_string(device.join("loop/backing_file")).ok()?;
        let name = device.file_name()?.display();
        Path::new(&file)
            .starts_with(place)
            .then(|| format!("/dev/{name}"))
    })
}

/// What is in a folder that can be read.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}
