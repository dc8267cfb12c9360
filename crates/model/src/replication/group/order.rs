//! The order in which the nodes of a cluster deliver what they send each other, and when: the
//! safe order of Galera's group communication (`evs`, `gcomm/src/evs_proto.cpp` and
//! `evs_input_map2.cpp`; write sets go by `O_SAFE` in `gcs/src/gcs_gcomm.cpp`).
//!
//! Each node numbers its messages, and each message tells up to which number its sender has
//! those of all nodes. A node that has nothing to say uses up the numbers that others have, in
//! an empty message, so that nobody waits for it. A message is delivered once all nodes have
//! told that they have all of its number: with three nodes and more it goes to the others,
//! these answer each other, and tell that they have all answers. That takes three ways of a
//! link; two where there is no third. A node has few numbers on their way at once; what it wants
//! to send meanwhile goes together in the next message.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::spec::SendWindows;
use crate::units::{Bytes, KIB};

/// The largest part of what a node sends, and the most that goes together in one message
/// (`mtu_` of `gcomm/src/asio_protonet.cpp`, less headers, which are left out).
const PACKET: Bytes = 32 * KIB;

/// After so many bytes a message is to be answered though others follow it at once
/// (`request_user_msg_feedback`).
const UNANSWERED: Bytes = 128 * KIB;

/// What a node sends to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    WriteSet,
    /// A part of a write set that has more than go in one message, before its last.
    Part,
    /// Its queue is too long: nobody may send.
    Stop,
    /// They may again.
    GoOn,
}

/// What stands in a message beside its items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// The sender has used the numbers below this.
    upto: u64,
    /// And has the messages of all nodes that have numbers below this.
    has: u64,
    /// Whether it uses numbers.
    is_numbered: bool,
    /// Others follow at once, so nobody need answer.
    more: bool,
}

/// A message on its way from one node to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parcel {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) header: Header,
    pub(super) bytes: Bytes,
}

/// All nodes of a cluster. Those that are no members neither send nor are waited for.
#[derive(Clone, Debug)]
pub(super) struct Order {
    windows: SendWindows,
    nodes: Vec<Node>,
    members: Vec<usize>,
    outgoing: VecDeque<Parcel>,
}

#[derive(Clone, Debug)]
struct Node {
    /// By node, itself too: it has its messages with numbers below this, ...
    seen: Vec<u64>,
    /// ... and knows that this one has those of all below this.
    told: Vec<u64>,
    /// What it is to send, and the bytes.
    waiting: VecDeque<(Item, Bytes)>,
    /// What it has sent that some member has not delivered, with numbers.
    sent: VecDeque<(u64, Item)>,
    /// How many before these.
    forgotten: u64,
    /// How many items of each node it has delivered.
    delivered: Vec<u64>,
    /// Bytes sent since a message was to be answered.
    unanswered: Bytes,
}

impl Order {
    /// Of so many nodes, all of them members.
    pub(super) fn new(nodes: usize, windows: SendWindows) -> Self {
        let node = Node {
            seen: vec![0; nodes],
            told: vec![0; nodes],
            waiting: VecDeque::new(),
            sent: VecDeque::new(),
            forgotten: 0,
            delivered: vec![0; nodes],
            unanswered: 0,
        };
        Self {
            windows,
            nodes: vec![node; nodes],
            members: (0..nodes).collect(),
            outgoing: VecDeque::new(),
        }
    }

    /// Begins anew with these members.
    pub(super) fn starts_with(&mut self, members: impl IntoIterator<Item = usize>) {
        *self = Self::new(self.nodes.len(), self.windows);
        self.members = members.into_iter().collect();
    }

    /// A node sends something of so many bytes to all.
    pub(super) fn send(&mut self, node: usize, item: Item, bytes: Bytes) {
        let mut left = bytes;
        while left > PACKET {
            self.sends_packet(node, Item::Part, PACKET);
            left -= PACKET;
        }
        self.sends_packet(node, item, left);
    }

