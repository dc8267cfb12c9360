//! A load as the jobs of a scenario, and as its goals.

use blockyard_model::units::MIB;
use blockyard_model::workload::spec::{Preference, Skew};
use blockyard_text::units::{Duration, Percent, Size};

use crate::answer::layout::{Layout, Volumes};
use crate::load::streams::Stream;
use crate::requirement::needs::{Needs, Of};

/// The share of the needed IOs that must complete at least, beside chance.
const SERVED: f64 = 0.99;

/// A job of the load.
pub(crate) struct Job<'a> {
    name: &'a str,
    pub(crate) on: &'a str,
    pub(crate) stream: Stream,
    /// Its bytes.
    pub(crate) file: u64,
    pub(crate) of: Of,
}

/// The most whole `parts` that go into `bytes`.
fn whole(bytes: u64, part: u64) -> u64 {
    bytes / part * part
}

/// The load's jobs, at their highest rates. Files share their device in equal parts but for the
/// journal's, which has its size.
pub(crate) fn jobs<'a>(needs: &Needs, layout: &Layout) -> Vec<Job<'a>> {
    let highest = |stream: &Stream| Stream {
        iops: (stream.iops * needs.load_profile.times()).div_ceil(1000),
        ..*stream
    };
    // Whole chunks, which the size of a disk of the instance may not be.
    let room = |volumes: &Volumes| whole(volumes.size, volumes.chunk) * u64::from(volumes.count);
    // No more than there is to store: part of the file system stays free.
    let beside = needs.journal.as_ref().filter(|_| layout.journal.is_none());
    let stored = needs.size + beside.map_or(0, |it| it.size.next_multiple_of(MIB));
    let mut free = room(&layout.data).min(stored.next_multiple_of(layout.data.chunk));
    let mut jobs = Vec::new();
    if let Some(journal) = &needs.journal {
        let (on, file) = match &layout.journal {
            Some(own) => ("journal", room(own).min(journal.size)),
            None => ("data", journal.size),
        };
        if layout.journal.is_none() {
            free = free.saturating_sub(file.next_multiple_of(MIB));
        }
        let (name, stream, of) = ("journal", highest(&journal.stream), Of::Journal);
        jobs.push(Job {
            name,
            on,
            stream,
            file: whole(whole(file, MIB), stream.io_size),
            of,
        });
    }
    let parts = needs.data.len().max(1) as u64;
    for stream in &needs.data {
        let (name, of) = match stream.write {
            true => ("writes", Of::Write),
            false => ("reads", Of::Read),
        };
        let file = whole(whole(free / parts, MIB), stream.io_size);
        jobs.push(Job {
            name,
            on: "data",
            stream: highest(stream),
            file,
            of,
        });
    }
    jobs
}

/// How many of so many IOs a second may be in flight: twice what 10 ms of them would be.
pub(crate) fn in_flight(iops: u64) -> u64 {
    (iops / 50).clamp(1024, 65_536)
}

impl Job<'_> {
    pub(crate) fn yaml(&self) -> String {
        let Stream { iops, io_size, .. } = self.stream;
        let read = if self.stream.write { "0%" } else { "100%" };
        let random = Percent::new(1000 - self.stream.sequential.min(1000));
        let outstanding = in_flight(iops);
        let skew = self.stream.skew.map_or_else(String::new, in_yaml);
        format!(
            "  {}: {{kind: access_spec, on: {}, file_size: {}, pattern: {{size: {}, read: {read}, \
             random: {random}}}, {skew}rate: {iops}/s, max_outstanding: {outstanding}}}",
            self.name,
            self.on,
            Size::new(self.file),
            Size::new(io_size),
        )
    }
}

fn in_yaml(skew: Skew) -> String {
    let scatter = if skew.scatter { "" } else { ", scatter: false" };
    let preferred = match skew.preference {
        Preference::None => return String::new(),
        Preference::Zipf { permille } => format!("zipf: {}", f64::from(permille) / 1000.0),
        Preference::Hot {
            ios_permille,
            blocks_permille,
        } => {
            let share = |permille: u32| Percent::new(permille.into());
            let (ios, blocks) = (share(ios_permille), share(blocks_permille));
            format!("hot: {{ios: {ios}, blocks: {blocks}}}")
        }
    };
    format!("skew: {{{preferred}{scatter}}}, ")
}

pub(crate) fn goals(needs: &Needs, jobs: &[Job<'_>], seconds: u64) -> Vec<String> {
    let mut goals = Vec::new();
    for job in jobs {
        let ios = (job.stream.iops * seconds) as f64;
        // Four standard deviations of as many Poisson arrivals.
        let least = job.stream.iops as f64 * (SERVED - 4.0 / ios.sqrt());
        if least >= 1.0 {
            goals.push(format!("{}.iops > {}", job.name, least.floor()));
        }
        for goal in needs.latency.iter().filter(|goal| goal.of == job.of) {
            let most = Duration::new(goal.most);
            goals.push(format!("{}.latency.{} <= {most}", job.name, goal.quantile));
        }
    }
    goals
}
