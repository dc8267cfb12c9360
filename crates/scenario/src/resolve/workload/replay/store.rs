//! The IOs of a replay by chain: in memory, or in a temporary file if they are many.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

use blockyard_model::storage::Op;
use blockyard_model::workload::spec::{LogWait, ReadIos, RecordedIo};
use blockyard_text::said;
use tempfile::SpooledTempFile;

/// IOs of a chain that lie together.
const BLOCK: usize = 64;
/// Bytes of an IO.
const SIZE: usize = 32;
/// Blocks of up to so many bytes stay in memory.
const IN_MEMORY: usize = 256 << 20;

/// All IOs of all chains, in the order in which each chain has them.
#[derive(Debug)]
pub(super) struct Store {
    chains: Vec<Chain>,
    /// Full blocks of whatever chain, one after the other.
    blocks: Mutex<SpooledTempFile>,
    count: u32,
    failure: OnceLock<String>,
}

#[derive(Debug, Default)]
struct Chain {
    /// The numbers of its full blocks.
    blocks: Vec<u32>,
    /// What is behind them.
    rest: Vec<u8>,
}

impl Store {
    /// None yet; beyond `in_memory` bytes they go to a file.
    pub(super) fn new(in_memory: usize) -> Self {
        Self {
            chains: Vec::new(),
            blocks: Mutex::new(SpooledTempFile::new(in_memory)),
            count: 0,
            failure: OnceLock::new(),
        }
    }

    /// Adds an IO to the end of a chain.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub(super) fn push(&mut self, chain: u32, io: &RecordedIo) -> io::Result<()> {
        let chain = chain as usize;
        if chain >= self.chains.len() {
            self.chains.resize_with(chain + 1, Chain::default);
        }
        let chain = &mut self.chains[chain];
        chain.rest.extend_from_slice(&packed(io));
        if chain.rest.len() == BLOCK * SIZE {
            let blocks = self.blocks.get_mut();
            let blocks = blocks.unwrap_or_else(PoisonError::into_inner);
            blocks.write_all(&chain.rest)?;
            chain.rest.clear();
            chain.blocks.push(self.count);
            self.count += 1;
        }
        Ok(())
    }

    fn block(&self, number: u32) -> io::Result<[u8; BLOCK * SIZE]> {
        let mut block = [0; BLOCK * SIZE];
        let blocks = self.blocks.lock();
        let mut blocks = blocks.unwrap_or_else(PoisonError::into_inner);
        blocks.seek(SeekFrom::Start(u64::from(number) * block.len() as u64))?;
        blocks.read_exact(&mut block)?;
        Ok(block)
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::new(IN_MEMORY)
    }
}

impl ReadIos for Store {
    fn read(&self, chain: u32, from: u64, batch: &mut Vec<RecordedIo>) {
        let Some(chain) = self.chains.get(chain as usize) else {
            return;
        };
        let (block, within) = (from as usize / BLOCK, from as usize % BLOCK);
        let mut add = |ios: &[u8]| batch.extend(ios.chunks_exact(SIZE).skip(within).map(unpacked));
        match chain.blocks.get(block).map(|number| self.block(*number)) {
            Some(Ok(ios)) => add(&ios),
            Some(Err(error)) => {
                let why = said(&error);
                let failure =
                    format!("recorded IOs cannot be read from their temporary file: {why}");
                // The first one is enough.
                drop(self.failure.set(failure));
            }
            None if block == chain.blocks.len() => add(&chain.rest),
            None => {}
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }
}

/// In three bytes, [`u32::MAX`] IOs in flight, or more than a job can have.
const NO_END: u32 = (1 << 24) - 1;

/// The operations of recorded IOs, by their numbers in a block.
const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Flush, Op::Trim];

