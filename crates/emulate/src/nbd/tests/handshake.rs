//! What is agreed on before the first request.

use std::io::Write;

use super::super::option::{self, Choice};
use super::super::request::READ;
use super::client::{Client, Reply, SIZE, contexts, disk, request};

fn choice(export: &[u8], infos: &[u16]) -> Vec<u8> {
    let infos = infos.to_vec();
    Choice { export, infos }.encode()
}

#[test]
fn exports_are_listed() {
    let mut client = Client::greeted(&[disk("data"), disk("wij")]);
    let replies = client.ask(option::LIST, &[]);
    let server = |name: &[u8]| [&(name.len() as u32).to_be_bytes(), name].concat();
    let expected = [
        (option::REP_SERVER, server(b"data")),
        (option::REP_SERVER, server(b"wij")),
        (option::REP_ACK, vec![]),
    ];
    assert_eq!(replies, expected);
    assert_eq!(client.ask(option::LIST, b"x")[0].0, option::REP_ERR_INVALID);
}

#[test]
fn info_tells_all_that_is_asked() {
    let mut client = Client::greeted(&[disk("data")]);
    let infos = [
        option::INFO_BLOCK_SIZE,
        option::INFO_NAME,
        option::INFO_DESCRIPTION,
        99,
    ];
    let replies = client.ask(option::INFO, &choice(b"data", &infos));
    let told: Vec<u16> = replies
        .iter()
        .filter(|reply| reply.0 == option::REP_INFO)
        .map(|(_, data)| u16::from_be_bytes([data[0], data[1]]))
        .collect();
    assert_eq!(told, [0, 3, 1, 2]);
    assert_eq!(replies[0].1[2..10], SIZE.to_be_bytes());
    let block_sizes = [1_u32, 4096, 32 << 20].map(u32::to_be_bytes).concat();
    assert_eq!(replies[1].1[2..], block_sizes);
    assert_eq!(replies[2].1[2..], *b"data");
}

#[test]
fn unknown_exports_and_options_are_refused() {
    let mut client = Client::greeted(&[disk("data")]);
    let mut refused = |kind, data: &[u8]| client.ask(kind, data)[0].0;
    assert_eq!(
        refused(option::GO, &choice(b"dta", &[])),
        option::REP_ERR_UNKNOWN
    );
    assert_eq!(refused(option::GO, b"\0\0\0\x09"), option::REP_ERR_INVALID);
    assert_eq!(refused(option::STARTTLS, &[]), option::REP_ERR_UNSUP);
    assert_eq!(refused(11, &[]), option::REP_ERR_UNSUP);
    assert_eq!(refused(0xffff, &[7; 1000]), option::REP_ERR_UNSUP);
    client.go(b"data");
}

#[test]
fn export_name_needs_no_reply_to_follow() {
    for (flags, zeros) in [(3_u32, 0), (1, 124)] {
        let mut client = Client::raw(&[disk("data")]);
        client.read(18);
        let mut bytes = flags.to_be_bytes().to_vec();
        option::ask(&mut bytes, option::EXPORT_NAME, b"data");
        // The first request may be there before the reply is read.
        bytes.extend(request(READ, 0, 512).encode());
        client.stream.write_all(&bytes).unwrap();
        assert_eq!(client.read(8), SIZE.to_be_bytes());
        assert_eq!(client.read(2 + zeros)[2..], vec![0; zeros]);
        assert_eq!(client.receive(512).1, [0; 512]);
    }
}

#[test]
fn an_unknown_export_name_ends_the_connection() {
    let mut client = Client::greeted(&[disk("data")]);
    let mut bytes = Vec::new();
    option::ask(&mut bytes, option::EXPORT_NAME, b"nothing");
    client.stream.write_all(&bytes).unwrap();
    assert!(client.is_ended());
}

#[test]
fn abort_is_answered_and_ends_the_connection() {
    let mut client = Client::greeted(&[disk("data")]);
    assert_eq!(client.ask(option::ABORT, &[])[0].0, option::REP_ACK);
    assert!(client.is_ended());
}

#[test]
fn contexts_need_structured_replies() {
    let mut client = Client::greeted(&[disk("data")]);
    let asked = contexts(b"data", &[option::ALLOCATION]);
    let replies = client.ask(option::SET_META_CONTEXT, &asked);
    assert_eq!(replies[0].0, option::REP_ERR_INVALID);
    client.ask(option::STRUCTURED_REPLY, &[]);
    let lists: [&[&[u8]]; 3] = [&[], &[b"base:"], &[option::ALLOCATION]];
    for queries in lists {
        let replies = client.ask(option::LIST_META_CONTEXT, &contexts(b"", queries));
        assert_eq!(replies[0].1[4..], *option::ALLOCATION, "{queries:?}");
    }
    let replies = client.ask(option::SET_META_CONTEXT, &contexts(b"", &[b"qemu:x"]));
    assert_eq!(replies.len(), 1, "nothing is chosen");
}

#[test]
fn contexts_are_those_of_the_export_they_were_chosen_for() {
    let disks = [disk("data"), disk("wij")];
    let mut client = Client::greeted(&disks);
    client.ask(option::STRUCTURED_REPLY, &[]);
    let of_data = contexts(b"data", &[option::ALLOCATION]);
    client.ask(option::SET_META_CONTEXT, &of_data);
    client.go(b"wij");
    let status = request(super::super::request::BLOCK_STATUS, 0, 4096);
    assert_eq!(client.result(status, &[]), 22);
}

#[test]
fn options_may_come_byte_by_byte() {
    let mut client = Client::greeted(&[disk("data")]);
    let mut bytes = Vec::new();
    option::ask(&mut bytes, option::GO, &choice(b"data", &[]));
    bytes.extend(request(READ, 0, 1).encode());
    for byte in bytes {
        client.stream.write_all(&[byte]).unwrap();
    }
    client.read(20 + 12 + 20);
    let (reply, data) = client.receive(1);
    assert!(matches!(reply, Reply::Simple { error: 0, .. }));
    assert_eq!(data, [0]);
}
