//! Where a file may lie.

use std::path::Path;

use blockyard_machine::mount_of;

use super::refusal::Reason;

/// The folder of devices. Regular files made here lie in memory.
const DEVICES: &str = "/dev";

/// Memory that users share, on purpose in the same place.
const SHARED_MEMORY: &str = "/dev/shm";

/// A file must not lie among devices: it is the misspelt name of one, or that
/// of one that is gone.
pub(super) fn check_not_among_devices(path: &Path) -> Result<(), Reason> {
    let real = path.canonicalize();
    let folder = match &real {
        Ok(file) => file.parent().map(Path::to_path_buf),
        Err(_) => std::path::absolute(path)?
            .parent()
            .and_then(|folder| folder.canonicalize().ok()),
    };
    let Some(folder) = folder else {
        // Where there is no folder no file is made.
        return Ok(());
    };
    let among = folder.starts_with(DEVICES) && !folder.starts_with(SHARED_MEMORY);
    if among || mount_of(&folder).is_some_and(|mount| mount.kind == "devtmpfs") {
        return Err(Reason::AmongDevices {
            exists: real.is_ok(),
        });
    }
    Ok(())
}
