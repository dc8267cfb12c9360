//! What a change does to the service of a replicated job: how long nothing is committed, what fails
//! or is refused, and what is lost.

use blockyard_experiment::judge;
use blockyard_record::thresholds::{LATENCY_MOVES, are_enough};

use crate::figures::Came;

/// Of a job that did nothing, for a ratio.
const NEARLY_NONE: f64 = 1e-3;

/// What the users of a job went without, as it is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Went {
    outage_s: f64,
    /// What failed, over what was done a second: a loop that is served faster, and fails in the
    /// same time, has more that fails and no worse service.
    failed: f64,
    lost: f64,
    lost_bytes: f64,
}

impl Went {
    pub(super) fn of(came: &Came) -> Self {
        let service = came.service.unwrap_or_default();
        Self {
            outage_s: service.outage_s,
            failed: service.errors as f64 / came.per_s.max(NEARLY_NONE),
            lost: service.lost as f64,
            lost_bytes: service.lost_bytes as f64,
        }
    }
}

/// Whether some of it gets better, and some of it worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    pub(super) better: bool,
    pub(super) worse: bool,
}

impl Moves {
    /// By what it is `before` and `after` a change, seed by seed; more may be known of before.
    pub(super) fn of(before: &[Went], after: &[Went]) -> Self {
        let figures: [fn(&Went) -> f64; 4] = [
            |of| of.outage_s,
            |of| of.failed,
            |of| of.lost,
            |of| of.lost_bytes,
        ];
        let each = figures.map(|figure| less(&values(before, figure), &values(after, figure)));
        Self {
            better: each.iter().any(|less| *less > 0.0),
            worse: each.iter().any(|less| *less < 0.0),
        }
    }
}

fn values(of: &[Went], figure: fn(&Went) -> f64) -> Vec<f64> {
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
    use super::super::now::of_job;
    use super::*;
    use crate::figures::Service;

    fn each(outages_s: &[f64], lost: &[u64]) -> Vec<Went> {
        let both = outages_s.iter().zip(lost);
        let each = both.map(|(&outage_s, &lost)| Went {
            outage_s,
            lost: lost as f64,
            ..Went::default()
        });
        each.collect()
    }

    fn moves(before: &[Went], after: &[Went]) -> (bool, bool) {
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

    /// A volume fails for as long, and twice as much comes to it meanwhile.
    #[test]
    fn what_fails_is_held_against_what_is_done() {
        let went = |errors: u64, per_s: f64| {
            let service = Service {
                errors,
                ..Service::default()
            };
            let came = Came {
                per_s,
                service: Some(service),
                ..of_job(&[], "load")
            };
            [Went::of(&came); 3]
        };
        let before = went(30_000, 5_000.0);
        assert_eq!(moves(&before, &went(60_000, 10_000.0)), (false, false));
        assert_eq!(moves(&before, &went(30_000, 2_500.0)), (false, true));
        assert_eq!(moves(&before, &went(30_000, 7_500.0)), (true, false));
        assert_eq!(moves(&went(30_000, 0.0), &before), (true, false));
        assert_eq!(moves(&before, &went(0, 5_000.0)), (true, false));
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
