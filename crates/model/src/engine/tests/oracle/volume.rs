//! A volume of the oracle: the streams on it, and who waits for it in the guest.

use super::*;

pub(super) struct OracleVolume {
    pub(super) spec: VolumeSpec,
    pub(super) latency: Latency,
    pub(super) guest: OracleGuest,
    /// The limit that a part on it waited for last.
    pub(super) last_limit: Option<LimitId>,
    pub(super) state: State,
    pub(super) stages: Vec<usize>,
    /// All streams that there were, the latest last: where each ends, its direction, and the
    /// bytes in its open unit.
    pub(super) streams: Vec<(Bytes, bool, Bytes)>,
}

impl OracleVolume {
    /// The units that a request counts, and whether it continues one of the last 16 streams.
    pub(super) fn follow(&mut self, offset: Bytes, len: Bytes, write: bool) -> (u64, bool) {
        let (unit, merges) = (self.spec.io_unit, len >= 32 * KIB);
        if !merges && self.spec.latency.sequential.is_none() {
            return (len.div_ceil(unit), false);
        }
        let recent = self.streams.len().saturating_sub(16);
        let mut latest = self.streams[recent..].iter();
        let known = latest.rposition(|it| (it.0, it.1) == (offset, write));
        let known = known.map(|place| self.streams.remove(recent + place));
        let filled = known.map_or(0, |it| if merges { it.2 } else { 0 });
        let open = if merges { (filled + len) % unit } else { 0 };
        self.streams.push((offset + len, write, open));
        let ios = (filled + len).div_ceil(unit) - u64::from(filled > 0);
        (ios, known.is_some())
    }
}

/// Who waits in the guest for a place in a volume: by flow, with the number of its turn, and the
/// parts.
pub(super) struct OracleGuest {
    pub(super) flows: BTreeMap<Flow, (u64, Vec<usize>)>,
    pub(super) served: Served,
    pub(super) turns: u64,
    pub(super) random: Stream,
}

impl OracleGuest {
    fn turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    pub(super) fn push(&mut self, flow: Flow, part: usize) {
        if !self.flows.contains_key(&flow) {
            self.served.comes(flow);
            let turn = self.turn();
            self.flows.insert(flow, (turn, vec![]));
        }
        self.flows.get_mut(&flow).unwrap().1.push(part);
    }

    pub(super) fn pop(&mut self, parts: &[OraclePart]) -> Option<usize> {
        let turns = self.flows.iter();
        let turns = turns.map(|(flow, it)| (self.served.ios[flow], it.0, *flow));
        let (_, _, flow) = turns.min()?;
        let (_, mut waiting) = self.flows.remove(&flow)?;
        let drawn = waiting.swap_remove(self.random.below(waiting.len() as u64) as usize);
        self.served.serve(flow, parts[drawn].ios);
        if !waiting.is_empty() {
            let turn = self.turn();
            self.flows.insert(flow, (turn, waiting));
        }
        if self.flows.is_empty() {
            self.served = Served::default();
        }
        Some(drawn)
    }

    pub(super) fn clear(&mut self) {
        self.flows.clear();
        self.served = Served::default();
    }
}
