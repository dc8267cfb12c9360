//! Events of the kernel's tracepoints (`linux/perf_event.h`): one ring of memory a processor, which
//! the kernel fills and this process empties.

mod records;

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

pub use records::{Record, records};

const TRACEPOINT: u32 = 2;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_RAW: u64 = 1 << 10;
const DISABLED: u64 = 1;
const USE_CLOCK: u64 = 1 << 25;
const CLOSE_ON_EXEC: libc::c_ulong = 8;

const ENABLE: libc::Ioctl = 0x2400;
const DISABLE: libc::Ioctl = 0x2401;
const SET_OUTPUT: libc::Ioctl = 0x2405;
const SET_FILTER: libc::Ioctl = 0x4008_2406;

/// Where the first page says how far the kernel wrote, and how far this process read.
const HEAD: usize = 1024;
const TAIL: usize = 1032;

/// No ring is smaller, in bytes.
const SMALLEST: usize = 1 << 16;

/// `struct perf_event_attr`, as of Linux 4.8.
#[repr(C)]
#[derive(Debug, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clock: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    sample_max_stack: u16,
    reserved: u16,
}

/// The events of some tracepoints on one processor, stamped by `CLOCK_MONOTONIC`.
#[derive(Debug)]
pub struct EventRing {
    memory: Mapping,
    /// One for each tracepoint. The memory is that of the first.
    events: Vec<OwnedFd>,
    copied: Vec<u8>,
}

impl EventRing {
    /// Opens tracepoints by their numbers, switched off, each with a filter as tracefs takes it,
    /// into a ring of `capacity` bytes or, where less may be locked in memory, of a smaller one.
    ///
    /// # Errors
    /// If the kernel refuses, for want of rights in most cases.
    pub fn open(
        processor: u32,
        tracepoints: &[(u32, CString)],
        capacity: usize,
    ) -> io::Result<Self> {
        let events = tracepoints.iter();
        let events = events.map(|(id, filter)| open(processor, *id, filter));
        let events = events.collect::<io::Result<Vec<_>>>()?;
        let Some((first, others)) = events.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let memory = Mapping::of(first, capacity)?;
        for other in others {
            control(other, SET_OUTPUT, first.as_raw_fd() as libc::c_ulong)?;
        }
        Ok(Self {
            memory,
            events,
            copied: Vec::new(),
        })
    }

    /// Switches the events on.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn enable(&self) -> io::Result<()> {
        self.events.iter().try_for_each(|it| control(it, ENABLE, 0))
    }

    /// Switches the events off; what was recorded stays.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn disable(&self) -> io::Result<()> {
        self.events
            .iter()
            .try_for_each(|it| control(it, DISABLE, 0))
    }

    /// Takes out what was recorded, in the order in which the processor did.
    pub fn take(&mut self, each: impl FnMut(Record<'_>)) {
        self.copied.clear();
        self.memory.empty_into(&mut self.copied);
        records(&self.copied, each);
    }
}

/// The memory of a ring: a page that says how far it is filled, and the records.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    page: usize,
    /// Bytes of records that fit: a power of two.
    capacity: usize,
}

// SAFETY: the memory belongs to this value alone, and nothing about it depends on the thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// As large as may be locked in memory, up to `capacity`.
    fn of(event: &OwnedFd, capacity: usize) -> io::Result<Self> {
        // SAFETY: the call takes a plain number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let mut capacity = capacity.next_power_of_two().max(SMALLEST);
        loop {
            match map(event, page + capacity) {
                Ok(start) => {
                    return Ok(Self {
                        start,
                        page,
                        capacity,
                    });
                }
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied && capacity > SMALLEST =>
                {
                    capacity /= 2;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Appends what the kernel wrote since the last call, and gives it the room back.
    fn empty_into(&mut self, bytes: &mut Vec<u8>) {
        let head = self.counter(HEAD).load(Ordering::Acquire);
        // Only this process moves the tail.
        let tail = self.counter(TAIL).load(Ordering::Relaxed);
        let filled = (head.wrapping_sub(tail) as usize).min(self.capacity);
        let begin = tail as usize & (self.capacity - 1);
        let first = filled.min(self.capacity - begin);
        bytes.reserve(filled);
        for (from, length) in [(begin, first), (0, filled - first)] {
            let room = bytes.spare_capacity_mut();
            // SAFETY: the records lie behind the first page, `from + length` is at most the
            // capacity, and there is room for all of them. The kernel does not write between the
            // tail and the head until the tail is moved.
            unsafe {
                let records = self.start.as_ptr().add(self.page + from);
                ptr::copy_nonoverlapping(records, room.as_mut_ptr().cast(), length);
                bytes.set_len(bytes.len() + length);
            }
        }
        self.counter(TAIL).store(head, Ordering::Release);
    }

    fn counter(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the place is aligned, within the first page, and mapped for as long as this value
        // lives. The kernel and this process touch it by atomic operations only.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(at).cast()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing refers to it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.page + self.capacity) };
    }
}

fn map(event: &OwnedFd, length: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: the kernel chooses a place where nothing else is.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            event.as_raw_fd(),
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(start.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Opens a tracepoint on a processor.
fn open(processor: u32, tracepoint: u32, filter: &CStr) -> io::Result<OwnedFd> {
    let attributes = Attributes {
        kind: TRACEPOINT,
        size: size_of::<Attributes>() as u32,
        config: tracepoint.into(),
        sample_period: 1,
        sample_type: SAMPLE_TIME | SAMPLE_RAW,
        flags: DISABLED | USE_CLOCK,
        clock: libc::CLOCK_MONOTONIC,
        ..Attributes::default()
    };
    // SAFETY: the structure is laid out as the kernel has it, says how long it is, and outlives
    // the call; all other arguments are plain numbers.
    let event = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            -1 as libc::pid_t,
            processor as libc::c_int,
            -1 as libc::c_int,
            CLOSE_ON_EXEC,
        )
    };
    if event == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just given this descriptor, which nothing else owns.
    let event = unsafe { OwnedFd::from_raw_fd(event as RawFd) };
    control(&event, SET_FILTER, filter.as_ptr() as libc::c_ulong)?;
    Ok(event)
}

fn control(event: &OwnedFd, how: libc::Ioctl, with: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the requests take a number or, for a filter, a text that outlives the call and ends
    // with 0.
    match unsafe { libc::ioctl(event.as_raw_fd(), how, with) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_the_kernels() {
        assert_eq!(size_of::<Attributes>(), 112);
        assert_eq!(std::mem::offset_of!(Attributes, clock), 92);
    }

    #[test]
    fn what_is_no_tracepoint_is_refused() {
        let none = [(u32::MAX, c"dev == 1".to_owned())];
        assert!(EventRing::open(0, &none, SMALLEST).is_err());
        assert!(EventRing::open(0, &[], SMALLEST).is_err());
    }
}
