//! The engines of a group's nodes, made of the job's.

use crate::spec::{GroupNode, GroupSpec, Shipped};
use crate::units::Bytes;
use crate::workload::oltp::spec::{OltpSpec, PageUse, TransactionLoad, TransactionSpec};

impl GroupSpec {
    /// The engine of `node`, which applies what that of `job` sends: the pages that a
    /// transaction changes, each for the processor time that it took the transaction.
    pub(crate) fn engine(&self, job: &OltpSpec, node: &GroupNode) -> OltpSpec {
        let applied = |kind: &TransactionSpec| {
            let whole = u128::from(kind.processor) * u128::from(kind.changes);
            let changed = kind.tables.iter().filter(|it| it.changes > 0);
            let changed = changed.map(|it| PageUse {
                accesses: it.changes,
                ..*it
            });
            TransactionSpec {
                accesses: kind.changes,
                tables: changed.collect(),
                processor: (whole / u128::from(kind.accesses.max(1))) as u64,
                ..kind.clone()
            }
        };
        let mut engine = OltpSpec {
            data: node.data,
            kinds: job.kinds.iter().map(applied).collect(),
            load: TransactionLoad::Closed {
                steps: alloc::vec![(0, self.appliers)],
                think: 0,
            },
            host: node.host,
            cores: node.cores,
            binlog: node.binlog,
            doublewrite: node.doublewrite,
            relay_log: node.relay_log,
            certification: 0,
            // Nobody starts it again.
            moves_with: None,
            group: None,
            ..job.clone()
        };
        engine.log.region = node.log;
        if self.shipping.is_some_and(|it| it.log == Shipped::Wal) {
            // Its log is what it receives; replay appends nothing, and waits for none of it.
            engine.log.durable = false;
            engine.log.full_pages = false;
            engine.kinds.iter_mut().for_each(|kind| kind.log = 0);
        }
        engine
    }

    /// Bytes of the write set of a transaction: its rows, as the binary log has them.
    pub(crate) fn write_set(kind: &TransactionSpec) -> Bytes {
        kind.binlog
    }
}
