//! The kernel's release, and the processors.

use std::fs;
use std::thread;

/// The kernel's release (`uname -r`).
pub fn kernel() -> String {
    let uname = rustix::system::uname();
    uname.release().to_string_lossy().into_owned()
}

/// The model of the processor; its architecture where the kernel does not name it.
pub fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    model.unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// Processors that this process may use, at least 1.
pub fn processors() -> u32 {
    thread::available_parallelism().map_or(1, |count| count.get() as u32)
}
