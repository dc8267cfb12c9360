//! A run that ended: what was measured, and the result that every mode writes.

use blockyard_model::workload::Backlog;
use blockyard_scenario::Resolved;
use blockyard_scenario::goals::Subject;
use blockyard_scenario::schema::Scenario;

use crate::measure::goal_figures;
use crate::measure::histogram::Histogram;
use crate::measure::storage::network::Network;
use crate::measure::summary::Summary;
use crate::result::{self, Event, LatencyUs, Machine, Mode, RunResult, Status, Tool};

/// A run that ended, complete or not.
#[derive(Debug)]
pub struct RunOutcome {
    /// Which of the four ways it was run.
    pub mode: Mode,
    /// How it ended.
    pub status: Status,
    /// Why it failed, or what was not as it should be.
    pub reason: Option<String>,
    /// What was measured.
    pub summary: Summary,
    /// Per job: how far an open loop was behind at the end.
    pub backlogs: Vec<Option<Backlog>>,
    /// Real modes: where it ran.
    pub machine: Option<Machine>,
    /// Modelled storage: its links and mirrors.
    pub network: Network,
    /// Emulation: what only it measures.
    pub emulated: Option<Emulated>,
    /// Bench of a replay: how long after their times IOs were issued.
    pub late: Option<Histogram>,
}

/// What only an emulation measures.
#[derive(Debug)]
pub struct Emulated {
    /// How much later than the model's time answers went out.
    pub lateness: Histogram,
    /// What was changed or injected from outside.
    pub events: Vec<Event>,
}

impl RunOutcome {
    /// What was measured of a figure that a goal can name, times in seconds; none where nothing
    /// was.
    pub fn figure(&self, subject: &Subject) -> Option<f64> {
        goal_figures::measured(subject, &self.summary, &self.network)
    }

    /// The result of `scenario`, which was run as `resolved`.
    pub fn result(self, scenario: &Scenario, resolved: &Resolved) -> RunResult {
        let mut summary = self.summary;
        let rests_on = match self.mode {
            Mode::Bench | Mode::Observe => &[][..],
            Mode::Simulate | Mode::Emulate => &resolved.rests_on,
        };
        let (lateness_us, noted) = match self.emulated {
            Some(emulated) => (LatencyUs::of(&emulated.lateness), emulated.events),
            None => (self.late.as_ref().and_then(LatencyUs::of), Vec::new()),
        };
        let mut events = std::mem::take(&mut summary.events);
        events.extend(noted);
        events.extend(self.network.events(resolved));
        events.sort_by(|a, b| a.t_s.total_cmp(&b.t_s));
        let links = self.network.links(resolved, &summary);
        let mut result = RunResult {
            schema: result::SCHEMA.into(),
            mode: self.mode,
            by_interval_s: None,
            tool: Tool {
                name: "blockyard".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            scenario: scenario.name.clone(),
            seed: scenario.seed,
            random: summary.random.clone(),
            duration_s: summary.duration_s,
            status: self.status,
            reason: self.reason,
            machine: self.machine,
            resolved: resolved.limits.clone(),
            rests_on: rests_on.to_vec(),
            notices: resolved.notices.clone(),
            open_loop: summary.open_loop(&self.backlogs),
            goals: resolved
                .goals
                .iter()
                // Clients from outside are not the scenario's jobs.
                .filter(|goal| summary.has_job(&goal.job))
                .map(|goal| goal_figures::outcome(goal, &summary, &self.network, rests_on))
                .collect(),
            totals: summary.totals,
            steps: summary.steps,
            cycles: summary.cycles,
            amounts: summary.amounts,
            transactions: summary.transactions,
            volumes: summary.volumes,
            hosts: summary.hosts,
            links,
            host_networks: self.network.host_networks(resolved),
            packet_cpu: self.network.packet_cpu(resolved),
            mirrors: self.network.mirrors(resolved, &summary.unserved),
            journal_mirrors: self.network.journal_mirrors(resolved),
            limits: summary.limits,
            lateness_us,
            events,
            by_seed: None,
            recordings: resolved.recordings.clone(),
            observed: None,
        };
        if matches!(self.mode, Mode::Simulate) {
            result.expect();
        }
        if self.late.is_some() {
            let said = late_replay(&result);
            result.notices.extend(said);
        }
        result
    }
}

/// That a replay is invalid, if it was: what comes later than IOs take is another load.
fn late_replay(result: &RunResult) -> Option<String> {
    let late = result.lateness_us?.p99;
    let latencies = result.totals.iter().filter_map(|total| total.latency_us);
    let shortest = latencies.map(|us| us.p50).reduce(f64::min)?;
    (late > shortest).then(|| {
        format!(
            "the replay is invalid: 1% of its IOs were issued {late:.0} \u{b5}s or more after their \
             times, where half of an operation's take less than {shortest:.0} \u{b5}s"
        )
    })
}
