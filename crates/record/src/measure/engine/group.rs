//! The group of an engine: what its nodes did that applied, and how often they stopped it.

use blockyard_model::units::Nanos;
use blockyard_model::workload::spec::Shipped;
use blockyard_model::workload::{GroupCounts, NodeCounts};

use crate::measure::engine::ios::EngineIos;
use crate::measure::engine::time::time_spent;
use crate::measure::shape::{EngineShape, RunShape};
use crate::result::{LagTotal, NodeTotal, ReplicationTotal, seconds};

/// A group, of no nodes where an engine is alone.
#[derive(Debug)]
pub(crate) struct GroupRecord {
    warmup: Nanos,
    shipped: Option<Shipped>,
    /// What it had done by the end of the warm-up, and has by now.
    before: GroupCounts,
    now: GroupCounts,
    nodes: Vec<NodeRecord>,
}

/// A node that applies what another sends.
#[derive(Debug, Default)]
struct NodeRecord {
    host: usize,
    before: NodeCounts,
    now: NodeCounts,
    longest: u64,
    /// Bytes not on its disk, and transactions not replayed, at most.
    most_behind: (u64, u64),
    ios: EngineIos,
}

impl GroupRecord {
    /// Of the nodes of an engine.
    pub(crate) fn new(engine: &EngineShape, warmup: Nanos) -> Self {
        let node = |host| NodeRecord {
            host,
            ..NodeRecord::default()
        };
        Self {
            warmup,
            shipped: engine.shipped,
            before: GroupCounts::default(),
            now: GroupCounts::default(),
            nodes: engine.nodes.iter().copied().map(node).collect(),
        }
    }

    /// A second ended.
    pub(crate) fn group(&mut self, counts: GroupCounts) {
        self.now = counts;
        if counts.at <= self.warmup {
            self.before = counts;
        }
    }

    /// A second of a node ended.
    pub(crate) fn node(&mut self, counts: NodeCounts) {
        let node = &mut self.nodes[usize::from(counts.node)];
        node.now = counts;
        if counts.engine.at <= self.warmup {
            node.before = counts;
        } else {
            node.longest = node.longest.max(counts.longest);
            if let Some(lag) = counts.lag {
                let (unflushed, unreplayed) = &mut node.most_behind;
                *unflushed = lag.most_unflushed.max(*unflushed);
                *unreplayed = lag.most_unreplayed.max(*unreplayed);
            }
        }
    }

    /// A node takes the transactions from now on, and is behind nobody.
    pub(crate) fn serves(&mut self, node: usize) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.now.lag = None;
        }
    }

    /// The IO of a node.
    pub(crate) fn ios(&mut self, node: usize) -> &mut EngineIos {
        &mut self.nodes[node].ios
    }

    /// Its totals; none without other nodes.
    pub(crate) fn total(&self, shape: &RunShape) -> Option<ReplicationTotal> {
        let (now, before) = (&self.now, &self.before);
        let write_sets = now.write_sets - before.write_sets;
        // One that takes the transactions from the start applies nothing.
        let nodes = self.nodes.iter().enumerate();
        let nodes = nodes.filter(|(number, node)| *number > 0 || node.now.engine.at > 0);
        let is_shipped = self.shipped.is_some();
        let nodes: Vec<_> = nodes
            .map(|(_, node)| node.total(shape, is_shipped))
            .collect();
        (!self.nodes.is_empty()).then(|| ReplicationTotal {
            write_sets,
            bytes_per_write_set: each(now.bytes - before.bytes, write_sets),
            pauses: now.pauses - before.pauses,
            paused_s: seconds(now.paused - before.paused),
            silent_s: seconds(now.silent - before.silent),
            without_quorum_s: seconds(now.without_quorum - before.without_quorum),
            binary_log: self.shipped == Some(Shipped::Binlog),
            asynchronous_s: seconds(now.asynchronous - before.asynchronous),
            unacknowledged: now.unacknowledged - before.unacknowledged,
            nodes,
        })
    }
}

impl NodeRecord {
    fn total(&self, shape: &RunShape, is_shipped: bool) -> NodeTotal {
        let (now, before) = (&self.now, &self.before);
        // One that has taken over is behind nobody.
        let lag = is_shipped.then(|| now.lag.unwrap_or_default());
        let applied = now.applied - before.applied;
        let (engine, earlier) = (&now.engine, &before.engine);
        let waits = now.waits.since(&before.waits);
        NodeTotal {
            host: shape.hosts[self.host].clone(),
            applied,
            longest_queue: self.longest,
            queued: now.received - now.taken,
            stopped_s: seconds(now.stopped - before.stopped),
            lag: lag.map(|lag| LagTotal {
                most_unflushed_bytes: self.most_behind.0,
                unflushed_bytes: lag.unflushed,
                most_unreplayed: self.most_behind.1,
                unreplayed: lag.unreplayed,
            }),
            reads_per_write_set: each(engine.reads.saturating_sub(earlier.reads), applied),
            writes_per_write_set: each(engine.flushed.saturating_sub(earlier.flushed), applied),
            time: time_spent(&waits, applied),
            io: self.ios.totals(shape),
        }
    }
}

fn each(amount: u64, count: u64) -> f64 {
    match count {
        0 => 0.0,
        count => amount as f64 / count as f64,
    }
}
