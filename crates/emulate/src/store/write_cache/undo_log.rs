//! The changed blocks of a part of a disk.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::BLOCK;
use super::block::{Changed, Content};
use crate::request::IoResult;
use crate::store::image::Image;

/// What was changed between two flushes.
#[derive(Debug, Default)]
struct Generation {
    /// By block, its content before the first change.
    old: BTreeMap<u64, Content>,
    /// The blocks in the order of their first change.
    order: VecDeque<u64>,
}

#[derive(Debug)]
pub(super) struct UndoLog {
    /// Changed since the last flush began.
    current: Generation,
    /// Changed before that; empty unless the flush still goes on.
    flushing: Generation,
    /// Most blocks in both.
    most: usize,
    /// Where content is read to.
    scratch: Vec<u8>,
}

impl UndoLog {
    pub(super) fn new(most: usize) -> Self {
        Self {
            current: Generation::default(),
            flushing: Generation::default(),
            most,
            scratch: Vec::new(),
        }
    }

    /// Keeps the content of those of `blocks` that have not changed since the
    /// last flush began.
    pub(super) fn record_old(&mut self, image: &Image, blocks: Range<u64>) -> IoResult {
        let known = self.current.old.range(blocks.clone()).count() as u64;
        if known == blocks.end - blocks.start {
            return Ok(());
        }
        let len = ((blocks.end - blocks.start) * BLOCK) as usize;
        self.scratch.resize(len.max(self.scratch.len()), 0);
        let bytes = &mut self.scratch[..len];
        image.read(blocks.start * BLOCK, bytes)?;
        for (block, content) in blocks.zip(bytes.chunks_exact(BLOCK as usize)) {
            self.current.keep(block, content);
        }
        while self.current.old.len() + self.flushing.old.len() > self.most {
            if !self.flushing.forget_oldest() {
                self.current.forget_oldest();
            }
        }
        Ok(())
    }

    /// The disk itself has written `blocks` back.
    pub(super) fn forget(&mut self, blocks: &Range<u64>) {
        for generation in [&mut self.current, &mut self.flushing] {
            generation.old.retain(|block, _| !blocks.contains(block));
            generation.order.retain(|block| !blocks.contains(block));
        }
    }

    pub(super) fn flush_begins(&mut self) {
        self.flushing = std::mem::take(&mut self.current);
    }

    pub(super) fn flush_ended(&mut self, durable: bool) {
        let mut flushed = std::mem::take(&mut self.flushing);
        if !durable {
            flushed.order.append(&mut self.current.order);
            // The content from before the flush is the older one.
            let mut newer = std::mem::take(&mut self.current.old);
            newer.append(&mut flushed.old);
            flushed.old = newer;
            self.current = flushed;
        }
    }

    /// Takes out everything kept. Of a block changed both before and during a flush, `older` is
    /// the content from before.
    pub(super) fn take(&mut self) -> Vec<Changed> {
        let current = std::mem::take(&mut self.current);
        let mut flushing = std::mem::take(&mut self.flushing);
        let mut all: Vec<_> = current
            .old
            .into_iter()
            .map(|(block, old)| Changed {
                block,
                older: flushing.old.remove(&block),
                old,
            })
            .collect();
        all.extend(flushing.old.into_iter().map(|(block, old)| Changed {
            block,
            old,
            older: None,
        }));
        all
    }
}

impl Generation {
    fn keep(&mut self, block: u64, content: &[u8]) {
        self.old.entry(block).or_insert_with(|| {
            self.order.push_back(block);
            let zeros = content.iter().all(|&byte| byte == 0);
            (!zeros).then(|| content.into())
        });
    }

    /// False if there is none.
    fn forget_oldest(&mut self) -> bool {
        let oldest = self.order.pop_front();
        if let Some(block) = oldest {
            self.old.remove(&block);
        }
        oldest.is_some()
    }
}
