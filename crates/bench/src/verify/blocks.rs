//! Which generations a block may have.

use std::ops::Range;

use blockyard_model::units::Bytes;

/// What a read of a block may find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The oldest generation.
    pub(crate) oldest: u32,
    /// The newest.
    pub(crate) newest: u32,
    /// Whether sectors of several may stand side by side.
    pub(crate) mixed: bool,
}

/// The generations of equal blocks. Memory is taken as blocks are written.
#[derive(Debug)]
pub(crate) struct Blocks {
    unit: Bytes,
    /// Whether the blocks began at generation 0.
    fresh: bool,
    /// The newest generation that was issued.
    newest: Vec<u32>,
    /// The oldest one that may be there.
    settled: Vec<u32>,
    /// Writes in flight, and [`OVERLAPPED`].
    writing: Vec<u16>,
}

/// Set if several writes were in flight at once since the block was last at
/// rest; stays until the next write.
const OVERLAPPED: u16 = 1 << 15;

impl Blocks {
    pub(crate) fn new(unit: Bytes, count: u64, fresh: bool) -> Self {
        let count = count as usize;
        Self {
            unit,
            fresh,
            newest: vec![0; count],
            settled: vec![0; count],
            writing: vec![0; count],
        }
    }

    pub(crate) fn unit(&self) -> Bytes {
        self.unit
    }

    /// A write to a block is issued: its generation.
    pub(crate) fn write(&mut self, block: u64) -> u32 {
        let block = block as usize;
        let writing = &mut self.writing[block];
        *writing = match *writing & !OVERLAPPED {
            0 => 1,
            others => OVERLAPPED | (others + 1),
        };
        self.newest[block] += 1;
        self.newest[block]
    }

    /// A write to a block completed.
    pub(crate) fn written(&mut self, block: u64) {
        let block = block as usize;
        let writing = &mut self.writing[block];
        *writing -= 1;
        match *writing {
            // One alone: nothing older can be there.
            0 => self.settled[block] = self.newest[block],
            // The last of several: the storage chose which one remains. It may
            // be any issued since the block was at rest, but none older.
            OVERLAPPED => {
                let was = self.settled[block];
                self.settled[block] = self.newest[block].min(was + 1);
            }
            _ => {}
        }
    }

    /// A read of a block is issued: what it may find if nothing is written
    /// meanwhile.
    pub(crate) fn read(&self, block: u64) -> Expected {
        let block = block as usize;
        Expected {
            oldest: self.settled[block],
            newest: if self.fresh {
                self.newest[block]
            } else {
                u32::MAX
            },
            mixed: self.writing[block] > 0, // in flight, or of several at once
        }
    }

    /// The same at its completion.
    pub(crate) fn widened(&self, block: u64, at_issue: Expected) -> Expected {
        let now = self.read(block);
        Expected {
            oldest: at_issue.oldest,
            newest: now.newest,
            mixed: at_issue.mixed || now.mixed || now.newest != at_issue.newest,
        }
    }

    /// The next run of blocks from `from` on that were written, `most` at most.
    pub(crate) fn next_written(&self, from: u64, most: u64) -> Option<Range<u64>> {
        let rest = &self.newest[from as usize..];
        let start = from + rest.iter().position(|&newest| newest > 0)? as u64;
        let run = self.newest[start as usize..].iter().take(most as usize);
        let length = run.take_while(|&&newest| newest > 0).count() as u64;
        Some(start..start + length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a block of real storage goes through.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Write,
        /// The storage carries out the write in flight with this number.
        Settle(usize),
        /// The write in flight with this number is acknowledged.
        Acknowledge(usize),
        StartRead,
        /// The storage answers the read that was started.
        EndRead,
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            Just(Event::Write),
            (0_usize..4).prop_map(Event::Settle),
            (0_usize..4).prop_map(Event::Acknowledge),
            Just(Event::StartRead),
            Just(Event::EndRead),
        ]
    }

    proptest! {
        /// Storage may carry out writes in any order, each at any time between
        /// its issue and its acknowledgement: whatever a read then finds must
        /// be expected. And what no storage could return must not be: after a
        /// write alone, anything older.
        #[test]
        fn what_sound_storage_returns_is_expected(events in prop::collection::vec(event(), 0..200)) {
            let mut blocks = Blocks::new(512, 1, true);
            let mut content = 0;
            // Generation, and whether it was carried out.
            let mut in_flight: Vec<(u32, bool)> = Vec::new();
            let mut read: Option<Expected> = None;
            for event in events {
                match event {
                    Event::Write if in_flight.len() < 4 => {
                        in_flight.push((blocks.write(0), false));
                    }
                    Event::Settle(number) => {
                        if let Some((generation, done)) = in_flight.get_mut(number)
                            && !*done
                        {
                            *done = true;
                            content = *generation;
                        }
                    }
                    Event::Acknowledge(number) => {
                        if in_flight.get(number).is_some_and(|write| write.1) {
                            in_flight.remove(number);
                            blocks.written(0);
                        }
                    }
                    Event::StartRead => read = Some(blocks.read(0)),
                    Event::EndRead => {
                        if let Some(at_issue) = read.take() {
                            let expected = blocks.widened(0, at_issue);
                            prop_assert!(
                                (expected.oldest..=expected.newest).contains(&content),
                                "{content} is not among {expected:?}"
                            );
                        }
                    }
                    Event::Write => {}
                }
            }
        }
    }

    #[test]
    fn after_a_write_alone_nothing_older_is_expected() {
        let mut blocks = Blocks::new(512, 2, true);
        for generation in 1..=3 {
            assert_eq!(blocks.write(0), generation);
            blocks.written(0);
            let expected = blocks.read(0);
            let one = Expected {
                oldest: generation,
                newest: generation,
                mixed: false,
            };
            assert_eq!(expected, one);
        }
        assert_eq!(blocks.read(1), Expected::default());
        assert_eq!(blocks.next_written(0, 10), Some(0..1));
        assert_eq!(blocks.next_written(1, 10), None);
    }
}
