//! Signatures of file systems, partition tables, volume managers, RAID and
//! swap, as `blkid` finds them: it knows more of them than any other program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::refusal::Reason;

/// Where the system's programs are. Users other than root often do not have
/// these in their path, and some programs start others without any path.
const SYSTEM: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// The file or device must have no signature.
pub(super) fn check(path: &Path) -> Result<(), Reason> {
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
        // Also the status for a target that cannot be read, but then with a message.
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

/// Runs `blkid` on the file or device itself, without its cache.
fn probe(path: &Path) -> Result<Output, Reason> {
    Command::new("blkid")
        .env("PATH", folders(env::var_os("PATH").as_deref()))
        .args(["-p", "-o", "export", "--"])
        .arg(path)
        .output()
        .map_err(|error| {
            let why = blockyard_text::said(&error);
            Reason::Unknown(format!("blkid: {why}; install the package util-linux"))
        })
}

/// Where programs are searched for: the user's path and the system's folders. Entries that are
/// not absolute, or empty (the current folder), are left out: anyone may have put programs
/// there.
fn folders(path: Option<&OsStr>) -> OsString {
    let users = path.map(env::split_paths).into_iter().flatten();
    let all = users.chain(SYSTEM.iter().map(PathBuf::from));
    let absolute = all.filter(|folder| folder.is_absolute());
    env::join_paths(absolute).unwrap_or_else(|_| SYSTEM.join(":").into())
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
    use super::*;

    #[test]
    fn programs_are_looked_for_in_absolute_folders_only() {
        let system = SYSTEM.join(":");
        for (path, kept) in [
            (None, ""),
            (Some(""), ""),
            (Some("."), ""),
            (
                Some(":/opt/bin::bin:./sbin:/usr/local/bin:"),
                "/opt/bin:/usr/local/bin:",
            ),
        ] {
            let folders = folders(path.map(OsStr::new));
            assert_eq!(folders, OsString::from(format!("{kept}{system}")));
        }
    }

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
