//! Shared disks: which node of a cluster has them, and the outages in which they are handed
//! over.
//!
//! One node at a time is active and writes. When it is lost, the others notice after the
//! heartbeat's timeout, fence it off, take its disks over and start what ran there; when it is
//! switched, it stops first. All of that depends on nothing but times that are known before a
//! run begins: when which node is lost and returns, and how long each step takes.

mod hand_over;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use self::hand_over::HandOver;
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

impl Cluster {
    /// The outages that follow, in the order of time.
    ///
    /// # Errors
    /// The number of the first switch that cannot be, and why.
    pub fn outages(&self) -> Result<Vec<Outage>, (usize, Refused)> {
        let mut outages = Vec::new();
        let (mut active, mut now) = (0, 0);
        let mut switches = self.switches.iter().copied().enumerate().peekable();
        loop {
            let lost = self.next_loss(active, now);
            let switch = switches.next_if(|&(_, (at, _))| lost.is_none_or(|lost| at < lost));
            let outage = match (lost, switch) {
                (None, None) => return Ok(outages),
                (_, Some((number, (at, to)))) => {
                    let refused = |why| (number, why);
                    if at < now {
                        return Err(refused(Refused::HandedOver(Some(now))));
                    }
                    if to == active {
                        return Err(refused(Refused::Active));
                    }
                    if self.is_lost(to, at) {
                        return Err(refused(Refused::Lost));
                    }
                    HandOver::switched(self, active, at).run(Some(to))
                }
                (Some(at), None) => HandOver::lost(self, active, at).run(None),
            };
            let (to, until) = (outage.to, outage.until());
            outages.push(outage);
            match (to, until) {
                (Some(to), Some(until)) => (active, now) = (to, until),
                _ => break,
            }
        }
        match switches.next() {
            Some((number, _)) => Err((number, Refused::HandedOver(None))),
            None => Ok(outages),
        }
    }

    /// When a node is lost next, from `now` on; at once if it is.
    fn next_loss(&self, node: usize, now: Nanos) -> Option<Nanos> {
        let mut lost = self.lost[node].iter();
        let next = lost.find(|(_, until)| until.is_none_or(|until| until > now));
        next.map(|(from, _)| (*from).max(now))
    }

    fn is_lost(&self, node: usize, now: Nanos) -> bool {
        self.next_loss(node, now) == Some(now)
    }

    /// When a node that is lost is back.
    fn back(&self, node: usize, now: Nanos) -> Option<Nanos> {
        let mut at = now;
        // What is lost again at the very moment of its return was not back.
        for (from, until) in &self.lost[node] {
            if *from <= at && until.is_none_or(|until| until > at) {
                at = (*until)?;
            }
        }
        Some(at)
    }
}
