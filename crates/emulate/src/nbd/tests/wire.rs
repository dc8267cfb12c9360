//! The parsers: what is encoded is read back, and any bytes are harmless.

use proptest::prelude::*;

use super::super::option::{self, Choice, Contexts, Header};
use super::super::reply::{Form, SIMPLE_SIZE, parse_simple};
use super::super::request::Request;
use super::client::contexts;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..300)
}

proptest! {
    #[test]
    fn choices_are_read_back(export in bytes(), infos in proptest::collection::vec(any::<u16>(), 0..20)) {
        let choice = Choice { export: &export, infos };
        let data = choice.encode();
        prop_assert_eq!(Choice::parse(&data), Some(choice.clone()));
    }

    #[test]
    fn contexts_are_read_back(export in bytes(), queries in proptest::collection::vec(bytes(), 0..5)) {
        let queries: Vec<&[u8]> = queries.iter().map(Vec::as_slice).collect();
        let data = contexts(&export, &queries);
        let expected = Contexts { export: &export, queries };
        prop_assert_eq!(Contexts::parse(&data), Some(expected));
    }

    #[test]
    fn options_are_read_back(option in any::<u32>(), data in bytes()) {
        let mut asked = Vec::new();
        option::ask(&mut asked, option, &data);
        let header = Header { option, len: data.len() as u32 };
        prop_assert_eq!(asked.first_chunk().and_then(Header::parse), Some(header));
        prop_assert_eq!(&asked[Header::SIZE..], data);
    }

    #[test]
    fn requests_are_read_back(
        flags in any::<u16>(),
        command in any::<u16>(),
        cookie in any::<u64>(),
        offset in any::<u64>(),
        len in any::<u32>(),
    ) {
        let request = Request { flags, command, cookie, offset, len };
        prop_assert_eq!(Request::parse(&request.encode()), Some(request));
    }

    #[test]
    fn simple_replies_are_read_back(cookie in any::<u64>()) {
        let mut reply = Vec::new();
        Form::Simple.write_result(&mut reply, cookie, Err(rustix::io::Errno::NOSPC));
        prop_assert_eq!(reply.first_chunk().and_then(parse_simple), Some((cookie, 28)));
        prop_assert_eq!(reply.len(), SIMPLE_SIZE);
    }

    #[test]
    fn any_bytes_may_be_parsed(data in bytes(), size in any::<u64>()) {
        let _ = Choice::parse(&data);
        let _ = Contexts::parse(&data);
        let _ = data.first_chunk().and_then(Header::parse);
        let _ = data.first_chunk().and_then(parse_simple);
        let request = data.first_chunk().and_then(Request::parse);
        let _ = request.map(|request| request.command(size, true));
    }
}

#[test]
fn counts_that_promise_more_than_there_is_are_refused() {
    // No export, and 4,294,967,295 queries.
    assert_eq!(Contexts::parse(b"\0\0\0\0\xff\xff\xff\xff"), None);
    assert_eq!(Choice::parse(b"\0\0\0\0\xff\xff"), None);
    assert_eq!(Choice::parse(b"\xff\xff\xff\xff\0\0"), None);
}
