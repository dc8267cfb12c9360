//! One outage, step by step.

use alloc::vec::Vec;

use super::spec::{Cluster, Outage, Step};
use crate::units::Nanos;

/// An outage up to now.
pub(super) struct HandOver<'a> {
    cluster: &'a Cluster,
    now: Nanos,
    /// The node that the disks are attached to.
    holder: usize,
    outage: Outage,
}

impl<'a> HandOver<'a> {
    /// The active node is lost.
    pub(super) fn lost(cluster: &'a Cluster, from: usize, at: Nanos) -> Self {
        Self {
            cluster,
            now: at,
            holder: from,
            outage: Outage {
                at,
                from,
                to: None,
                switched: false,
                cut: at,
                steps: Vec::new(),
            },
        }
    }

    /// The active node is to be another.
    pub(super) fn switched(cluster: &'a Cluster, from: usize, at: Nanos) -> Self {
        let mut this = Self::lost(cluster, from, at);
        this.outage.switched = true;
        this.outage.cut = at.saturating_add(cluster.times.stop);
        this
    }

    /// Hands over to the node `wanted`; where none is, or that is lost meanwhile, to the first
    /// that is there, the one that was lost being the last choice.
    pub(super) fn run(mut self, mut wanted: Option<usize>) -> Outage {
        let times = self.cluster.times;
        loop {
            let planned = wanted.is_some();
            if !planned {
                self.step(Step::Detection, Some(times.detection));
            }
            let Some(node) = wanted.take().or_else(|| self.choose()) else {
                self.step(Step::NoNode, None);
                return self.outage;
            };
            if self.take_over(node, planned) {
                self.outage.to = Some(node);
                return self.outage;
            }
        }
    }

    /// The node that is to take over, after a wait until one is there; none if none ever is.
    fn choose(&mut self) -> Option<usize> {
        let nodes = 0..self.cluster.lost.len();
        let others = nodes.filter(|&node| node != self.holder);
        let order = others.chain([self.holder]);
        let back = order.filter_map(|node| Some((self.cluster.back(node, self.now)?, node)));
        // The first of those that are back first.
        let (at, node) = back.reduce(|a, b| if b.0 < a.0 { b } else { a })?;
        self.step(Step::NoNode, Some(at - self.now));
        Some(node)
    }

    /// Takes the steps by which a node becomes active; whether it was not lost meanwhile.
    fn take_over(&mut self, node: usize, planned: bool) -> bool {
        let times = self.cluster.times;
        let moves = node != self.holder;
        let steps = [
            (Step::Stop, times.stop, planned),
            (Step::Fencing, times.fencing, moves && !planned),
            (Step::Detach, times.detach, moves),
            (Step::Attach, times.attach, moves),
            (Step::Import, times.import, true),
            (Step::Recovery, times.recovery, !planned),
            (Step::Start, times.start, true),
        ];
        let lost = self.cluster.next_loss(node, self.now);
        for (step, length, is_taken) in steps {
            if !is_taken {
                continue;
            }
            let end = self.now.saturating_add(length);
            if let Some(lost) = lost.filter(|&lost| lost < end) {
                self.step(step, Some(lost - self.now));
                return false;
            }
            self.step(step, Some(length));
            if step == Step::Attach {
                self.holder = node;
            }
        }
        true
    }

    fn step(&mut self, step: Step, length: Option<Nanos>) {
        if length != Some(0) {
            self.outage.steps.push((step, length));
        }
        self.now = self.now.saturating_add(length.unwrap_or(0));
    }
}
