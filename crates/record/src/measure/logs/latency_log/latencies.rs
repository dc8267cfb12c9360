//! The latencies of a whole run, interval by interval.

use indexmap::IndexSet;

use crate::measure::histogram::{Histogram, Packed};

/// Histograms by tag and interval, as an interval log holds them. Times are
/// nanoseconds from the start of the run.
#[derive(Debug, Default)]
pub struct Latencies {
    tags: IndexSet<String>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Place in the tags.
    tag: usize,
    /// The middle of the interval. Other tools' intervals are seldom cut to the
    /// millisecond; most of each still lies where its middle does.
    middle: u64,
    latencies: Packed,
}

impl Latencies {
    /// Adds the interval from `start` of length `length`; nothing if it is empty.
    pub fn push(&mut self, tag: &str, start: u64, length: u64, latencies: Packed) {
        if latencies.count() == 0 {
            return;
        }
        let tag = match self.tags.get_index_of(tag) {
            Some(known) => known,
            None => self.tags.insert_full(tag.to_owned()).0,
        };
        self.entries.push(Entry {
            tag,
            middle: start.saturating_add(length / 2),
            latencies,
        });
    }

    /// All that is in it, in order: tag, middle of the interval, latencies.
    pub fn entries(&self) -> impl Iterator<Item = (&str, u64, &Packed)> {
        self.entries
            .iter()
            .map(|entry| (&*self.tags[entry.tag], entry.middle, &entry.latencies))
    }

    /// The tags in order of first appearance.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str)
    }

    /// The intervals of `tags` whose middle lies from `from` on and before `to`,
    /// all in one. A tag that nothing has adds nothing.
    pub fn merged(&self, tags: &[String], from: u64, to: u64) -> Packed {
        let mut sum = Histogram::default();
        for entry in self.of(tags) {
            if (from..to).contains(&entry.middle) {
                sum.merge_packed(&entry.latencies);
            }
        }
        Packed::from(&sum)
    }

    /// The intervals of `tags` merged by the bins of length `bin` (not 0) in which
    /// their middles lie, in order of time: where each bin that has any begins,
    /// and what it has.
    pub fn over_time(&self, tags: &[String], bin: u64) -> Vec<(u64, Packed)> {
        let bins = self.grouped(tags, |middle| middle / bin).into_iter();
        bins.map(|(place, latencies)| (place * bin, latencies))
            .collect()
    }

    /// The intervals of `tags` merged by where their middles lie among rising
    /// `edges`: from each on, before the next.
    pub fn between(&self, tags: &[String], edges: &[u64]) -> Vec<Packed> {
        let mut bins = vec![Packed::default(); edges.len().saturating_sub(1)];
        let place = |middle| edges.partition_point(|&edge| edge <= middle);
        for (after, latencies) in self.grouped(tags, place) {
            let bin = after.checked_sub(1).and_then(|bin| bins.get_mut(bin));
            if let Some(bin) = bin {
                *bin = latencies;
            }
        }
        bins
    }

    /// The intervals of `tags` merged by the rising places that `place` gives
    /// their middles.
    fn grouped<P: PartialEq>(&self, tags: &[String], place: impl Fn(u64) -> P) -> Vec<(P, Packed)> {
        let mut entries: Vec<_> = self.of(tags).collect();
        entries.sort_by_key(|entry| entry.middle);
        let mut sum = Histogram::default();
        let mut merged = |entries: &[&Entry]| {
            if let [one] = entries {
                return one.latencies.clone();
            }
            sum.clear();
            for entry in entries {
                sum.merge_packed(&entry.latencies);
            }
            Packed::from(&sum)
        };
        let groups = entries.chunk_by(|one, next| place(one.middle) == place(next.middle));
        groups
            .map(|entries| (place(entries[0].middle), merged(entries)))
            .collect()
    }

    fn of(&self, tags: &[String]) -> impl Iterator<Item = &Entry> {
        let mut wanted = vec![false; self.tags.len()];
        for tag in tags {
            if let Some(tag) = self.tags.get_index_of(tag) {
                wanted[tag] = true;
            }
        }
        self.entries.iter().filter(move |entry| wanted[entry.tag])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(values: &[u64]) -> Packed {
        let mut histogram = Histogram::default();
        values.iter().for_each(|&value| histogram.record(value));
        Packed::from(&histogram)
    }

    proptest! {
        #[test]
        fn what_is_merged_is_what_was_recorded(
            rows in prop::collection::vec((0_usize..3, 0_u64..20, prop::collection::vec(1_u64..1 << 40, 0..9)), 0..40),
            (from, to, bin) in (0_u64..20, 0_u64..25, 1_u64..8),
            picked in prop::sample::subsequence(vec![0_usize, 1, 2], 0..=3),
        ) {
            const TAGS: [&str; 3] = ["readers.data.read", "writers.data.write", ""];
            let mut latencies = Latencies::default();
            for (tag, start, values) in &rows {
                latencies.push(TAGS[*tag], *start, 1, packed(values));
            }
            let tags: Vec<_> = picked.iter().map(|&tag| TAGS[tag].to_owned()).chain(["nobody".to_owned()]).collect();
            let of = |from: u64, to: u64| -> Vec<u64> {
                let rows = rows.iter().filter(|(tag, start, _)| picked.contains(tag) && (from..to).contains(start));
                rows.flat_map(|(.., values)| values).copied().collect()
            };
            prop_assert_eq!(latencies.merged(&tags, from, to), packed(&of(from, to)));
            let bins: Vec<_> = (0..20).step_by(bin as usize)
                .map(|start| (start, packed(&of(start, start + bin))))
                .filter(|(_, values)| values.count() > 0)
                .collect();
            prop_assert_eq!(latencies.over_time(&tags, bin), bins);
            let edges = [from, from + bin, from + 3 * bin, to.max(from + 3 * bin)];
            let between: Vec<_> = edges.windows(2).map(|edge| packed(&of(edge[0], edge[1]))).collect();
            prop_assert_eq!(latencies.between(&tags, &edges), between);
        }
    }
}
