//! Where most of a difference is.

use std::ops::Range;

/// A part of a map is named if it is at most two fifths of what there was to name before it: of
/// what is spread evenly, no part that is much smaller than a half has half.
const SMALLER: [usize; 2] = [2, 5];

/// The part of a map that has more than half of the difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Most {
    /// Its columns; none for all.
    pub(super) columns: Option<Range<usize>>,
    /// Its rows; none for all.
    pub(super) rows: Option<Range<usize>>,
}

impl Most {
    /// The smallest part that has, and what is beside it and as much; of all columns or of all rows
    /// unless these are far larger, and of both unless these are.
    pub(super) fn of(counts: &[Vec<i64>]) -> Self {
        let map = Map::of(counts);
        let columns = shortest(&map.by_column(None), map.half).map(|columns| Self {
            columns: Some(columns),
            rows: None,
        });
        let rows = shortest(&map.by_row(None), map.half).map(|rows| Self {
            columns: None,
            rows: Some(rows),
        });
        let smaller = [columns, rows].into_iter().flatten();
        let smaller = smaller.min_by_key(|part| map.cells_in(part));
        let parts = smaller.into_iter().chain(map.smallest());
        let named = parts.fold(Self::default(), |named, part| {
            let [least, of] = SMALLER;
            if map.cells_in(&part) * of <= map.cells_in(&named) * least {
                part
            } else {
                named
            }
        });
        map.grown(named)
    }
}

/// By how much cells differ.
struct Map {
    /// Row by row.
    sizes: Vec<Vec<u64>>,
    width: usize,
    /// Most is more than this.
    half: u64,
}

impl Map {
    fn of(counts: &[Vec<i64>]) -> Self {
        let mut sizes = vec![vec![0; counts.len()]; counts.first().map_or(0, Vec::len)];
        for (column, counts) in counts.iter().enumerate() {
            for (row, count) in sizes.iter_mut().zip(counts) {
                row[column] = count.unsigned_abs();
            }
        }
        Self {
            width: counts.len(),
            half: sizes.iter().flatten().sum::<u64>() / 2,
            sizes,
        }
    }

    /// The sums over columns; over all, where none are given.
    fn by_row(&self, columns: Option<&Range<usize>>) -> Vec<u64> {
        let columns = columns.cloned().unwrap_or(0..self.width);
        let rows = self.sizes.iter();
        rows.map(|row| row[columns.clone()].iter().sum()).collect()
    }

    /// The sums over rows; over all, where none are given.
    fn by_column(&self, rows: Option<&Range<usize>>) -> Vec<u64> {
        let rows = rows.cloned().unwrap_or(0..self.sizes.len());
        let mut sums = vec![0; self.width];
        self.sizes[rows].iter().for_each(|row| add(&mut sums, row));
        sums
    }

    /// A part with the columns, and then with the rows, beside it that have as much as its own.
    fn grown(&self, Most { columns, rows }: Most) -> Most {
        let columns = columns.and_then(|own| grown(own, &self.by_column(rows.as_ref())));
        let rows = rows.and_then(|own| grown(own, &self.by_row(columns.as_ref())));
        Most { columns, rows }
    }

    fn cells_in(&self, part: &Most) -> usize {
        let columns = part.columns.as_ref().map_or(self.width, Range::len);
        columns * part.rows.as_ref().map_or(self.sizes.len(), Range::len)
    }

    /// The smallest rectangle that has most.
    fn smallest(&self) -> Option<Most> {
        let mut best: Option<Most> = None;
        for first in 0..self.sizes.len() {
            let mut sums = vec![0; self.width];
            for (last, row) in self.sizes.iter().enumerate().skip(first) {
                let height = last + 1 - first;
                if best
                    .as_ref()
                    .is_some_and(|best| self.cells_in(best) <= height)
                {
                    break;
                }
                add(&mut sums, row);
                let part = shortest(&sums, self.half).map(|columns| Most {
                    columns: Some(columns),
                    rows: Some(first..last + 1),
                });
                let parts = best.take().into_iter().chain(part);
                best = parts.min_by_key(|part| self.cells_in(part));
            }
        }
        best
    }
}

fn add(sums: &mut [u64], row: &[u64]) {
    for (sum, size) in sums.iter_mut().zip(row) {
        *sum += size;
    }
}

/// A range with what is beside it and at least half of what is in it in the mean; none if that is
/// all.
fn grown(range: Range<usize>, sizes: &[u64]) -> Option<Range<usize>> {
    let sum: u64 = sizes[range.clone()].iter().sum();
    let much = |size: &&u64| 2 * **size * range.len() as u64 >= sum;
    let before = sizes[..range.start].iter().rev().take_while(much).count();
    let after = sizes[range.end..].iter().take_while(much).count();
    let grown = range.start - before..range.end + after;
    (grown.len() < sizes.len()).then_some(grown)
}

/// The shortest range whose sum is more than this; of equally short ones the first.
fn shortest(sizes: &[u64], than: u64) -> Option<Range<usize>> {
    let mut best: Option<Range<usize>> = None;
    let (mut start, mut sum) = (0, 0);
    for (place, size) in sizes.iter().enumerate() {
        sum += size;
        // Without what the rest is enough without.
        while start < place && sum - sizes[start] > than {
            sum -= sizes[start];
            start += 1;
        }
        let range = start..place + 1;
        if sum > than && best.as_ref().is_none_or(|best| range.len() < best.len()) {
            best = Some(range);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Counts with so many in each cell of a part, and nothing elsewhere.
    fn map(columns: Range<usize>, rows: Range<usize>, noise: i64) -> Vec<Vec<i64>> {
        let count = |column, row| {
            if columns.contains(&column) && rows.contains(&row) {
                -100
            } else {
                noise
            }
        };
        let column = |column| (0..20).map(|row| count(column, row)).collect();
        (0..60).map(column).collect()
    }

    #[test]
    fn a_part_is_named_if_it_is_much_smaller() {
        let most = |columns, rows| {
            let most = Most::of(&map(columns, rows, 1));
            (most.columns, most.rows)
        };
        assert_eq!(most(0..60, 0..20), (None, None));
        assert_eq!(most(0..60, 8..10), (None, Some(8..10)));
        assert_eq!(most(20..24, 0..20), (Some(20..24), None));
        assert_eq!(most(20..30, 8..10), (Some(20..30), Some(8..10)));
        // Too little beside the rest.
        assert_eq!(most(20..21, 8..9), (None, None));
    }

    proptest! {
        #[test]
        fn no_smaller_rectangle_has_most(
            counts in (1_usize..6, 1_usize..6).prop_flat_map(|(width, height)| {
                prop::collection::vec(prop::collection::vec(-9_i64..9, height), width)
            }),
        ) {
            let (width, height) = (counts.len(), counts[0].len());
            let size = |columns: Range<usize>, rows: Range<usize>| -> u64 {
                let cells = counts[columns].iter().flat_map(|column| &column[rows.clone()]);
                cells.map(|count| count.unsigned_abs()).sum()
            };
            let ends = |of| (0..of).flat_map(move |from| (from + 1..=of).map(move |to| from..to));
            let whole = size(0..width, 0..height);
            let areas = ends(width).flat_map(|columns| ends(height).map(move |rows| (columns.clone(), rows)));
            let having = areas.filter(|(columns, rows)| 2 * size(columns.clone(), rows.clone()) > whole);
            let least = having.map(|(columns, rows)| columns.len() * rows.len()).min();
            let map = Map::of(&counts);
            prop_assert_eq!(map.smallest().map(|part| map.cells_in(&part)), least);
        }
    }
}
