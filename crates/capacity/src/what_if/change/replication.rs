//! Changes of what a job replicates to, and of mirrors: other settings, and one more node. Each is
//! tried only after a run in which it may have made a difference.

mod galera;
mod mirror;
mod node;
mod standbys;

use blockyard_experiment::Edit;
use blockyard_model::workload::spec::{GroupSpec, OltpSpec};
use blockyard_record::result::{Event, ReplicationTotal, RunResult, SpentOn, TransactionTotal};
use blockyard_record::thresholds::FELT;
use blockyard_scenario::EventKind;
use blockyard_scenario::schema::{Job, Oltp, Scenario};
use serde::Serialize;

use super::{Change, Layout, Proposal};

/// A job that something is replicated of, and what became of it in the run.
struct Replicated<'a> {
    name: &'a str,
    job: &'a Oltp,
    engine: &'a OltpSpec,
    group: &'a GroupSpec,
    /// The hosts of its nodes, the job's own first.
    hosts: Vec<&'a str>,
    scenario: &'a Scenario,
    result: &'a RunResult,
    total: &'a TransactionTotal,
    replication: &'a ReplicationTotal,
}

/// For each replicated job the settings that may help it, and one more node; for each mirror too.
pub(super) fn proposals(of: &Layout<'_>) -> Vec<Proposal> {
    let jobs = of.scenario.workload.iter().zip(&of.resolved.jobs);
    let replicated = jobs.filter_map(|((name, job), spec)| match job {
        Job::Oltp(job) => Replicated::of(name, (job, spec.transactions()?), of),
        _ => None,
    });
    let mut found: Vec<_> = replicated.flat_map(|own| own.proposals()).collect();
    found.extend(mirror::proposals(of));
    found
}

/// The setting at `key` of a job or a device is another; without a value it is taken out. If it is
/// `weaker`, fewer hosts must have what is acknowledged.
fn setting(
    section: &str,
    name: &str,
    key: &str,
    (from, to): (Option<String>, Option<String>),
    weaker: bool,
) -> Proposal {
    let path = format!("{section}.{name}.{key}");
    let edit = Edit::set(path, to.as_deref().unwrap_or("null"));
    let change = Change::Setting {
        job: name.to_owned(),
        key: key.to_owned(),
        from,
        to,
        weaker,
    };
    Proposal::of(change, vec![edit])
}

impl<'a> Replicated<'a> {
    fn of(name: &'a str, (job, engine): (&'a Oltp, &'a OltpSpec), of: &Layout<'a>) -> Option<Self> {
        let group = engine.group.as_ref()?;
        let hosts = std::iter::once(group.own_host()).chain(group.hosts());
        let hosts = hosts.map(|host| of.resolved.storage.hosts.get(host));
        let mut totals = of.result.transactions.iter();
        let total = totals.find(|total| total.job == name)?;
        Some(Self {
            name,
            job,
            engine,
            group,
            hosts: hosts
                .map(|host| Some(host?.name.as_str()))
                .collect::<Option<_>>()?,
            scenario: of.scenario,
            result: of.result,
            total,
            replication: total.replication.as_ref()?,
        })
    }

    fn proposals(&self) -> Vec<Proposal> {
        let mut found = match (&self.job.galera, &self.job.standbys) {
            (Some(galera), _) => self.of_galera(galera),
            (_, Some(standbys)) => self.of_standbys(standbys),
            (None, None) => Vec::new(),
        };
        found.extend(self.node());
        found
    }

    /// What happened of a kind to it or to one of its nodes.
    fn happened(&self, kind: EventKind) -> impl Iterator<Item = &'a Event> {
        let events = self.result.events.iter();
        events.filter(move |event| {
            let on = event.on.as_deref().unwrap_or_default();
            event.kind == kind && (on == self.name || self.hosts.contains(&on))
        })
    }

    fn has_seen(&self, kind: EventKind) -> bool {
        self.happened(kind).next().is_some()
    }

    /// Whether its users went without something.
    fn is_hurt(&self) -> bool {
        let total = self.total;
        total.outage_s > 0.0 || total.undone() > 0 || total.lost > 0
    }

    /// Whether the engine that takes its transactions stopped, or was left without a quorum.
    fn has_lost_its_engine(&self) -> bool {
        let mut stopped = self.total.stopped.iter();
        stopped.any(|engine| engine.host.is_none()) || self.has_seen(EventKind::NoQuorum)
    }

    /// Whether transactions wait for other nodes, for longer than is worth no word.
    fn waits(&self) -> bool {
        let mut time = self.total.time.iter();
        time.any(|spent| spent.on == SpentOn::Replication && spent.share >= FELT)
    }

    /// Another setting of the job.
    fn setting(&self, key: &str, from: Option<String>, to: Option<String>) -> Proposal {
        setting("workload", self.name, key, (from, to), false)
    }

    /// The same of a setting with which fewer hosts must have a transaction.
    fn weaker(&self, key: &str, from: Option<String>, to: Option<String>) -> Proposal {
        setting("workload", self.name, key, (from, to), true)
    }
}

/// A value as a scenario has it, if that is a word, a number or an amount.
fn as_written(value: &impl Serialize) -> Option<String> {
    match serde_json::to_value(value).ok()? {
        serde_json::Value::String(word) => Some(word),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
