//! What nodes deliver, over links that do nothing but take time.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use proptest::prelude::*;

use super::*;
use crate::units::Nanos;

const WINDOWS: SendWindows = SendWindows { user: 2, all: 4 };

/// Something that happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Does {
    Sends(Bytes),
    Leaves,
    Joins,
}

/// Nodes, and the messages between them.
struct Net {
    order: Order,
    /// By sender and receiver.
    delays: Vec<Vec<Nanos>>,
    now: Nanos,
    /// When one comes, in which order it was sent, and of which spell of its ends: who leaves gets
    /// and sends nothing more of what was under way.
    under_way: BinaryHeap<Reverse<(Nanos, usize)>>,
    sent: Vec<(Parcel, [u32; 2])>,
    spells: Vec<u32>,
    /// Write sets by receiver and sender, and when the last was delivered.
    delivered: Vec<Vec<u64>>,
    at: Vec<Nanos>,
}

impl Net {
    fn new(delays: &[Vec<Nanos>], windows: SendWindows) -> Self {
        let nodes = delays.len();
        Self {
            order: Order::new(nodes, windows),
            delays: delays.to_vec(),
            now: 0,
            under_way: BinaryHeap::new(),
            sent: Vec::new(),
            spells: vec![0; nodes],
            delivered: vec![vec![0; nodes]; nodes],
            at: vec![0; nodes],
        }
    }

    fn goes_on(&mut self) {
        while let Some(message) = self.order.next_outgoing() {
            let at = self.now + self.delays[message.from][message.to];
            self.under_way.push(Reverse((at, self.sent.len())));
            let ends = [message.from, message.to].map(|it| self.spells[it]);
            self.sent.push((message, ends));
        }
        for node in 0..self.delays.len() {
            while let Some((from, item)) = self.order.next_delivery(node) {
                assert!(self.order.members.contains(&node));
                self.all_have(from, self.delivered_of(node, from) - 1);
                let is_whole = item == Item::WriteSet;
                self.delivered[node][from] += u64::from(is_whole);
                self.at[node] = self.now;
            }
        }
    }

    fn delivered_of(&self, node: usize, from: usize) -> u64 {
        self.order.nodes[node].delivered[from]
    }

    /// Every member has had the message of the item of `from` at this place.
    fn all_have(&self, from: usize, place: u64) {
        let sender = &self.order.nodes[from];
        let Some(kept) = place.checked_sub(sender.forgotten) else {
            return; // All have even delivered it.
        };
        let (number, _) = sender.sent[kept as usize];
        for &member in &self.order.members {
            assert!(self.order.nodes[member].seen[from] > number, "it has it");
        }
    }

    fn until(&mut self, end: Nanos) {
        while let Some(&Reverse((at, place))) = self.under_way.peek()
            && at <= end
        {
            self.under_way.pop();
            self.now = at;
            let (message, spells) = self.sent[place];
            if [message.from, message.to].map(|it| self.spells[it]) == spells {
                self.order
                    .has_come(message.from, message.to, message.header);
                self.goes_on();
            }
        }
        self.now = self.now.max(end.min(1 << 60));
    }

    fn does(&mut self, node: usize, what: Does) {
        let is_member = self.order.members.contains(&node);
        match what {
            Does::Sends(bytes) => self.order.send(node, Item::WriteSet, bytes),
            Does::Leaves if is_member => {
                self.spells[node] += 1;
                self.order.leaves(node);
            }
            Does::Joins if !is_member => {
                self.spells[node] += 1;
                self.order.joins(node);
            }
            Does::Leaves | Does::Joins => {}
        }
        self.goes_on();
    }
}

