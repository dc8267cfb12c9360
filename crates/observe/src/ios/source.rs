//! The tracepoints that tell of IO, and what is missing where they do not.

use std::path::Path;

use blockyard_machine::{Tracepoint, read_at_once};
use blockyard_trace::block::Kind;

use super::event::Layout;
use crate::events::{page, refusal};

/// The tracepoints to use, with the filter of each, and how to read what they record.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) tracepoints: Vec<(&'static str, String)>,
    /// By their numbers.
    pub(super) layouts: Vec<(u32, Layout)>,
    pub(super) pages: page::Layout,
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

/// What tells of bios.
const BIOS: [(&str, Kind); 2] = [
    ("block/block_bio_queue", Kind::Arrival),
    ("block/block_bio_complete", Kind::Completion),
];

/// A tracepoint by its name, with what it means.
type Told = (&'static str, Tracepoint, Kind);

impl Source {
    /// Those of devices that take requests, and of such that take bios.
    ///
    /// # Errors
    /// What is missing, in one line with the remedy.
    pub(super) fn of(tracefs: &Path, requests: &[u32], bios: &[u32]) -> Result<Self, String> {
        let header = read_at_once(&tracefs.join("events/header_page"));
        let header = header.map_err(|error| refusal(&error))?;
        let mut found = Self {
            tracepoints: Vec::new(),
            layouts: Vec::new(),
            pages: page::Layout::parse(&header).ok_or("unknown layout of this kernel's traces")?,
        };
        if !requests.is_empty() {
            found.add(of_requests(tracefs)?, requests)?;
        }
        if !bios.is_empty() {
            let told: Result<Vec<_>, _> = BIOS.iter().map(|one| needed(tracefs, *one)).collect();
            found.add(told?, bios)?;
        }
        Ok(found)
    }

    fn add(&mut self, told: Vec<Told>, devices: &[u32]) -> Result<(), String> {
        let filter = filter(devices);
        for (name, tracepoint, kind) in told {
            let layout = Layout::of(&tracepoint, kind).ok_or_else(|| {
                format!(
                    "tracepoint {name} of this kernel lacks a field; expected common_pid, \
                     dev, sector, nr_sector and rwbs"
                )
            })?;
            self.layouts.push((tracepoint.id, layout));
            self.tracepoints.push((name, filter.clone()));
        }
        Ok(())
    }
}

fn of_requests(tracefs: &Path) -> Result<Vec<Told>, String> {
    let mut arrivals = ARRIVALS.iter();
    let arrival = arrivals.find_map(|name| described(tracefs, name, Kind::Arrival).transpose());
    let arrival = arrival.ok_or("this kernel has no tracepoint block/block_io_start")??;
    let mut found = vec![arrival];
    for one in NEEDED {
        found.push(needed(tracefs, one)?);
    }
    for (name, kind) in MERGES {
        found.extend(described(tracefs, name, kind)?);
    }
    Ok(found)
}

fn needed(tracefs: &Path, (name, kind): (&'static str, Kind)) -> Result<Told, String> {
    let found = described(tracefs, name, kind)?;
    found.ok_or_else(|| format!("this kernel has no tracepoint {name}"))
}

fn described(tracefs: &Path, name: &'static str, kind: Kind) -> Result<Option<Told>, String> {
    let found = Tracepoint::named(tracefs, name).map_err(|error| refusal(&error))?;
    Ok(found.map(|tracepoint| (name, tracepoint, kind)))
}

/// As tracefs takes it: `dev == 1 || dev == 2`.
fn filter(devices: &[u32]) -> String {
    let each: Vec<_> = devices
        .iter()
        .map(|device| format!("dev == {device}"))
        .collect();
    each.join(" || ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_names_all_devices() {
        assert_eq!(filter(&[7, 9]), "dev == 7 || dev == 9");
    }
}
