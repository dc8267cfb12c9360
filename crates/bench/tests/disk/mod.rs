//! Disks for tests, and what is said of targets that are refused.

#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::ffi::OsStr;
use std::fs::File;
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use blockyard_bench::safety::Claim;
use tempfile::TempDir;

/// Large enough for any file system.
pub(crate) const SIZE: u64 = 320 << 20;

/// Tests take turns: a child that another test starts holds, for a moment,
/// every device that this process has open.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A disk to do anything to.
pub(crate) struct Disk {
    pub(crate) path: PathBuf,
    pub(crate) folder: TempDir,
    _detach: Undo,
}

impl Disk {
    /// None, with the reason told, where there are no loop devices.
    pub(crate) fn new() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("disk");
        File::create(&file).unwrap().set_len(SIZE).unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show", "--partscan"])
            .arg(&file)
            .output();
        match made {
            Ok(made) if made.status.success() => {
                let path: PathBuf = String::from_utf8(made.stdout).unwrap().trim().into();
                let _detach = Undo::attaching(&path);
                Some(Self {
                    path,
                    folder,
                    _detach,
                })
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
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Runs a tool with the device as the last argument; false, with the
    /// reason told, where there is no such tool.
    pub(crate) fn prepare(&self, tool: &str, arguments: &[&str], input: &str) -> bool {
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

/// Undoes what is done, when it is dropped or when this process ends in any
/// way: a shell in a process group of its own waits for the end of its input.
pub(crate) struct Undo(Child);

impl Undo {
    /// Has `tool` run with `arguments` then.
    pub(crate) fn by(tool: &str, arguments: &[&OsStr]) -> Self {
        let waiting = Command::new("sh")
            .args(["-c", "trap '' INT HUP TERM; cat; exec \"$@\"", "sh", tool])
            .args(arguments)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn();
        Self(waiting.unwrap())
    }

    /// Detaches a loop device.
    pub(crate) fn attaching(device: &Path) -> Self {
        Self::by("losetup", &["--detach".as_ref(), device.as_ref()])
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// A process that ends with the test.
pub(crate) struct Holder(pub(crate) Child);

impl Holder {
    pub(crate) fn of(file: File) -> Self {
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
pub(crate) fn refusal(path: &Path, overwrite: &[&Path]) -> String {
    let overwrite: Vec<_> = overwrite.iter().map(PathBuf::from).collect();
    refusal_of_writes(path, 0..0, &overwrite)
}

/// What is said of a target that is refused for what lies in this range, or elsewhere.
pub(crate) fn refusal_of_writes(path: &Path, written: Range<u64>, overwrite: &[PathBuf]) -> String {
    let line = Claim::take(path, written, overwrite)
        .unwrap_err()
        .to_string();
    assert!(!line.contains('\n'), "{line}");
    let named = line.strip_prefix(&format!("{} ", path.display()));
    named.unwrap_or_else(|| panic!("{line}")).to_owned()
}

/// Refused for its data, unless the flag names this very target. How to write over it is told only
/// where the data may be an earlier run's.
pub(crate) fn assert_refused_for_data(path: &Path, reason: &str) {
    let line = refusal(path, &[]);
    assert!(line.contains(reason), "{line}");
    let may_be_ours = line.contains("earlier run left;") || line.contains("did not finish");
    assert_eq!(line.contains("--overwrite"), may_be_ours, "{line}");
    assert_eq!(refusal(path, &[Path::new("/dev/null")]), line);
    Claim::take(path, 0..0, &[path.into()]).unwrap();
}

/// Refused for its use, whatever the flag says.
pub(crate) fn assert_refused_for_use(path: &Path, reason: &str) {
    assert_eq!(refusal(path, &[path]), reason);
    assert_eq!(refusal(path, &[]), reason);
}
