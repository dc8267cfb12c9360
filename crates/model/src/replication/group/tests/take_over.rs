//! Random groups whose nodes are lost and return while links go down: what heals serves again, and
//! nothing acknowledged is missing.

use super::*;
use crate::spec::TakeOver;
use crate::spec::{LossSpec, Recovery};

/// A group with a link between any two nodes, whose load moves.
pub(super) fn with_take_over(mut group: GroupSpec, after: Nanos) -> GroupSpec {
    group.take_over = Some(TakeOver { after });
    group
}

/// Spells of `count` things from 0 on: from when to when each is down.
fn spells(count: usize, drawn: &[(usize, Nanos, Nanos)]) -> Vec<(usize, Nanos, Nanos)> {
    let own = drawn.iter().map(|it| (it.0 % count, it.1, it.2));
    merged(&own.collect::<Vec<_>>())
}

fn down_and_up(spells: &[(usize, Nanos, Nanos)]) -> Vec<(Nanos, usize, bool)> {
    let turns = spells.iter();
    let turns = turns.flat_map(|&(which, from, to)| [(from, which, false), (to, which, true)]);
    let mut turns: Vec<_> = turns.collect();
    turns.sort_unstable();
    turns
}

/// Hosts are lost, which breaks their disks and links, or paused, which breaks their links; links
/// are cut, too, whole or one way.
pub(super) fn troubles(
    group: &GroupSpec,
    [hosts, pauses]: [&[(usize, Nanos, Nanos)]; 2],
    cuts: &[LinkCut],
) -> Troubles {
    let nodes = group.nodes.len() + 1;
    let between = &group.between;
    let (broken, paused) = (spells(nodes, hosts), spells(nodes, pauses));
    let own = group.nodes.iter().enumerate();
    let own = own.map(|(number, node)| (number, [0, node.host]));
    let links: Vec<_> = own
        .chain(between.iter().map(|it| (it.number, it.nodes)))
        .collect();
    let with_hosts = links.iter().flat_map(|&(number, ends)| {
        let lost = broken.iter().chain(&paused);
        let lost = lost.filter(move |it| ends.contains(&it.0));
        lost.map(move |&(_, from, to)| (number, from, to - from, BOTH))
    });
    let cuts = cuts
        .iter()
        .map(|&(which, from, lasts, ways)| (which % links.len(), from, lasts, ways));
    let cuts: Vec<_> = with_hosts.chain(cuts).collect();
    Troubles {
        turns: ways_cut(&cuts),
        hosts: down_and_up(&broken),
        pauses: down_and_up(&paused),
        broken,
        ..Troubles::default()
    }
}

/// Any link of a group is slow or loses packets from some time on; nothing is wrong with it for
/// `milliseconds` 0.
fn impaired(group: &GroupSpec, drawn: &[(usize, Nanos, u32)]) -> Vec<(Nanos, usize, Impairment)> {
    let links = group.nodes.len() + group.between.len();
    let at = |&(link, at, milliseconds): &(usize, Nanos, u32)| {
        let is = match milliseconds {
            0 => Impairment::NONE,
            _ => Impairment {
                permille: [1 + milliseconds * 50, 1000],
                delay: [Nanos::from(milliseconds) * MILLISECOND, MILLISECOND],
                loss: [0, milliseconds / 2].map(|less| {
                    Some(LossSpec {
                        per_million: (milliseconds - less) * 5_000,
                        recovery: Recovery::Rack,
                        retransmit_after: 20 * MILLISECOND,
                    })
                }),
            },
        };
        (at, link % links, is)
    };
    let mut all: Vec<_> = drawn.iter().map(at).collect();
    all.sort_unstable_by_key(|it| (it.0, it.1));
    all
}

/// The times in which each thing is down, of spells that overlap.
fn merged(cuts: &[(usize, Nanos, Nanos)]) -> Vec<(usize, Nanos, Nanos)> {
    let mut cuts: Vec<_> = cuts
        .iter()
        .map(|&(which, from, lasts)| (which, from, from + lasts))
        .collect();
    cuts.sort_unstable();
    let mut all: Vec<(usize, Nanos, Nanos)> = Vec::new();
    for (which, from, to) in cuts {
        match all.last_mut() {
            Some(last) if last.0 == which && from <= last.2 => last.2 = last.2.max(to),
            _ => all.push((which, from, to)),
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whichever nodes are lost and links are cut, slow or lossy, once all is whole again somebody
    /// serves, and all have applied all that was sent.
    #[test]
    fn what_heals_serves_and_misses_nothing(
        engine in engines(),
        group in groups(),
        threads in 1_u32..12,
        is_open in any::<bool>(),
        after in 1..100 * MILLISECOND,
        restart in 1..200 * MILLISECOND,
        weights in prop::array::uniform4(1_u32..4),
        hosts in prop::collection::vec((0..4_usize, 1..STOP_AT, 1..400 * MILLISECOND), 1..6),
        pauses in prop::collection::vec((0..4_usize, 1..STOP_AT, 1..400 * MILLISECOND), 0..3),
        cuts in prop::collection::vec(cuts(6), 0..4),
        gcache in prop::sample::select(&[KIB, 20 * KIB, KIB * KIB]),
        blocks_donor in any::<bool>(),
        longest in 1..20 * MILLISECOND,
        slow in prop::collection::vec((0..6_usize, 1..STOP_AT, 0..20_u32), 0..6),
    ) {
        let mut group = with_take_over(group, after);
        group.membership.restart = Some(restart);
        group.membership.weight = weights[0];
        group.membership.gcache = gcache;
        group.membership.blocks_donor = blocks_donor;
        group.nodes.iter_mut().zip(&weights[1..]).for_each(|(node, &own)| node.weight = own);
        let mut troubles = troubles(&group, [&hosts, &pauses], &cuts);
        troubles.impaired = impaired(&group, &slow);
        let load = load(is_open, threads);
        let spec = OltpSpec { load, group: Some(group), on_error: OnError::Stop, ..engine };
        let (group, world) = run(&spec, longest, troubles);
        let standings: Vec<_> = group.members.iter().map(|it| (it.standing, it.on)).collect();
        prop_assert!(group.loss.is_none(), "{:?} {:?} {:?} {:?}", group.loss, group.quorum, standings, group.writer);
        prop_assert_eq!(&group.quorum, &Quorum::Has);
        prop_assert!(group.writer().is_idle());
        prop_assert!(world.committed <= group.write_sets);
        for node in group.others() {
            let has = world.bases[node] + group.nodes[node].progress().applied;
            prop_assert!(group.members[node].is_synced(), "{}", node);
            prop_assert_eq!(has, group.write_sets, "{}", node);
        }
    }
}
