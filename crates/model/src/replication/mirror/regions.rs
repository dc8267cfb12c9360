//! A set of a mirror's regions.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::units::Bytes;

/// Which regions of a leg are not up to date. Takes memory once there is any.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    bits: u32,
    count: u64,
    size: Bytes,
    words: Vec<u64>,
    set: u64,
}

impl Regions {
    /// No region of a mirror of `size` bytes, in regions of `region`, a power of two.
    pub(super) fn none(size: Bytes, region: Bytes) -> Self {
        Self {
            bits: region.trailing_zeros(),
            count: size.div_ceil(region),
            size,
            words: Vec::new(),
            set: 0,
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.set == 0
    }

    /// Bytes of all regions in it.
    pub(super) fn bytes(&self) -> Bytes {
        let whole = self.set << self.bits;
        let last = self.count - 1;
        let missing = (self.count << self.bits) - self.size;
        whole - if self.contains(last) { missing } else { 0 }
    }

    /// The regions that a range touches.
    #[inline]
    pub(super) fn of(&self, offset: Bytes, len: Bytes) -> RangeInclusive<u64> {
        offset >> self.bits..=(offset + len.max(1) - 1) >> self.bits
    }

    /// First byte of a region, and how many it has.
    pub(super) fn range(&self, region: u64) -> (Bytes, Bytes) {
        let start = region << self.bits;
        (start, (self.size - start).min(1 << self.bits))
    }

    pub(super) fn contains(&self, region: u64) -> bool {
        let word = self.words.get((region / 64) as usize);
        word.is_some_and(|word| word >> (region % 64) & 1 == 1)
    }

    /// Whether it has any of those that a range touches.
    #[inline]
    pub(super) fn touches(&self, offset: Bytes, len: Bytes) -> bool {
        !self.is_empty() && self.of(offset, len).any(|region| self.contains(region))
    }

    /// Puts in the regions that a range touches.
    pub(super) fn insert(&mut self, offset: Bytes, len: Bytes) {
        if self.words.is_empty() {
            self.words = vec![0; self.count.div_ceil(64) as usize];
        }
        for region in self.of(offset, len) {
            let word = &mut self.words[(region / 64) as usize];
            let bit = 1 << (region % 64);
            self.set += u64::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Puts in all.
    pub(super) fn insert_all(&mut self) {
        self.insert(0, self.size);
    }

    /// Puts in those of another set of the same mirror.
    pub(super) fn add(&mut self, others: &Self) {
        if others.is_empty() {
            return;
        }
        self.words.resize(others.words.len(), 0);
        for (word, other) in self.words.iter_mut().zip(&others.words) {
            self.set += u64::from((other & !*word).count_ones());
            *word |= other;
        }
    }

    /// Takes all out, and gives them.
    pub(super) fn take(&mut self) -> Self {
        let words = core::mem::take(&mut self.words);
        let set = core::mem::take(&mut self.set);
        Self {
            words,
            set,
            ..self.clone()
        }
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, region: u64) {
        if self.contains(region) {
            self.words[(region / 64) as usize] &= !(1 << (region % 64));
            self.set -= 1;
        }
    }

    /// The first from `region` on.
    pub(super) fn next(&self, region: u64) -> Option<u64> {
        let mut index = (region / 64) as usize;
        let mut word = self.words.get(index)? & (u64::MAX << (region % 64));
        loop {
            if word != 0 {
                return Some(index as u64 * 64 + u64::from(word.trailing_zeros()));
            }
            index += 1;
            word = *self.words.get(index)?;
        }
    }
}
