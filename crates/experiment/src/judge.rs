//! The judge: whether a change moved a figure, by runs with the same seeds before and after it.

use blockyard_record::thresholds::are_enough;

/// What a change does to a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// By how much the figure is better, in its own unit, as a mean over seeds; less than 0 if it
    /// is worse.
    pub better: f64,
    /// The same as a share of what it was before; 0 where it was 0.
    pub gain: f64,
    /// Whether that may be chance: seeds do not agree on its sign or, with fewer than three, the
    /// figure stays where other seeds have it without the change.
    pub chance: bool,
}

/// Judges a figure by its values `before` and `after` a change, seed by seed in the same order.
/// `better` says by how much one value is better than another. `without` is the figure's range over
/// seeds without the change, where that is known.
#[must_use]
pub fn judge(
    before: &[f64],
    after: &[f64],
    better: impl Fn(f64, f64) -> f64,
    without: Option<(f64, f64)>,
) -> Effect {
    let pairs = || before.iter().zip(after);
    let each = || pairs().map(|(before, after)| better(*before, *after));
    let count = pairs().count().max(1) as f64;
    let mean = each().sum::<f64>() / count;
    let was = pairs().map(|(before, _)| before).sum::<f64>() / count;
    let first = after.first().copied().unwrap_or(0.0);
    let chance = match are_enough(after.len()) {
        true => mean != 0.0 && each().any(|each| each * mean <= 0.0),
        false => without.is_some_and(|(min, max)| (min..=max).contains(&first)),
    };
    Effect {
        better: mean,
        gain: if was > 0.0 { mean / was } else { 0.0 },
        chance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rise(before: f64, after: f64) -> f64 {
        after - before
    }

    #[test]
    fn what_all_seeds_agree_on_is_no_chance() {
        let found = judge(&[100.0, 110.0, 90.0], &[120.0, 115.0, 95.0], rise, None);
        assert_eq!((found.better, found.gain, found.chance), (10.0, 0.1, false));
        let found = judge(&[100.0, 110.0, 90.0], &[140.0, 115.0, 89.0], rise, None);
        assert!(found.chance && found.gain > 0.1);
        let same = judge(&[100.0; 3], &[100.0; 3], rise, None);
        assert_eq!((same.gain, same.chance), (0.0, false));
    }

    #[test]
    fn a_few_seeds_are_held_to_what_other_seeds_have_without_the_change() {
        let with = |without| judge(&[100.0], &[105.0], rise, without).chance;
        assert!(with(Some((95.0, 105.0))));
        assert!(!with(Some((95.0, 104.0))));
        assert!(!with(None));
    }

    #[test]
    fn a_figure_that_was_nothing_has_no_gain() {
        let found = judge(&[0.0], &[5.0], rise, None);
        assert_eq!((found.better, found.gain), (5.0, 0.0));
    }
}
