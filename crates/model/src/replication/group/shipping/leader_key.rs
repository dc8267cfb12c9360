//! Whether a primary holds its leader key, as Patroni has it: a primary that cannot renew the key
//! is demoted, and a standby that can get it is promoted
//! (<https://patroni.readthedocs.io/en/latest/dynamic_configuration.html>, `ttl`).
//!
//! The key is taken to be kept by the hosts of the nodes, more than half of which must reach each
//! other for that. Where these are lost and not cut off, others are taken to keep it.

use crate::replication::group::Group;
use crate::replication::group::standing::Host;
use crate::spec::Shipped;
use crate::units::Nanos;

impl Group {
    /// The primary may answer no more what promotes standbys, as it is paused or cut off, or
    /// answer again.
    pub(in crate::replication::group) fn looks_at_primary(&mut self, now: Nanos) {
        let is_promoted = self.stream.is_some() && self.spec.take_over.is_some();
        if !is_promoted || self.writer().is_stopped() {
            return;
        }
        let is_paused = self.members[self.writer].on == Host::Paused;
        match is_paused || self.is_cut_off() {
            true => self.primary_is_lost(now),
            false => self.loss = None,
        }
    }

    /// Whether the primary lives and reaches nobody that can renew its key, while others could.
    pub(super) fn is_cut_off(&self) -> bool {
        if !self.is_shipped(Shipped::Wal) || self.members[self.writer].on != Host::Up {
            return false;
        }
        let nodes = 0..self.nodes.len();
        let mut holders = nodes.filter(|&it| self.has_majority(it)).peekable();
        holders.peek().is_some() && holders.all(|it| !self.reaches(self.writer, it))
    }

    /// Whether a node reaches more than half of all that keep the key, with itself.
    pub(super) fn has_majority(&self, node: usize) -> bool {
        let keeps = |it: &usize| matches!(self.members[*it].on, Host::Up | Host::Back(_));
        let nodes = 0..self.nodes.len();
        let reached = nodes.filter(|it| keeps(it) && self.reaches(node, *it));
        keeps(&node) && 2 * reached.count() > self.nodes.len()
    }
}
