//! What `--map` and `--overwrite` name.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use blockyard_machine::Error;
use blockyard_text::said;

use super::Kind;
use crate::Options;
use crate::safety::same;

/// The target that does nothing.
const NULL: &str = "null:";

/// The path of the file or device that `path` leads to, and what kind it is.
pub(super) fn find(path: &Path, device: &str) -> Result<(PathBuf, Kind), Error> {
    if path == Path::new(NULL) {
        return Ok((path.into(), Kind::Null));
    }
    let path = within(path, device);
    let kind = match path.metadata() {
        Ok(found) if found.is_file() => Ok(Kind::File),
        Ok(found) if found.file_type().is_block_device() => Ok(Kind::BlockDevice),
        Ok(_) => Err("neither a file nor a folder nor a block device".into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            Ok(Kind::File)
        }
        Err(error) => Err(said(&error)),
    };
    match kind {
        Ok(kind) => Ok((path, kind)),
        Err(reason) => Err(Error::Input(format!(
            "--map {device}={}: {reason}",
            path.display()
        ))),
    }
}

/// Every mapping must name a device and have a target of its own, and every
/// override must name a target.
pub(super) fn check(devices: &[String], options: &Options) -> Result<(), Error> {
    for (index, (name, path)) in options.map.iter().enumerate() {
        if !devices.contains(name) {
            let hint = blockyard_scenario::hint(name, devices.iter().map(String::as_str));
            return Err(Error::Input(format!(
                "--map: no device is called `{name}`{hint}"
            )));
        }
        let earlier = &options.map[..index];
        if earlier.iter().any(|(other, _)| other == name) {
            return Err(Error::Input(format!("--map: `{name}` is mapped twice")));
        }
        let shared = path != Path::new(NULL) && !path.is_dir();
        if let Some((other, _)) = earlier.iter().find(|(_, it)| shared && same(it, path)) {
            return Err(Error::Input(format!(
                "--map: `{other}` and `{name}` are both {}; each device needs its own",
                path.display()
            )));
        }
    }
    for path in &options.overwrite {
        let names = |(device, mapped): &(String, PathBuf)| same(path, &within(mapped, device));
        if !options.map.iter().any(names) {
            return Err(Error::Input(format!(
                "--overwrite: {} is not a target of this run; expected the file or block device that --map leads to",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The target itself: a folder stands for a file in it.
fn within(path: &Path, device: &str) -> PathBuf {
    match path.is_dir() {
        true => path.join(format!("{device}.dat")),
        false => path.to_path_buf(),
    }
}
