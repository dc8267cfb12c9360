//! A cluster, its outages, and what these consist of.

use alloc::vec::Vec;

use crate::units::Nanos;

/// What an outage of a cluster consists of, in the order in which it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The loss of the active node is noticed.
    Detection,
    /// What runs on the active node is stopped, and what is in flight completes.
    Stop,
    /// No node is there that could take over.
    NoNode,
    /// The lost node is kept from writing.
    Fencing,
    /// The disks are detached from the node that had them.
    Detach,
    /// They are attached to the other.
    Attach,
    /// Their volume group is imported, and file systems are mounted.
    Import,
    /// The journals of file system and database are applied, which only a loss makes necessary.
    Recovery,
    /// What runs on the node is started.
    Start,
}

/// How long each step takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// [`Step::Detection`].
    pub detection: Nanos,
    /// [`Step::Stop`].
    pub stop: Nanos,
    /// [`Step::Fencing`].
    pub fencing: Nanos,
    /// [`Step::Detach`].
    pub detach: Nanos,
    /// [`Step::Attach`].
    pub attach: Nanos,
    /// [`Step::Import`].
    pub import: Nanos,
    /// [`Step::Recovery`].
    pub recovery: Nanos,
    /// [`Step::Start`].
    pub start: Nanos,
}

/// A cluster, and what happens to its nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// How long its steps take.
    pub times: StepTimes,
    /// By node: when it is lost and when it is back, if it is, in the order of time; the first
    /// node is active at the start.
    pub lost: Vec<Vec<(Nanos, Option<Nanos>)>>,
    /// When it is to be switched to which node, in the order of time.
    pub switches: Vec<(Nanos, usize)>,
}

/// A time in which no node has the disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When it begins.
    pub at: Nanos,
    /// The node that was active.
    pub from: usize,
    /// The node that is active afterwards; none if there is none any more.
    pub to: Option<usize>,
    /// Whether it was switched, not lost.
    pub switched: bool,
    /// When what was in flight on the active node fails: at once if that is lost, and when the
    /// time to stop is over if it is switched.
    pub cut: Nanos,
    /// Its steps one after another, each with how long it takes; none of the last if that has
    /// no end. A node that is lost while it takes over cuts its step short.
    pub steps: Vec<(Step, Option<Nanos>)>,
}

/// Why a cluster cannot be switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The node is the active one.
    Active,
    /// The node is lost at that time.
    Lost,
    /// The disks are being handed over already, until then if that has an end.
    HandedOver(Option<Nanos>),
}

impl Outage {
    /// When it is over; none if never.
    pub fn until(&self) -> Option<Nanos> {
        let mut steps = self.steps.iter();
        steps.try_fold(self.at, |at, (_, length)| {
            Some(at.saturating_add((*length)?))
        })
    }
}
