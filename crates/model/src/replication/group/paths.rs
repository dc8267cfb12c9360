//! The links between the nodes of a group.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::Group;
use super::order::Parcel;
use super::relay::Route;
use crate::event_queue::NEVER;
use crate::network::Link;
use crate::replication::NetworkSink;
use crate::spec::Impairment;
use crate::spec::{GroupNode, GroupSpec, Wire};
use crate::units::{Bytes, Nanos};

/// A link between two nodes.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) link: Link,
    /// Its number in the storage.
    pub(super) number: usize,
    /// The nodes at its ends.
    pub(super) nodes: [usize; 2],
    /// Messages under way from each end that are delivered in order; none where who sent it, or
    /// is to get it, has left.
    pub(super) parcels: [VecDeque<Option<Parcel>>; 2],
    /// How such messages go between the nodes at its ends.
    pub(super) route: Route,
}

impl Path {
    /// All that was under way is gone.
    fn forget(&mut self) {
        self.link.forget();
        self.parcels.iter_mut().for_each(VecDeque::clear);
    }

    /// Its ends hear each other, or no longer.
    fn turned(&mut self, now: Nanos) {
        self.route = match self.link.is_whole() {
            true => Route::Direct,
            false => Route::Cut(now),
        };
    }

    /// Bytes under way from each end to the other.
    pub(super) fn waiting(&self) -> [Bytes; 2] {
        [0, 1].map(|from| {
            let ends = (self.nodes[from], self.nodes[1 - from]);
            let own = self.parcels[from].iter().flatten();
            let own = own.filter(|it| (it.from, it.to) == ends);
            own.map(|it| it.bytes).sum()
        })
    }
}

/// The paths of a group: from its first node to each other in their order, then those between
/// others.
pub(super) fn paths(group: &GroupSpec, seed: u64) -> Vec<Path> {
    let connections = group.membership.connections;
    let is_kept_alive = group.shipping.is_none();
    let link = |wire: &Wire| {
        let link = Link::new(&wire.link, seed, wire.number);
        match is_kept_alive {
            true => link.kept_alive(connections.keepalive, connections.into()),
            false => link,
        }
    };
    let path = |wire: &Wire| Path {
        link: link(wire),
        number: wire.number,
        nodes: wire.nodes,
        parcels: [VecDeque::new(), VecDeque::new()],
        route: Route::Direct,
    };
    let own = |(node, other): (usize, &GroupNode)| {
        let (number, end) = other.link_end;
        path(&Wire {
            link: other.link.clone(),
            number,
            nodes: if end == 0 { [0, node] } else { [node, 0] },
        })
    };
    let own = (1..).zip(&group.nodes).map(own);
    let between = group.between.iter().map(path);
    own.chain(between).collect()
}

impl Group {
    /// The path between the writer and another node.
    pub(super) fn path(&mut self, other: usize) -> &mut Path {
        &mut self.paths[self.members[other].path]
    }

    /// Whether a node reaches another, and each has heard of the other: a connection needs both
    /// ways.
    pub(super) fn reaches(&self, one: usize, other: usize) -> bool {
        one == other
            || self
                .between(one, other)
                .is_some_and(|it| self.paths[it].link.is_whole())
    }

    /// Whether a node could connect to another.
    pub(super) fn could_reach(&self, one: usize, other: usize) -> bool {
        let path = self.between(one, other);
        one == other || path.is_some_and(|it| self.paths[it].link.cut() == [false; 2])
    }

    pub(super) fn between(&self, one: usize, other: usize) -> Option<usize> {
        let ends = |path: &Path| path.nodes == [one, other] || path.nodes == [other, one];
        self.paths.iter().position(ends)
    }

    /// All that was under way over a path, or was to be sent, is gone.
    pub(super) fn forget_path(&mut self, path: usize) {
        self.paths[path].forget();
        self.unsent.retain(|it| it.path != path);
    }

