//! Events of tracepoints: a trace of this process alone, its rings, and what stands in them.

mod instance;
mod losses;
mod merged;
pub(crate) mod page;
mod ring;
mod rings;

use std::fs;
use std::io;

use crate::devices::reason;

pub(crate) use losses::note;
pub(crate) use merged::Merged;
pub(crate) use ring::Loss;

/// Why tracepoints cannot be had, with the remedy.
pub(crate) fn refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied if is_confidential() => {
            "the kernel is locked down (confidentiality), so tracepoints are closed to all".into()
        }
        io::ErrorKind::PermissionDenied => {
            "tracepoints need root, and in a container CAP_SYS_ADMIN or a mounted tracefs".into()
        }
        _ => format!("tracepoints cannot be opened: {}", reason(error)),
    }
}

/// Whether the kernel's lockdown closes tracefs even to root.
fn is_confidential() -> bool {
    let state = fs::read_to_string("/sys/kernel/security/lockdown");
    state.is_ok_and(|state| state.contains("[confidentiality]"))
}

/// The number of a recorded event's tracepoint: the first two bytes.
pub(crate) fn tracepoint_of(raw: &[u8]) -> Option<u32> {
    Some(u16::from_ne_bytes(raw.get(..2)?.try_into().ok()?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_has_a_remedy() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(is_confidential() || refusal(&denied).contains("need root"));
        let other = io::Error::from_raw_os_error(38);
        assert_eq!(
            refusal(&other),
            "tracepoints cannot be opened: function not implemented"
        );
    }
}
