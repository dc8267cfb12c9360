//! The client's side of the protocol, as far as the tests need it.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::clients::Clients;
use super::super::option::{self, Choice};
use super::super::request::Request;
use super::super::wire::Fields;
use crate::disk::Disk;

pub(super) const SIZE: u64 = 1 << 20;

/// A reply to a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Simple {
        cookie: u64,
        error: u32,
    },
    Chunk {
        cookie: u64,
        kind: u16,
        data: Vec<u8>,
    },
}

pub(super) struct Client {
    pub(super) stream: UnixStream,
}

pub(super) fn disk(name: &str) -> Arc<Disk> {
    Arc::new(Disk::in_memory(name, SIZE))
}

impl Client {
    /// A client of `disks` that has read nothing yet.
    pub(super) fn raw(disks: &[Arc<Disk>]) -> Self {
        Self::of(&Clients::new(disks.to_vec().into()))
    }

    /// The same, among other clients.
    pub(super) fn of(clients: &Arc<Clients>) -> Self {
        let (client, server) = UnixStream::pair().unwrap();
        clients.admit(server.into(), None).unwrap();
        Self::over(client)
    }

    pub(super) fn over(stream: UnixStream) -> Self {
        let patience = Some(Duration::from_secs(20));
        stream.set_read_timeout(patience).unwrap();
        stream.set_write_timeout(patience).unwrap();
        Self { stream }
    }

    /// A client that was greeted and sent its flags.
    pub(super) fn greeted(disks: &[Arc<Disk>]) -> Self {
        let mut client = Self::raw(disks);
        client.greet();
        client
    }

    pub(super) fn greet(&mut self) {
        let greeting = self.read(18);
        assert_eq!(&greeting[..16], b"NBDMAGICIHAVEOPT");
        assert_eq!(greeting[16..], [0, 3]);
        self.stream.write_all(&3_u32.to_be_bytes()).unwrap();
    }

    /// A client that chose the first of `disks`.
    pub(super) fn ready(disks: &[Arc<Disk>]) -> Self {
        let mut client = Self::greeted(disks);
        client.go(b"");
        client
    }

    /// The same, among other clients.
    pub(super) fn ready_of(clients: &Arc<Clients>) -> Self {
        let mut client = Self::of(clients);
        client.greet();
        client.go(b"");
        client
    }

    /// The same with structured replies and block status.
    pub(super) fn structured(disks: &[Arc<Disk>]) -> Self {
        let mut client = Self::greeted(disks);
        client.ask(option::STRUCTURED_REPLY, &[]);
        let contexts = contexts(b"", &[option::ALLOCATION]);
        client.ask(option::SET_META_CONTEXT, &contexts);
        client.go(b"");
        client
    }

    /// The kinds and data of the replies to an option.
    pub(super) fn ask(&mut self, kind: u32, data: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let mut bytes = Vec::new();
        option::ask(&mut bytes, kind, data);
        self.stream.write_all(&bytes).unwrap();
        let mut replies = Vec::new();
        loop {
            let header = self.read(20);
            let mut fields = Fields(&header);
            assert_eq!(fields.u64(), Some(option::REPLY));
            assert_eq!(fields.u32(), Some(kind));
            let (reply, len) = (fields.u32().unwrap(), fields.u32().unwrap());
            replies.push((reply, self.read(len as usize)));
            if reply == option::REP_ACK || reply >> 31 == 1 {
                return replies;
            }
        }
    }

    pub(super) fn go(&mut self, export: &[u8]) {
        let infos = Vec::new();
        let replies = self.ask(option::GO, &Choice { export, infos }.encode());
        assert_eq!(replies.last().unwrap().0, option::REP_ACK);
    }

    pub(super) fn send(&mut self, request: Request, payload: &[u8]) {
        let message = [&request.encode()[..], payload].concat();
        self.stream.write_all(&message).unwrap();
    }

    /// The next reply, which has `data` bytes if it is a simple one.
    pub(super) fn receive(&mut self, data: usize) -> (Reply, Vec<u8>) {
        let magic = self.read(4);
        if magic == [0x67, 0x44, 0x66, 0x98] {
            let header = self.read(12);
            let mut fields = Fields(&header);
            let (error, cookie) = (fields.u32().unwrap(), fields.u64().unwrap());
            let data = if error == 0 { data } else { 0 };
            return (Reply::Simple { cookie, error }, self.read(data));
        }
        assert_eq!(magic, [0x66, 0x8e, 0x33, 0xef]);
        let header = self.read(16);
        let mut fields = Fields(&header);
        assert_eq!(fields.u16(), Some(1), "the only chunk");
        let (kind, cookie) = (fields.u16().unwrap(), fields.u64().unwrap());
        let data = self.read(fields.u32().unwrap() as usize);
        (Reply::Chunk { cookie, kind, data }, Vec::new())
    }

    /// The error number that a request without data is answered with.
    pub(super) fn result(&mut self, request: Request, payload: &[u8]) -> u32 {
        self.send(request, payload);
        let cookie = request.cookie;
        match self.receive(0).0 {
            Reply::Simple { cookie: of, error } if of == cookie => error,
            Reply::Chunk {
                cookie: of,
                kind: 0x8001,
                data,
            } if of == cookie => Fields(&data).u32().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn read(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Whether the server has ended the connection already.
    pub(super) fn has_ended_by_now(&mut self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let read = self.stream.read(&mut [0]);
        !read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Whether the server has ended the connection.
    pub(super) fn is_ended(&mut self) -> bool {
        match self.stream.read(&mut [0]) {
            Ok(len) => len == 0,
            Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
        }
    }
}

/// Waits until `condition` holds, which it does in the end.
pub(super) fn eventually(condition: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < patience, "it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(super) fn request(command: u16, offset: u64, len: u32) -> Request {
    Request {
        flags: 0,
        command,
        cookie: 0x0123_4567_89ab_cdef,
        offset,
        len,
    }
}

/// The data of a metadata context option.
pub(super) fn contexts(export: &[u8], queries: &[&[u8]]) -> Vec<u8> {
    let string = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes(), bytes].concat();
    let mut data = string(export);
    data.extend((queries.len() as u32).to_be_bytes());
    queries.iter().for_each(|query| data.extend(string(query)));
    data
}
