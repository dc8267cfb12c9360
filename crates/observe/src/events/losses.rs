//! Events that were lost, by second.

use blockyard_record::result::LostEvents;

/// Notes a loss. Those that begin in the same second are one: a ring that is too small loses events
/// many times a second.
pub(crate) fn note(all: &mut Vec<LostEvents>, new: LostEvents) {
    let second = |one: &LostEvents| one.from_s.floor();
    // Losses of other processors come a little out of order.
    let mut last = all.iter_mut().rev().take(2);
    match last.find(|one| second(one) == second(&new)) {
        Some(one) => {
            one.from_s = one.from_s.min(new.from_s);
            one.to_s = one.to_s.max(new.to_s);
            one.events += new.events;
        }
        None => all.push(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_by_second() {
        let lost = |from_s, to_s, events| LostEvents {
            from_s,
            to_s,
            events,
        };
        let mut all = Vec::new();
        for one in [
            lost(1.5, 1.6, 3),
            lost(1.2, 1.4, 5),
            lost(2.0, 2.1, 7),
            lost(1.9, 2.2, 1),
        ] {
            note(&mut all, one);
        }
        assert_eq!(all, [lost(1.2, 2.2, 9), lost(2.0, 2.1, 7)]);
    }
}
