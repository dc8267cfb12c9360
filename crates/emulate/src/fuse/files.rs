//! What the kernel asks of the folder and its files.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use blockyard_model::storage::Op;
use fuser::{
    Errno, FileHandle, FileType, Filesystem, Generation, INodeNo, InitFlags, KernelConfig,
    LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek,
    ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rustix::fs::{FallocateFlags, OFlags};

use super::attributes::{BLOCK, REMEMBERED, file, folder, index, inode};
use super::replies::{Done, Opened, Read, Written, errno};
use crate::contained::contained;
use crate::disk::Disk;
use crate::request::{IoRequest, IoResult, Responder};

/// Bytes that one write can carry; more are split by the kernel.
const WRITE_MAX: u32 = 1 << 20;

/// Background requests that the kernel keeps in flight. Direct IO with several requests at
/// once counts as background.
const IN_FLIGHT_MAX: u16 = 1024;

/// What an `lseek` looks for, as `linux/fs.h` numbers it.
const SEEK_DATA: i32 = 3;
const SEEK_HOLE: i32 = 4;

/// Bytes that one call searches for data or a hole. A program that copies a file asks again
/// after each extent.
const LOOK_AHEAD: u64 = 1 << 30;

/// The files of disks.
#[derive(Debug)]
pub(super) struct Files {
    disks: Vec<Arc<Disk>>,
    since: SystemTime,
}

impl Files {
    pub(super) fn new(disks: Vec<Arc<Disk>>) -> Self {
        Self {
            disks,
            since: SystemTime::now(),
        }
    }

    fn disk(&self, inode: INodeNo) -> Result<&Disk, Errno> {
        let disk = index(inode).and_then(|index| self.disks.get(index));
        disk.map(|disk| &**disk).ok_or(Errno::EISDIR)
    }

    fn attributes(&self, inode: INodeNo) -> Result<fuser::FileAttr, Errno> {
        if inode == INodeNo::ROOT {
            return Ok(folder(self.since));
        }
        let disk = self.disk(inode).map_err(|_| Errno::ENOENT)?;
        Ok(file(inode, disk.size(), self.since))
    }
}

/// Moves a request's bytes and has its reply sent when it is due.
fn carry_out(
    disk: &Disk,
    op: Op,
    offset: u64,
    len: u64,
    durable: bool,
    act: impl FnOnce() -> (IoResult, Box<dyn Responder>),
) {
    let request = IoRequest {
        arrival: disk.now(),
        op,
        offset,
        len,
    };
    // A reply that is dropped without an answer says EIO.
    let _ = contained(|| {
        let (moved, responder) = act();
        if durable {
            disk.hold_until_durable(request, moved, responder);
        } else if let Some(ready) = disk.hold(request, moved, responder) {
            ready.send();
        }
    });
}

impl Filesystem for Files {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Each is refused where the kernel is too old: slower, not wrong.
        let _ = config.set_max_write(WRITE_MAX);
        let _ = config.set_max_background(IN_FLIGHT_MAX);
        let _ = config.set_congestion_threshold(IN_FLIGHT_MAX);
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.add_capabilities(InitFlags::FUSE_PARALLEL_DIROPS);
        let _ = config.add_capabilities(InitFlags::FUSE_MAX_PAGES);
        // An open that is to empty the file says so, and is not a `setattr`.
        let _ = config.add_capabilities(InitFlags::FUSE_ATOMIC_O_TRUNC);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.disks.iter().position(|disk| disk.name() == name);
        match found.filter(|_| parent == INodeNo::ROOT) {
            Some(index) => {
                let attributes = file(inode(index), self.disks[index].size(), self.since);
                reply.entry(&REMEMBERED, &attributes, Generation(0));
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(inode) {
            Ok(attributes) => reply.attr(&REMEMBERED, &attributes),
            Err(error) => reply.error(error),
        }
    }

    /// Accepts only what changes nothing: a disk keeps its size, mode and owner.
    fn setattr(
        &self,
        _: &Request,
        inode: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        match self.attributes(inode) {
            Ok(own) if size.is_some_and(|size| size != own.size) => reply.error(Errno::EINVAL),
            Ok(_) if mode.is_some() || uid.is_some() || gid.is_some() => reply.error(Errno::EPERM),
            Ok(own) => reply.attr(&REMEMBERED, &own),
            Err(error) => reply.error(error),
        }
    }

    /// `O_TRUNC` trims the whole disk. Its size stays, but a program that opens a file so may
    /// skip what it takes to be zero already, as `cp` does with holes.
    fn open(&self, _: &Request, inode: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let disk = match self.disk(inode) {
            Ok(disk) => disk,
            Err(error) => return reply.error(error),
        };
        let responder = Box::new(Opened(reply));
        if !opened_with(flags, OFlags::TRUNC) {
            return responder.send(Ok(()));
        }
        carry_out(disk, Op::Trim, 0, disk.size(), false, || {
            (disk.store().zero(0, disk.size(), false), responder)
        });
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let disk = match self.disk(inode) {
            Ok(disk) => disk,
            Err(error) => return reply.error(error),
        };
        let len = disk.size().saturating_sub(offset).min(size.into());
        if len == 0 {
            return reply.data(&[]);
        }
        carry_out(disk, Op::Read, offset, len, false, || {
            let mut bytes = vec![0; len as usize];
            let moved = disk.store().read(offset, &mut bytes);
            (moved, Box::new(Read { reply, bytes }))
        });
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let disk = match self.disk(inode) {
            Ok(disk) => disk,
            Err(error) => return reply.error(error),
        };
        let len = disk.size().saturating_sub(offset).min(data.len() as u64);
        if len == 0 {
            return match data.len() {
                0 => reply.written(0),
                _ => reply.error(Errno::ENOSPC),
            };
        }
        let durable = opened_with(flags, OFlags::DSYNC);
        carry_out(disk, Op::Write, offset, len, durable, || {
            let moved = disk.store().write(offset, &data[..len as usize]);
            let len = len as u32;
            (moved, Box::new(Written { reply, len }))
        });
    }

    fn fsync(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        match self.disk(inode) {
            Ok(disk) => carry_out(disk, Op::Flush, 0, 0, true, || {
                (Ok(()), Box::new(Done(reply)))
            }),
            Err(error) => reply.error(error),
        }
    }

    fn fallocate(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let disk = match self.disk(inode) {
            Ok(disk) => disk,
            Err(error) => return reply.error(error),
        };
        let within = offset
            .checked_add(length)
            .is_some_and(|end| end <= disk.size());
        let mode = FallocateFlags::from_bits_retain(mode as u32) - FallocateFlags::KEEP_SIZE;
        let punch = mode == FallocateFlags::PUNCH_HOLE;
        if !within {
            return reply.error(Errno::ENOSPC);
        }
        if !punch && mode != FallocateFlags::ZERO_RANGE {
            return reply.error(Errno::EOPNOTSUPP);
        }
        // A loop device asks for holes both to trim and to write zeros, and
        // relies on zeros.
        let op = if punch { Op::Trim } else { Op::Zero };
        carry_out(disk, op, offset, length, false, || {
            let moved = disk.store().zero(offset, length, !punch);
            (moved, Box::new(Done(reply)))
        });
    }

    fn lseek(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let found = self.disk(inode).and_then(|disk| seek(disk, offset, whence));
        match found {
            Ok(place) => reply.offset(place as i64),
            Err(error) => reply.error(error),
        }
    }

    fn readdir(
        &self,
        _: &Request,
        parent: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        if parent != INodeNo::ROOT {
            return reply.error(Errno::ENOTDIR);
        }
        let own = [".", ".."].map(|name| (INodeNo::ROOT, FileType::Directory, name));
        let files = self.disks.iter().enumerate();
        let files = files.map(|(index, disk)| (inode(index), FileType::RegularFile, disk.name()));
        let entries = (1..).zip(own.into_iter().chain(files));
        for (next, (inode, kind, name)) in entries.skip(offset as usize) {
            if reply.add(inode, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let sizes = self.disks.iter().map(|disk| disk.size());
        let blocks = sizes.sum::<u64>() / u64::from(BLOCK);
        reply.statfs(blocks, 0, 0, self.disks.len() as u64, 0, BLOCK, 255, BLOCK);
    }
}

fn opened_with(flags: OpenFlags, flag: OFlags) -> bool {
    OFlags::from_bits_retain(flags.0 as u32).contains(flag)
}

/// The next data or hole from `offset` on.
fn seek(disk: &Disk, offset: i64, whence: i32) -> Result<u64, Errno> {
    let wants_hole = match whence {
        SEEK_DATA => false,
        SEEK_HOLE => true,
        _ => return Err(Errno::EINVAL),
    };
    let start = u64::try_from(offset).map_err(|_| Errno::ENXIO)?;
    if start >= disk.size() {
        return Err(Errno::ENXIO);
    }
    let mut place = start;
    while place < disk.size() {
        let len = LOOK_AHEAD.min(disk.size() - place);
        for extent in disk.store().extents(place, len).map_err(errno)? {
            if extent.hole == wants_hole {
                return Ok(place);
            }
            place += extent.len;
        }
    }
    // The end of a file counts as a hole.
    match wants_hole {
        true => Ok(disk.size()),
        false => Err(Errno::ENXIO),
    }
}
