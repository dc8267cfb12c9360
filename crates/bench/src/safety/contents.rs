//! What is stored on a target.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};

use super::refusal::Reason;
use crate::mark;

/// A file must be empty, or made here.
pub(super) fn check_file(file: &File) -> Result<(), Reason> {
    if file.metadata()?.len() == 0 || mark::get(file).is_some() {
        return Ok(());
    }
    Err(Reason::Foreign)
}

/// A device must have no signature of a partition table, file system, volume
/// manager, RAID or swap. `blkid` knows more of them than anything else.
pub(super) fn check_device(path: &Path) -> Result<(), Reason> {
    let Output {
        status,
        stdout,
        stderr,
    } = probe(path)?;
    match status.code() {
        Some(0) => match describe(&String::from_utf8_lossy(&stdout)) {
            Some(found) => Err(Reason::Data(found)),
            None => Ok(()),
        },
        // Also said of what cannot be read, but then with a message.
        Some(2) if stderr.is_empty() => Ok(()),
        Some(8) => Err(Reason::Data(
            "has signatures that contradict each other".into(),
        )),
        _ => Err(Reason::Unknown(format!(
            "blkid: {status}: {}",
            String::from_utf8_lossy(&stderr).trim_end()
        ))),
    }
}

/// Runs `blkid` on the device itself, past what it remembers.
fn probe(path: &Path) -> Result<Output, Reason> {
    // Users other than root often have no system folders in their path.
    let user = std::env::var("PATH").unwrap_or_default();
    Command::new("blkid")
        .env("PATH", format!("{user}:/usr/sbin:/sbin"))
        .args(["-p", "-o", "export"])
        .arg(path)
        .output()
        .map_err(|error| Reason::Unknown(format!("blkid: {error}; install the package util-linux")))
}

/// The rest of a sentence that begins with the device. None if all that was
/// found is the device's own entry in its disk's partition table.
fn describe(found: &str) -> Option<String> {
    let value = |key: &str| {
        let mut lines = found.lines();
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    };
    if let Some(table) = value("PTTYPE") {
        return Some(format!("has a partition table ({table})"));
    }
    let kind = value("TYPE")?;
    Some(match (kind, value("USAGE")) {
        ("LVM2_member" | "LVM1_member", _) => "is a physical volume of LVM".into(),
        ("swap", _) => "holds swap space".into(),
        (_, Some("raid")) => format!("is a RAID member ({kind})"),
        (_, Some("filesystem")) => match value("UUID") {
            Some(uuid) => format!("holds a file system ({kind}, UUID {uuid})"),
            None => format!("holds a file system ({kind})"),
        },
        _ => format!("holds data ({kind})"),
    })
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn every_kind_of_signature_is_named() {
        for (found, sentence) in [
            (
                "TYPE=xfs\nUSAGE=filesystem\nUUID=1-2",
                "holds a file system (xfs, UUID 1-2)",
            ),
            (
                "TYPE=iso9660\nUSAGE=filesystem",
                "holds a file system (iso9660)",
            ),
            ("PTUUID=1\nPTTYPE=gpt", "has a partition table (gpt)"),
            (
                "TYPE=LVM2_member\nUSAGE=raid",
                "is a physical volume of LVM",
            ),
            (
                "TYPE=linux_raid_member\nUSAGE=raid",
                "is a RAID member (linux_raid_member)",
            ),
            ("TYPE=swap\nUSAGE=other", "holds swap space"),
            ("TYPE=crypto_LUKS\nUSAGE=crypto", "holds data (crypto_LUKS)"),
        ] {
            assert_eq!(describe(found).as_deref(), Some(sentence));
        }
        assert_eq!(describe("DEVNAME=/dev/sda1\nPART_ENTRY_TYPE=0x83"), None);
    }
}
