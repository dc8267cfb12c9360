//! Random groups: nothing that was sent is lost, and flow control holds.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use proptest::prelude::*;

use super::*;
use crate::job::tests::engines::{engines, groups};
use crate::network::Processors;
use crate::random::Stream;
use crate::request::Request;
use crate::spec::Impairment;
use crate::units::{KIB, MICROSECOND, MILLISECOND, SECOND};
use crate::workload::IoSink;
use crate::workload::spec::{Arrivals, OnError, TransactionLoad};

mod copies;
mod take_over;

/// When transactions end to begin.
const STOP_AT: Nanos = SECOND;

/// By when all that they did must be applied.
const END: Nanos = 120 * SECOND;

/// What a message without payload takes beside its link's delay, at most.
const SLACK: Nanos = 20 * MICROSECOND;

/// Where a group runs: every IO takes a random time.
struct World {
    now: Nanos,
    alarms: Vec<Option<Nanos>>,
    events: BinaryHeap<Reverse<(Nanos, Slot, Option<Outcome>)>>,
    latency: Stream,
    longest: Nanos,
    /// By slot: which node's it is; by node, from when to when its disk is broken.
    nodes: Vec<usize>,
    broken: Vec<(usize, Nanos, Nanos)>,
    /// Transactions of the kinds that change anything: committed, and which these are.
    committed: u64,
    changing: Vec<bool>,
    /// Transactions that were refused.
    refused: u64,
    /// Write sets that nodes had when they began to apply.
    bases: Vec<u64>,
    /// Which node has had a copy of all data in this event.
    copied: Option<usize>,
    /// How often a node had missed more than is kept; whom each had its last copy from, and how
    /// many copies there were.
    outdated: u32,
    donors: Vec<usize>,
    copies: u32,
    /// How much these were to copy.
    to_copy: Bytes,
    /// Whether disks, links or hosts break.
    has_turned: bool,
    network: Processors,
    /// Changes of this event.
    told: Vec<MembershipEvent>,
}

impl IoSink for World {
    fn io(&mut self, slot: Slot, _due: Nanos, _request: Request) {
        let node = self.nodes[slot as usize];
        let mut broken = self.broken.iter();
        let outcome =
            Outcome::of(broken.any(|it| it.0 == node && (it.1..it.2).contains(&self.now)));
        // A disk that is lost with its host says so before that is back.
        let end = match outcome {
            Outcome::Failed => self.now + 1,
            Outcome::Done => self.now + 1 + self.latency.below(self.longest),
        };
        self.events.push(Reverse((end, slot, Some(outcome))));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.alarms[slot as usize] = Some(at);
        self.events.push(Reverse((at, slot, None)));
    }

    fn fact(&mut self, fact: Fact) {
        if let Fact::Membership(change) = fact {
            self.told.push(change.what);
        }
        match fact {
            Fact::Transaction(it) => {
                self.committed += u64::from(self.changing[usize::from(it.kind)]);
            }
            Fact::Refused(_, count) => self.refused += count,
            Fact::Membership(MembershipChange {
                what: MembershipEvent::Outdated(_),
                ..
            }) => self.outdated += 1,
            Fact::Membership(MembershipChange {
                what: MembershipEvent::Copies(node, donor, size),
                ..
            }) => {
                self.donors[usize::from(node)] = donor.into();
                self.to_copy += size;
            }
            Fact::Membership(MembershipChange {
                what: MembershipEvent::Copied(node, count, _),
                ..
            }) => {
                self.bases[usize::from(node)] += count;
                self.copied = Some(usize::from(node));
            }
            _ => {}
        }
    }
}

