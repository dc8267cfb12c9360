//! TCP's sender once more, slow and obvious: a scoreboard of all packets, and every
//! acknowledgement as it comes.

use super::*;

const TIMER: Nanos = 2_000_000;

/// A packet as it is sent first.
pub(super) struct Packet {
    pub(super) handed: Nanos,
    pub(super) left: Nanos,
    /// When it is there if it is not lost.
    pub(super) clean: Nanos,
    pub(super) lost: u32,
}

/// What is on its way back: when it comes, of which packet, which transmission of all it was, when
/// that left, and whether it was the packet's first.
struct Ack {
    at: Nanos,
    packet: usize,
    order: usize,
    left: Nanos,
    is_first: bool,
}

#[derive(Default)]
struct State {
    lost: u32,
    sent: Nanos,
    order: usize,
    is_sent_again: bool,
    acked: Option<Nanos>,
    there: Option<Nanos>,
    /// When it is known to be lost.
    due: Option<Nanos>,
    timeouts: u32,
}

struct Sender {
    delay: Nanos,
    round_trip: Nanos,
    timeout: Nanos,
    states: Vec<State>,
    acks: Vec<Ack>,
    left: Nanos,
    transmissions: usize,
}

/// When each of the packets of one direction is there, if no others follow.
pub(super) fn arrivals(
    packets: &[Packet],
    [delay, back]: [Nanos; 2],
    timeout: Nanos,
) -> Vec<Nanos> {
    let mut sender = Sender {
        delay,
        round_trip: delay + back,
        timeout,
        states: Vec::new(),
        acks: Vec::new(),
        left: 0,
        transmissions: 0,
    };
    for packet in packets {
        sender.run_until(packet.handed);
        sender.left = sender.left.max(packet.left);
        sender.states.push(State {
            lost: packet.lost,
            ..State::default()
        });
        let (left, clean) = (packet.left, packet.clean);
        sender.transmit(sender.states.len() - 1, left, clean, true);
    }
    sender.run_until(NEVER - 1);
    sender.states.iter().map(|it| it.there.unwrap()).collect()
}

impl Sender {
    fn transmit(&mut self, packet: usize, left: Nanos, there: Nanos, is_first: bool) {
        self.transmissions += 1;
        let order = self.transmissions;
        let state = &mut self.states[packet];
        (state.sent, state.order, state.due) = (left, order, None);
        state.is_sent_again = !is_first;
        if state.lost > 0 {
            state.lost -= 1;
            return;
        }
        state.there = Some(there);
        let at = there + self.round_trip - self.delay;
        self.acks.push(Ack {
            at,
            packet,
            order,
            left,
            is_first,
        });
    }

    fn run_until(&mut self, end: Nanos) {
        loop {
            let acks = self.acks.iter().map(|ack| ack.at);
            let due = (0..self.states.len()).filter_map(|it| self.states[it].due);
            let timer = self.timer().map(|it| it.0);
            let Some(now) = acks.chain(due).chain(timer).min().filter(|&at| at <= end) else {
                return;
            };
            if let Some(place) = self.acks.iter().position(|ack| ack.at == now) {
                let ack = self.acks.remove(place);
                self.take(&ack);
            } else if let Some(packet) = self.states.iter().position(|it| it.due == Some(now)) {
                self.send_again(now, packet);
            } else if let Some((_, packet, is_timeout)) = self.timer() {
                self.states[packet].timeouts += u32::from(is_timeout);
                self.send_again(now, packet);
            }
        }
    }

    fn send_again(&mut self, now: Nanos, packet: usize) {
        self.left = self.left.max(now);
        let left = self.left;
        self.transmit(packet, left, left + self.delay, false);
    }

    fn is_missing(&self, packet: usize) -> bool {
        self.states[packet].there.is_none()
    }

    /// RFC 8985, section 6.2.
    fn take(&mut self, ack: &Ack) {
        self.states[ack.packet].acked = Some(ack.at);
        let rtt = ack.at - ack.left;
        for packet in 0..self.states.len() {
            if !self.is_missing(packet) || self.states[packet].order > ack.order {
                continue;
            }
            let behind = self.states[packet + 1..].iter();
            let sacked = behind.filter(|it| it.acked.is_some()).count();
            let state = &mut self.states[packet];
            let is_in_recovery = state.is_sent_again || !ack.is_first;
            let lapses = state.sent + rtt + self.round_trip / 4;
            let due = if is_in_recovery || sacked >= 3 || lapses <= ack.at {
                ack.at
            } else {
                lapses + TIMER
            };
            state.due = Some(state.due.map_or(due, |before| before.min(due)));
        }
    }

    /// When the connection's timer runs out, what it sends, and whether that is the timeout.
    fn timer(&self) -> Option<(Nanos, usize, bool)> {
        let first = (0..self.states.len()).find(|&it| self.states[it].acked.is_none())?;
        // However short the timeout, nothing that arrives is sent again in vain.
        if !self.is_missing(first) {
            return None;
        }
        let advanced = self.states[..first].iter().filter_map(|it| it.acked).max();
        let base = self.states[first].sent.max(advanced.unwrap_or(0));
        let timeout = base + (self.timeout << self.states[first].timeouts);
        let flight = &self.states[first..];
        let is_open = flight
            .iter()
            .all(|it| it.acked.is_none() && it.there.is_none() && !it.is_sent_again);
        let last = self.states.len() - 1;
        let probe = base.max(self.states[last].sent) + 2 * self.round_trip + TIMER;
        match is_open && flight.len() >= 2 && probe <= timeout {
            true => Some((probe, last, false)),
            false => Some((timeout, first, true)),
        }
    }
}
