//! Whether the file systems of targets have room for them.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

use blockyard_machine::Error;
use blockyard_model::units::{Bytes, GIB, MIB};
use blockyard_scenario::units::Size;
use rustix::fs::fstatvfs;

use super::Target;

/// A full file system is known before anything is written: on several hosts, on any of them.
pub(super) fn check<'a>(targets: impl Iterator<Item = &'a Target>) -> Result<(), Error> {
    let mut needed: BTreeMap<u64, Bytes> = BTreeMap::new();
    for target in targets.filter(|target| target.must_be_filled()) {
        let Some(file) = &target.file else { continue };
        // What cannot be told is found out when the space is reserved.
        let (Ok(own), Ok(system)) = (file.metadata(), fstatvfs(file)) else {
            continue;
        };
        // With what is kept for root: whoever may not have that is told so then, too.
        let free = system.f_bfree.saturating_mul(system.f_frsize);
        let all = needed.entry(own.dev()).or_default();
        *all += target.size.saturating_sub(own.blocks() * 512);
        if *all > free {
            return Err(Error::Failed(format!(
                "{}: No space left on device: the run takes {} more there, and {} are free",
                target.path.display(),
                rounded(*all),
                rounded(free)
            )));
        }
    }
    Ok(())
}

/// To the GiB below it, or else the MiB.
fn rounded(bytes: Bytes) -> Size {
    let unit = if bytes < 100 * GIB { MIB } else { GIB };
    Size::new(bytes / unit * unit)
}
