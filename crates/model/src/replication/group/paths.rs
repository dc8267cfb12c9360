//! The links between the nodes of a group.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::Group;
use super::order::Parcel;
use super::relay::Route;
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
    let path = |wire: &Wire| Path {
        link: Link::new(&wire.link, seed, wire.number),
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

    /// Whether a node reaches another.
    pub(super) fn reaches(&self, one: usize, other: usize) -> bool {
        one == other
            || self
                .between(one, other)
                .is_some_and(|it| self.paths[it].link.up)
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
    pub(crate) fn link_is_impaired(&mut self, link: usize, is: Impairment) {
        let own = self.paths.iter_mut().filter(|it| it.number == link);
        own.for_each(|path| path.link.impair(is));
    }

    /// A link goes down, or works again. Gives the node that the writer reaches over it, if any.
    pub(super) fn turn_link(
        &mut self,
        now: Nanos,
        link: usize,
        is_up: bool,
        sink: &mut impl NetworkSink,
    ) -> Option<usize> {
        let number = self.paths.iter().position(|it| it.number == link)?;
        let (path, released) = (&mut self.paths[number], &mut self.released);
        match is_up {
            false => {
                path.link.cut(now);
                path.route = Route::Cut(now);
            }
            true => sink.over_network(|processors| path.link.restore(now, processors, released)),
        }
        if is_up {
            path.route = Route::Direct;
        }
        self.released.clear();
        self.others().find(|&it| self.members[it].path == number)
    }
}
