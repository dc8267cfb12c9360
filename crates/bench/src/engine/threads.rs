//! `pread` and `pwrite` on a pool of threads.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use blockyard_sys::{Buffer, Done, Io, Op};

/// Most threads; IOs beyond wait, and their wait counts.
pub(super) const MOST: usize = 256;

/// A pool with a thread for each IO that can be in flight.
#[derive(Debug)]
pub(crate) struct Threads {
    /// The slots' buffers; none while a thread has one.
    buffers: Vec<Option<Buffer>>,
    work: Sender<Work>,
    completed: Receiver<Completed>,
    /// Completions that were received and not yet reaped.
    ready: Vec<Done>,
    in_flight: u32,
}

struct Work {
    io: Io,
    buffer: Buffer,
}

struct Completed {
    done: Done,
    buffer: Buffer,
}

impl Threads {
    pub(crate) fn new(files: Vec<File>, buffers: Vec<Buffer>) -> io::Result<Self> {
        let (work, queue) = channel();
        let (report, completed) = channel();
        let (files, queue) = (Arc::new(files), Arc::new(Mutex::new(queue)));
        for _ in 0..buffers.len().min(MOST) {
            let (files, queue, report) = (files.clone(), queue.clone(), report.clone());
            thread::Builder::new()
                .name("io".into())
                .spawn(move || serve(&files, &queue, &report))?;
        }
        Ok(Self {
            buffers: buffers.into_iter().map(Some).collect(),
            work,
            completed,
            ready: Vec::new(),
            in_flight: 0,
        })
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    #[expect(
        clippy::expect_used,
        reason = "a slot has one IO in flight, as in the ring, and it is back before the next"
    )]
    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        let buffer = self.buffers[slot as usize].as_deref_mut();
        buffer.expect("the slot's IO is not in flight")
    }

    #[expect(clippy::expect_used, reason = "as of `buffer`")]
    pub(crate) fn push(&mut self, io: Io) {
        let buffer = self.buffers[io.slot as usize].take();
        let buffer = buffer.expect("the slot's IO is not in flight");
        self.in_flight += 1;
        // The threads end only when this sender does.
        let _ = self.work.send(Work { io, buffer });
    }

    pub(crate) fn wait(&mut self, most: Duration) {
        if self.ready.is_empty() && !most.is_zero() {
            match self.completed.recv_timeout(most) {
                Ok(completed) => self.take_back(completed),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
        while let Ok(completed) = self.completed.try_recv() {
            self.take_back(completed);
        }
    }

    fn take_back(&mut self, Completed { done, buffer }: Completed) {
        self.buffers[done.slot as usize] = Some(buffer);
        self.ready.push(done);
    }

    pub(crate) fn reap(&mut self, done: &mut Vec<Done>) {
        self.in_flight -= self.ready.len() as u32;
        done.append(&mut self.ready);
    }
}

/// One thread of the pool: does IO after IO until the pool is dropped.
fn serve(files: &[File], queue: &Mutex<Receiver<Work>>, report: &Sender<Completed>) {
    loop {
        // A poisoned queue is still a queue: receiving cannot break it.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Work { io, mut buffer }) = next else {
            return;
        };
        let done = Done {
            slot: io.slot,
            result: carry_out(&files[io.file as usize], io, &mut buffer),
        };
        if report.send(Completed { done, buffer }).is_err() {
            return;
        }
    }
}

fn carry_out(file: &File, io: Io, buffer: &mut Buffer) -> io::Result<u32> {
    let moved = match io.op {
        Op::Read => file.read_at(&mut buffer[..io.len as usize], io.offset)?,
        Op::Write => file.write_at(&buffer[..io.len as usize], io.offset)?,
        Op::Flush => {
            file.sync_data()?;
            0
        }
    };
    Ok(moved as u32)
}
