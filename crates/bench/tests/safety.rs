//! What is refused as a target, each reason on a real device, and that looking
//! at a target does not change it.
//!
//! Loop devices stand for disks. Without root, or where the kernel has none,
//! the tests that need them say so and pass; what needs LVM or RAID is tested
//! in the test machine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use blockyard_bench::safety::Claim;
use rustix::fs::{OFlags, XattrFlags, major, minor, setxattr};
use tempfile::TempDir;

/// Large enough for any file system.
const SIZE: u64 = 320 << 20;

/// Tests take turns: a child that another test starts holds, for a moment,
/// every device that this process has open.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A disk to do anything to.
struct Disk {
    path: PathBuf,
    folder: TempDir,
}

impl Disk {
    /// None, with the reason told, where there are no loop devices.
    fn new() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("disk");
        File::create(&file).unwrap().set_len(SIZE).unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show", "--partscan"])
            .arg(&file)
            .output();
        match made {
            Ok(made) if made.status.success() => {
                let path = String::from_utf8(made.stdout).unwrap().trim().into();
                Some(Self { path, folder })
            }
            Ok(made) => {
                let reason = String::from_utf8_lossy(&made.stderr);
                eprintln!("skipped: no loop device: {}", reason.trim());
                None
            }
            Err(error) => {
                eprintln!("skipped: losetup: {error}");
                None
            }
        }
    }

    /// The file that it stores its data in.
    fn store(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Runs a tool with the device as the last argument; false, with the
    /// reason told, where there is no such tool.
    fn prepare(&self, tool: &str, arguments: &[&str], input: &str) -> bool {
        let echo = Command::new("echo")
            .arg(input)
            .stdout(Stdio::piped())
            .spawn();
        let run = Command::new(tool)
            .args(arguments)
            .arg(&self.path)
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(echo.unwrap().stdout.unwrap())
            .output();
        match run {
            Ok(run) => {
                assert!(run.status.success(), "{tool}: {run:?}");
                true
            }
            Err(error) => {
                eprintln!("skipped: {tool}: {error}");
                false
            }
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.path)
            .status();
    }
}

/// Undoes what was done, also when a test fails.
struct Undo(Command);

impl Drop for Undo {
    fn drop(&mut self) {
        let _ = self.0.status();
    }
}

fn undo(tool: &str, argument: &Path) -> Undo {
    let mut command = Command::new(tool);
    command.arg(argument);
    Undo(command)
}

/// A process that ends with the test.
struct Holder(Child);

impl Holder {
    fn of(file: File) -> Self {
        let sleep = Command::new("sleep").arg("600").stdin(file).spawn();
        Self(sleep.unwrap())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What is said of a target that is refused.
fn refusal(path: &Path, overwrite: &[&Path]) -> String {
    let overwrite: Vec<_> = overwrite.iter().map(PathBuf::from).collect();
    let line = Claim::take(path, &overwrite).unwrap_err().to_string();
    assert!(!line.contains('\n'), "{line}");
    let named = line.strip_prefix(&format!("{} ", path.display()));
    named.unwrap_or_else(|| panic!("{line}")).to_owned()
}

/// Refused for its data, unless the flag names this very target.
fn assert_refused_for_data(path: &Path, reason: &str) {
    let line = refusal(path, &[]);
    let way_out = format!(
        "; to write over it all the same: --overwrite '{}'",
        path.display()
    );
    let said = line.strip_suffix(&way_out);
    assert!(said.is_some_and(|said| said.contains(reason)), "{line}");
    assert_eq!(refusal(path, &[Path::new("/dev/null")]), line);
    Claim::take(path, &[path.into()]).unwrap();
}

/// Refused for its use, whatever the flag says.
fn assert_refused_for_use(path: &Path, reason: &str) {
    assert_eq!(refusal(path, &[path]), reason);
    assert_eq!(refusal(path, &[]), reason);
}

#[test]
fn an_empty_device_is_accepted_and_left_as_it_was() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    // Data without a signature.
    let written = File::options().write(true).open(&disk.path).unwrap();
    written.write_all_at(&[7; 1 << 16], 1 << 20).unwrap();
    written.sync_all().unwrap();
    drop(written);
    let before = fs::read(disk.store()).unwrap();
    Claim::take(&disk.path, &[]).unwrap();
    assert!(fs::read(disk.store()).unwrap() == before);
}

#[test]
fn a_claim_keeps_others_out() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let claim = Claim::take(&disk.path, &[]).unwrap();
    let busy = "is in exclusive use by a file system, a device or a process \
                that cannot be seen from here";
    assert_refused_for_use(&disk.path, busy);
    drop(claim);
    Claim::take(&disk.path, &[]).unwrap();
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
fn a_mounted_device_is_refused() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    if !disk.prepare("mkfs.ext4", &["-q"], "") {
        return;
    }
    let on = disk.folder.path().join("a folder");
    fs::create_dir(&on).unwrap();
    let mounted = Command::new("mount").args([&disk.path, &on]).status();
    assert!(mounted.unwrap().success());
    let _unmount = undo("umount", &on);
    assert_refused_for_use(&disk.path, &format!("is mounted on {}", on.display()));
    // A link is another name for it.
    let link = disk.folder.path().join("link");
    symlink(&disk.path, &link).unwrap();
    assert_refused_for_use(&link, &format!("is mounted on {}", on.display()));
}

