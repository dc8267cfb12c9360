//! An event as results tell of it.

use blockyard_model::fault::{Does, Fault, Schedule};
use blockyard_model::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ResolvedOutage;
use crate::units::Percent;

/// An event's kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Volumes, a host or a zone failed.
    Fail,
    /// A link was down.
    Cut,
    /// A sender over a restored link waited: for TCP's retransmission timer, which had doubled, or
    /// for another connection.
    Resume,
    /// Volumes answered nothing.
    Pause,
    /// Volumes delivered part of their rates.
    Degrade,
    /// Volumes were modified.
    Modify,
    /// A device grew.
    Grow,
    /// A cluster lost its active node; another took over.
    Failover,
    /// A cluster was switched to another node.
    Switch,
    /// A mirror whose legs stayed apart was told to connect.
    Reconnect,
    /// A job got more processes.
    Add,
    /// A journal mirror's backup lost active status; the primary was in trouble.
    Trouble,
    /// A returned backup, node or leg of a mirror caught up.
    CatchUp,
    /// A backup or the host of a mirror's other leg took over.
    Takeover,
    /// A mirror served no IO until a leg was fenced or a host served.
    Frozen,
    /// A standby was not promoted, as it lacked too much of the log.
    NotPromoted,
    /// Each leg of a mirror had writes that the other lacked.
    SplitBrain,
    /// What only one leg had was discarded after that.
    Discarded,
    /// Nothing was heard of a node of a cluster: commits waited for it.
    Silent,
    /// A cluster gave up a node, or a mirror a leg.
    Left,
    /// A node of a cluster had missed more than is kept: it needs a copy of all data.
    Outdated,
    /// A node of a cluster got a copy of all data from another.
    StateTransfer,
    /// The log that was kept for standbys filled its disk: the primary stopped.
    LogFull,
    /// A cluster had too few nodes: it refused transactions.
    NoQuorum,
    /// Semi-synchronous replication was asynchronous: commits waited for no replica.
    Asynchronous,
    /// A fault was injected from outside, or ended.
    Fault,
    /// A limit was set from outside.
    Set,
    /// Something else worth knowing.
    #[default]
    Note,
}

impl EventKind {
    /// Its name, as results have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Cut => "cut",
            Self::Resume => "resume",
            Self::Pause => "pause",
            Self::Degrade => "degrade",
            Self::Modify => "modify",
            Self::Grow => "grow",
            Self::Failover => "failover",
            Self::Switch => "switch",
            Self::Reconnect => "reconnect",
            Self::Add => "add",
            Self::Trouble => "trouble",
            Self::CatchUp => "catch_up",
            Self::Takeover => "takeover",
            Self::NotPromoted => "not_promoted",
            Self::Frozen => "frozen",
            Self::SplitBrain => "split_brain",
            Self::Discarded => "discarded",
            Self::Silent => "silent",
            Self::Left => "left",
            Self::Outdated => "outdated",
            Self::StateTransfer => "state_transfer",
            Self::LogFull => "log_full",
            Self::NoQuorum => "no_quorum",
            Self::Asynchronous => "asynchronous",
            Self::Fault => "fault",
            Self::Set => "set",
            Self::Note => "note",
        }
    }
}

/// An event of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedEvent {
    /// Its kind.
    pub kind: EventKind,
    /// What it happens to, as the scenario names it.
    pub on: String,
    /// When it begins.
    pub at: Nanos,
    /// When it is over; none if it is not, or a seed decides.
    pub until: Option<Nanos>,
    /// The devices whose IO it changes, by their indices.
    pub devices: Vec<usize>,
    /// Those of them with a journal that a link of it ships, whichever member of the journal's
    /// mirror is primary.
    pub journals: Vec<usize>,
    /// It is about links or processors alone: no volume waits because of it.
    pub spares_volumes: bool,
    /// What a cluster's outage consists of.
    pub outage: Option<ResolvedOutage>,
    /// The places of its faults in the schedule.
    pub(super) faults: Vec<usize>,
    /// What it makes of it, in words that go on after the kind's.
    pub(super) becomes: String,
}

impl ResolvedEvent {
    /// An event that is no more than this.
    pub fn new(
        kind: EventKind,
        on: &str,
        at: Nanos,
        until: Option<Nanos>,
        devices: Vec<usize>,
    ) -> Self {
        Self {
            kind,
            on: on.to_owned(),
            at,
            until,
            devices,
            journals: Vec::new(),
            spares_volumes: false,
            outage: None,
            faults: Vec::new(),
            becomes: String::new(),
        }
    }

    /// The faults that it is, as `seed` decides.
    pub fn faults(&self, schedule: &Schedule, seed: u64) -> Vec<Fault> {
        let all = schedule.drawn(seed).enumerate();
        let own = all.filter(|(place, _)| self.faults.contains(place));
        let own = own.map(|(_, fault)| fault);
        own.filter(|it| !(it.volumes.is_empty() && it.links.is_empty() && it.hosts.is_empty()))
            .collect()
    }

    /// The same with what `seed` decides of it, and in words what happens.
    pub fn drawn(&self, schedule: &Schedule, seed: u64) -> (Self, String) {
        let faults = self.faults(schedule, seed);
        let ends: Option<Vec<_>> = faults.iter().map(|fault| fault.until).collect();
        let until = ends.and_then(|ends| ends.into_iter().max());
        let event = Self {
            until: self.until.or(until),
            ..self.clone()
        };
        let Self { on, becomes, .. } = self;
        let what = match (self.kind, faults.first().map(|fault| &fault.does)) {
            (EventKind::Fail, _) => format!("{on} fails"),
            (EventKind::Cut, _) => format!("{on} is cut{becomes}"),
            (EventKind::Pause, _) => format!("{on} pauses"),
            (EventKind::Degrade, Some(Does::Slow(share))) => {
                let share = Percent::new((*share).into());
                format!("{on} degrades to {share}{becomes}")
            }
            (EventKind::Degrade, _) => format!("{on} degrades to {becomes}"),
            (EventKind::Modify, _) => format!("{on} is modified to {becomes}"),
            (EventKind::Grow, _) => format!("{on} grows by {becomes}"),
            (EventKind::Switch, _) => match &self.outage {
                Some(outage) => format!("{on} is switched: it {}", outage.words()),
                None => on.clone(),
            },
            (EventKind::Failover, _) => match &self.outage {
                Some(outage) => format!("{on} {}", outage.words()),
                None => on.clone(),
            },
            (EventKind::Reconnect, _) => format!("{on} is told to connect"),
            (EventKind::Add, _) => format!("{on}: {becomes} processes more"),
            _ => on.clone(),
        };
        (event, what)
    }
}
