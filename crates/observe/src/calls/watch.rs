//! The calls of processes while they are observed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use blockyard_machine::{Thread, Tracefs};
use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_record::result::{LostEvents, ObservedCalls};
use blockyard_trace::block::{Io, Task};

use super::at_once::AtOnce;
use super::call::{Calls, ThreadIo};
use super::event::{Layout, What};
use super::files::Files;
use super::kinds::{CALLS, Kind};
use super::source::Source;
use super::summary::Summary;
use super::table::Table;
use crate::events::{Merged, note, refusal, tracepoint_of};
use crate::lines::name;

/// Watches calls of threads, and of those that they make.
#[derive(Debug)]
pub(crate) struct Watch {
    events: Merged,
    layouts: BTreeMap<u32, Layout>,
    followed: BTreeSet<u32>,
    calls: Calls,
    files: Files,
    /// IOs that ended since the last look.
    ios: Vec<(ThreadIo, Task)>,
    known: BTreeMap<u32, Thread>,
    summary: Summary,
    lost: Vec<LostEvents>,
    /// From the first sample on.
    kept: Option<Kept>,
}

/// What is kept of calls.
#[derive(Debug)]
struct Kept {
    origin: Nanos,
    table: Table,
    at_once: AtOnce,
}

/// The kernel's own numbers of processes are those of this namespace.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

impl Watch {
    /// Watches the calls of threads from now on, with so much memory for the events of each
    /// processor.
    ///
    /// # Errors
    /// What is missing, in one line with the remedy.
    pub(crate) fn start(threads: &[u32], memory: Bytes) -> Result<Self, String> {
        let namespace = fs::read_link("/proc/self/ns/pid");
        if namespace.is_ok_and(|own| own.as_os_str() != FIRST_NAMESPACE) {
            return Err(
                "processes have other numbers in this container; run it with the host's PID \
                 namespace (--pid=host)"
                    .into(),
            );
        }
        let tracefs = Tracefs::open().map_err(|error| refusal(&error))?;
        let Source {
            tracepoints,
            layouts,
            pages,
        } = Source::of(tracefs.path())?;
        let events = Merged::start(tracefs, &tracepoints, pages, memory, Some(threads));
        Ok(Self {
            events: events.map_err(|error| refusal(&error))?,
            layouts,
            followed: threads.iter().copied().collect(),
            calls: Calls::default(),
            files: Files::default(),
            ios: Vec::new(),
            known: BTreeMap::new(),
            summary: Summary::default(),
            lost: Vec::new(),
            kept: None,
        })
    }

    /// Keeps all calls that begin from `origin` on in a new file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn keep(&mut self, path: &Path, origin: Nanos) -> io::Result<()> {
        self.kept = Some(Kept {
            origin,
            table: Table::create(path, origin)?,
            at_once: AtOnce::new(origin),
        });
        Ok(())
    }

    /// Follows those of `threads` that it does not follow yet, and forgets calls of those that
    /// ended.
    pub(crate) fn follow(&mut self, threads: &[u32]) {
        let lives = |thread: u32| Path::new("/proc").join(thread.to_string()).exists();
        self.calls.forget(lives);
        self.files.retain(lives);
        let new = threads.iter().copied();
        let new: Vec<_> = new.filter(|one| self.followed.insert(*one)).collect();
        if !new.is_empty() {
            // What has ended by now cannot be followed.
            let _ = self.events.follow(&new);
        }
    }

    /// An IO ended, of whatever thread.
    pub(crate) fn io(&mut self, io: &Io) {
        let own = ThreadIo {
            thread: io.by.thread,
            from: io.time.saturating_sub(io.latency),
            to: io.time,
        };
        self.ios.push((own, io.by));
    }

    /// Takes what was recorded up to now. All IOs that ended before have been given.
    pub(crate) fn take(&mut self) {
        let (layouts, calls, files) = (&self.layouts, &mut self.calls, &mut self.files);
        let known = &mut self.known;
        let settled = self.events.take(|time, raw, lost| {
            let layout = tracepoint_of(raw).and_then(|tracepoint| layouts.get(&tracepoint));
            let Some(event) = layout.and_then(|layout| layout.read(time, raw)) else {
                return;
            };
            if lost {
                calls.forget(|_| false);
            }
            let data = match event.what {
                // A ring is no file.
                What::Begin(Some(file)) if CALLS[event.call].1 != Kind::Queues => {
                    files.hold(event.thread, file, event.time)
                }
                What::Begin(_) | What::End(_) => true,
            };
            // It may have ended before its call is kept.
            if data {
                known
                    .entry(event.thread)
                    .or_insert_with(|| who(event.thread));
            }
            calls.take(&event, data);
        });
        for (io, by) in self.ios.drain(..) {
            self.calls.add(io);
            // Its process may have become another program since it was looked up.
            if let Some(known) = self.known.get_mut(&io.thread)
                && by.name.with(|name| known.name.as_bytes() != name)
            {
                known.name = name(&by);
            }
        }
        let Some(kept) = &mut self.kept else {
            return;
        };
        let (known, summary) = (&mut self.known, &mut self.summary);
        self.calls.finish(settled, |call| {
            if call.start >= kept.origin {
                let who = known.entry(call.thread).or_insert_with(|| who(call.thread));
                summary.add(call, who);
                kept.table.add(call, who);
                if call.waits() {
                    kept.at_once.add(call.start, call.end);
                }
            }
        });
        let oldest = self.calls.oldest().unwrap_or(settled);
        if settled < Nanos::MAX {
            kept.at_once.count(oldest.min(settled));
        }
        let seconds = |time: Nanos| time.saturating_sub(kept.origin) as f64 / SECOND as f64;
        for loss in self.events.losses() {
            let (from_s, to_s) = (seconds(loss.from), seconds(loss.to));
            let events = loss.events;
            note(
                &mut self.lost,
                LostEvents {
                    from_s,
                    to_s,
                    events,
                },
            );
        }
    }

    /// Switches all events off: what ended by now still comes.
    pub(crate) fn stop(&mut self) {
        self.events.stop();
    }

    /// Gives what was seen up to `now`, once it was stopped; and why the table ends before, if it
    /// does.
    pub(crate) fn finish(mut self, now: Nanos) -> (Option<ObservedCalls>, Option<String>) {
        self.take();
        let Some(mut kept) = self.kept else {
            return (None, None);
        };
        kept.at_once.count(now);
        let found = ObservedCalls {
            kinds: self.summary.kinds(),
            callers: self.summary.callers(),
            threads: self.summary.threads(),
            at_once: kept.at_once.shares(),
            lost: self.lost,
        };
        (Some(found), kept.table.finish())
    }
}

/// Whose thread it is, as far as that can be seen.
fn who(thread: u32) -> Thread {
    Thread::numbered(thread).unwrap_or_else(|| Thread {
        pid: thread,
        name: thread.to_string(),
    })
}
