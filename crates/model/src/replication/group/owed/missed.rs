//! The write sets that a node has missed, as long as they are kept.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use crate::units::{Bytes, KIB};

/// Write sets go in pieces of so much at least ...
const PIECE: Bytes = 64 * KIB;

/// ... of which so many are under way at once: 1 MiB.
const WINDOW: usize = 16;

/// The write sets that a node is owed.
#[derive(Clone, Debug)]
pub(in crate::replication::group) struct Owed {
    /// Bytes of a write set of each kind of transaction.
    sizes: Vec<Bytes>,
    missed: Missed,
}

#[derive(Clone, Debug)]
enum Missed {
    /// The kinds of their transactions in their order, after those that are under way, and the
    /// bytes of all.
    Kept {
        under_way: VecDeque<Vec<u16>>,
        kinds: VecDeque<u16>,
        bytes: Bytes,
    },
    /// So many that it needs a copy of all data.
    Beyond(u64),
}

impl Missed {
    const NOTHING: Self = Self::Kept {
        under_way: VecDeque::new(),
        kinds: VecDeque::new(),
        bytes: 0,
    };
}

impl Owed {
    /// Nothing, where write sets have these bytes by kind.
    pub(in crate::replication::group) fn nothing(sizes: Vec<Bytes>) -> Self {
        let missed = Missed::NOTHING;
        Self { sizes, missed }
    }

    /// How many write sets it is owed.
    #[cfg(test)]
    pub(in crate::replication::group) fn count(&self) -> u64 {
        match &self.missed {
            Missed::Kept {
                under_way, kinds, ..
            } => (kinds.len() + under_way.iter().map(Vec::len).sum::<usize>()) as u64,
            Missed::Beyond(count) => *count,
        }
    }

    /// How many bytes these have, if they are kept.
    pub(in crate::replication::group) fn bytes(&self) -> Option<Bytes> {
        match self.missed {
            Missed::Kept { bytes, .. } => Some(bytes),
            Missed::Beyond(_) => None,
        }
    }

    pub(in crate::replication::group) fn needs_copy(&self) -> bool {
        matches!(self.missed, Missed::Beyond(_))
    }

    pub(in crate::replication::group) fn is_none(&self) -> bool {
        match &self.missed {
            Missed::Kept {
                under_way, kinds, ..
            } => kinds.is_empty() && under_way.is_empty(),
            Missed::Beyond(_) => false,
        }
    }

    /// They are more than is kept.
    pub(in crate::replication::group) fn is_kept_no_more(&mut self) {
        self.take_back([]);
        if let Missed::Kept { kinds, .. } = &self.missed {
            self.missed = Missed::Beyond(kinds.len() as u64);
        }
    }

    /// It has a copy of all data. Gives how many write sets that it was owed are in it.
    pub(in crate::replication::group) fn has_copy(&mut self) -> u64 {
        match mem::replace(&mut self.missed, Missed::NOTHING) {
            Missed::Kept { .. } => 0,
            Missed::Beyond(count) => count,
        }
    }

    /// Forgets it all.
    pub(in crate::replication::group) fn clear(&mut self) {
        self.missed = Missed::NOTHING;
    }

    /// It is owed one more, after all others.
    pub(in crate::replication::group) fn push(&mut self, kind: u16) {
        self.extend([kind]);
    }

    /// It is owed these, after all others.
    pub(in crate::replication::group) fn extend(&mut self, more: impl IntoIterator<Item = u16>) {
        for kind in more {
            match &mut self.missed {
                Missed::Kept { kinds, bytes, .. } => {
                    kinds.push_back(kind);
                    *bytes += self.sizes[usize::from(kind)];
                }
                Missed::Beyond(count) => *count += 1,
            }
        }
    }

    /// What was under way has not come, neither of this nor of the `sent` after it.
    pub(in crate::replication::group) fn take_back(&mut self, sent: impl IntoIterator<Item = u16>) {
        if let Missed::Kept {
            under_way, kinds, ..
        } = &mut self.missed
        {
            for kind in under_way
                .drain(..)
                .rev()
                .flat_map(|it| it.into_iter().rev())
            {
                kinds.push_front(kind);
            }
        }
        self.extend(sent);
    }

    /// It has lost what it had received before.
    pub(in crate::replication::group) fn take_back_before(&mut self, lost: Vec<u16>) {
        match &mut self.missed {
            Missed::Kept { kinds, bytes, .. } => {
                for kind in lost.into_iter().rev() {
                    kinds.push_front(kind);
                    *bytes += self.sizes[usize::from(kind)];
                }
            }
            Missed::Beyond(count) => *count += lost.len() as u64,
        }
    }

    /// It gets all that is kept.
    pub(in crate::replication::group) fn take(&mut self) -> VecDeque<u16> {
        self.take_back([]);
        match &mut self.missed {
            Missed::Kept { kinds, bytes, .. } => {
                *bytes = 0;
                mem::take(kinds)
            }
            Missed::Beyond(_) => VecDeque::new(),
        }
    }

    /// Takes the next piece under way, if one may be; gives its bytes.
    pub(in crate::replication::group) fn next_piece(&mut self) -> Option<Bytes> {
        let Missed::Kept {
            under_way, kinds, ..
        } = &mut self.missed
        else {
            return None;
        };
        if kinds.is_empty() || under_way.len() == WINDOW {
            return None;
        }
        let (mut piece, mut bytes) = (Vec::new(), 0);
        while bytes < PIECE
            && let Some(kind) = kinds.pop_front()
        {
            bytes += self.sizes[usize::from(kind)];
            piece.push(kind);
        }
        under_way.push_back(piece);
        Some(bytes)
    }

    /// The first piece under way has come.
    pub(in crate::replication::group) fn piece_has_come(&mut self) -> Vec<u16> {
        let Missed::Kept {
            under_way, bytes, ..
        } = &mut self.missed
        else {
            return Vec::new();
        };
        let piece = under_way.pop_front().unwrap_or_default();
        *bytes -= piece
            .iter()
            .map(|&it| self.sizes[usize::from(it)])
            .sum::<Bytes>();
        piece
    }
}
