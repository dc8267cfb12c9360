//! Standbys that commits wait for though nothing is heard of them, as an operator sees it.

use super::Stream;
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::replication::group::standing::Host;
use crate::replication::group::{Group, tell};
use crate::spec::Which;
use crate::units::Nanos;
use crate::workload::MembershipEvent;

impl Stream {
    /// The first standby that commits wait for and that does not answer.
    fn awaited(&self, now: Nanos, primary: usize) -> Option<usize> {
        let wanted = self.spec.standbys as usize;
        let all = || {
            let numbered = self.standbys.iter().enumerate();
            numbered.filter(move |&(node, _)| node != primary)
        };
        let is_heard = |node: usize| self.standbys[node].gone_at == NEVER;
        match self.spec.which {
            Which::Any if all().filter(|it| is_heard(it.0)).count() >= wanted => None,
            Which::Any => all().map(|it| it.0).find(|&it| !is_heard(it)),
            Which::First => {
                let counted = || all().filter(|it| it.1.counts(now)).take(wanted);
                let silent = counted().map(|it| it.0).find(|&it| !is_heard(it));
                let is_short = counted().count() < wanted;
                let other = || all().find(|it| !it.1.counts(now)).map(|it| it.0);
                silent.or_else(|| is_short.then(other).flatten())
            }
        }
    }

    fn is_heard_of_all(&self, primary: usize) -> bool {
        self.others(primary)
            .all(|of| of.gone_at == NEVER && of.known >= of.counts_from)
    }
}

impl Group {
    /// Tells whom commits wait for that does not answer, if that is another than before.
    pub(in crate::replication::group) fn looks_at_standbys(
        &mut self,
        now: Nanos,
        sink: &mut impl NetworkSink,
    ) {
        let Some(stream) = &self.stream else { return };
        if stream.awaited.is_none() && stream.is_heard_of_all(self.writer) {
            return;
        }
        let writer = self.writer();
        let commits = !writer.is_stopped()
            && self.members[self.writer].on == Host::Up
            && self.demoted_since().is_none();
        let waits = stream.spec.holds_commits(writer.spec().log.durable);
        let waits = commits && waits && !stream.is_asynchronous();
        let is = waits.then(|| stream.awaited(now, self.writer)).flatten();
        let Some(stream) = &mut self.stream else {
            return;
        };
        if core::mem::replace(&mut stream.awaited, is) == is {
            return;
        }
        let what = match is {
            Some(node) => MembershipEvent::Awaited(node as u16),
            None => MembershipEvent::NobodyAwaited,
        };
        tell(now, what, sink);
    }
}
