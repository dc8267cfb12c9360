//! Which axis moves a figure.

use std::collections::BTreeMap;

/// How much of a figure's variation an axis explains.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisShare {
    /// The axis, by its place.
    pub axis: usize,
    /// The share of the variance that is between the axis's values, from 0 to 1.
    pub share: f64,
}

/// How much of the variation of `values` each axis explains alone, the most first. `levels` are the
/// values of each axis, in numbers, row by row. Rows without a value are left out.
///
/// Where all values are above 0, their logarithms are taken: of latencies and rates ratios count.
/// What the axes do not explain alone is how they work together, or chance.
#[must_use]
pub fn decides(levels: &[Vec<usize>], values: &[Option<f64>]) -> Vec<AxisShare> {
    let positive = values.iter().flatten().all(|value| *value > 0.0);
    let scaled = |value: f64| if positive { value.ln() } else { value };
    let known: Vec<(usize, f64)> = (0..)
        .zip(values)
        .filter_map(|(row, value)| Some((row, scaled((*value)?))))
        .filter(|(_, value)| value.is_finite())
        .collect();
    let total = spread(known.iter().map(|(_, value)| *value));
    let mut found: Vec<_> = (0..)
        .zip(levels)
        .map(|(axis, levels)| {
            let mut by_level: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            for (row, value) in &known {
                by_level.entry(levels[*row]).or_default().push(*value);
            }
            let within: f64 = by_level
                .values()
                .map(|values| spread(values.iter().copied()))
                .sum();
            let share = match total > 0.0 {
                true => (1.0 - within / total).clamp(0.0, 1.0),
                false => 0.0,
            };
            AxisShare { axis, share }
        })
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

/// The sum of squared differences from the mean.
fn spread(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    values.map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_that_moves_a_figure_comes_first() {
        // y = 10^a, times 2 for the second b: log y is a sum.
        let levels = vec![vec![0, 0, 1, 1, 2, 2], vec![0, 1, 0, 1, 0, 1]];
        let values = [1.0, 2.0, 10.0, 20.0, 100.0, 200.0].map(Some);
        let found = decides(&levels, &values);
        assert_eq!((found[0].axis, found[1].axis), (0, 1));
        assert!(
            (found[0].share + found[1].share - 1.0).abs() < 1e-9,
            "{found:?}"
        );
        // Of var(log) the first has ln(10)^2 * 2/3, the second ln(2)^2 / 4.
        let (a, b) = (10_f64.ln().powi(2) * 2.0 / 3.0, 2_f64.ln().powi(2) / 4.0);
        assert!((found[0].share - a / (a + b)).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_does_not_vary_is_decided_by_nothing() {
        let found = decides(&[vec![0, 1, 2]], &[Some(5.0), Some(5.0), None]);
        assert_eq!(found[0].share, 0.0);
    }
}
