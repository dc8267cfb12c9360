//! Ways round a cut link, as Galera's `gmcast` finds them (`check_liveness` and `relay` of
//! `gcomm/src/gmcast.cpp`).
//!
//! Two nodes that reach each other no more, but a third that is reached by both, wait until their
//! connection is given up; from then on the third passes their messages on. Until then all
//! commits wait, as with a silent node, but nobody is given up. Copies of data and what a node
//! has missed go by connections of their own, and wait for the link.

use super::Group;
use super::paths::Path;
use crate::event_queue::NEVER;
use crate::replication::NetworkSink;
use crate::units::Nanos;

/// How the messages of two nodes go that a link joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Over the link, ...
    Direct,
    /// ... which is cut since then, ...
    Cut(Nanos),
    /// ... round which another node passes them on.
    Round(usize),
}

impl Group {
    /// The node that passes on what these two send each other, or would.
    pub(super) fn way_round(&self, [one, other]: [usize; 2]) -> Option<usize> {
        let passes = |it: &usize| {
            let is_alive = !self.nodes[*it].is_stopped() && self.order.is_member(*it);
            let reaches = |end: usize| {
                let direct = self.between(*it, end).map(|path| self.paths[path].route);
                direct == Some(Route::Direct)
            };
            is_alive && *it != one && *it != other && reaches(one) && reaches(other)
        };
        (0..self.nodes.len()).find(passes)
    }

    /// The path that a parcel takes next from a node on its way.
    pub(super) fn next_path(&self, at: usize, to: usize) -> Option<usize> {
        let direct = self.between(at, to)?;
        match self.paths[direct].route {
            Route::Round(by) => self.between(at, by),
            Route::Direct | Route::Cut(_) => Some(direct),
        }
    }

    /// When the next way round is taken, or is one no more. A log that is shipped takes none.
    pub(super) fn next_route(&self, now: Nanos) -> Nanos {
        if self.stream.is_some() {
            return NEVER;
        }
        let cut = self.paths.iter().filter(|it| it.route != Route::Direct);
        let next = cut.map(|path| self.changes_route(path, now));
        next.min().unwrap_or(NEVER)
    }

    fn changes_route(&self, path: &Path, now: Nanos) -> Nanos {
        match (path.route, self.way_round(path.nodes)) {
            (Route::Cut(since), Some(_)) => {
                (since + self.spec.membership.connections.relays()).max(now)
            }
            (Route::Round(by), way) if way != Some(by) => now,
            _ => NEVER,
        }
    }

    /// Takes ways round that it is time for, and gives up those that are none any more.
    pub(super) fn change_routes(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if self.next_route(now) > now {
            return;
        }
        for path in 0..self.paths.len() {
            let of = &self.paths[path];
            if of.route == Route::Direct || self.changes_route(of, now) > now {
                continue;
            }
            let ends = of.nodes;
            match self.way_round(ends) {
                Some(by) => self.goes_round(now, path, by, sink),
                None => {
                    self.paths[path].route = Route::Cut(now);
                    self.is_reached_no_more(now, ends, sink);
                }
            }
        }
    }

    fn goes_round(&mut self, now: Nanos, path: usize, by: usize, sink: &mut impl NetworkSink) {
        let of = &mut self.paths[path];
        of.route = Route::Round(by);
        let (ends, waiting) = (of.nodes, of.waiting());
        for (from, to, bytes) in [
            (ends[0], ends[1], waiting[0]),
            (ends[1], ends[0], waiting[1]),
        ] {
            self.order.repeats((from, to), bytes);
        }
        self.sends_ordered();
        if let Some(other) = self.other_end(ends) {
            self.is_heard(now, other, sink);
        }
    }
}
