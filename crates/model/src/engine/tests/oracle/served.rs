//! Whose turn it is, by counting what each flow was served.

use super::*;

/// Who takes turns with others: a direction, or a submitter.
pub(super) type Flow = (bool, Option<usize>, u32);

pub(super) fn flow(discipline: Discipline, part: &OraclePart) -> Flow {
    match discipline {
        Discipline::Fifo => (false, None, 0),
        Discipline::Classes => (part.write, None, 0),
        Discipline::Queues => (false, part.asker.job(), part.submitter),
    }
}

/// How many IOs each flow was served.
#[derive(Default)]
pub(super) struct Served {
    pub(super) ios: BTreeMap<Flow, u64>,
    /// What the flow that was served last had before.
    level: u64,
}

impl Served {
    /// Somebody waits in a flow in which nobody did: what others were served meanwhile it is not
    /// owed.
    pub(super) fn comes(&mut self, flow: Flow) {
        let ios = self.ios.entry(flow).or_default();
        *ios = self.level.max(*ios);
    }

    pub(super) fn serve(&mut self, flow: Flow, ios: u64) {
        self.level = self.ios[&flow];
        *self.ios.entry(flow).or_default() += ios;
    }
}
