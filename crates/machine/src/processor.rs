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

/// The numbers of the processors that work, which this process need not be allowed to use.
#[must_use]
pub fn online() -> Vec<u32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    listed(&text).unwrap_or_else(|| (0..processors()).collect())
}

/// The numbers of a list such as `0-3,8`; none if it is no such list.
fn listed(text: &str) -> Option<Vec<u32>> {
    /// More than any machine has.
    const MOST: u32 = 1 << 16;
    let mut found = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        found.extend(first..=last.min(MOST));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_have_ranges() {
        assert_eq!(listed("0-2,8\n"), Some(vec![0, 1, 2, 8]));
        assert_eq!(listed("5"), Some(vec![5]));
        for text in ["", "a", "1-", "1,,2", "-1"] {
            assert_eq!(listed(text), None, "{text}");
        }
        assert!(listed("0-4294967295").unwrap().len() <= 1 << 17);
        assert!(!online().is_empty());
    }
}
