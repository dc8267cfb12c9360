//! An io_uring with a buffer for each IO that can be in flight.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use io_uring::{IoUring, opcode, squeue, types};

use crate::buffer::Buffer;

/// What an IO does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads into the slot's buffer.
    Read,
    /// Writes from the slot's buffer.
    Write,
    /// Makes what was written to the file durable (`fdatasync`).
    Flush,
}

/// An IO. A slot has one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Index of the slot, whose buffer it uses.
    pub slot: u32,
    /// Index of the file.
    pub file: u32,
    /// What to do.
    pub op: Op,
    /// First byte of the file; 0 for a flush.
    pub offset: u64,
    /// Bytes, at most the slot's buffer; 0 for a flush.
    pub len: u32,
}

/// An IO that completed.
#[derive(Debug)]
pub struct Done {
    /// Its slot.
    pub slot: u32,
    /// Bytes that were moved.
    pub result: io::Result<u32>,
}

/// The kernel takes at most this many registered buffers.
const MOST_REGISTERED: usize = 1 << 14;

/// Registered buffers are pinned, used or not: most bytes to pin.
const MOST_PINNED: usize = 256 << 20;

/// Submissions that are gathered for one system call.
const ENTRIES: u32 = 256;

/// A ring, its files and its slots. Belongs to the thread that makes it.
pub struct Ring {
    ring: IoUring,
    /// Kept open while the ring may use them.
    _files: Vec<File>,
    slots: Vec<Slot>,
    registered: bool,
    in_flight: u32,
}

struct Slot {
    buffer: Buffer,
    /// Whether the kernel may touch the buffer.
    busy: bool,
}

impl Ring {
    /// A ring for IO on `files` with a slot for each of `buffers`.
    ///
    /// Files are registered, and so are buffers where the kernel allows that
    /// much memory to be pinned.
    ///
    /// # Errors
    /// If the kernel has no io_uring or does not allow it.
    pub fn new(files: Vec<File>, buffers: Vec<Buffer>) -> io::Result<Self> {
        let ring = build(buffers.len())?;
        let descriptors: Vec<_> = files.iter().map(AsRawFd::as_raw_fd).collect();
        if !files.is_empty() {
            ring.submitter().register_files(&descriptors)?;
        }
        let registered = register(&ring, &buffers);
        let slot = |buffer| Slot {
            buffer,
            busy: false,
        };
        Ok(Self {
            ring,
            _files: files,
            slots: buffers.into_iter().map(slot).collect(),
            registered,
            in_flight: 0,
        })
    }

