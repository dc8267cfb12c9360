//! What bounds a resync: what its copies spend most of their time on, or its rate.
//!
//! As many copies are under way as its depth allows. Where they queue, they spend the most time.
//! Where most of them may begin only once the rate allows, it is the rate.

use crate::units::Nanos;

/// What a copy goes through, or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResyncStage {
    /// The rate that the resync is limited to.
    Rate,
    /// It is read from the leg that is up to date.
    Read,
    /// Messages are under way.
    Link,
    /// It is written to the other leg, or waits for buffers there.
    Write,
}

/// How copies spent their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResyncStages {
    /// Copies that were begun, and how many of them once the rate allowed them.
    begun: u64,
    held: u64,
    /// Time of all copies together in each stage but the first.
    spent: [Nanos; 4],
}

/// The copies that are under way, by stage.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    stages: ResyncStages,
    at: [u64; 4],
    since: Nanos,
    /// The next waits for the rate.
    pub(super) is_held: bool,
}

impl ResyncStages {
    /// What bound the copying.
    pub(super) fn slowest(&self) -> ResyncStage {
        if self.held * 2 > self.begun {
            return ResyncStage::Rate;
        }
        let all = [ResyncStage::Read, ResyncStage::Link, ResyncStage::Write];
        let longest = all.into_iter().max_by_key(|it| self.spent[*it as usize]);
        longest.unwrap_or(ResyncStage::Read)
    }

    /// With those of another resync.
    pub(super) fn add(&mut self, other: &Self) {
        self.begun += other.begun;
        self.held += other.held;
        let each = self.spent.iter_mut().zip(other.spent);
        each.for_each(|(all, own)| *all += own);
    }
}

impl UnderWay {
    /// How copies have spent their time, once none is under way.
    pub(super) fn stages(&self) -> &ResyncStages {
        &self.stages
    }

    /// A copy begins.
    pub(super) fn begun(&mut self) {
        self.stages.begun += 1;
        self.stages.held += u64::from(core::mem::take(&mut self.is_held));
    }

    /// A copy leaves a stage, or enters another, at `now`.
    pub(super) fn moves(&mut self, now: Nanos, from: Option<ResyncStage>, to: Option<ResyncStage>) {
        let passed = now - core::mem::replace(&mut self.since, now);
        let each = self.stages.spent.iter_mut().zip(self.at);
        each.for_each(|(spent, copies)| *spent += passed * copies);
        if let Some(from) = from {
            self.at[from as usize] -= 1;
        }
        if let Some(to) = to {
            self.at[to as usize] += 1;
        }
    }

    /// For so long a message waited for buffers of its receiver, whose disk was slow.
    pub(super) fn waited_unread(&mut self, time: Nanos) {
        let [_, _, link, write] = &mut self.stages.spent;
        *link = link.saturating_sub(time);
        *write += time;
    }
}
