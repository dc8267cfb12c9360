//! A trace of this process alone (`instances` of tracefs): tracepoints switched on, and a ring of
//! memory on each processor.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process;

use blockyard_machine::Tracefs;
use blockyard_model::units::Bytes;
use rustix::fs::OFlags;

/// The folder is named so, with the number of its process.
const PREFIX: &str = "blockyard-";

/// What is read of a ring at a time: every read costs, and larger ones hardly less.
const PAGE: Bytes = 16 << 10;
/// A ring has so many pages at least; the kernel overwrites whole ones.
const PAGES: Bytes = 32;

/// A trace that goes on until this value is dropped. If this process is killed, the kernel stops it
/// and frees its memory; the next one to trace removes the folder that is left.
#[derive(Debug)]
pub(super) struct Instance {
    place: PathBuf,
    /// Closed, it stops the trace and frees the memory.
    held: Option<File>,
    _tracefs: Tracefs,
}

impl Instance {
    /// Begins a trace without events, with so much memory on each processor.
    ///
    /// # Errors
    /// If the kernel refuses, for want of rights in most cases.
    pub(super) fn new(tracefs: Tracefs, memory: Bytes) -> io::Result<Self> {
        let all = tracefs.path().join("instances");
        remove_stale(&all)?;
        let mut made = Self {
            place: create(&all)?,
            held: None,
            _tracefs: tracefs,
        };
        made.write("trace_clock", "mono")?;
        made.write("options/overwrite", "1")?;
        made.write("options/disable_on_free", "1")?;
        made.held = Some(File::open(made.place.join("free_buffer"))?);
        if memory >= PAGES * PAGE {
            // Since Linux 6.8. Before, pages are those of memory.
            let _ = made.write("buffer_subbuf_size_kb", &(PAGE / 1024).to_string());
        }
        made.write("buffer_size_kb", &(memory / 1024).to_string())?;
        Ok(made)
    }

    /// Switches a tracepoint on, as `block/block_rq_issue`, for what passes a filter, if there is
    /// one.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub(super) fn enable(&self, tracepoint: &str, filter: &str) -> io::Result<()> {
        if !filter.is_empty() {
            self.write(&format!("events/{tracepoint}/filter"), filter)?;
        }
        self.write(&format!("events/{tracepoint}/enable"), "1")
    }

    /// Records events of these threads alone, of those that they make, and of those that it was
    /// told to follow before.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub(super) fn follow(&self, threads: &[u32]) -> io::Result<()> {
        self.write("options/event-fork", "1")?;
        let numbers: Vec<_> = threads.iter().map(u32::to_string).collect();
        let mut options = OpenOptions::new();
        // Without `append` the kernel forgets those that it follows.
        let mut file = options
            .append(true)
            .open(self.place.join("set_event_pid"))?;
        file.write_all(numbers.join(" ").as_bytes())
    }

    /// Stops it; what was recorded stays.
    pub(super) fn stop(&self) {
        // It ends with this value in any case.
        let _ = self.write("tracing_on", "0");
    }

    /// The ring of a processor, and the text of its counters.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub(super) fn ring(&self, processor: u32) -> io::Result<(File, PathBuf)> {
        let place = self.place.join(format!("per_cpu/cpu{processor}"));
        let mut options = OpenOptions::new();
        let options = options.read(true);
        let options = options.custom_flags(OFlags::NONBLOCK.bits() as i32);
        Ok((
            options.open(place.join("trace_pipe_raw"))?,
            place.join("stats"),
        ))
    }

    fn write(&self, name: &str, value: &str) -> io::Result<()> {
        fs::write(self.place.join(name), value)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        drop(self.held.take());
        // What stays is stale, and is removed later.
        let _ = fs::remove_dir(&self.place);
    }
}

/// A folder of a name that is free: this process may trace several times at once.
fn create(all: &Path) -> io::Result<PathBuf> {
    let mut nth = 0;
    loop {
        let place = all.join(format!("{PREFIX}{}-{nth}", process::id()));
        match fs::create_dir(&place) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => nth += 1,
            made => return made.map(|()| place),
        }
    }
}

/// Removes traces whose processes are gone. One that another container's process holds looks so
/// too, but the kernel removes none that is in use.
fn remove_stale(all: &Path) -> io::Result<()> {
    for entry in fs::read_dir(all)? {
        let entry = entry?;
        if owner(&entry.file_name().to_string_lossy()).is_some_and(is_gone) {
            let _ = fs::remove_dir(entry.path());
        }
    }
    Ok(())
}

/// The number of the process that made a trace; none if it was not this program.
fn owner(name: &str) -> Option<u32> {
    let (process, nth) = name.strip_prefix(PREFIX)?.split_once('-')?;
    nth.parse::<u32>().ok()?;
    process.parse().ok()
}

fn is_gone(process: u32) -> bool {
    !Path::new("/proc").join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_other_programs_are_let_be() {
        assert_eq!(owner("blockyard-17-0"), Some(17));
        for other in [
            "blockyard-17",
            "blockyard-x-0",
            "blockyard-1-",
            "perf-17-0",
            "",
        ] {
            assert_eq!(owner(other), None, "{other}");
        }
        assert!(!is_gone(process::id()));
    }
}
