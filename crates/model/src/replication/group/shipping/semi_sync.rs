//! Semi-synchronous replication: commits wait until enough replicas have received them, but no
//! longer than a timeout.
//!
//! As the source of MySQL and MariaDB does (`plugin/semisync/semisync_source.cc` and
//! `sql/semisync_master.cc`): once the commit that waits longest has waited for the timeout, all go
//! on, and replication is asynchronous. It is semi-synchronous again when enough replicas
//! acknowledge the last commit in the binary log: one written meanwhile is later than what they
//! acknowledge, so a source with more commits than that takes stays asynchronous.

use super::Stream;
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::replication::group::{Group, tell};
use crate::spec::Fallback;
use crate::units::Nanos;
use crate::workload::MembershipEvent;

/// Whether commits wait, and what went on without.
#[derive(Clone, Debug)]
pub(super) struct SemiSync {
    spec: Fallback,
    /// Since when replication is asynchronous, and for how long it was before.
    asynchronous_since: Option<Nanos>,
    asynchronous: Nanos,
    /// Commits that went on meanwhile.
    unacknowledged: u64,
}

impl SemiSync {
    pub(super) fn new(spec: Fallback) -> Self {
        Self {
            spec,
            asynchronous_since: None,
            asynchronous: 0,
            unacknowledged: 0,
        }
    }

    fn is_asynchronous(&self) -> bool {
        self.asynchronous_since.is_some()
    }

    /// Commits wait again. Gives whether they did not.
    fn is_over(&mut self, now: Nanos) -> bool {
        let since = self.asynchronous_since.take();
        self.asynchronous += since.map_or(0, |since| now - since);
        since.is_some()
    }
}

impl Stream {
    /// Whether a commit goes on without an acknowledgement, which is counted.
    pub(super) fn goes_on_without(&mut self) -> bool {
        let semi_sync = self.semi_sync.as_mut();
        let asynchronous = semi_sync.filter(|it| it.is_asynchronous());
        asynchronous.is_some_and(|it| {
            it.unacknowledged += 1;
            true
        })
    }

    pub(super) fn is_asynchronous(&self) -> bool {
        let semi_sync = self.semi_sync.as_ref();
        semi_sync.is_some_and(SemiSync::is_asynchronous)
    }

    /// When the commit that waits longest has waited for the timeout.
    pub(in crate::replication::group) fn next_timeout(&self) -> Nanos {
        let semi_sync = self.semi_sync.as_ref();
        match (semi_sync, self.waiting.front()) {
            (Some(own), Some(first)) if !own.is_asynchronous() => {
                first.since.saturating_add(own.spec.timeout)
            }
            _ => NEVER,
        }
    }

    /// Whether so many replicas are connected as must acknowledge a commit, or none has to be.
    fn has_replicas(&self, now: Nanos, source: usize) -> bool {
        let connected = self.others(source).filter(|of| of.gone_at > now);
        let waits_anyway = self
            .semi_sync
            .as_ref()
            .is_some_and(|it| it.spec.wait_no_replica);
        waits_anyway || connected.count() >= self.spec.standbys as usize
    }

    /// Turns to asynchronous replication if it is time to.
    fn falls_back(&mut self, now: Nanos, source: usize) -> bool {
        let is_due = self.next_timeout() <= now || !self.has_replicas(now, source);
        match &mut self.semi_sync {
            Some(own) if is_due && !own.is_asynchronous() => {
                own.asynchronous_since = Some(now);
                true
            }
            _ => false,
        }
    }

    /// For how long replication was asynchronous until `now`, and how many commits went on
    /// meanwhile.
    pub(in crate::replication::group) fn asynchronous(&self, now: Nanos) -> (Nanos, u64) {
        self.semi_sync.as_ref().map_or((0, 0), |own| {
            let running = own.asynchronous_since.map_or(0, |since| now - since);
            (own.asynchronous + running, own.unacknowledged)
        })
    }
}

impl Group {
    /// Commits do not wait any longer, if it is time to.
    pub(super) fn falls_back(&mut self, now: Nanos, sink: &mut impl NetworkSink) -> bool {
        let source = self.writer;
        let stream = self.stream.as_mut();
        let falls_back = stream.is_some_and(|it| it.falls_back(now, source));
        if falls_back {
            tell(now, MembershipEvent::Asynchronous, sink);
        }
        falls_back
    }

    /// A replica has acknowledged what it has: commits wait again, if enough have the last one.
    pub(super) fn catches_up(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        let source = self.writer;
        let last = self.writer().end_of_binlog();
        let Some(stream) = &mut self.stream else {
            return;
        };
        let is_enough = stream.acknowledged(now, source) >= last;
        let holds = is_enough && stream.has_replicas(now, source);
        let waits = |own: &&mut SemiSync| holds && own.spec.timeout > 0;
        let own = stream.semi_sync.as_mut().filter(waits);
        if own.is_some_and(|it| it.is_over(now)) {
            tell(now, MembershipEvent::SemiSynchronous, sink);
        }
    }

    /// The source has stopped: nothing commits asynchronously any more, and the next one begins
    /// semi-synchronously.
    pub(in crate::replication::group) fn source_has_stopped(
        &mut self,
        now: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        let semi_sync = self.stream.as_mut().and_then(|it| it.semi_sync.as_mut());
        if semi_sync.is_some_and(|it| it.is_over(now)) {
            tell(now, MembershipEvent::SemiSynchronous, sink);
        }
    }
}
