//! Carries out the IOs of one thread.

mod threads;

use std::fs::File;
use std::io;
use std::time::Duration;

use blockyard_machine::processors;
use blockyard_sys::{Buffer, Done, Io, Ring};
use serde::de::{Deserialize, Deserializer, Error};

use self::threads::Threads;

/// How IO is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// One io_uring a thread.
    IoUring,
    /// `pread` and `pwrite` on a pool of threads: where the kernel has no
    /// io_uring, and to check the other against.
    Threads,
}

impl Engine {
    /// The engine's name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::IoUring => "io_uring",
            Self::Threads => "threads",
        }
    }

    /// The faster one that this machine allows.
    pub fn best() -> Self {
        match Ring::new(Vec::new(), vec![Buffer::new(1)]) {
            Ok(_) => Self::IoUring,
            Err(_) => Self::Threads,
        }
    }

    /// The maximum number of threads that it starts for this number of IOs in flight.
    pub(crate) fn most_threads(self, in_flight: u64) -> u64 {
        match self {
            Self::IoUring => processors().into(),
            Self::Threads => in_flight.min(threads::MOST as u64),
        }
    }

    /// An engine for IO on `files` with a slot for each of `buffers`.
    pub(crate) fn start(self, files: Vec<File>, buffers: Vec<Buffer>) -> io::Result<Running> {
        Ok(match self {
            Self::IoUring => Running::Ring(Ring::new(files, buffers)?),
            Self::Threads => Running::Threads(Threads::new(files, buffers)?),
        })
    }
}

/// Reads an engine's name; none for `auto`.
pub(crate) fn or_auto<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Engine>, D::Error> {
    match Option::<String>::deserialize(from)?.as_deref() {
        None | Some("auto") => Ok(None),
        Some("io_uring") => Ok(Some(Engine::IoUring)),
        Some("threads") => Ok(Some(Engine::Threads)),
        Some(other) => Err(D::Error::custom(format!(
            "`{other}`; expected auto, io_uring or threads"
        ))),
    }
}

/// An engine at work, in the thread that started it.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a thread has one; a pointer to it would cost every IO"
)]
pub(crate) enum Running {
    Ring(Ring),
    Threads(Threads),
}

impl Running {
    /// IOs that were pushed and have not been reaped.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        match self {
            Self::Ring(ring) => ring.in_flight(),
            Self::Threads(threads) => threads.in_flight(),
        }
    }

    /// The buffer of a slot whose IO is not in flight.
    #[inline]
    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        match self {
            Self::Ring(ring) => ring.buffer(slot),
            Self::Threads(threads) => threads.buffer(slot),
        }
    }

    /// Adds an IO to the next submission.
    #[inline]
    pub(crate) fn push(&mut self, io: Io) -> io::Result<()> {
        match self {
            Self::Ring(ring) => ring.push(io),
            Self::Threads(threads) => {
                threads.push(io);
                Ok(())
            }
        }
    }

    /// Submits; then waits for a completion, but no longer than `most`.
    #[inline]
    pub(crate) fn submit_and_wait(&mut self, most: Duration) -> io::Result<()> {
        match self {
            Self::Ring(ring) => ring.submit_and_wait(most),
            Self::Threads(threads) => {
                threads.wait(most);
                Ok(())
            }
        }
    }

    /// Gives what has completed.
    #[inline]
    pub(crate) fn reap(&mut self, done: &mut Vec<Done>) {
        match self {
            Self::Ring(ring) => ring.reap(done),
            Self::Threads(threads) => threads.reap(done),
        }
    }
}
