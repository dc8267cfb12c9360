//! Random groups of which a node has missed more than is kept, while more goes wrong: what it is
//! copied has what its donor had applied, and in the end it has all.

use super::take_over::{troubles, with_take_over};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// One node is lost for long; as it returns another is lost, a link is cut or its own disk
    /// fails for a moment, or nothing more happens.
    #[test]
    fn who_has_missed_too_much_gets_a_copy(
        engine in engines(),
        group in groups(),
        threads in 4_u32..12,
        at in 1..100 * MILLISECOND,
        lasts in 150..300 * MILLISECOND,
        restart in 1..50 * MILLISECOND,
        later in 1..200 * MILLISECOND,
        trouble in prop::sample::select(&["none", "host", "link", "disk"]),
        (which, _, spell, ways) in cuts(6),
        blocks_donor in any::<bool>(),
        donor in prop::option::of(0..4_usize),
        longest in 1..20 * MILLISECOND,
    ) {
        let mut group = with_take_over(group, 50 * MILLISECOND);
        group.membership.restart = Some(restart);
        group.membership.gcache = 1;
        group.membership.blocks_donor = blocks_donor;
        group.membership.donor = donor.filter(|&it| it <= group.nodes.len());
        let lost = 1;
        let again = at + lasts + later;
        let mut hosts = vec![(lost, at, lasts)];
        let mut cuts = Vec::new();
        match trouble {
            "host" => hosts.push((which % (group.nodes.len() + 1), again, spell)),
            "link" => cuts.push((which, again, spell, ways)),
            _ => {}
        }
        let mut troubles = troubles(&group, [&hosts, &[]], &cuts);
        if trouble == "disk" {
            troubles.broken.push((lost, again, again + spell / 10));
        }
        let load = load(false, threads);
        let spec = OltpSpec { load, group: Some(group), on_error: OnError::Stop, ..engine };
        let (group, world) = run(&spec, longest, troubles);
        for node in group.others() {
            // One whose engine had its disk fail, and not its host, is started by nobody.
            let is_gone = trouble == "disk" && group.nodes[node].is_stopped();
            let is_whole = group.members[node].is_synced() && has(&group, &world)[node] == group.write_sets;
            prop_assert!(is_gone || is_whole, "{:?}", group.members[node]);
        }
        prop_assert!(trouble != "none" || world.copies == world.outdated);
        let counts = group.links(0).flat_map(|(_, counts)| counts);
        let copied: Bytes = counts.map(|counts| counts.copied).sum();
        prop_assert!(trouble != "none" || copied == world.to_copy);
        prop_assert!(world.outdated > 0 || world.copies == 0);
    }
}
