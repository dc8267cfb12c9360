//! A volume of the oracle, and the streams on it.

use super::*;

pub(super) struct OracleVolume {
    pub(super) spec: VolumeSpec,
    pub(super) latency: Latency,
    pub(super) driver: OracleDriver,
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
