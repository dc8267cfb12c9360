//! Every command, in both forms of replies.

use super::super::request::{
    BLOCK_STATUS, DF, DISCONNECT, FLUSH, FUA, NO_HOLE, READ, REQ_ONE, Request, TRIM, WRITE,
    WRITE_ZEROES,
};
use super::client::{Client, Reply, SIZE, disk, request};

const EINVAL: u32 = 22;
const ENOSPC: u32 = 28;

fn read(client: &mut Client, offset: u64, len: u32) -> Vec<u8> {
    client.send(request(READ, offset, len), &[]);
    match client.receive(len as usize) {
        (Reply::Simple { error: 0, .. }, data) => data,
        (Reply::Chunk { kind: 1, data, .. }, _) => {
            assert_eq!(data[..8], offset.to_be_bytes());
            data[8..].to_vec()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_written_is_read() {
    let disks = [disk("data")];
    for mut client in [Client::ready(&disks), Client::structured(&disks)] {
        for (offset, len) in [(0, 1), (511, 4097), (4096, 300 << 10), (SIZE - 7, 7)] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8 + 1).collect();
            let write = request(WRITE, offset, len);
            assert_eq!(client.result(write, &bytes), 0);
            assert!(read(&mut client, offset, len) == bytes, "{len} at {offset}");
        }
    }
}

#[test]
fn zeros_and_trims_read_as_zeros() {
    let mut client = Client::ready(&[disk("data")]);
    for (command, flags) in [
        (WRITE_ZEROES, 0),
        (WRITE_ZEROES, NO_HOLE | FUA),
        (TRIM, FUA),
    ] {
        let durable = Request {
            flags: FUA,
            ..request(WRITE, 0, 8192)
        };
        assert_eq!(client.result(durable, &[1; 8192]), 0);
        let zero = Request {
            flags,
            ..request(command, 0, 4096)
        };
        assert_eq!(client.result(zero, &[]), 0);
        assert_eq!(read(&mut client, 0, 4096), [0; 4096]);
        assert_eq!(read(&mut client, 4096, 4096), [1; 4096]);
    }
    assert_eq!(client.result(request(FLUSH, 0, 0), &[]), 0);
}

#[test]
fn block_status_adds_up() {
    let mut client = Client::structured(&[disk("data")]);
    client.result(request(WRITE, 0, 4096), &[1; 4096]);
    let mut extents = |flags| {
        let status = request(BLOCK_STATUS, 0, SIZE as u32);
        client.send(Request { flags, ..status }, &[]);
        let (Reply::Chunk { kind: 5, data, .. }, _) = client.receive(0) else {
            panic!("no block status");
        };
        assert_eq!(data[..4], 1_u32.to_be_bytes(), "the context");
        let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
        let extent = |bytes: &[u8]| (u64::from(number(&bytes[..4])), number(&bytes[4..]));
        data[4..].chunks_exact(8).map(extent).collect::<Vec<_>>()
    };
    let all = extents(0);
    assert_eq!(all.iter().map(|extent| extent.0).sum::<u64>(), SIZE);
    assert_eq!(all[0].1, 0, "allocated");
    assert_eq!(extents(REQ_ONE), all[..1]);
}

#[test]
fn errors_leave_the_connection_in_step() {
    let disks = [disk("data")];
    for mut client in [Client::ready(&disks), Client::structured(&disks)] {
        let mut refused = |command, offset, len, payload: &[u8]| {
            client.result(request(command, offset, len), payload)
        };
        assert_eq!(refused(READ, SIZE - 1, 2, &[]), EINVAL);
        assert_eq!(refused(READ, u64::MAX, 2, &[]), EINVAL);
        assert_eq!(refused(READ, 0, 0, &[]), EINVAL);
        assert_eq!(refused(READ, 0, (32 << 20) + 1, &[]), EINVAL);
        assert_eq!(refused(WRITE, SIZE - 1, 2, &[1; 2]), ENOSPC);
        assert_eq!(refused(WRITE, SIZE, 300 << 10, &[1; 300 << 10]), ENOSPC);
        assert_eq!(refused(WRITE_ZEROES, SIZE, 1, &[]), ENOSPC);
        assert_eq!(refused(TRIM, 0, SIZE as u32 + 1, &[]), EINVAL);
        assert_eq!(refused(BLOCK_STATUS, SIZE, 1, &[]), EINVAL);
        assert_eq!(refused(5, 0, 4096, &[]), EINVAL, "cache is not offered");
        assert_eq!(refused(999, 0, 0, &[]), EINVAL);
        let odd = Request {
            flags: 1 << 9,
            ..request(WRITE, 0, 512)
        };
        assert_eq!(client.result(odd, &[1; 512]), EINVAL);
        assert_eq!(read(&mut client, 0, 512), [0; 512]);
    }
}

#[test]
fn dont_fragment_changes_nothing() {
    let mut client = Client::structured(&[disk("data")]);
    let whole = Request {
        flags: DF,
        ..request(READ, 0, 4096)
    };
    client.send(whole, &[]);
    assert!(matches!(client.receive(0).0, Reply::Chunk { kind: 1, .. }));
}

#[test]
fn one_connection_sees_what_another_wrote() {
    let disks = [disk("data")];
    let (mut one, mut other) = (Client::ready(&disks), Client::ready(&disks));
    assert_eq!(one.result(request(WRITE, 0, 5), b"hello"), 0);
    assert_eq!(other.result(request(FLUSH, 0, 0), &[]), 0);
    assert_eq!(read(&mut other, 0, 5), b"hello");
}

#[test]
fn disconnect_ends_the_connection() {
    let mut client = Client::ready(&[disk("data")]);
    client.send(request(DISCONNECT, 0, 0), &[]);
    assert!(client.is_ended());
}