    /// IOs that were pushed and have not been reaped.
    #[inline]
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// The buffer of a slot.
    ///
    /// # Panics
    /// If the slot's IO is in flight.
    #[inline]
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        let slot = &mut self.slots[slot as usize];
        assert!(!slot.busy, "the kernel has the buffer");
        &mut slot.buffer
    }

    /// Adds an IO to the next submission.
    ///
    /// # Errors
    /// If the queue is full and the kernel takes nothing from it.
    ///
    /// # Panics
    /// If the slot's IO is in flight, or `len` is larger than its buffer.
    pub fn push(&mut self, io: Io) -> io::Result<()> {
        let slot = &mut self.slots[io.slot as usize];
        assert!(!slot.busy, "the slot is in use");
        assert!(
            io.len as usize <= slot.buffer.len(),
            "the IO fits its buffer"
        );
        let entry = entry(io, &mut slot.buffer, self.registered);
        // SAFETY: the entry's buffer lives until the IO completes: while the
        // slot is busy its buffer is not handed out, and `drop` leaks it.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.enter(|ring| ring.submit())?;
        }
        slot_mut(&mut self.slots, io.slot).busy = true;
        self.in_flight += 1;
        Ok(())
    }

    /// Submits what was pushed; then, unless something has completed, waits
    /// until something does, but no longer than `most`.
    ///
    /// # Errors
    /// If the kernel refuses the submission as a whole.
    pub fn submit_and_wait(&mut self, most: Duration) -> io::Result<()> {
        if most.is_zero() || !self.ring.completion().is_empty() {
            return self.enter(|ring| ring.submit());
        }
        let time = types::Timespec::new()
            .sec(most.as_secs())
            .nsec(most.subsec_nanos());
        let arguments = types::SubmitArgs::new().timespec(&time);
        self.enter(|ring| ring.submitter().submit_with_args(1, &arguments))
    }

    /// Calls the kernel. It is no error if the call is interrupted or times
    /// out, or if completions must be reaped before more can be submitted.
    fn enter(&self, call: impl Fn(&IoUring) -> io::Result<usize>) -> io::Result<()> {
        match call(&self.ring) {
            Ok(_) => Ok(()),
            Err(error) => match error.raw_os_error() {
                Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Appends what has completed to `done`.
    pub fn reap(&mut self, done: &mut Vec<Done>) {
        for completion in self.ring.completion() {
            let slot = completion.user_data() as u32;
            slot_mut(&mut self.slots, slot).busy = false;
            self.in_flight -= 1;
            let result = u32::try_from(completion.result())
                .map_err(|_| io::Error::from_raw_os_error(-completion.result()));
            done.push(Done { slot, result });
        }
    }
}

fn slot_mut(slots: &mut [Slot], slot: u32) -> &mut Slot {
    &mut slots[slot as usize]
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.in_flight > 0 {
            // The kernel may still write to these: better lost than reused.
            std::mem::forget(std::mem::take(&mut self.slots));
        }
    }
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ring")
            .field("slots", &self.slots.len())
            .field("registered", &self.registered)
            .field("in_flight", &self.in_flight)
            .finish_non_exhaustive()
    }
}

/// A ring that completes IOs without interrupting the thread, where the kernel
/// can do that: better since 6.1, somewhat since 5.19.
fn build(slots: usize) -> io::Result<IoUring> {
    let completions = (2 * slots as u32).clamp(2 * ENTRIES, 1 << 16);
    let builder = || {
        let mut builder = IoUring::builder();
        builder.setup_clamp().setup_cqsize(completions);
        builder
    };
    let deferred = builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .build(ENTRIES);
    let cooperative = || {
        builder()
            .setup_coop_taskrun()
            .setup_taskrun_flag()
            .build(ENTRIES)
    };
    let ring = deferred
        .or_else(|_| cooperative())
        .or_else(|_| builder().build(ENTRIES))?;
    if !ring.params().is_feature_ext_arg() {
        return Err(io::Error::from_raw_os_error(libc::ENOSYS));
    }
    Ok(ring)
}

/// Whether the buffers could be registered, each under the number of its slot.
fn register(ring: &IoUring, buffers: &[Buffer]) -> bool {
    let bytes: usize = buffers.iter().map(|buffer| buffer.len()).sum();
    if bytes == 0 || bytes > MOST_PINNED || buffers.len() > MOST_REGISTERED {
        return false;
    }
    let vector = |buffer: &Buffer| libc::iovec {
        // An empty buffer's place in the table stays empty.
        iov_base: match buffer.len() {
            0 => std::ptr::null_mut(),
            _ => buffer.as_ptr().cast_mut().cast(),
        },
        iov_len: buffer.len(),
    };
    let vectors: Vec<_> = buffers.iter().map(vector).collect();
    // SAFETY: the buffers live as long as the ring, or longer.
    unsafe { ring.submitter().register_buffers(&vectors) }.is_ok()
}

