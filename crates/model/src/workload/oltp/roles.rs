//! An engine's part in its group: transactions are asked of it, or it applies what another sends.

use alloc::vec::Vec;

use super::log::Log;
use super::outbox::Outbox;
use super::slots::LOAD;
use super::spec::OltpSpec;
use super::threads::{Phase, Thread};
use super::{Load, Oltp, Service};
use crate::event_queue::NEVER;
use crate::units::Nanos;
use crate::workload::facts::Fact;
use crate::workload::io::{IoSink, Slot};

/// What another node gets for the load.
pub(crate) struct Lead {
    pub(super) load: Load,
    /// Where write sets or the log go out.
    pub(crate) unsent: Option<Vec<Slot>>,
    pub(crate) outbox: Option<Outbox>,
}

impl Oltp {
    /// Transactions are asked of another node from now on: what was under way here fails.
    pub(crate) fn hands_over(&mut self, now: Nanos, sink: &mut impl IoSink) -> Lead {
        if !self.is_stopped() && self.under_way() > 0 {
            sink.fact(Fact::Failed(now, self.under_way()));
        }
        for thread in 0..self.threads.len() as Slot {
            // One that reads has its slot until that ends.
            if matches!(self.thread(thread).phase, Phase::Thinking | Phase::Working) {
                sink.wake(self.slot(thread), NEVER);
            }
            self.thread(thread).enter(now, Phase::Idle);
        }
        self.processors = self.processors.anew(self.spec.cores);
        self.log.let_go();
        self.binlog.iter_mut().for_each(Log::let_go);
        self.for_room.clear();
        self.for_space.clear();
        (self.leads, self.clients_stay) = (false, false);
        Lead {
            load: core::mem::replace(&mut self.load, Load::Elsewhere),
            unsent: self.unsent.take(),
            outbox: self.outbox.take(),
        }
    }

    /// It applies what another node sends, as an engine of `spec`. No thread may wait
    /// for IO.
    pub(crate) fn follows(&mut self, spec: OltpSpec) {
        self.spec = spec;
        self.threads.fill(Thread::IDLE);
    }

    /// Transactions are asked of it, as an engine of `spec`: it must have applied all that it has.
    pub(crate) fn leads_on(
        &mut self,
        now: Nanos,
        spec: OltpSpec,
        lead: Lead,
        sink: &mut impl IoSink,
    ) {
        self.spec = spec;
        (self.leads, self.clients_stay) = (true, true);
        self.service = Service::Serves;
        self.load = lead.load;
        (self.unsent, self.outbox) = (lead.unsent, lead.outbox);
        self.threads.fill(Thread::IDLE);
        match &mut self.load {
            Load::Closed { steps, .. } => steps.resume(LOAD, sink),
            Load::Open { free, .. } => *free = (0..self.spec.threads()).collect(),
            Load::Elsewhere => {}
        }
        self.load_is_back(now, sink);
    }

    /// What has waited for an engine to serve begins.
    pub(crate) fn load_is_back(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.idle_begin(now, sink);
        self.take_due(now, sink);
    }
}