    /// A node sends what goes in one message, behind what it has waiting.
    fn sends_packet(&mut self, node: usize, item: Item, bytes: Bytes) {
        let may_go = self.nodes[node].waiting.is_empty();
        self.nodes[node].waiting.push_back((item, bytes));
        if may_go {
            self.sends_next(node, self.windows.user);
        }
    }

    /// The next message has come from one node to another.
    pub(super) fn has_come(&mut self, from: usize, to: usize, header: Header) {
        if !self.is_member(from) || !self.is_member(to) {
            return;
        }
        let had = self.has_of_all(to);
        let node = &mut self.nodes[to];
        node.seen[from] = node.seen[from].max(header.upto);
        node.told[from] = node.told[from].max(header.has);
        let has = self.has_of_all(to);
        self.nodes[to].told[to] = has;
        if !self.nodes[to].waiting.is_empty() {
            let goes = self.sends_what_may_go(to);
            if (header.is_numbered || has != had) && !goes {
                self.tells(to);
            }
        } else if self.lacks_numbers(to) && !(header.is_numbered && header.more) {
            self.completes(to);
        } else if has != had {
            // One without a number tells of those before it, which come later by another way.
            self.tells(to);
        }
    }

    /// The next item that a node delivers, and whose it is; none of one that is no member.
    pub(super) fn next_delivery(&mut self, node: usize) -> Option<(usize, Item)> {
        if !self.is_member(node) {
            return None;
        }
        let safe = self.safe(node);
        for place in 0..self.members.len() {
            let from = self.members[place];
            let done = self.nodes[node].delivered[from];
            let sender = &self.nodes[from];
            // One that is back may not have delivered what the sender has forgotten.
            let place = done.checked_sub(sender.forgotten);
            if let Some(place) = place
                && let Some(&(number, item)) = sender.sent.get(place as usize)
                && number < safe
            {
                self.nodes[node].delivered[from] += 1;
                self.forgets_delivered(from);
                return Some((from, item));
            }
        }
        None
    }

    /// What one node has sent another may not come: it is sent again, by a way on which it does.
    /// Only the last message matters, with the bytes of all.
    pub(super) fn repeats(&mut self, (from, to): (usize, usize), bytes: Bytes) {
        if !self.is_member(from) || !self.is_member(to) {
            return;
        }
        let header = self.header(from, (true, false));
        self.outgoing.push_back(Parcel {
            from,
            to,
            header,
            bytes,
        });
    }

    pub(super) fn is_member(&self, node: usize) -> bool {
        self.members.contains(&node)
    }

    /// The next message to be sent.
    pub(super) fn next_outgoing(&mut self) -> Option<Parcel> {
        self.outgoing.pop_front()
    }

    /// A node is no member any more: nobody waits for it, and what it has sent or was to send is
    /// gone.
    pub(super) fn leaves(&mut self, node: usize) {
        self.members.retain(|&it| it != node);
        let own = &mut self.nodes[node];
        own.waiting.clear();
        own.forgotten += own.sent.len() as u64;
        own.sent.clear();
        self.outgoing.retain(|it| it.from != node && it.to != node);
        for place in 0..self.members.len() {
            let member = self.members[place];
            self.nodes[member].delivered[node] = self.nodes[node].forgotten;
            self.nodes[member].told[member] = self.has_of_all(member);
            self.tells(member);
            self.forgets_delivered(member);
            self.sends_what_may_go(member);
        }
    }

    /// A node is a member again. What was sent before it gets by other ways.
    pub(super) fn joins(&mut self, node: usize) {
        let used = |it: usize| self.nodes[it].seen[it];
        let most = self.members.iter().map(|&it| used(it)).max().unwrap_or(0);
        let mut joins = self.nodes[node].clone();
        joins.seen[node] = most;
        for &other in &self.members {
            let with = &self.nodes[other];
            joins.seen[other] = used(other);
            joins.told[other] = with.told[other];
            joins.delivered[other] =
                with.forgotten + with.sent.len() as u64 + with.waiting.len() as u64;
        }
        joins.delivered[node] = joins.forgotten;
        self.nodes[node] = joins;
        let others = self.members.clone();
        self.members.push(node);
        let told = self.has_of_all(node);
        self.nodes[node].told[node] = told;
        for other in others {
            let with = &mut self.nodes[other];
            (with.seen[node], with.told[node]) = (most, told);
        }
    }