fn entry(io: Io, buffer: &mut Buffer, registered: bool) -> squeue::Entry {
    let file = types::Fixed(io.file);
    let start = buffer.as_mut_ptr();
    let index = io.slot as u16;
    let entry = match (io.op, registered) {
        (Op::Read, true) => opcode::ReadFixed::new(file, start, io.len, index)
            .offset(io.offset)
            .build(),
        (Op::Read, false) => opcode::Read::new(file, start, io.len)
            .offset(io.offset)
            .build(),
        (Op::Write, true) => opcode::WriteFixed::new(file, start, io.len, index)
            .offset(io.offset)
            .build(),
        (Op::Write, false) => opcode::Write::new(file, start, io.len)
            .offset(io.offset)
            .build(),
        (Op::Flush, _) => opcode::Fsync::new(file)
            .flags(types::FsyncFlags::DATASYNC)
            .build(),
    };
    entry.user_data(io.slot.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    /// A ring on an empty file; none, with a message, where the kernel has no
    /// io_uring.
    fn ring(buffers: &[usize]) -> Option<(Ring, File)> {
        let file = tempfile::tempfile().unwrap();
        let buffers = buffers.iter().map(|&len| Buffer::new(len)).collect();
        match Ring::new(vec![file.try_clone().unwrap()], buffers) {
            Ok(ring) => Some((ring, file)),
            Err(error) => {
                let mut stderr = io::stderr();
                let _ = io::Write::write_fmt(&mut stderr, format_args!("skipped: {error}\n"));
                None
            }
        }
    }

    /// Carries out one IO to its end.
    fn one(ring: &mut Ring, io: Io) -> io::Result<u32> {
        ring.push(io).unwrap();
        let mut done = Vec::new();
        while done.is_empty() {
            ring.submit_and_wait(Duration::from_secs(10)).unwrap();
            ring.reap(&mut done);
        }
        assert_eq!((done.len(), done[0].slot), (1, io.slot));
        done.remove(0).result
    }

    fn io(slot: u32, op: Op, offset: u64, len: u32) -> Io {
        Io {
            slot,
            file: 0,
            op,
            offset,
            len,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let Some((mut ring, file)) = ring(&[8192, 0, 8192]) else {
            return;
        };
        ring.buffer(0).fill(7);
        assert_eq!(one(&mut ring, io(0, Op::Write, 4096, 8192)).unwrap(), 8192);
        assert_eq!(one(&mut ring, io(1, Op::Flush, 0, 0)).unwrap(), 0);
        assert_eq!(one(&mut ring, io(2, Op::Read, 0, 8192)).unwrap(), 8192);
        let mut expected = vec![0; 4096];
        expected.resize(8192, 7);
        assert_eq!(ring.buffer(2), expected);
        let mut content = vec![0; 8192];
        file.read_exact_at(&mut content, 0).unwrap();
        assert_eq!(content, expected);
    }

    #[test]
    fn many_at_once_all_come_back_once() {
        let slots = 1000;
        let Some((mut ring, _)) = ring(&vec![512; slots]) else {
            return;
        };
        let mut done = Vec::new();
        for slot in 0..slots as u32 {
            ring.buffer(slot).fill(slot as u8);
            ring.push(io(slot, Op::Write, u64::from(slot) * 512, 512))
                .unwrap();
        }
        while ring.in_flight() > 0 {
            ring.submit_and_wait(Duration::from_secs(10)).unwrap();
            ring.reap(&mut done);
        }
        let mut seen: Vec<_> = done.iter().map(|done| done.slot).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..slots as u32).collect::<Vec<_>>());
    }

    #[test]
    fn errors_and_ends_of_files_are_told() {
        let Some((mut ring, file)) = ring(&[512]) else {
            return;
        };
        assert_eq!(one(&mut ring, io(0, Op::Read, 0, 512)).unwrap(), 0);
        file.set_len(100).unwrap();
        assert_eq!(one(&mut ring, io(0, Op::Read, 0, 512)).unwrap(), 100);
        let wrong = one(&mut ring, io(0, Op::Write, u64::MAX - 511, 512));
        assert!(wrong.is_err());
    }

    #[test]
    fn a_wait_ends() {
        if let Some((mut ring, _)) = ring(&[512]) {
            ring.submit_and_wait(Duration::from_millis(1)).unwrap();
            let mut done = Vec::new();
            ring.reap(&mut done);
            assert!(done.is_empty());
        }
    }

    #[test]
    #[should_panic(expected = "the kernel has the buffer")]
    fn the_kernels_buffer_is_out_of_reach() {
        match ring(&[512]) {
            Some((mut ring, _)) => {
                ring.push(io(0, Op::Write, 0, 512)).unwrap();
                ring.buffer(0);
            }
            None => panic!("the kernel has the buffer, if there were a ring"),
        }
    }
}