#[test]
fn a_disk_is_refused_for_the_use_of_a_partition() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    if !disk.prepare("sfdisk", &["-q"], "label: gpt\n,100MiB\n,100MiB\n") {
        return;
    }
    let partition = |number: u32| PathBuf::from(format!("{}p{number}", disk.path.display()));
    if !partition(2).exists() {
        eprintln!("skipped: this kernel finds no partitions on loop devices");
        return;
    }
    let holder = Holder::of(File::open(partition(2)).unwrap());
    let pid = holder.0.id();
    let name = partition(2).file_name().unwrap().display().to_string();
    let held = format!("is held by another process (pid {pid}, sleep)");
    assert_refused_for_use(&partition(2), &held);
    let reason = format!("must not be written to: its partition {name} {held}");
    assert_refused_for_use(&disk.path, &reason);
    // The other partition is nobody's, and its disk's table is not in it.
    Claim::take(&partition(1), &[]).unwrap();
}

#[test]
fn a_device_in_use_as_swap_is_refused() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    if !disk.prepare("mkswap", &[], "") {
        return;
    }
    let on = Command::new("swapon").arg(&disk.path).output().unwrap();
    if !on.status.success() {
        let reason = String::from_utf8_lossy(&on.stderr);
        eprintln!("skipped: swapon: {}", reason.trim());
        return;
    }
    let _off = undo("swapoff", &disk.path);
    assert_refused_for_use(&disk.path, "is in use as swap");
}

#[test]
fn a_device_that_is_open_elsewhere_is_refused() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let holder = Holder::of(File::open(&disk.path).unwrap());
    let reason = format!("is held by another process (pid {}, sleep)", holder.0.id());
    assert_refused_for_use(&disk.path, &reason);
    drop(holder);
    let exclusive = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::EXCL.bits() as i32)
        .open(&disk.path);
    let busy = "is in exclusive use by a file system, a device or a process \
                that cannot be seen from here";
    assert_refused_for_use(&disk.path, busy);
    drop(exclusive);
}

#[test]
fn the_store_of_a_loop_device_is_refused() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let reason = format!("is the store of {}", disk.path.display());
    assert_refused_for_use(&disk.store(), &reason);
    // Also where the store is itself a device.
    let upper = Command::new("losetup")
        .args(["--find", "--show"])
        .arg(&disk.path)
        .output();
    let upper = String::from_utf8(upper.unwrap().stdout).unwrap();
    let mut detach = Command::new("losetup");
    detach.arg("--detach").arg(upper.trim());
    let _detach = Undo(detach);
    assert_refused_for_use(&disk.path, &format!("is the store of {}", upper.trim()));
}

#[test]
fn the_system_disk_is_refused() {
    let _alone = alone();
    let root = fs::metadata("/").unwrap().dev();
    let described = format!("/sys/dev/block/{}:{}/uevent", major(root), minor(root));
    let Ok(described) = fs::read_to_string(described) else {
        eprintln!("skipped: / is not on a block device");
        return;
    };
    let name = described
        .lines()
        .find_map(|line| line.strip_prefix("DEVNAME="));
    let device = Path::new("/dev").join(name.unwrap());
    assert_refused_for_use(&device, "is the system disk: / is on it");
}

#[test]
fn only_files_that_were_made_here_are_accepted() {
    let _alone = alone();
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("data");
    Claim::take(&file, &[]).unwrap();
    assert!(!file.exists());
    fs::write(&file, "").unwrap();
    Claim::take(&file, &[]).unwrap();
    fs::write(&file, "precious").unwrap();
    assert_refused_for_data(&file, "is not empty and was not made by blockyard");
    setxattr(&file, "user.blockyard", b"8", XattrFlags::empty()).unwrap();
    Claim::take(&file, &[]).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"precious");
}

#[test]
fn a_file_that_another_process_writes_is_refused() {
    let _alone = alone();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("data");
    let writer = Holder::of(File::create(&file).unwrap());
    let reason = format!("is held by another process (pid {}, sleep)", writer.0.id());
    assert_refused_for_use(&file, &reason);
    drop(writer);
    // Who only reads loses nothing.
    let _reader = Holder::of(File::open(&file).unwrap());
    Claim::take(&file, &[]).unwrap();
}

#[test]
fn what_is_neither_a_file_nor_a_device_is_refused() {
    let _alone = alone();
    let folder = TempDir::new().unwrap();
    for path in [folder.path(), Path::new("/dev/null")] {
        assert_refused_for_use(path, "is neither a file nor a block device");
    }
}