fn delays(nodes: core::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<Nanos>>> {
    nodes.prop_flat_map(|nodes| {
        prop::collection::vec(prop::collection::vec(1..1000_u64, nodes), nodes)
    })
}

proptest! {
    /// A node answers a write set at the first that it hears of it, and delivers it when the last
    /// has told that it has all answers.
    #[test]
    fn a_write_set_is_there_when_all_have_told_that_all_have_answered(delays in delays(1..6)) {
        let nodes = 0..delays.len();
        let mut answers = delays[0].clone();
        answers[0] = 0;
        for (one, other) in nodes.clone().flat_map(|_| nodes.clone().flat_map(|one| nodes.clone().map(move |other| (one, other)))) {
            answers[other] = answers[other].min(answers[one] + delays[one][other]);
        }
        let way = |from: usize, to: usize| if from == to { 0 } else { delays[from][to] };
        let has_all = |node: usize| nodes.clone().map(|it| answers[it] + way(it, node)).max().unwrap();
        let expected = nodes.clone().map(|node| nodes.clone().map(|it| has_all(it) + way(it, node)).max().unwrap());
        let mut net = Net::new(&delays, WINDOWS);
        net.does(0, Does::Sends(1000));
        net.until(Nanos::MAX);
        prop_assert_eq!(&net.at, &expected.collect::<Vec<_>>());
    }

    /// Whoever sends, and however nodes leave and join: a node that stays delivers all of those
    /// that stay, none before all have it, and one that joins all that was sent since.
    #[test]
    fn all_that_is_sent_is_delivered_and_not_before_all_have_it(
        delays in delays(2..6),
        user in 1_u64..4,
        more in 0_u64..4,
        sends in prop::collection::vec((0..5_usize, 0..5000_u64, 0..100 * KIB), 1..60),
        turns in prop::collection::vec((0..6000_u64, any::<bool>()), 0..6),
    ) {
        let last = delays.len() - 1;
        let sends = sends.into_iter().map(|(node, at, bytes)| (at, node % last, Does::Sends(bytes)));
        let turns = turns.into_iter().map(|(at, joins)| (at, last, if joins { Does::Joins } else { Does::Leaves }));
        let mut all: Vec<_> = sends.chain(turns).collect();
        all.sort_unstable();
        let mut net = Net::new(&delays, SendWindows { user, all: user + more });
        let (mut sent, mut since) = (vec![0_u64; last], vec![0_u64; last]);
        for (at, node, what) in all {
            net.until(at);
            let was_member = net.order.members.contains(&last);
            net.does(node, what);
            if matches!(what, Does::Sends(_)) {
                sent[node] += 1;
            } else if what == Does::Joins && !was_member {
                since.clone_from(&sent);
                net.delivered[last].fill(0);
            }
        }
        net.until(Nanos::MAX);
        for node in 0..last {
            prop_assert_eq!(&net.delivered[node][..last], &sent[..]);
            prop_assert!(net.order.nodes[node].sent.is_empty(), "nothing is kept");
        }
        if net.order.members.contains(&last) {
            let expected: Vec<_> = sent.iter().zip(&since).map(|(all, before)| all - before).collect();
            prop_assert_eq!(&net.delivered[last][..last], &expected[..]);
        }
    }
}

/// What is sent while the window is full goes together in the next message.
#[test]
fn what_waits_goes_together() {
    let mut net = Net::new(&vec![vec![1000; 3]; 3], WINDOWS);
    for _ in 0..10 {
        net.does(0, Does::Sends(2 * KIB));
    }
    net.until(Nanos::MAX);
    let bytes = net.sent.iter().filter(|it| it.0.to == 1 && it.0.bytes > 0);
    let bytes: Vec<_> = bytes.map(|it| it.0.bytes / KIB).collect();
    assert_eq!(bytes, [2, 2, 16], "two at once, the others in one");
}

/// Who learns that all have a message from a later one, which came by another way, tells others.
#[test]
fn a_message_that_is_overtaken_is_told_of() {
    let mut order = Order::new(3, WINDOWS);
    let all_of = |order: &mut Order| -> Vec<Parcel> {
        core::iter::from_fn(|| order.next_outgoing()).collect()
    };
    let comes = |order: &mut Order, it: &Parcel| order.has_come(it.from, it.to, it.header);
    let is_between = |it: &&Parcel| (it.from, it.to) == (1, 2);
    order.send(0, Item::WriteSet, 100);
    for message in all_of(&mut order) {
        comes(&mut order, &message);
    }
    // The others answer with numbers of their own. That of node 1 to node 2 is late.
    let answers = all_of(&mut order);
    for message in answers.iter().filter(|it| !is_between(it)) {
        comes(&mut order, message);
    }
    let told = all_of(&mut order);
    let late = answers.iter().filter(is_between);
    for message in told.iter().filter(is_between).chain(late) {
        comes(&mut order, message);
    }
    for message in told.iter().filter(|it| !is_between(it)) {
        comes(&mut order, message);
    }
    let mut left = all_of(&mut order);
    while !left.is_empty() {
        left.iter().for_each(|message| comes(&mut order, message));
        left = all_of(&mut order);
    }
    let delivered = (0..3).map(|node| order.next_delivery(node));
    assert!(delivered.eq([Some((0, Item::WriteSet)); 3]));
}
