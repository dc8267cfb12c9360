//! What is refused as a target for its use, each reason on a real device or
//! file.
//!
//! Loop devices stand for disks. Without root, or where the kernel has none,
//! the tests that need them say so and pass; what needs LVM or RAID is tested
//! in the test machine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

mod disk;

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use blockyard_bench::safety::Claim;
use rustix::fs::{OFlags, major, minor};
use tempfile::TempDir;

use self::disk::{Disk, Holder, Undo, alone, assert_refused_for_use};

#[test]
fn a_claim_keeps_others_out() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let claim = Claim::take(&disk.path, 0..0, &[]).unwrap();
    let busy = "is in exclusive use by a file system, a device or a process \
                that cannot be seen from here";
    assert_refused_for_use(&disk.path, busy);
    drop(claim);
    Claim::take(&disk.path, 0..0, &[]).unwrap();
}

#[test]
fn a_read_only_device_is_refused() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    // The kernel keeps this of a loop device after it is detached.
    let _writable = Undo::by("blockdev", &["--setrw".as_ref(), disk.path.as_ref()]);
    if disk.prepare("blockdev", &["--setro"], "") {
        let reason = "is a read-only device; expected one that can be written to";
        assert_refused_for_use(&disk.path, reason);
    }
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
    let _unmount = Undo::by("umount", &[on.as_ref()]);
    let mounted = Command::new("mount").args([&disk.path, &on]).status();
    assert!(mounted.unwrap().success());
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
    Claim::take(&partition(1), 0..0, &[]).unwrap();
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
    let _off = Undo::by("swapoff", &[disk.path.as_ref()]);
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
    let _detach = Undo::attaching(upper.trim().as_ref());
    assert_refused_for_use(&disk.path, &format!("is the store of {}", upper.trim()));
}

/// Whatever became of the name that the loop device was set up with.
#[test]
fn the_store_of_a_loop_device_is_refused_by_any_name() {
    let _alone = alone();
    let Some(disk) = Disk::new() else { return };
    let reason = format!("is the store of {}", disk.path.display());
    let link = disk.folder.path().join("link");
    fs::hard_link(disk.store(), &link).unwrap();
    fs::remove_file(disk.store()).unwrap();
    assert_refused_for_use(&link, &reason);
    // Another file has the name now.
    fs::write(disk.store(), "").unwrap();
    Claim::take(&disk.store(), 0..0, &[]).unwrap();
    assert_refused_for_use(&link, &reason);
}

#[test]
fn the_store_of_a_loop_device_of_other_mounts_is_refused() {
    let _alone = alone();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("disk");
    File::create(&file).unwrap().set_len(1 << 20).unwrap();
    // Known there by a name that leads nowhere here.
    let script = "mkdir \"$1/there\" && mount --bind \"$1\" \"$1/there\" \
        && losetup --find --show \"$1/there/disk\"";
    let made = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .output();
    let made = made.unwrap();
    if !made.status.success() {
        let reason = String::from_utf8_lossy(&made.stderr);
        eprintln!("skipped: no loop device in other mounts: {}", reason.trim());
        return;
    }
    let device = String::from_utf8(made.stdout).unwrap();
    let _detach = Undo::attaching(device.trim().as_ref());
    assert!(!folder.path().join("there/disk").exists());
    assert_refused_for_use(&file, &format!("is the store of {}", device.trim()));
}

