//! Clients that break the protocol harm only themselves.

use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::super::option;
use super::super::request::{READ, Request, WRITE};
use super::client::{Client, SIZE, disk, request};
use crate::disk::Disk;

/// Whether the disk still serves a client that behaves.
fn is_served(disks: &[Arc<Disk>]) -> bool {
    Client::ready(disks).result(request(WRITE, 0, 1), &[1]) == 0
}

#[test]
fn garbage_ends_the_connection() {
    let disks = [disk("data")];
    let mut client = Client::raw(&disks);
    client.read(18);
    client.stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert!(client.is_ended());
    let mut client = Client::ready(&disks);
    client.stream.write_all(&[0xff; 28]).unwrap();
    assert!(client.is_ended());
    assert!(is_served(&disks));
}

#[test]
fn what_is_too_long_ends_the_connection() {
    let disks = [disk("data")];
    let mut client = Client::greeted(&disks);
    let mut bytes = option::OPTION.to_be_bytes().to_vec();
    bytes.extend(
        [option::LIST, (64 << 10) + 1]
            .map(u32::to_be_bytes)
            .concat(),
    );
    client.stream.write_all(&bytes).unwrap();
    assert!(client.is_ended());
    let mut client = Client::ready(&disks);
    client.send(request(WRITE, 0, (32 << 20) + 1), &[]);
    assert!(client.is_ended());
    assert!(is_served(&disks));
}

#[test]
fn half_a_request_waits_for_the_rest_alone() {
    let disks = [disk("data")];
    for len in [4096, 300 << 10] {
        let mut client = Client::ready(&disks);
        let payload = vec![7; len / 2];
        client.send(request(WRITE, 0, len as u32), &payload);
        assert!(is_served(&disks));
        client.stream.write_all(&payload).unwrap();
        assert!(client.receive(0).1.is_empty());
        client.send(request(WRITE, 0, len as u32), &payload);
    }
    assert!(is_served(&disks));
}

#[test]
fn a_client_that_never_reads_is_no_longer_read() {
    let disks = [disk("data")];
    let mut client = Client::ready(&disks);
    let pause = Some(Duration::from_millis(300));
    client.stream.set_write_timeout(pause).unwrap();
    let read = request(READ, 0, SIZE as u32).encode();
    let flood = read.repeat(64);
    // 64 MiB in flight, and what sockets hold: a few thousand requests.
    let stopped = (0..10_000).find_map(|_| client.stream.write_all(&flood).err());
    assert_eq!(
        stopped.map(|error| error.kind()),
        Some(ErrorKind::WouldBlock)
    );
    assert!(is_served(&disks));
}

#[test]
fn a_flood_is_answered_whole() {
    let disks = [disk("data")];
    let mut client = Client::ready(&disks);
    let mut writer = client.stream.try_clone().unwrap();
    let count = 20_000_u64;
    let flooding = std::thread::spawn(move || {
        for cookie in 0..count {
            let read = request(READ, 0, 512);
            writer
                .write_all(&Request { cookie, ..read }.encode())
                .unwrap();
        }
    });
    for _ in 0..count {
        assert_eq!(client.receive(512).1.len(), 512);
    }
    flooding.join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_a_connection(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        crate::fuzz::handshake(&bytes);
        crate::fuzz::transmission(&bytes);
    }

    #[test]
    fn any_requests_are_a_connection(
        requests in proptest::collection::vec(any_request(), 0..50),
        tail in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        let mut bytes = Vec::new();
        for request in requests {
            bytes.extend(request.encode());
            bytes.resize(bytes.len() + request.payload().min(1 << 16), 7);
        }
        bytes.extend(tail);
        crate::fuzz::transmission(&bytes);
    }
}

/// Requests that are mostly possible.
fn any_request() -> impl Strategy<Value = Request> {
    let flags = prop_oneof![Just(0), 0..32_u16, any::<u16>()];
    let offset = prop_oneof![0..SIZE, any::<u64>()];
    let len = prop_oneof![0..70_000_u32, any::<u32>()];
    (flags, 0..9_u16, any::<u64>(), offset, len).prop_map(
        |(flags, command, cookie, offset, len)| Request {
            flags,
            command,
            cookie,
            offset,
            len,
        },
    )
}