    /// Below which number a node has the messages of all.
    fn has_of_all(&self, node: usize) -> u64 {
        let seen = self.members.iter().map(|&it| self.nodes[node].seen[it]);
        seen.min().unwrap_or(0)
    }

    /// Below which number all have told a node that they have the messages of all.
    fn safe(&self, node: usize) -> u64 {
        let told = self.members.iter().map(|&it| self.nodes[node].told[it]);
        told.min().unwrap_or(0)
    }

    /// The highest number that a node has seen, and one more.
    fn end(&self, node: usize) -> u64 {
        let seen = self.members.iter().map(|&it| self.nodes[node].seen[it]);
        seen.max().unwrap_or(0)
    }

    /// Whether others have used numbers that a node has not.
    fn lacks_numbers(&self, node: usize) -> bool {
        self.nodes[node].seen[node] < self.end(node)
    }

    /// Sends what a node has waiting as far as it may go. Whether anything went.
    fn sends_what_may_go(&mut self, node: usize) -> bool {
        let mut goes = false;
        while self.sends_next(node, self.windows.all) {
            goes = true;
        }
        goes
    }

    /// Sends the first of what a node has waiting, with what goes together with it, unless so many
    /// numbers are on their way. Whether it went.
    fn sends_next(&mut self, node: usize, window: u64) -> bool {
        let safe = self.safe(node);
        let own = &mut self.nodes[node];
        let number = own.seen[node];
        let may_go = |number: u64| number < safe + window;
        if own.waiting.is_empty() || !may_go(number) {
            return false;
        }
        let mut bytes = 0;
        while let Some(&(item, more)) = own.waiting.front()
            && (bytes == 0 || bytes + more <= PACKET)
        {
            bytes += more;
            own.sent.push_back((number, item));
            own.waiting.pop_front();
        }
        let unanswered = own.unanswered + bytes;
        let more = !own.waiting.is_empty() && may_go(number + 1) && unanswered < UNANSWERED;
        own.unanswered = if more { unanswered } else { 0 };
        let upto = if more {
            number + 1
        } else {
            self.end(node).max(number + 1)
        };
        self.uses_numbers(node, upto, more, bytes);
        true
    }

    /// A node has nothing to say, and uses up the numbers that others have used.
    fn completes(&mut self, node: usize) {
        self.uses_numbers(node, self.end(node), false, 0);
    }

    fn uses_numbers(&mut self, node: usize, upto: u64, more: bool, bytes: Bytes) {
        self.nodes[node].seen[node] = upto;
        self.nodes[node].told[node] = self.has_of_all(node);
        self.broadcasts(node, (true, more), bytes);
    }

    /// A node tells what it has, and uses no number.
    fn tells(&mut self, node: usize) {
        self.broadcasts(node, (false, false), 0);
    }

    fn header(&self, from: usize, (is_numbered, more): (bool, bool)) -> Header {
        let own = &self.nodes[from];
        Header {
            upto: own.seen[from],
            has: own.told[from],
            is_numbered,
            more,
        }
    }

    fn broadcasts(&mut self, from: usize, kind: (bool, bool), bytes: Bytes) {
        let header = self.header(from, kind);
        let others = self.members.iter().filter(|&&it| it != from);
        let messages = others.map(|&to| Parcel {
            from,
            to,
            header,
            bytes,
        });
        self.outgoing.extend(messages);
    }

    /// What all have delivered of what a node has sent is forgotten.
    fn forgets_delivered(&mut self, node: usize) {
        let delivered = self
            .members
            .iter()
            .map(|&it| self.nodes[it].delivered[node]);
        let all = delivered.min().unwrap_or(u64::MAX);
        let own = &mut self.nodes[node];
        while own.forgotten < all && own.sent.pop_front().is_some() {
            own.forgotten += 1;
        }
    }
}

#[cfg(test)]
mod tests;
