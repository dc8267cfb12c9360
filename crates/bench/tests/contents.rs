//! What is refused as a target for what it holds, and that looking at a target
//! does not change it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

mod disk;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use blockyard_bench::safety::Claim;
use rustix::fs::{XattrFlags, setxattr};
use tempfile::TempDir;

use self::disk::{
    Disk, SIZE, alone, assert_refused_for_data, assert_refused_for_use, refusal_of_writes,
};

#[test]
fn an_empty_device_is_accepted_and_left_as_it_was() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let before = fs::read(disk.store()).unwrap();
    Claim::take(&disk.path, 0..0, &[]).unwrap();
    assert!(fs::read(disk.store()).unwrap() == before);
}

#[test]
fn signatures_are_refused_unless_the_target_is_named() {
    let _alone = alone();
    for (tool, arguments, input, reason) in [
        (
            "mkfs.ext4",
            &["-q"][..],
            "",
            "holds a file system (ext4, UUID ",
        ),
        (
            "mkfs.xfs",
            &["-q", "-f"],
            "",
            "holds a file system (xfs, UUID ",
        ),
        ("mkswap", &[], "", "holds swap space"),
        (
            "sfdisk",
            &["-q"],
            "label: gpt\n",
            "has a partition table (gpt)",
        ),
        (
            "sfdisk",
            &["-q"],
            "label: dos\n",
            "has a partition table (dos)",
        ),
    ] {
        let Some(disk) = Disk::new() else { return };
        if disk.prepare(tool, arguments, input) {
            assert_refused_for_data(&disk.path, reason);
        }
    }
}

#[test]
fn signatures_that_contradict_each_other_are_refused() {
    let _alone = alone();
    let (Some(ext4), Some(both)) = (Disk::new(), Disk::new()) else {
        return;
    };
    if !ext4.prepare("mkfs.ext4", &["-q"], "") || !both.prepare("mkfs.xfs", &["-q"], "") {
        return;
    }
    // The superblock of the one fits behind that of the other.
    let mut superblock = [0; 1024];
    let from = File::open(&ext4.path).unwrap();
    from.read_exact_at(&mut superblock, 1024).unwrap();
    let to = File::options().write(true).open(&both.path).unwrap();
    to.write_all_at(&superblock, 1024).unwrap();
    drop(to);
    assert_refused_for_data(&both.path, "has signatures that contradict each other");
}

#[test]
fn only_files_that_were_made_here_are_accepted() {
    let _alone = alone();
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("data");
    Claim::take(&file, 0..0, &[]).unwrap();
    assert!(!file.exists());
    fs::write(&file, "").unwrap();
    Claim::take(&file, 0..0, &[]).unwrap();
    fs::write(&file, "precious").unwrap();
    assert_refused_for_data(&file, "is not empty and was not made by blockyard");
    // Marks that say nothing of what it holds, one of them of another file.
    for mark in ["8", "writing 8", "filling", "holds 8 1 8 0 0 0"] {
        setxattr(
            &file,
            "user.blockyard",
            mark.as_bytes(),
            XattrFlags::empty(),
        )
        .unwrap();
        assert_refused_for_data(&file, "");
    }
    assert_eq!(fs::read(&file).unwrap(), b"precious");
}

/// Data that has no signature, or has lost it: each as the offset and the bytes
/// of what is left.
#[test]
fn a_device_that_is_not_empty_is_refused() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let device = File::options()
        .read(true)
        .write(true)
        .open(&disk.path)
        .unwrap();
    for (offset, bytes) in [
        // A disk image, a database without a header, the first block of an archive.
        (0, &b"QFI\xfb"[..]),
        (8192, b"a page"),
        // What a partition begins with whose table is gone; LVM's first volume.
        ((1 << 20) + 1024, b"superblock"),
        ((2 << 20) - 1, b"x"),
        // Data in the middle.
        (SIZE / 2, b"precious"),
        // Copies of superblocks: ext4 with blocks of 1 and 4 KiB, XFS.
        ((8 << 20) + 1024, b"copy"),
        (128 << 20, b"copy"),
        (SIZE / 4, b"XFSB"),
        // The end: a copy of a partition table, RAID's old superblock.
        (SIZE - 512, b"EFI PART"),
        (SIZE - (64 << 10), b"part of a RAID"),
        (SIZE - 1, b"x"),
    ] {
        device.write_all_at(bytes, offset).unwrap();
        let reason = format!("is not empty: the byte at offset {offset} is not zero");
        assert_refused_for_data(&disk.path, &reason);
        device.write_all_at(&vec![0; bytes.len()], offset).unwrap();
    }
    Claim::take(&disk.path, 0..0, &[]).unwrap();
}

/// Also between the places that are sampled.
#[test]
fn all_that_is_to_be_written_to_is_read_first() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let device = File::options().write(true).open(&disk.path).unwrap();
    let offset = 3_000_000;
    device.write_all_at(b"precious", offset).unwrap();
    drop(device);
    Claim::take(&disk.path, 4 << 20..8 << 20, &[]).unwrap();
    let said = refusal_of_writes(&disk.path, 0..4 << 20, &[]);
    let reason = format!("is not empty: the byte at offset {offset} is not zero");
    assert!(said.starts_with(&reason), "{said}");
}

#[test]
fn a_device_whose_file_system_lost_its_start_is_refused() {
    let _alone = alone();
    for (tool, arguments) in [
        ("mkfs.ext4", &["-q"][..]),
        ("mkfs.xfs", &["-q", "-f"]),
        ("mkfs.btrfs", &["-q"]),
        ("sfdisk", &["-q"]),
    ] {
        let Some(disk) = Disk::new() else { return };
        if disk.prepare(tool, arguments, "label: gpt\n") {
            let device = File::options().write(true).open(&disk.path).unwrap();
            device.write_all_at(&vec![0; 4 << 20], 0).unwrap();
            drop(device);
            assert_refused_for_data(&disk.path, "is not empty: the byte at offset ");
        }
    }
}

#[test]
fn no_file_is_made_among_devices() {
    let _alone = alone();
    for path in [
        "/dev/no-such-device",
        "/dev/../dev/no-such-device",
        "/dev/pts/none",
    ] {
        let reason =
            "does not exist, and a file made there would be kept in memory, not on storage";
        assert_refused_for_use(Path::new(path), reason);
        assert!(!Path::new(path).exists());
    }
    let file = format!("/dev/blockyard-test-{}", std::process::id());
    match fs::write(&file, "") {
        Ok(()) => {
            let said = disk::refusal(Path::new(&file), &[Path::new(&file)]);
            fs::remove_file(&file).unwrap();
            let reason = "is a file among devices, which is kept in memory, not on storage";
            assert_eq!(said, reason);
        }
        Err(error) => eprintln!("skipped: {file}: {error}"),
    }
    // Where users share memory on purpose a file is a file.
    Claim::take(Path::new("/dev/shm/no-such-file"), 0..0, &[]).unwrap();
}
