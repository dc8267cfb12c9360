use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::process::Command;
use std::sync::Arc;

use blockyard_machine::Error;
use proptest::prelude::*;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use super::Mount;
use crate::disk::Disk;

const SIZE: u64 = 1 << 20;

/// A mounted disk in memory, and where; none where there is no FUSE.
fn mounted() -> Option<(Mount, tempfile::TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(Disk::in_memory("data", SIZE));
    match Mount::start(vec![disk], dir.path()) {
        Ok(mount) => Some((mount, dir)),
        Err(Error::Lacks(message)) => {
            let _ = writeln!(std::io::stderr(), "skipped: {message}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn open(dir: &tempfile::TempDir) -> File {
    let path = dir.path().join("data");
    File::options().read(true).write(true).open(path).unwrap()
}

#[test]
fn a_disk_is_a_file_of_its_size() {
    let Some((mount, dir)) = mounted() else {
        return;
    };
    let names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["data"]);
    let meta = fs::metadata(dir.path().join("data")).unwrap();
    assert_eq!((meta.len(), meta.mode() & 0o777), (SIZE, 0o600));
    assert!(File::create(dir.path().join("other")).is_err());
    assert!(fs::remove_file(dir.path().join("data")).is_err());
    assert!(open(&dir).set_len(SIZE / 2).is_err());
    open(&dir).set_len(SIZE).unwrap();
    mount.unmount().unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_open_that_is_to_empty_it_leaves_zeros_and_the_size() {
    let Some((mount, dir)) = mounted() else {
        return;
    };
    open(&dir).write_all_at(b"gone", 4096).unwrap();
    let path = dir.path().join("data");
    let options = File::options()
        .read(true)
        .write(true)
        .truncate(true)
        .clone();
    let file = options.open(&path).unwrap();
    assert_eq!(file.metadata().unwrap().len(), SIZE);
    let mut found = [0; 4];
    file.read_exact_at(&mut found, 4096).unwrap();
    assert_eq!(found, [0; 4]);
    file.write_all_at(b"1", SIZE - 1).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), SIZE);
    // A block device refuses that, too.
    let refused = file.set_len(0).unwrap_err();
    assert_eq!(refused.raw_os_error(), Some(Errno::INVAL.raw_os_error()));
    drop(file);
    mount.unmount().unwrap();
}

#[test]
fn the_end_is_the_end() {
    let Some((_mount, dir)) = mounted() else {
        return;
    };
    let mut file = open(&dir);
    file.seek(SeekFrom::Start(SIZE - 3)).unwrap();
    let mut rest = Vec::new();
    assert_eq!(file.read_to_end(&mut rest).unwrap(), 3);
    file.seek(SeekFrom::Start(SIZE - 3)).unwrap();
    assert_eq!(file.write(b"12345").unwrap(), 3);
    let full = file.write(b"6").unwrap_err();
    assert_eq!(full.raw_os_error(), Some(Errno::NOSPC.raw_os_error()));
    file.sync_all().unwrap();
}

#[test]
fn a_hole_is_found_where_nothing_was_written() {
    let Some((_mount, dir)) = mounted() else {
        return;
    };
    let file = open(&dir);
    file.write_all_at(&[1; 8192], 65536).unwrap();
    let data = rustix::fs::seek(&file, rustix::fs::SeekFrom::Data(0)).unwrap();
    let hole = rustix::fs::seek(&file, rustix::fs::SeekFrom::Hole(65536)).unwrap();
    assert!(data <= 65536 && hole >= 65536 + 8192, "{data} {hole}");
}

#[test]
fn a_folder_that_is_not_empty_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    File::create(dir.path().join("something")).unwrap();
    let refused = Mount::start(Vec::new(), dir.path()).unwrap_err();
    assert!(matches!(refused, Error::Input(message) if message.contains("not empty")));
}

