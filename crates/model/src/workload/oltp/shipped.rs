//! The logs of an engine that ships one, or is shipped one.

use crate::spec::Shipped;
use crate::units::{Bytes, Nanos};
use crate::workload::io::IoSink;
use crate::workload::oltp::log::Log;
use crate::workload::oltp::{Oltp, slots};

impl Oltp {
    /// A piece of the primary's log has come: it is written, with all that came during the last
    /// write.
    pub(crate) fn receives_log(&mut self, now: Nanos, bytes: Bytes, sink: &mut impl IoSink) {
        let Some(relay_log) = &mut self.relay_log else {
            self.log.append(bytes);
            self.log.want();
            return self.write_log(now, slots::LOG, sink);
        };
        relay_log.append(bytes);
        if self.spec.relay_log.is_some_and(|it| it.durable) {
            relay_log.want();
            self.write_log(now, self.relay_slot(), sink);
        }
    }

    /// Where what it has received ends, written or not.
    pub(crate) fn received_upto(&self) -> Bytes {
        self.relay_log.as_ref().unwrap_or(&self.log).end()
    }

    /// How much of what it has received it can replay.
    pub(crate) fn replayable(&self) -> Bytes {
        match (&self.relay_log, self.spec.relay_log) {
            (Some(log), Some(spec)) if !spec.durable => log.end(),
            (Some(log), _) => log.flushed(),
            (None, _) => self.log.flushed(),
        }
    }

    /// Transactions that it has told clients were committed, and that are not on its disk in the
    /// log that it ships.
    pub(crate) fn lost_with_log(&self, log: Shipped) -> u64 {
        let end = self.on_disk(log);
        let all = self.outbox.as_ref().map_or(0, |it| it.beyond(end));
        let untold = self.given_up.iter().filter(|commit| commit.0 > end);
        (all - untold.count()) as u64
    }

    /// Transactions that it has sent, and that are not on its disk in the log that it ships.
    pub(crate) fn sent_and_lost(&self, log: Shipped) -> u64 {
        let end = self.on_disk(log);
        self.outbox.as_ref().map_or(0, |it| it.sent_beyond(end)) as u64
    }

    /// How much of the log that is shipped is on its disk.
    pub(crate) fn on_disk(&self, log: Shipped) -> Bytes {
        match (log, &self.binlog) {
            (Shipped::Binlog, Some(binlog)) => binlog.flushed(),
            _ => self.log.flushed(),
        }
    }

    /// What it has of the log that is shipped ends there, whatever it had before.
    pub(crate) fn log_stands_at(&mut self, at: Bytes) {
        match &mut self.relay_log {
            None => self.log.stands_at(at),
            Some(relay_log) => {
                relay_log.stands_at(at);
                // What it has applied is in its own.
                self.binlog.iter_mut().for_each(|log| log.stands_at(at));
            }
        }
    }

    /// How much of its log may be sent: what is on disk. A binary log that no commit waits for is
    /// read from memory.
    pub(crate) fn sendable(&self, log: Shipped) -> Bytes {
        match (log, &self.binlog) {
            (Shipped::Wal, _) => self.log.flushed(),
            (Shipped::Binlog, Some(log)) if self.spec.log.durable => log.flushed(),
            (Shipped::Binlog, log) => log.as_ref().map_or(0, Log::end),
        }
    }
}
