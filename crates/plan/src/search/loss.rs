//! How often a layout loses its data: in which share of years.
//!
//! A stripe is lost with any of its volumes, and a database with its data or its journal. Several
//! copies are lost if all are in the same year, which leaves out that one may long be replaced by
//! then. Volumes fail independently, at the rates that are published for their types.

/// Loss a year in 1/10^12, so that layouts can be ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Loss(u64);

impl Loss {
    /// Nothing is published of what it is made of: comes after all others.
    pub(crate) const UNKNOWN: Self = Self(u64::MAX);

    /// Of one copy with so many volumes, each kind with its failures a year of a million.
    pub(crate) fn of(volumes: impl IntoIterator<Item = (Option<u64>, u32)>) -> Self {
        let mut survives = 1.0;
        for (failures, count) in volumes {
            let Some(failures) = failures else {
                return Self::UNKNOWN;
            };
            let one = 1.0 - failures as f64 / 1e6;
            (0..count).for_each(|_| survives *= one);
        }
        Self(((1.0 - survives) * 1e12).round() as u64)
    }

    /// As a share; none if it is not known.
    pub(crate) fn share(self, copies: u32) -> Option<f64> {
        let one = (self != Self::UNKNOWN).then_some(self.0 as f64 / 1e12)?;
        Some((0..copies).map(|_| one).product())
    }

    /// Of a million years, rounded up; none if it is not known.
    pub(crate) fn per_million(self, copies: u32) -> Option<u64> {
        const ALL: u128 = 10_u128.pow(12);
        let one = u128::from((self != Self::UNKNOWN).then_some(self.0)?);
        let beside_one = (1..copies).fold(one, |all, _| (all * one).div_ceil(ALL));
        u64::try_from(beside_one.div_ceil(10_u128.pow(6))).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripe_is_lost_with_any_volume_and_a_mirror_with_both_copies() {
        let gp3 = |count| Loss::of([(Some(2000), count)]);
        for (count, percent) in [(1, 0.2), (5, 0.996), (10, 1.982), (28, 5.451)] {
            let share = gp3(count).share(1).unwrap();
            assert!((share * 100.0 - percent).abs() < 5e-4, "{count}: {share}");
        }
        assert_eq!(gp3(1).per_million(1), Some(2000));
        assert_eq!(gp3(2).per_million(1), Some(3996));
        // Two copies are lost together 4 times in a million.
        assert_eq!(gp3(1).per_million(2), Some(4));
        let with_journal = Loss::of([(Some(2000), 1), (Some(10), 1)]);
        assert_eq!(with_journal.per_million(1), Some(2010));
        assert_eq!(Loss::of([(Some(10), 1)]).per_million(2), Some(1));
        assert_eq!(Loss::of([(Some(10), 1), (None, 1)]).share(2), None);
        assert!(gp3(28) < Loss::UNKNOWN);
    }
}