#[test]
fn a_file_in_use_does_not_hinder_the_end() {
    let Some((mount, dir)) = mounted() else {
        return;
    };
    let mut user = Command::new("sleep")
        .arg("60")
        .stdin(open(&dir))
        .spawn()
        .unwrap();
    let stopped = mount.unmount().unwrap_err().to_string();
    assert!(
        stopped.contains("was in use by sleep (process"),
        "{stopped}"
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    user.kill().unwrap();
    user.wait().unwrap();
}

#[test]
fn what_many_do_at_once_is_all_done() {
    let Some((_mount, dir)) = mounted() else {
        return;
    };
    let file = open(&dir);
    std::thread::scope(|scope| {
        for thread in 0..8_u8 {
            let file = &file;
            scope.spawn(move || {
                let start = u64::from(thread) * SIZE / 8;
                for round in 0..200_u64 {
                    let place = start + round % 32 * 4096;
                    let bytes = [thread ^ round as u8; 4096];
                    file.write_all_at(&bytes, place).unwrap();
                    let mut read = [0; 4096];
                    file.read_exact_at(&mut read, place).unwrap();
                    assert!(read == bytes);
                }
            });
        }
    });
}

#[test]
fn only_holes_and_zeros_are_allocated() {
    let Some((_mount, dir)) = mounted() else {
        return;
    };
    let file = open(&dir);
    let unknown = fallocate(&file, FallocateFlags::empty(), 0, 4096);
    assert_eq!(unknown, Err(rustix::io::Errno::OPNOTSUPP));
    let beyond = fallocate(&file, FallocateFlags::ZERO_RANGE, SIZE - 1, 2);
    assert_eq!(beyond, Err(rustix::io::Errno::NOSPC));
    let nothing = rustix::fs::seek(&file, rustix::fs::SeekFrom::Data(SIZE));
    assert_eq!(nothing, Err(rustix::io::Errno::NXIO));
}

#[derive(Clone, Debug)]
enum Act {
    Write(u64, usize, u8),
    Read(u64, usize),
    Punch(u64, u64),
    Zero(u64, u64),
    Sync,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let place = || (0..SIZE - 70_000, 1_usize..70_000);
    let act = prop_oneof![
        4 => (place(), any::<u8>()).prop_map(|((at, len), byte)| Act::Write(at, len, byte)),
        4 => place().prop_map(|(at, len)| Act::Read(at, len)),
        1 => place().prop_map(|(at, len)| Act::Punch(at, len as u64)),
        1 => place().prop_map(|(at, len)| Act::Zero(at, len as u64)),
        1 => Just(Act::Sync),
    ];
    prop::collection::vec(act, 1..30)
}

#[test]
fn it_is_a_plain_array_of_bytes() {
    let Some((_mount, dir)) = mounted() else {
        return;
    };
    let file = open(&dir);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(40));
    let checked = runner.run(&acts(), |acts| {
        let mut plain = vec![0; SIZE as usize];
        fallocate(&file, FallocateFlags::ZERO_RANGE, 0, SIZE).unwrap();
        for act in acts {
            match act {
                Act::Write(at, len, byte) => {
                    file.write_all_at(&vec![byte; len], at).unwrap();
                    plain[at as usize..at as usize + len].fill(byte);
                }
                Act::Read(at, len) => {
                    let mut bytes = vec![0; len];
                    file.read_exact_at(&mut bytes, at).unwrap();
                    prop_assert!(bytes == plain[at as usize..at as usize + len]);
                }
                Act::Punch(at, len) | Act::Zero(at, len) => {
                    let mode = match act {
                        Act::Punch(..) => FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
                        _ => FallocateFlags::ZERO_RANGE,
                    };
                    fallocate(&file, mode, at, len).unwrap();
                    plain[at as usize..(at + len) as usize].fill(0);
                }
                Act::Sync => file.sync_data().unwrap(),
            }
        }
        Ok(())
    });
    checked.unwrap();
}