    /// All that was under way from and to a node is gone.
    pub(super) fn forget_paths_of(&mut self, node: usize) {
        let own: Vec<_> = (0..self.paths.len())
            .filter(|&it| self.paths[it].nodes.contains(&node))
            .collect();
        own.into_iter().for_each(|it| self.forget_path(it));
        let parcels = self.paths.iter_mut().flat_map(|it| &mut it.parcels);
        for parcel in parcels.flatten() {
            parcel.take_if(|it| it.from == node || it.to == node);
        }
    }

    /// Another node is the writer: all that was under way is gone.
    pub(super) fn leads_from(&mut self, writer: usize) {
        self.unsent.clear();
        self.paths.iter_mut().for_each(Path::forget);
        self.writer = writer;
        for other in self.others() {
            if let Some(path) = self.between(writer, other) {
                self.members[other].path = path;
            }
        }
    }

    /// A link is worse than by itself from now on, or no longer.
    pub(crate) fn link_is_impaired(&mut self, now: Nanos, link: usize, is: Impairment) {
        let own = self.paths.iter_mut().filter(|it| it.number == link);
        own.for_each(|path| path.link.impair(now, is));
    }

    /// Other ways of a link are cut, by the end that sends. Gives its path if its ends heard each
    /// other before and do not now, or the other way round.
    pub(super) fn turn_link(
        &mut self,
        now: Nanos,
        link: usize,
        cut: [bool; 2],
        sink: &mut impl NetworkSink,
    ) -> Option<usize> {
        let number = self.paths.iter().position(|it| it.number == link)?;
        let (path, released) = (&mut self.paths[number], &mut self.released);
        let was_whole = path.link.is_whole();
        sink.over_network(|processors| path.link.turn(now, cut, processors, released));
        self.released.clear();
        if path.link.is_whole() == was_whole {
            return None;
        }
        path.turned(now);
        Some(number)
    }

    /// When the ends of the next path hear each other again.
    pub(super) fn next_heard(&self) -> Nanos {
        let times = self.paths.iter().map(|path| path.link.heard_at());
        times.min().unwrap_or(NEVER)
    }

    /// Gives a path whose ends hear each other again, if there is one.
    pub(super) fn next_whole(&mut self, now: Nanos) -> Option<usize> {
        let heard = |path: &mut Path| path.link.hear(now) && path.link.is_whole();
        let number = self.paths.iter_mut().position(heard)?;
        self.paths[number].turned(now);
        Some(number)
    }

    /// When the next connection is closed, as an end hears nothing.
    pub(super) fn next_closed(&self) -> Nanos {
        let times = self.paths.iter().map(|path| self.closes_at(path));
        times.min().unwrap_or(NEVER)
    }

    fn closes_at(&self, path: &Path) -> Nanos {
        let own = self.spec.membership.connections;
        if path.link.is_whole() {
            return NEVER;
        }
        let since = path.link.broken_since();
        if let Some(stream) = &self.stream {
            return since.map_or(NEVER, |since| since.saturating_add(stream.timeout()));
        }
        let silent = since.map_or(NEVER, |since| {
            (since + own.timeout).div_ceil(own.check) * own.check
        });
        // Those that have begun to agree that a node is gone deliver nothing of it any more.
        let suspected = path.nodes.map(|node| self.suspects_at(node));
        let closed = path.link.closed_at();
        let suspected = suspected
            .into_iter()
            .filter(|&at| closed.is_none_or(|closed| closed < at));
        silent.min(suspected.min().unwrap_or(NEVER))
    }

    /// Closes connections that it is time for.
    pub(super) fn close_connections(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        for number in 0..self.paths.len() {
            if self.closes_at(&self.paths[number]) <= now {
                let (path, released) = (&mut self.paths[number], &mut self.released);
                sink.over_network(|processors| path.link.close(now, processors, released));
                self.released.clear();
            }
        }
    }
}
