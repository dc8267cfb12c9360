//! Shared disks: which node of a cluster has them, and the outages in which they are handed
//! over.
//!
//! One node at a time is active and writes. When it is lost, the others notice after the
//! heartbeat's timeout, fence it off, take its disks over and start what ran there; when it is
//! switched, it stops first. All of that depends on nothing but times that are known before a
//! run begins: when which node is lost and returns, and how long each step takes.

mod hand_over;
mod spec;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use self::hand_over::HandOver;
pub use self::spec::{Cluster, Outage, Refused, Step, StepTimes};
use crate::units::Nanos;

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