/// Given by its name in an overlay and used by that in the upper folder, and the other way round.
#[test]
fn a_file_in_an_overlay_is_refused_by_both_its_names() {
    let _alone = alone();
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["lower", "upper", "work", "overlay"] {
        fs::create_dir(at(name)).unwrap();
    }
    for (lower, upper, work) in [
        (at("lower"), at("upper"), at("work")),
        ("lower".into(), "upper".into(), "work".into()),
    ] {
        let (lower, upper, work) = (lower.display(), upper.display(), work.display());
        let options = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "overlay", "overlay", "-o", &options]);
        let mounted = mount.arg(at("overlay")).current_dir(folder.path()).output();
        let mounted = mounted.unwrap();
        if !mounted.status.success() {
            let reason = String::from_utf8_lossy(&mounted.stderr);
            eprintln!("skipped: no overlay: {}", reason.trim());
            return;
        }
        let _unmount = Undo::by("umount", &[at("overlay").as_os_str()]);
        let names = [at("overlay/data"), at("upper/data")];
        fs::write(&names[0], "").unwrap();
        for name in &names {
            Claim::take(name, 0..0, &[]).unwrap();
        }
        for used in &names {
            let writer = Holder::of(File::options().write(true).open(used).unwrap());
            let held = format!("is held by another process (pid {}, sleep)", writer.0.id());
            for name in &names {
                assert_refused_for_use(name, &held);
            }
            drop(writer);
            File::options()
                .write(true)
                .open(used)
                .unwrap()
                .set_len(1 << 20)
                .unwrap();
            let made = Command::new("losetup")
                .args(["--find", "--show"])
                .arg(used)
                .output();
            let device = String::from_utf8(made.unwrap().stdout).unwrap();
            let detach = Undo::attaching(Path::new(device.trim()));
            for name in &names {
                assert_refused_for_use(name, &format!("is the store of {}", device.trim()));
            }
            drop(detach);
        }
    }
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
    Claim::take(&file, 0..0, &[]).unwrap();
}

#[test]
fn what_is_neither_a_file_nor_a_device_is_refused() {
    let _alone = alone();
    let folder = TempDir::new().unwrap();
    for path in [folder.path(), Path::new("/dev/null")] {
        assert_refused_for_use(path, "is neither a file nor a block device");
    }
}

/// Checks that a file is refused while a Python program uses it as it likes,
/// with the reason that `expected` gives for the program's number.
fn assert_refused_while(program: &str, expected: impl Fn(u32) -> String) {
    let _alone = alone();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("data");
    fs::write(&file, [0; 4096]).unwrap();
    if let Some(holder) = python(program, &file) {
        assert_refused_for_use(&file, &expected(holder.0.id()));
    }
}

fn held_by_python(pid: u32) -> String {
    format!("is held by another process (pid {pid}, python3)")
}

/// Runs a Python program that uses the file as it likes and says when it does.
fn python(program: &str, file: &Path) -> Option<Holder> {
    let begun = Command::new("python3")
        .args(["-c", program])
        .arg(file)
        .stdout(Stdio::piped())
        .spawn();
    let mut child: Child = match begun {
        Ok(child) => child,
        Err(error) => {
            eprintln!("skipped: python3: {error}");
            return None;
        }
    };
    let mut said = String::new();
    let heard = BufReader::new(child.stdout.take().unwrap()).read_line(&mut said);
    let holder = Holder(child);
    assert!(heard.unwrap() > 0, "the program ended");
    Some(holder)
}

#[test]
fn a_file_that_is_written_without_being_open_is_refused() {
    // As memory, with the file closed.
    let mapped = "import ctypes, os, sys, time
c = ctypes.CDLL(None)
c.mmap.restype = ctypes.c_void_p
f = os.open(sys.argv[1], os.O_RDWR)
assert c.mmap(None, ctypes.c_size_t(4096), 3, 1, f, ctypes.c_long(0)) > 0
os.close(f)
print('x', flush=True)
time.sleep(600)";
    assert_refused_while(mapped, held_by_python);
}

#[test]
fn a_file_that_one_thread_has_open_for_itself_is_refused() {
    let apart = "import ctypes, os, sys, threading, time
def work():
    assert ctypes.CDLL(None).unshare(0x400) == 0
    os.open(sys.argv[1], os.O_RDWR)
    print('x', flush=True)
    time.sleep(600)
threading.Thread(target=work).start()";
    assert_refused_while(apart, held_by_python);
}

/// A file that is open nowhere and in nobody's memory, but on its way from one
/// process to another: only the kernel knows.
#[test]
fn a_file_that_nobody_is_seen_to_have_is_refused_if_it_can_be_written() {
    let sent = "import array, os, socket, sys, time
one, other = socket.socketpair()
f = os.open(sys.argv[1], os.O_RDWR)
one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [f]))])
os.close(f)
print('x', flush=True)
time.sleep(600)";
    let reason = "is open for writing in a device or a process that cannot be seen from here";
    assert_refused_while(sent, |_| reason.into());
}
