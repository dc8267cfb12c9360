//! What a change does to the service of a replicated job: how long nothing is committed, what fails
//! or is refused, and what is lost.

use blockyard_experiment::judge;
use blockyard_record::thresholds::{LATENCY_MOVES, are_enough};

use crate::figures::Service;

/// Whether some of it gets better, and some of it worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    pub(super) better: bool,
    pub(super) worse: bool,
}

impl Moves {
    /// By what it is `before` and `after` a change, seed by seed; more may be known of before.
    pub(super) fn of(before: &[Service], after: &[Service]) -> Self {
        let figures: [fn(&Service) -> f64; 3] =
            [|of| of.outage_s, |of| of.errors as f64, |of| of.lost as f64];
        let each = figures.map(|figure| less(&values(before, figure), &values(after, figure)));
        Self {
            better: each.iter().any(|less| *less > 0.0),
            worse: each.iter().any(|less| *less < 0.0),
        }
    }
}

fn values(of: &[Service], figure: fn(&Service) -> f64) -> Vec<f64> {
    of.iter().map(figure).collect()
}

/// How much less of something there is; 0 if that is little, or may be chance.
pub(super) fn less(before: &[f64], after: &[f64]) -> f64 {
    let least = before.iter().copied().min_by(f64::total_cmp);
    let most = before.iter().copied().max_by(f64::total_cmp);
    let range = least.zip(most).filter(|_| are_enough(before.len()));
    let effect = judge(before, after, |before, after| before - after, range);
    // Any number is many times none.
    let from_none = effect.gain == 0.0 && effect.better != 0.0;
    let is_felt = from_none || effect.gain.abs() >= LATENCY_MOVES;
    match is_felt && !effect.chance {
        true => effect.better,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(outages_s: &[f64], lost: &[u64]) -> Vec<Service> {
        let both = outages_s.iter().zip(lost);
        let each = both.map(|(&outage_s, &lost)| Service {
            outage_s,
            errors: 0,
            lost,
        });
        each.collect()
    }

    fn moves(before: &[Service], after: &[Service]) -> (bool, bool) {
        let Moves { better, worse } = Moves::of(before, after);
        (better, worse)
    }

    #[test]
    fn each_figure_counts_by_itself() {
        let before = each(&[20.0; 3], &[0; 3]);
        assert_eq!(moves(&before, &before), (false, false));
        assert_eq!(moves(&before, &each(&[6.0; 3], &[0; 3])), (true, false));
        assert_eq!(moves(&before, &each(&[6.0; 3], &[5; 3])), (true, true));
        assert_eq!(moves(&before, &each(&[20.0; 3], &[1; 3])), (false, true));
        assert_eq!(moves(&before, &each(&[19.5; 3], &[0; 3])), (false, false));
    }

    #[test]
    fn what_seeds_do_not_agree_on_is_chance() {
        let before = each(&[0.0; 3], &[10, 20, 30]);
        assert_eq!(
            moves(&before, &each(&[0.0; 3], &[0, 30, 0])),
            (false, false)
        );
        // One seed is held to the range of those without the change.
        assert_eq!(moves(&before, &each(&[0.0], &[25])), (false, false));
        assert_eq!(moves(&before, &each(&[0.0], &[0])), (true, false));
        assert_eq!(moves(&before, &each(&[0.0], &[40])), (false, true));
    }
}
