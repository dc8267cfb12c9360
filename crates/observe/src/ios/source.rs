//! The tracepoints that tell of IO, and what is missing where they do not.

use std::ffi::CString;
use std::io;
use std::path::Path;

use blockyard_machine::{Tracepoint, tracefs};

use super::event::{Kind, Layout};
use crate::devices::reason;

/// The tracepoints to use, with the filter of each, and how to read them by their numbers.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) tracepoints: Vec<(u32, CString)>,
    pub(super) layouts: Vec<(u32, Layout)>,
}

/// Arrivals of requests: since Linux 6.5, and before. Both come before any wait in the host.
const ARRIVALS: [&str; 2] = ["block/block_io_start", "block/block_getrq"];

/// What else is needed of requests.
const NEEDED: [(&str, Kind); 2] = [
    ("block/block_rq_issue", Kind::Issue),
    ("block/block_rq_complete", Kind::Completion),
];

/// Merges of requests that wait, which older kernels do not tell.
const MERGES: [(&str, Kind); 2] = [
    ("block/block_bio_frontmerge", Kind::FrontMerge),
    ("block/block_rq_merge", Kind::Merge),
];

/// What makes tracefs appear.
const MOUNT: &str = "`mount -t tracefs nodev /sys/kernel/tracing`, as root, mounts it";

/// What tells of bios.
const BIOS: [(&str, Kind); 2] = [
    ("block/block_bio_queue", Kind::Arrival),
    ("block/block_bio_complete", Kind::Completion),
];

/// A tracepoint, with what it means.
type Told = (Tracepoint, Kind);

impl Source {
    /// Those of devices that take requests, and of such that take bios.
    ///
    /// # Errors
    /// What is missing, in one line with the remedy.
    pub(super) fn of(requests: &[u32], bios: &[u32]) -> Result<Self, String> {
        let place = tracefs().ok_or_else(|| format!("tracefs is not mounted; {MOUNT}"))?;
        let mut found = Self {
            tracepoints: Vec::new(),
            layouts: Vec::new(),
        };
        if !requests.is_empty() {
            found.add(&of_requests(&place)?, requests)?;
        }
        if !bios.is_empty() {
            let told: Result<Vec<_>, _> = BIOS.iter().map(|one| needed(&place, *one)).collect();
            found.add(&told?, bios)?;
        }
        Ok(found)
    }

    fn add(&mut self, told: &[Told], devices: &[u32]) -> Result<(), String> {
        let filter = filter(devices);
        for (tracepoint, kind) in told {
            let id = tracepoint.id;
            let layout = Layout::of(tracepoint, *kind).ok_or_else(|| {
                format!(
                    "tracepoint {id} of this kernel lacks a field; expected dev, sector, \
                     nr_sector and rwbs"
                )
            })?;
            self.layouts.push((id, layout));
            self.tracepoints.push((id, filter.clone()));
        }
        Ok(())
    }
}

fn of_requests(tracefs: &Path) -> Result<Vec<Told>, String> {
    let mut arrivals = ARRIVALS.iter();
    let arrival = arrivals.find_map(|name| described(tracefs, name).transpose());
    let arrival = arrival.ok_or("this kernel has no tracepoint block/block_io_start")??;
    let mut found = vec![(arrival, Kind::Arrival)];
    for one in NEEDED {
        found.push(needed(tracefs, one)?);
    }
    for (name, kind) in MERGES {
        found.extend(described(tracefs, name)?.map(|known| (known, kind)));
    }
    Ok(found)
}

fn needed(tracefs: &Path, (name, kind): (&str, Kind)) -> Result<Told, String> {
    let found = described(tracefs, name)?;
    let found = found.ok_or_else(|| format!("this kernel has no tracepoint {name}"))?;
    Ok((found, kind))
}

fn described(tracefs: &Path, name: &str) -> Result<Option<Tracepoint>, String> {
    Tracepoint::named(tracefs, name).map_err(|error| refusal(&error))
}

/// Why tracepoints cannot be had, with the remedy.
pub(super) fn refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied if is_confidential() => {
            "the kernel is locked down (confidentiality), so tracepoints are closed to all".into()
        }
        io::ErrorKind::PermissionDenied => {
            "tracepoints need root, or CAP_PERFMON with a tracefs that may be read".into()
        }
        _ => format!("tracepoints cannot be opened: {}", reason(error)),
    }
}

/// Whether the kernel's lockdown closes perf events even to root.
fn is_confidential() -> bool {
    let state = std::fs::read_to_string("/sys/kernel/security/lockdown");
    state.is_ok_and(|state| state.contains("[confidentiality]"))
}

/// As tracefs takes it: `dev == 1 || dev == 2`.
fn filter(devices: &[u32]) -> CString {
    let each: Vec<_> = devices
        .iter()
        .map(|device| format!("dev == {device}"))
        .collect();
    // Numbers have no byte 0.
    CString::new(each.join(" || ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_names_all_devices() {
        assert_eq!(filter(&[7, 9]).to_str(), Ok("dev == 7 || dev == 9"));
    }

    #[test]
    fn what_is_refused_has_a_remedy() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(is_confidential() || refusal(&denied).contains("CAP_PERFMON"));
        let other = io::Error::from_raw_os_error(38);
        assert_eq!(
            refusal(&other),
            "tracepoints cannot be opened: function not implemented"
        );
    }
}
