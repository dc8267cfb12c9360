//! Legs that meet after both hosts have served alone: each has writes that the other lacks, which
//! no copying can join.

use super::Mirrors;
use super::state::{History, Mirror, Reach, Transition};
use crate::engine::Engine;
use crate::spec::AfterSplitBrain;
use crate::units::Nanos;

impl Mirrors {
    /// The link between the legs of a mirror works again.
    pub(super) fn legs_meet(&mut self, now: Nanos, mirror: usize) {
        let of = &mut self.mirrors[mirror];
        let leg = of.secondary();
        match core::mem::replace(&mut of.history, History::One) {
            History::One => of.reconnect(),
            History::Diverged(alone) => {
                of.counts.split_brains += 1;
                let split = Transition::SplitBrain {
                    leg,
                    alone: alone.bytes(),
                };
                of.transitions.push((now, split));
                of.history = History::SplitBrain(alone);
                if of.spec.partition.after_split_brain == AfterSplitBrain::DiscardSecondary {
                    of.discard(now);
                    of.reconnect();
                }
            }
            apart @ History::SplitBrain(_) => of.history = apart,
        }
    }

    /// The mirror that has this volume is told to discard what the leg that does not serve has
    /// written alone, if its legs stay apart.
    pub(crate) fn reconnect(&mut self, engine: &mut Engine, now: Nanos, volume: usize) {
        for mirror in 0..self.mirrors.len() {
            let of = &mut self.mirrors[mirror];
            let mut legs = of.legs.iter();
            if !legs.any(|leg| leg.volumes.contains(&volume)) || !of.discard(now) {
                continue;
            }
            let leg = &of.legs[of.secondary()];
            if leg.link.is_some_and(|at| self.links[at.link].is_whole()) {
                self.mirrors[mirror].reconnect();
                self.start_resync(engine, now, mirror);
            }
        }
    }
}

impl Mirror {
    /// What the leg that does not serve has written alone is not to be kept; whether the legs had
    /// stayed apart.
    fn discard(&mut self, now: Nanos) -> bool {
        let leg = self.secondary();
        match core::mem::replace(&mut self.history, History::One) {
            History::SplitBrain(alone) => {
                self.counts.discarded += alone.bytes();
                self.differs(leg, &alone);
                self.transitions.push((now, Transition::Discarded { leg }));
                true
            }
            other => {
                self.history = other;
                false
            }
        }
    }

    /// The leg that does not serve can be reached again.
    fn reconnect(&mut self) {
        let leg = self.secondary();
        if self.legs[leg].reach == Reach::Away {
            self.legs[leg].reach = Reach::Here;
        }
    }
}
