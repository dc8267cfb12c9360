//! Which pages of which table are accessed, and how many of these are not in memory.

use alloc::vec::Vec;

use crate::random::Stream;
use crate::workload::oltp::spec::{Draw, TableSpec, TransactionSpec};
use crate::workload::skew::Preferred;
use crate::workload::skew::nurand::NuRand;
use crate::workload::spec::Skew;

/// A table in whole groups of pages.
#[derive(Clone, Debug)]
pub(super) struct Table {
    first: u64,
    pages: u64,
    law: Law,
    pub(super) misses: Share,
}

#[derive(Clone, Debug)]
enum Law {
    Even,
    Preferred(Preferred),
    NuRand(NuRand),
}

impl Table {
    /// A table whose `share` of all accesses is one in as many, over groups of 1 << `bits` pages.
    pub(super) fn new(
        spec: &TableSpec,
        (bits, groups): (u32, u64),
        share: u64,
        random: &mut Stream,
    ) -> Self {
        let first = (spec.first >> bits).min(groups - 1);
        let end = ((spec.first + spec.pages) >> bits).clamp(first + 1, groups.max(first + 1));
        let pages = (end - first) << bits;
        let law = match spec.draw {
            Draw::NuRand(law) => Law::NuRand(law),
            Draw::Preferred(preference) => {
                // Where pages lie is drawn elsewhere.
                let scatter = false;
                let skew = Skew {
                    preference,
                    scatter,
                };
                Preferred::new(skew, pages, random).map_or(Law::Even, Law::Preferred)
            }
        };
        Self {
            first: first << bits,
            pages,
            law,
            misses: Share::of(share),
        }
    }

    /// It begins with nothing in memory.
    pub(super) fn is_cold(&mut self) {
        self.misses.value = Share::ONE;
    }

    pub(super) fn draw(&self, random: &mut Stream) -> u64 {
        let page = match &self.law {
            Law::Even => random.below(self.pages),
            Law::Preferred(preferred) => preferred.draw(random),
            Law::NuRand(law) => law.draw(self.pages, random),
        };
        self.first + page
    }
}

/// How the accesses of all transactions are spread over the tables.
#[derive(Clone, Debug)]
pub(in crate::workload::oltp) struct Mix(pub(super) Vec<u64>);

impl Mix {
    /// Of kinds of transactions over so many tables.
    pub(in crate::workload::oltp) fn of(kinds: &[TransactionSpec], tables: usize) -> Self {
        let mut mix = alloc::vec![0; tables];
        for kind in kinds {
            for of in &kind.tables {
                mix[usize::from(of.table)] += u64::from(kind.weight) * u64::from(of.accesses);
            }
        }
        Self(mix)
    }

    fn all(&self) -> u64 {
        self.0.iter().sum::<u64>().max(1)
    }

    /// One access in how many goes to a table.
    pub(super) fn share(&self, table: usize) -> u64 {
        self.all() / self.0[table].max(1)
    }

    /// The table of an access.
    pub(super) fn draw(&self, random: &mut Stream) -> u16 {
        if self.0.len() == 1 {
            return 0;
        }
        let mut drawn = random.below(self.all());
        let is_it = |of: &u64| {
            let found = drawn < *of;
            drawn = drawn.wrapping_sub(*of);
            found
        };
        self.0.iter().position(is_it).unwrap_or(0) as u16
    }
}

/// A share of late: each event moves it by a thousandth of the way, or by more where events are
/// rare, so that all tables look back over the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    value: i64,
    shift: u32,
}

impl Share {
    const ONE: i64 = 1 << 40;
    /// The most that events move it by: a sixteenth.
    const LEAST_SHIFT: u32 = 4;

    /// Of one event in `share`.
    fn of(share: u64) -> Self {
        let rare = share.max(1).ilog2();
        Self {
            value: 0,
            shift: 10_u32.saturating_sub(rare).max(Self::LEAST_SHIFT),
        }
    }

    pub(super) fn add(&mut self, happened: bool) {
        let target = if happened { Self::ONE } else { 0 };
        self.value += (target - self.value) >> self.shift;
    }

    pub(super) fn value(self) -> f64 {
        self.value as f64 / Self::ONE as f64
    }
}