impl NetworkSink for World {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// What holds after every event.
fn check(group: &Group, world: &World, (sent, certified): (u64, u64)) {
    let has_quorum = group.quorum == Quorum::Has;
    assert!(has_quorum || group.flow.certified() == certified, "refused");
    assert!(world.committed <= group.flow.certified());
    for node in group.others() {
        let other = &group.members[node];
        if other.standing == Standing::Gone {
            continue;
        }
        let of = group.nodes[node].progress();
        let has = world.bases[node] + of.received + other.owed.count();
        // What a stopped engine had received in memory is owed again once it is started.
        let is_alive = !group.nodes[node].is_stopped();
        assert!(
            !is_alive || has + other.under_way.len() as u64 == group.write_sets,
            "none is lost"
        );
        assert!(of.applied + of.queued <= of.received);
        if !other.standing.is_member() {
            continue;
        }
        let Some(since) = other.stopped else {
            let may_lag = other.may_lag().filter(|_| is_alive);
            let limit = may_lag.map(|it| group.spec.upper.saturating_add(it));
            assert!(limit.is_none_or(|it| of.queued <= it), "it stops the group");
            continue;
        };
        if !other.is_synced() || !is_alive {
            continue;
        }
        assert!(of.queued > group.spec.lower, "it lets the group go on");
        if world.has_turned {
            continue;
        }
        // It waits for what is under way, and is delivered like all.
        let delays = group.spec.nodes.iter().flat_map(|it| it.link.delay);
        let longest = delays.max().unwrap_or(0);
        if world.now > since + 6 * (longest + SLACK) {
            assert_eq!(group.write_sets, sent, "it was told to stop");
        }
    }
}

/// What goes wrong in a run: the disk of a node from some time on, and links that go down and work
/// again, in order of time.
#[derive(Default)]
struct Troubles {
    broken: Vec<(usize, Nanos, Nanos)>,
    turns: Vec<(Nanos, usize, [bool; 2])>,
    /// And hosts, which go down and are back.
    hosts: Vec<(Nanos, usize, bool)>,
    /// And pauses of hosts, likewise.
    pauses: Vec<(Nanos, usize, bool)>,
    /// What is wrong with links from some time on, likewise.
    impaired: Vec<(Nanos, usize, Impairment)>,
}

/// What goes wrong with a host or a link, or is right again.
#[derive(Clone, Copy)]
enum Trouble {
    Host(usize, bool),
    Pause(usize, bool),
    Cut(usize, [bool; 2]),
    Impaired(usize, Impairment),
}

impl Troubles {
    /// All but broken disks, in order of time.
    fn in_order(&self) -> Vec<(Nanos, Trouble)> {
        let hosts = self.hosts.iter();
        let hosts = hosts.map(|&(at, host, is_up)| (at, Trouble::Host(host, is_up)));
        let pauses = self.pauses.iter();
        let pauses = pauses.map(|&(at, host, goes_on)| (at, Trouble::Pause(host, goes_on)));
        let cuts = self.turns.iter();
        let cuts = cuts.map(|&(at, link, cut)| (at, Trouble::Cut(link, cut)));
        let impaired = self.impaired.iter();
        let impaired = impaired.map(|&(at, link, is)| (at, Trouble::Impaired(link, is)));
        let mut all: Vec<_> = hosts.chain(pauses).chain(cuts).chain(impaired).collect();
        all.sort_by_key(|it| it.0);
        all
    }
}

/// Runs a group until nothing happens but its clocks.
fn run(spec: &OltpSpec, longest: Nanos, troubles: Troubles) -> (Group, World) {
    let own = spec.group.as_ref().unwrap();
    let in_order = troubles.in_order();
    let mut group = Group::new(spec, own, 0, 1);
    let mut world = World {
        now: 0,
        alarms: vec![None; group.slots() as usize],
        events: BinaryHeap::new(),
        latency: Stream::new(1, "latency"),
        longest,
        nodes: (0..group.slots())
            .map(|slot| match group.copy_slot(slot) {
                Some((node, _)) => node,
                None => group.node_of(slot).0,
            })
            .collect(),
        has_turned: !(troubles.broken.is_empty() && in_order.is_empty()),
        broken: troubles.broken,
        committed: 0,
        changing: spec.kinds.iter().map(|kind| kind.changes > 0).collect(),
        refused: 0,
        bases: vec![0; group.nodes.len()],
        copied: None,
        donors: vec![0; group.nodes.len()],
        copies: 0,
        to_copy: 0,
        outdated: 0,
        network: Processors::default(),
        told: Vec::new(),
    };
    let mut troubles = in_order.into_iter().peekable();
    group.start(&mut world);
    while let Some(&Reverse((now, slot, outcome))) = world.events.peek()
        && now < END
    {
        let before = (group.write_sets, group.flow.certified());
        let writer = group.writer;
        let had = has(&group, &world);
        if let Some((at, trouble)) = troubles.next_if(|it| it.0 <= now) {
            world.now = at;
            match trouble {
                Trouble::Host(host, is_up) => group.host_turned(at, host, is_up, &mut world),
                Trouble::Pause(host, goes_on) => {
                    let speed = if goes_on { 1000 } else { 0 };
                    group.host_runs_at(at, host, speed, &mut world);
                }
                Trouble::Cut(link, cut) => group.link_turned(at, link, cut, &mut world),
                Trouble::Impaired(link, is) => group.link_is_impaired(at, link, is),
            }
        } else {
            world.events.pop();
            world.now = now;
            if let Some(outcome) = outcome {
                group.completed(now, slot, outcome, &mut world);
            } else if world.alarms[slot as usize]
                .take_if(|at| *at == now)
                .is_some()
            {
                group.woken(now, slot, &mut world);
            }
        }
        for what in core::mem::take(&mut world.told) {
            assert!(is_of_who_acts(&group, writer, what), "{what:?}");
        }
        if group.writer != writer {
            has_taken_over(&group, &mut world, writer);
        }
        if let Some(node) = world.copied.take() {
            let (donor, has) = (world.donors[node], has(&group, &world));
            assert!(has[node] <= had[donor].max(has[donor]), "its donor has it");
            world.copies += 1;
        }
        check(&group, &world, before);
        if now > STOP_AT && troubles.peek().is_none() && is_over(&group, &world) {
            break;
        }
    }
    (group, world)
}

/// Whether a change is none that a paused host would have had to notice or to bring about.
fn is_of_who_acts(group: &Group, writer: usize, what: MembershipEvent) -> bool {
    let is_paused = |node: usize| group.members[node].on == Host::Paused;
    match what {
        MembershipEvent::Silent(node) | MembershipEvent::Left(node) if is_paused(writer) => {
            usize::from(node) == writer || group.is_gone(node.into())
        }
        MembershipEvent::TakesOver(node) | MembershipEvent::Serves(node, _) => {
            !is_paused(node.into())
        }
        MembershipEvent::NoQuorum if is_paused(writer) => group.loss.as_ref().is_none_or(|loss| {
            let mut left = group.others().filter(|&it| !group.is_gone(it));
            !left.any(|it| group.has_majority_of(loss, it))
        }),
        _ => true,
    }
}

/// Of how many write sets all is in the data of each node.
fn has(group: &Group, world: &World) -> Vec<u64> {
    let nodes = 0..group.nodes.len();
    let has = nodes.map(|it| match it == group.writer {
        true => group.flow.certified_of(group.write_sets),
        false => world.bases[it] + group.nodes[it].progress().applied,
    });
    has.collect()
}

/// The new writer has every acknowledged transaction; what the old one has that follows now.
fn has_taken_over(group: &Group, world: &mut World, old: usize) {
    let has = world.bases[group.writer] + group.nodes[group.writer].progress().applied;
    assert!(world.committed <= has, "nothing acknowledged is missing");
    assert_eq!(has, group.write_sets, "it has all");
    let owed = group.members[old].owed.count();
    world.bases[old] = group.write_sets - owed - group.nodes[old].progress().received;
}

/// Whether nothing is left to be done.
fn is_over(group: &Group, world: &World) -> bool {
    let is_settled = |node: usize| {
        let has = world.bases[node] + group.nodes[node].progress().applied;
        let of = &group.members[node];
        of.standing == Standing::Gone || of.is_synced() && has == group.write_sets
    };
    if group.writer().is_stopped() && !group.spec.serves_again() {
        return true;
    }
    let is_idle = group.writer().is_idle();
    group.loss.is_none() && is_idle && group.others().all(is_settled)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The receive queue passes its limit by what was under way and sent until the group knew, no
    /// write set is lost, and in the end each that was committed is applied on every node.
    #[test]
    fn what_was_committed_is_applied_on_every_node(
        engine in engines(),
        group in groups(),
        threads in 1_u32..12,
        is_open in any::<bool>(),
        longest in 1..20 * MILLISECOND,
    ) {
        let load = load(is_open, threads);
        let spec = OltpSpec { load, group: Some(group), ..engine };
        let (group, world) = run(&spec, longest, Troubles::default());
        prop_assert_eq!(world.committed, group.write_sets);
        for node in &group.nodes[1..] {
            let of = node.progress();
            prop_assert_eq!((of.received, of.applied), (world.committed, world.committed));
        }
        prop_assert!(group.nodes[0].is_idle());
    }

    /// A node whose disk fails stops and leaves the group: with two others or more the rest goes
    /// on without it, and the last that is left commits nothing more.
    #[test]
    fn a_node_without_disk_leaves_the_group(
        engine in engines(),
        group in groups(),
        threads in 1_u32..12,
        node in any::<prop::sample::Index>(),
        at in 1..STOP_AT,
        longest in 1..20 * MILLISECOND,
    ) {
        let load = TransactionLoad::Closed { steps: vec![(0, threads), (STOP_AT, 0)], think: 0 };
        let node = 1 + node.index(group.nodes.len());
        let spec = OltpSpec { load, group: Some(group), ..engine };
        let broken = vec![(node, at, NEVER)];
        let (group, world) = run(&spec, longest, Troubles { broken, ..Troubles::default() });
        let others = &group.nodes[1..];
        let is_alone = others.iter().all(Oltp::is_stopped);
        prop_assert_eq!(group.quorum != Quorum::Has, is_alone, "quorum");
        prop_assert!(is_alone || world.committed == group.write_sets);
        for node in others.iter().filter(|it| !is_alone && !it.is_stopped()) {
            let of = node.progress();
            prop_assert_eq!((of.received, of.applied), (world.committed, world.committed));
        }
    }

    /// A node whose host is lost and returns is started again with what was on its disks, and has
    /// all that was sent in the end.
    #[test]
    fn a_host_that_returns_has_all_that_was_committed(
        engine in engines(),
        group in groups(),
        at in 1..STOP_AT / 2,
        lasts in 1..400 * MILLISECOND,
        restart in 1..200 * MILLISECOND,
        longest in 1..20 * MILLISECOND,
    ) {
        let load = TransactionLoad::Closed { steps: vec![(0, 8), (STOP_AT, 0)], think: 0 };
        let mut group = group;
        group.membership.restart = Some(restart);
        group.membership.weight = 2;
        let spec = OltpSpec { load, group: Some(group), on_error: OnError::Stop, ..engine };
        let turns = vec![(at, 0, BOTH), (at + lasts, 0, [false; 2])];
        let hosts = vec![(at, 1, false), (at + lasts, 1, true)];
        let troubles = Troubles { turns, hosts, broken: vec![(1, at, at + lasts)], ..Troubles::default() };
        let (group, world) = run(&spec, longest, troubles);
        prop_assert_eq!(&group.quorum, &Quorum::Has);
        prop_assert_eq!(world.committed, group.flow.certified());
        for (node, other) in group.nodes[1..].iter().zip(&group.members[1..]) {
            let of = node.progress();
            prop_assert!(other.is_synced());
            prop_assert_eq!((of.received, of.applied), (group.write_sets, group.write_sets));
        }
    }

    /// With the first node all ends, whatever links do.
    #[test]
    fn a_group_ends_with_its_first_node(
        engine in engines(),
        group in groups(),
        at in 1..STOP_AT,
        cuts in prop::collection::vec(cuts(2), 0..4),
    ) {
        let load = TransactionLoad::Closed { steps: vec![(0, 4)], think: 0 };
        let turns = turns(group.nodes.len(), &cuts);
        let spec = OltpSpec { load, group: Some(group), on_error: OnError::Stop, ..engine };
        let (group, world) = run(&spec, MILLISECOND, Troubles { turns, broken: vec![(0, at, NEVER)], ..Troubles::default() });
        // It may have had no IO to fail.
        prop_assert!(group.nodes[0].is_stopped() || world.now >= STOP_AT);
    }

    /// Links go down and work again in any order, both ways or one: while too few are members
    /// nothing commits, and in the end all are members that did not miss more than is kept, and
    /// have applied all that was sent, which is all that was committed and what failed as the
    /// quorum was lost.
    #[test]
    fn what_heals_has_all_that_was_committed(
        engine in engines(),
        group in groups(),
        threads in 1_u32..12,
        is_open in any::<bool>(),
        weights in prop::array::uniform4(1_u32..4),
        gcache in prop::sample::select(&[2 * KIB, 100 * KIB, KIB * KIB]),
        restart in prop::sample::select(&[None, Some(1), Some(200 * MILLISECOND)]),
        blocks_donor in any::<bool>(),
        cuts in prop::collection::vec(cuts(2), 1..7),
        longest in 1..20 * MILLISECOND,
    ) {
        let load = load(is_open, threads);
        let mut group = group;
        group.membership.weight = weights[0];
        group.membership.gcache = gcache;
        group.membership.restart = restart;
        group.membership.blocks_donor = blocks_donor;
        group.nodes.iter_mut().zip(&weights[1..]).for_each(|(node, &own)| node.weight = own);
        let turns = turns(group.nodes.len(), &cuts);
        let spec = OltpSpec { load, group: Some(group), ..engine };
        let (group, world) = run(&spec, longest, Troubles { turns, ..Troubles::default() });
        prop_assert_eq!(&group.quorum, &Quorum::Has, "what can heal heals");
        let members: Vec<_> = group.members.iter().map(|it| (it.standing, it.stopped)).collect();
        prop_assert!(group.nodes[0].is_idle(), "{:?} {members:?}", group.flow);
        prop_assert_eq!(world.committed, group.flow.certified());
        prop_assert!(group.without_quorum > 0 || world.refused == 0);
        let others = group.nodes[1..].iter().zip(&group.members[1..]);
        for ((node, other), base) in others.zip(&world.bases[1..]) {
            let of = node.progress();
            let has = (base + of.received, base + of.applied);
            let has_all = has == (group.write_sets, group.write_sets);
            // Nobody starts it again for the copy that it needs.
            let is_gone = other.standing == Standing::Gone && restart.is_none();
            prop_assert!(is_gone || (other.is_synced() && has_all), "{:?} {:?} {:?}", other.standing, of, has);
        }
    }
}

/// Both ways of a link.
pub(super) const BOTH: [bool; 2] = [true; 2];

/// A link, from when, for how long, and which ways of it are cut.
pub(super) type LinkCut = (usize, Nanos, Nanos, [bool; 2]);

/// Cuts of any of so many links: whole, or of one way.
pub(super) fn cuts(links: usize) -> impl Strategy<Value = LinkCut> {
    let ways = prop_oneof![Just(BOTH), Just([true, false]), Just([false, true])];
    (0..links, 1..STOP_AT, 1..300 * MILLISECOND, ways)
}

/// When which ways are cut of the links of so many others.
fn turns(others: usize, cuts: &[LinkCut]) -> Vec<(Nanos, usize, [bool; 2])> {
    let own = cuts.iter().map(|it| (it.0 % others, it.1, it.2, it.3));
    ways_cut(&own.collect::<Vec<_>>())
}

/// When which ways of links are cut, by all cuts that last then.
pub(super) fn ways_cut(cuts: &[LinkCut]) -> Vec<(Nanos, usize, [bool; 2])> {
    let ends = cuts
        .iter()
        .flat_map(|it| [(it.1, it.0), (it.1 + it.2, it.0)]);
    let mut turns: Vec<_> = ends.collect();
    turns.sort_unstable();
    turns.dedup();
    let is_cut = |(at, link): (Nanos, usize), from: usize| {
        let lasts = |it: &LinkCut| it.0 == link && it.1 <= at && at < it.1 + it.2;
        cuts.iter().any(|it| lasts(it) && it.3[from])
    };
    let turns = turns.into_iter();
    let turns = turns.map(|turn| (turn.0, turn.1, [0, 1].map(|from| is_cut(turn, from))));
    turns.collect()
}

/// Transactions until [`STOP_AT`], by the clock or as fast as `threads` do them.
fn load(is_open: bool, threads: u32) -> TransactionLoad {
    if is_open {
        TransactionLoad::Open {
            steps: vec![(0, 200), (STOP_AT, 0)],
            arrivals: Arrivals::Poisson,
            threads,
        }
    } else {
        TransactionLoad::Closed {
            steps: vec![(0, threads), (STOP_AT, 0)],
            think: 0,
        }
    }
}
