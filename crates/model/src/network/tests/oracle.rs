//! The link once more, slow and obvious: packet by packet, and looking again at everything
//! whenever anything happens.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::scoreboard::{Packet, arrivals};
use super::*;

#[derive(Clone, Default)]
struct Place {
    sent: Option<Nanos>,
    /// When its last packet has left, and is there if nothing is lost.
    left: Nanos,
    clean: Option<Nanos>,
    /// How often each packet is lost.
    lost: Vec<u32>,
    /// When each packet is there over TCP.
    there: Vec<Nanos>,
    handled: Option<Nanos>,
    delivered: Option<Nanos>,
    answered: bool,
}

pub(super) struct Oracle<'a> {
    spec: &'a LinkSpec,
    planned: &'a [Planned],
    /// After what time those that have an answer are read, and how long after that answered.
    reads: Nanos,
    think: Nanos,
    places: Vec<Place>,
    /// When each host's processor, and each direction's wires, are free.
    processors: [Nanos; 2],
    wires: [Vec<Nanos>; 2],
    turns: [usize; 2],
    stopped: [bool; 2],
    jitter: [Stream; 2],
    lotteries: Option<[Lottery; 2]>,
    /// From when on which ways are cut, and which are.
    cuts: &'a Cuts,
    cut: [bool; 2],
    /// From when on packets of which host are handled how fast, and how fast they are.
    speeds: &'a Speeds,
    speed: [u32; 2],
    /// Since when each way is cut, and when its sender tries again once it works.
    since: [Nanos; 2],
    tries_again: [Option<Nanos>; 2],
    /// Since when each way works that its sender takes for cut, and all that sent later than that.
    works: [Option<Nanos>; 2],
    resumptions: Vec<Resumption>,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(
        spec: &'a LinkSpec,
        planned: &'a [Planned],
        (reads, think): (Nanos, Nanos),
    ) -> Self {
        let jitter = |from| Stream::new(SEED, &format!("link/0/{from}/jitter"));
        let lotteries = |loss| [0, 1].map(|from| Lottery::new(loss, SEED, (0, from)));
        let wires = vec![0; spec.count as usize];
        Self {
            spec,
            planned,
            reads,
            think,
            places: vec![Place::default(); planned.len()],
            processors: [0; 2],
            wires: [wires.clone(), wires],
            turns: [0; 2],
            stopped: [false; 2],
            jitter: [0, 1].map(jitter),
            lotteries: spec.loss.map(lotteries),
            cuts: &[],
            cut: [false; 2],
            speeds: &[],
            speed: [1000; 2],
            since: [0; 2],
            tries_again: [None; 2],
            works: [None; 2],
            resumptions: Vec::new(),
        }
    }

    pub(super) fn with_turns(mut self, cuts: &'a Cuts, speeds: &'a Speeds) -> Self {
        (self.cuts, self.speeds) = (cuts, speeds);
        self
    }

    /// When each message was delivered, and the senders that went on later than their way worked.
    pub(super) fn run_noting(mut self) -> (Vec<Nanos>, Vec<Resumption>) {
        let mut now = 0;
        loop {
            // Whatever leads to something else at the same time does so in a later round.
            while (0..2).any(|from| self.step(now, from)) {}
            for index in 0..self.planned.len() {
                if self.answers_at(index) == Some(now) && !self.places[index].answered {
                    self.places[index].answered = true;
                    self.go_on(now, self.planned[index].1);
                    self.send(now, self.planned[index].1);
                }
            }
            while (0..2).any(|from| self.step(now, from)) {}
            for &(_, host, speed) in self.speeds.iter().filter(|it| it.0 == now) {
                self.speed[host] = speed;
            }
            if let Some(&(_, cut)) = self.cuts.iter().find(|it| it.0 == now) {
                self.turn(now, cut);
                while (0..2).any(|from| self.step(now, from)) {}
            }
            for index in 0..self.planned.len() {
                let (at, from, ..) = self.planned[index];
                if at == now && self.places[index].sent.is_none() {
                    self.send_up_to(now, from, index);
                    while (0..2).any(|from| self.step(now, from)) {}
                }
            }
            match self.next(now) {
                Some(next) => now = next,
                None => {
                    let delivered = self.places.iter();
                    let delivered = delivered.map(|it| it.delivered.unwrap_or(NEVER));
                    return (delivered.collect(), self.resumptions);
                }
            }
        }
    }

    /// What has not come on a way that is cut is sent again, all in order, once its sender tries
    /// again.
    fn turn(&mut self, now: Nanos, cut: [bool; 2]) {
        for from in [0, 1] {
            let lost = self.lost(from);
            self.tries_again[from] = None;
            let works = (self.cut[from] && !cut[from]).then_some(now);
            self.works[from] = works.map(|now| self.works[from].unwrap_or(now));
            if cut[from] && !self.cut[from] {
                (self.cut[from], self.since[from]) = (true, now);
                lost.into_iter().for_each(|it| self.places[it].clean = None);
                for free in &mut self.wires[from] {
                    *free = now.min(*free);
                }
            } else if !cut[from] && self.cut[from] {
                let sent = lost.iter().filter_map(|&it| self.places[it].sent);
                let first = sent.min().map(|at| at.max(self.since[from]));
                self.tries_again[from] = Some(match (self.spec.retry, first) {
                    (Some(retry), Some(first)) => {
                        let tries = (1..).map(|times| first + retry * ((1 << times) - 1));
                        tries.into_iter().find(|&at| at >= now).unwrap()
                    }
                    _ => now,
                });
            }
        }
        for from in [0, 1] {
            self.go_on(now, from);
            self.send(now, from);
        }
    }

    /// What was sent from one end and has not come.
    fn lost(&self, from: usize) -> Vec<usize> {
        let is_lost =
            |it: &usize| self.places[*it].sent.is_some() && self.places[*it].handled.is_none();
        self.of(from).filter(is_lost).collect()
    }

    /// One end tries again what its way did not carry.
    fn try_again(&mut self, now: Nanos, from: usize) {
        if self.tries_again[from] == Some(now) {
            (self.cut[from], self.tries_again[from]) = (false, None);
            if let Some(works) = self.works[from].take().filter(|&works| works < now) {
                self.resumptions.push(Resumption {
                    from,
                    works,
                    sends: now,
                    anew: false,
                });
            }
            let lost = self.lost(from);
            lost.into_iter().for_each(|it| self.dispatch(now, it));
        }
    }

    fn packets(&self, index: usize) -> Vec<Bytes> {
        let mut left = self.planned[index].2;
        let mut packets = Vec::new();
        while left > self.spec.payload {
            packets.push(self.spec.payload);
            left -= self.spec.payload;
        }
        packets.push(left);
        packets
    }

    fn delay(&self, from: usize) -> Nanos {
        let half = self.spec.overhead / 2;
        self.spec.delay[from]
            + if from == 0 {
                half
            } else {
                self.spec.overhead - half
            }
    }

    fn answers_at(&self, index: usize) -> Option<Nanos> {
        let delivered = self.places[index]
            .delivered
            .filter(|_| self.planned[index].3);
        delivered.map(|at| at + self.reads + self.think)
    }

    fn acknowledged_at(&self, index: usize) -> Option<Nanos> {
        let (_, from, _, has_answer) = self.planned[index];
        let reads = if has_answer { self.reads } else { 0 };
        let delivered = self.places[index].delivered;
        let mut at = delivered? + reads + self.delay(1 - from);
        // One that is not back when its way is cut comes after that works again.
        for (place, &(begins, cut)) in self.cuts.iter().enumerate() {
            let was = place > 0 && self.cuts[place - 1].1[1 - from];
            if cut[1 - from] && !was && at > begins {
                let later = self.cuts[place..].iter();
                let works = later.filter(|it| !it.1[1 - from]).map(|it| it.0).next()?;
                at = at.max(works + self.delay(1 - from));
            }
        }
        Some(at)
    }

    fn of(&self, from: usize) -> impl Iterator<Item = usize> {
        (0..self.planned.len()).filter(move |&index| self.planned[index].1 == from)
    }

    fn queued(&self, now: Nanos, from: usize) -> u64 {
        let until = self.spec.flow_control.map(|flow| flow.until);
        let is_queued = |&index: &usize| {
            let place = &self.places[index];
            let acknowledged = self.acknowledged_at(index).is_some_and(|at| at <= now);
            let until_answer = until == Some(QueuedUntil::Answered) && self.planned[index].3;
            place.sent.is_some()
                && if until_answer {
                    !place.answered
                } else {
                    !acknowledged
                }
        };
        self.of(from)
            .filter(is_queued)
            .map(|index| self.packets(index).len() as u64)
            .sum()
    }

    /// The sender goes on if its queue has fallen low enough.
    fn go_on(&mut self, now: Nanos, from: usize) {
        if let Some(flow) = self.spec.flow_control
            && self.queued(now, from) <= flow.low
        {
            self.stopped[from] = false;
        }
    }

    fn may_send(&mut self, now: Nanos, index: usize) -> bool {
        let from = self.planned[index].1;
        if let Some(flow) = self.spec.flow_control {
            let (queued, more) = (self.queued(now, from), self.packets(index).len() as u64);
            self.stopped[from] |= queued > 0 && queued + more > flow.high;
            if self.stopped[from] {
                return false;
            }
        }
        let Some(buffer) = self.spec.socket_buffer else {
            return true;
        };
        let under_way = self.of(from).filter(|&index| {
            let acknowledged = self.acknowledged_at(index).is_some_and(|at| at <= now);
            self.places[index].sent.is_some() && !acknowledged
        });
        let bytes: Bytes = under_way.map(|index| self.planned[index].2).sum();
        bytes == 0 || bytes + self.planned[index].2 <= buffer
    }

    /// Sends what waits from one end, in order.
    fn send(&mut self, now: Nanos, from: usize) {
        let waiting: Vec<_> = self
            .of(from)
            .filter(|&index| self.places[index].sent.is_none())
            .collect();
        for index in waiting {
            if self.planned[index].0 >= now || !self.may_send(now, index) {
                return;
            }
            self.dispatch(now, index);
        }
    }

    fn send_up_to(&mut self, now: Nanos, from: usize, last: usize) {
        let waiting: Vec<_> = self
            .of(from)
            .filter(|&index| index <= last && self.places[index].sent.is_none())
            .collect();
        for index in waiting {
            if !self.may_send(now, index) {
                return;
            }
            self.dispatch(now, index);
        }
    }

    fn dispatch(&mut self, now: Nanos, index: usize) {
        let from = self.planned[index].1;
        self.places[index].sent = Some(now);
        if self.cut[from] {
            return;
        }
        let packets = self.packets(index);
        self.handle(now, from, index);
        let ready = self.processors[from];
        let mut bits = vec![0_u64; self.wires[from].len()];
        for packet in packets {
            let turn = self.turns[from];
            bits[turn] += 8 * (packet + self.spec.headers);
            self.turns[from] = (turn + 1) % bits.len();
        }
        let mut left = ready;
        for (wire, bits) in bits.into_iter().enumerate().filter(|it| it.1 > 0) {
            let free = &mut self.wires[from][wire];
            let takes =
                (u128::from(bits) * 1_000_000_000).div_ceil(u128::from(self.spec.bandwidth));
            *free = (*free).max(ready) + takes as Nanos;
            left = left.max(*free);
        }
        let before = self.of(from).filter_map(|it| self.places[it].clean).max();
        let mut clean = left + self.delay(from);
        if self.spec.jitter > 0 {
            clean += self.jitter[from].below(self.spec.jitter + 1);
        }
        let mut times = vec![0; self.packets(index).len()];
        if let Some(lotteries) = &mut self.lotteries {
            times.fill_with(|| lotteries[from].times_lost());
        }
        let place = &mut self.places[index];
        (place.left, place.lost) = (left, times);
        place.clean = Some(clean.max(before.unwrap_or(0)));
        self.look(from);
    }

    /// When a message is there, as far as is known: not before those sent before it.
    fn arrives(&self, index: usize) -> Option<Nanos> {
        self.places[index].clean?;
        let before = self.of(self.planned[index].1).filter(|&it| it <= index);
        before.filter_map(|it| self.has_all(it)).max()
    }

    /// When all packets of a message are there, those sent again too.
    fn has_all(&self, index: usize) -> Option<Nanos> {
        let place = &self.places[index];
        let packets = (0..place.lost.len()).filter(|&packet| place.lost[packet] > 0);
        let filled = packets.map(|packet| self.filled(index, packet));
        Some(filled.max().unwrap_or(0).max(place.clean?))
    }

    /// When a lost packet of a message is there after all.
    fn filled(&self, index: usize, packet: usize) -> Nanos {
        let place = &self.places[index];
        let Some(loss) = self.spec.loss else {
            return 0;
        };
        if loss.recovery == Recovery::Rack {
            return place.there[packet];
        }
        let mut again = place.left;
        for time in 0..place.lost[packet] {
            again += loss.retransmit_after << time;
        }
        again + self.delay(self.planned[index].1)
    }

    /// Looks once more when all packets that were sent from one end are there.
    fn look(&mut self, from: usize) {
        let Some(loss) = self.spec.loss else {
            return;
        };
        let sent = self.of(from).filter(|&it| self.places[it].sent.is_some());
        let sent: Vec<_> = sent.collect();
        let packets = sent.iter().flat_map(|&index| {
            let place = &self.places[index];
            place.lost.iter().map(|&lost| Packet {
                handed: place.sent.unwrap(),
                left: place.left,
                clean: place.clean.unwrap(),
                lost,
            })
        });
        let packets: Vec<_> = packets.collect();
        let ways = [self.delay(from), self.delay(1 - from)];
        let mut there = arrivals(&packets, ways, loss.retransmit_after).into_iter();
        for index in sent {
            let count = self.places[index].lost.len();
            self.places[index].there = there.by_ref().take(count).collect();
        }
    }

    /// A host's processor handles a message, packet by packet.
    fn handle(&mut self, now: Nanos, host: usize, index: usize) {
        let bytes = self.planned[index].2;
        let packets = bytes.div_ceil(self.spec.payload).max(1);
        let mut work = bytes * self.spec.processor.per_kib / 1024;
        for _ in 0..packets {
            work += self.spec.processor.per_packet;
        }
        let free = &mut self.processors[host];
        *free = (*free).max(now) + work * 1000 / Nanos::from(self.speed[host]);
    }

    /// What happens at `now` to what goes from one end; whether anything did.
    fn step(&mut self, now: Nanos, from: usize) -> bool {
        let before: Vec<_> = self
            .places
            .iter()
            .map(|it| (it.sent, it.handled, it.delivered))
            .collect();
        self.try_again(now, from);
        self.go_on(now, from);
        self.send(now, from);
        let all: Vec<_> = self.of(from).collect();
        for &index in &all {
            if self.places[index].handled == Some(now) {
                self.places[index].delivered = self.places[index].delivered.or(Some(now));
            }
        }
        for &index in &all {
            if self.arrives(index) == Some(now) && self.places[index].handled.is_none() {
                self.handle(now, 1 - from, index);
                self.places[index].handled = Some(self.processors[1 - from]);
                if self.processors[1 - from] == now {
                    self.places[index].delivered = Some(now);
                }
            }
        }
        before
            != self
                .places
                .iter()
                .map(|it| (it.sent, it.handled, it.delivered))
                .collect::<Vec<_>>()
    }

    fn next(&self, now: Nanos) -> Option<Nanos> {
        let all = (0..self.planned.len()).flat_map(|index| {
            let place = &self.places[index];
            [
                Some(self.planned[index].0),
                self.arrives(index),
                place.handled,
                self.acknowledged_at(index),
                self.answers_at(index),
            ]
        });
        let turns = self.cuts.iter().map(|it| Some(it.0));
        let turns = turns.chain(self.speeds.iter().map(|it| Some(it.0)));
        let all = all.chain(turns).chain(self.tries_again);
        all.flatten().filter(|&at| at > now).min()
    }
}
