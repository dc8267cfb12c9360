//! TPC-C's non-uniform random rows, by the pages that they lie on.

use crate::random::Stream;

/// Rows 0..of, of which each is the bitwise or of two even draws, one of them from 0 to `a`
/// (TPC-C's NURand; its constant, which only turns the rows around, is 0). They lie on pages in
/// their order, `rows` on each. A table has them many times over, once for each warehouse or
/// district, and all of these are alike: so pages with the same rows stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NuRand {
    /// The mask: 2^k - 1, less than `of`.
    pub a: u64,
    /// Rows.
    pub of: u64,
    /// Rows of a page.
    pub rows: u64,
}

impl NuRand {
    /// A page of the `pages` that the table has.
    pub(in crate::workload) fn draw(self, pages: u64, random: &mut Stream) -> u64 {
        let row = (random.below(self.a + 1) | random.below(self.of)) % self.of;
        let kind = u128::from(row / self.rows);
        let kinds = u128::from(self.of.div_ceil(self.rows));
        let within = u128::from(random.below(pages));
        ((kind * u128::from(pages) + within) / kinds) as u64
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;

    /// How often each row comes, of all pairs of draws.
    fn by_row(a: u64, of: u64) -> alloc::vec::Vec<u64> {
        let mut counts = vec![0; of as usize];
        for (one, two) in (0..=a).flat_map(|one| (0..of).map(move |two| (one, two))) {
            counts[((one | two) % of) as usize] += 1;
        }
        counts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// As many draws go to the copies of each page as all pairs say.
        #[test]
        fn pages_are_drawn_as_all_pairs_say(
            bits in 1_u32..6,
            more in 1_u64..60,
            rows in 1_u64..9,
            copies in 1_u64..5,
            seed in any::<u64>(),
        ) {
            let a = (1 << bits) - 1;
            let of = a + more;
            let law = NuRand { a, of, rows };
            let kinds = of.div_ceil(rows);
            let mut expected = vec![0; kinds as usize];
            for (row, count) in (0..).zip(by_row(a, of)) {
                expected[(row / rows) as usize] += count;
            }
            let mut random = Stream::new(seed, "rows");
            let draws = 50_000;
            let mut found = vec![0_u64; kinds as usize];
            for _ in 0..draws {
                found[(law.draw(kinds * copies, &mut random) / copies) as usize] += 1;
            }
            let pairs = ((a + 1) * of) as f64;
            for (found, expected) in found.into_iter().zip(expected) {
                let p = expected as f64 / pairs;
                let far = 6.0 * (f64::from(draws) * p * (1.0 - p)).sqrt() + 3.0;
                prop_assert!((found as f64 - f64::from(draws) * p).abs() <= far);
            }
        }
    }
}