fn packed(io: &RecordedIo) -> [u8; SIZE] {
    let (work, flushes) = io.after.map_or((0, 0), |log| (log.work, log.flushes));
    let op = OPS.iter().position(|op| *op == io.op).unwrap_or(1);
    let mut bytes = [0; SIZE];
    bytes[..8].copy_from_slice(&io.wait.to_le_bytes());
    bytes[8..16].copy_from_slice(&io.offset.to_le_bytes());
    // At most 64 MiB.
    bytes[16..20].copy_from_slice(&io.len.to_le_bytes());
    bytes[20] = op as u8 | u8::from(io.commits) << 2;
    let in_flight = io.in_flight.min(NO_END);
    bytes[21..24].copy_from_slice(&in_flight.to_le_bytes()[..3]);
    bytes[24..28].copy_from_slice(&work.to_le_bytes());
    bytes[28..].copy_from_slice(&flushes.to_le_bytes());
    bytes
}

fn unpacked(bytes: &[u8]) -> RecordedIo {
    let long = |at: usize| {
        let halves = [at, at + 4].map(|at| u64::from(short(bytes, at)));
        halves[0] | halves[1] << 32
    };
    let flushes = short(bytes, 28);
    let in_flight = short(bytes, 20) >> 8;
    RecordedIo {
        wait: long(0),
        offset: long(8),
        len: short(bytes, 16),
        in_flight: match in_flight {
            NO_END => u32::MAX,
            some => some,
        },
        op: OPS[usize::from(bytes[20]) % OPS.len()],
        commits: bytes[20] & 4 != 0,
        after: (flushes > 0).then(|| LogWait {
            work: short(bytes, 24),
            flushes,
        }),
    }
}

fn short(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a file as in memory, a chain has its IOs in their order, from wherever it is read.
    #[test]
    fn chains_are_read_back_as_they_were_added() {
        for in_memory in [3 * BLOCK * SIZE, IN_MEMORY] {
            let mut store = Store::new(in_memory);
            let io = |nth: u64| RecordedIo {
                wait: nth << 33 | 7,
                offset: nth << 40 | 512,
                len: 4096 + nth as u32,
                in_flight: [0, nth as u32, u32::MAX][nth as usize % 3],
                op: OPS[nth as usize % 4],
                commits: nth.is_multiple_of(2),
                after: nth.is_multiple_of(3).then(|| LogWait {
                    work: 2,
                    flushes: nth as u32 + 1,
                }),
            };
            // Chain 0 has all, chain 1 every fifth.
            for nth in 0..1000 {
                store.push(0, &io(nth)).unwrap();
                if nth.is_multiple_of(5) {
                    store.push(1, &io(nth)).unwrap();
                }
            }
            assert_eq!(
                store.blocks.get_mut().unwrap().is_rolled(),
                in_memory < IN_MEMORY
            );
            for (chain, step, count) in [(0, 1, 1000), (1, 5, 200)] {
                for from in [0, 1, 63, 64, 127, 199] {
                    let mut found = Vec::new();
                    loop {
                        let before = found.len();
                        store.read(chain, from + before as u64, &mut found);
                        if found.len() == before {
                            break;
                        }
                    }
                    let expected: Vec<_> = (from..count).map(|nth| io(nth * step)).collect();
                    assert_eq!(found, expected, "chain {chain} from {from}");
                }
            }
            assert_eq!(store.failure(), None);
        }
    }

    /// A file that lost its end ends the chain, and says so.
    #[test]
    fn what_cannot_be_read_is_said() {
        let mut store = Store::new(0);
        let io = RecordedIo {
            wait: 0,
            offset: 0,
            len: 512,
            in_flight: 0,
            op: Op::Read,
            commits: false,
            after: None,
        };
        (0..100).for_each(|_| store.push(0, &io).unwrap());
        store.blocks.get_mut().unwrap().set_len(100).unwrap();
        let mut found = Vec::new();
        store.read(0, 0, &mut found);
        assert!(found.is_empty());
        let said = store.failure().unwrap();
        assert!(said.starts_with("recorded IOs cannot be read"), "{said}");
    }
}
