//! A stage of the oracle: who waits there, and who is next by what each was served.

use super::*;

/// Who takes turns with others: a direction, or a submitter.
pub(super) type Flow = (bool, Option<usize>, u32);

pub(super) fn flow(discipline: Discipline, part: &OraclePart) -> Flow {
    match discipline {
        Discipline::Fifo => (false, None, 0),
        Discipline::PerDirection => (part.write, None, 0),
        Discipline::PerSubmitter => (false, part.requester.job(), part.submitter),
    }
}

/// A stage and who waits there.
pub(super) struct OracleStage {
    pub(super) buckets: Vec<Bucket>,
    pub(super) discipline: Discipline,
    pub(super) whole_unit: Option<Bytes>,
    pub(super) paused: bool,
    /// Indices of parts, in the order of arrival.
    pub(super) line: Vec<usize>,
    pub(super) last: (Nanos, Option<LimitId>),
    pub(super) served: Served,
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

impl OracleStage {
    /// Which in line is next: the first of those whose flows were served least; for `fifo` there
    /// is one flow.
    pub(super) fn next(&self, parts: &[OraclePart]) -> Option<usize> {
        let flow = |&part: &usize| flow(self.discipline, &parts[part]);
        let served = self.line.iter().map(|part| self.served.ios[&flow(part)]);
        let least = served.clone().min()?;
        served.into_iter().position(|ios| ios == least)
    }

    /// Nobody is owed anything where nobody waits.
    pub(super) fn forget_if_empty(&mut self) {
        if self.line.is_empty() {
            self.served = Served::default();
        }
    }

    pub(super) fn conforms(&self, at: Nanos, part: &OraclePart) -> bool {
        let mut buckets = self.buckets.iter();
        buckets.all(|bucket| bucket.conforms(at, bucket.cost(part, self.whole_unit)))
    }
}
