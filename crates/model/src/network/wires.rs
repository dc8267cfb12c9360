//! The physical links of one direction.

use crate::spec::LinkSpec;
use crate::units::{Bytes, Nanos};

/// Wires that packets take in turn, each carrying one after another.
#[derive(Clone, Debug)]
pub(super) struct Wires {
    free: [Nanos; LinkSpec::MOST as usize],
    count: u64,
    /// Which takes the next packet.
    turn: u64,
    /// Bits a second of one, as it is now and by itself.
    bandwidth: u64,
    whole: u64,
    payload: Bytes,
    headers: Bytes,
    /// Time that wires were or will be busy, summed over them.
    busy: Nanos,
}

impl Wires {
    pub(super) fn new(spec: &LinkSpec) -> Self {
        Self {
            free: [0; LinkSpec::MOST as usize],
            count: u64::from(spec.count),
            turn: 0,
            bandwidth: spec.bandwidth,
            whole: spec.bandwidth,
            payload: spec.payload,
            headers: spec.headers,
            busy: 0,
        }
    }

    /// What is sent from now on has this share of the bandwidth, in 1/1000.
    pub(super) fn slow_to(&mut self, permille: u32) {
        let left = u128::from(self.whole) * u128::from(permille) / 1000;
        self.bandwidth = (left as u64).max(1);
    }

    /// How many packets `bytes` take: a message without payload takes one.
    #[inline]
    pub(super) fn packets(&self, bytes: Bytes) -> u64 {
        if bytes <= self.payload {
            return 1;
        }
        bytes.div_ceil(self.payload)
    }

    /// What a message of `bytes` in `packets` is with its headers.
    #[inline]
    pub(super) fn whole(&self, bytes: Bytes, packets: u64) -> Bytes {
        bytes + packets * self.headers
    }

    /// How long the first packet of a message that is ready at `now` waits.
    #[inline]
    pub(super) fn wait(&self, now: Nanos) -> Nanos {
        self.free[self.turn as usize].saturating_sub(now)
    }

    /// How long so many bytes take on all wires together.
    pub(super) fn takes(&self, whole: Bytes) -> Nanos {
        self.time(whole).div_ceil(self.count)
    }

    /// Sends a message of `bytes` in `packets` that are ready at `now`. Gives when the last
    /// has left.
    #[inline]
    pub(super) fn send(&mut self, now: Nanos, bytes: Bytes, packets: u64) -> Nanos {
        if self.count == 1 {
            let takes = self.time(bytes + packets * self.headers);
            self.free[0] = self.free[0].max(now) + takes;
            self.busy += takes;
            return self.free[0];
        }
        self.deal(now, bytes, packets)
    }

    /// The same over several: gives when the last has left.
    fn deal(&mut self, now: Nanos, bytes: Bytes, packets: u64) -> Nanos {
        let mut end = now;
        let (rounds, over) = (packets / self.count, packets % self.count);
        for place in 0..self.count.min(packets) {
            let wire = (self.turn + place) as usize;
            let wire = if wire >= self.count as usize {
                wire - self.count as usize
            } else {
                wire
            };
            let here = rounds + u64::from(place < over);
            // All packets are full but the last, which lies on the last wire to have its turn.
            let has_last = (place + 1) % self.count == over;
            let missing = packets * self.payload - bytes;
            let payload = here * self.payload - if has_last { missing } else { 0 };
            let takes = self.time(payload + here * self.headers);
            self.free[wire] = self.free[wire].max(now) + takes;
            self.busy += takes;
            end = end.max(self.free[wire]);
        }
        self.turn = (self.turn + over) % self.count;
        end
    }

    /// How long a number of bytes takes on one wire.
    #[inline]
    fn time(&self, bytes: Bytes) -> Nanos {
        (bytes * 8_000_000_000).div_ceil(self.bandwidth)
    }

    /// What is being sent at `now` is given up.
    pub(super) fn cut(&mut self, now: Nanos) {
        for free in &mut self.free {
            self.busy = self.busy.saturating_sub(free.saturating_sub(now));
            *free = (*free).min(now);
        }
    }

    /// For how long wires were busy until `now`, summed over them.
    pub(super) fn busy(&self, now: Nanos) -> Nanos {
        let ahead = self.free.iter().map(|free| free.saturating_sub(now));
        // Exact where the wire has been busy since what lies ahead was taken.
        self.busy.saturating_sub(ahead.sum())
    }
}
