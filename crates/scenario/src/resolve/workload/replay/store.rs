//! The IOs of a replay by chain: in memory, or in a temporary file if they are many.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

use blockyard_model::storage::Op;
use blockyard_model::workload::spec::{FlushOf, ReadIos, RecordedIo};
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

    /// Adds an IO to the end of a chain, which is there already or the next one.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub(super) fn push(&mut self, chain: u32, io: &RecordedIo) -> io::Result<()> {
        let chain = chain as usize;
        if chain == self.chains.len() {
            self.chains.push(Chain::default());
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
                let said =
                    format!("recorded IOs cannot be read from their temporary file: {error}");
                // The first one is enough.
                drop(self.failure.set(said));
            }
            None if block == chain.blocks.len() => add(&chain.rest),
            None => {}
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }
}

/// The operations of recorded IOs, by their numbers in a block.
const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Flush, Op::Trim];

fn packed(io: &RecordedIo) -> [u8; SIZE] {
    let (chain, nth) = io.after.map_or((0, 0), |flush| (flush.chain, flush.nth));
    let op = OPS.iter().position(|op| *op == io.op).unwrap_or(1);
    let mut bytes = [0; SIZE];
    bytes[..8].copy_from_slice(&io.wait.to_le_bytes());
    bytes[8..16].copy_from_slice(&io.offset.to_le_bytes());
    // At most 64 MiB.
    bytes[16..20].copy_from_slice(&io.len.to_le_bytes());
    bytes[20..24].copy_from_slice(&(op as u32).to_le_bytes());
    bytes[24..28].copy_from_slice(&chain.to_le_bytes());
    bytes[28..].copy_from_slice(&nth.to_le_bytes());
    bytes
}

fn unpacked(bytes: &[u8]) -> RecordedIo {
    let long = |at: usize| {
        let halves = [at, at + 4].map(|at| u64::from(short(bytes, at)));
        halves[0] | halves[1] << 32
    };
    let nth = short(bytes, 28);
    RecordedIo {
        wait: long(0),
        offset: long(8),
        len: short(bytes, 16),
        op: OPS[short(bytes, 20) as usize % OPS.len()],
        after: (nth > 0).then(|| FlushOf {
            chain: short(bytes, 24),
            nth,
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
                op: OPS[nth as usize % 4],
                after: nth.is_multiple_of(3).then(|| FlushOf {
                    chain: 2,
                    nth: nth as u32 + 1,
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
            op: Op::Read,
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
