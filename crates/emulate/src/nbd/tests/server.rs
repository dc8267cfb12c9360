//! Listening, stopping, and who is let in.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::super::{Address, Server};
use super::client::{Client, SIZE, disk, request};
use crate::Error;

fn start(at: &str) -> Result<Server, Error> {
    Server::start(vec![disk("data")], &at.parse()?, None)
}

fn connect(path: &Path) -> Client {
    let mut client = Client::over(UnixStream::connect(path).unwrap());
    client.greet();
    client
}

fn message(refused: Result<Server, Error>) -> String {
    refused.err().unwrap().to_string()
}

#[test]
fn a_socket_lives_as_long_as_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let at = path.to_str().unwrap();
    let mut server = start(at).unwrap();
    assert_eq!(server.uri("data"), format!("nbd+unix:///data?socket={at}"));
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(message(start(at)), format!("{at}: another server is there"));
    let mut client = connect(&path);
    client.go(b"data");
    server.stop();
    assert!(client.is_ended());
    assert!(!path.exists());
    server.stop();
}

#[test]
fn a_dead_servers_socket_is_replaced_and_a_file_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let at = path.to_str().unwrap();
    drop(UnixListener::bind(&path).unwrap());
    drop(start(at).unwrap());
    fs::write(&path, "precious").unwrap();
    let expected = format!("{at}: a file that is no socket is there");
    assert_eq!(message(start(at)), expected);
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[test]
fn clients_may_come_back_after_a_power_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let server = start(path.to_str().unwrap()).unwrap();
    let mut client = connect(&path);
    client.go(b"");
    server.disconnect_all();
    assert!(client.is_ended());
    connect(&path).go(b"");
}

#[test]
fn a_port_is_chosen_on_loopback_only() {
    let server = start("127.0.0.1:0").unwrap();
    let uri = server.uri("data");
    let port = uri.strip_prefix("nbd://127.0.0.1:").unwrap();
    assert_ne!(port, "0/data");
    let at = format!("127.0.0.1:{}", port.trim_end_matches("/data"));
    assert_eq!(
        message(start(&at)),
        format!("{at}: another server is there")
    );
    let refused = "0.0.0.0:0: 0.0.0.0 is reached from other machines, which needs TLS certificates";
    assert_eq!(message(start("0.0.0.0:0")), refused);
}

#[test]
fn addresses_are_read() {
    let read = |text: &str| text.parse::<Address>().map(|address| address.to_string());
    for text in ["s", "/run/a:b", "./a:b", "localhost:10809", "[::1]:0"] {
        assert_eq!(read(text).as_deref(), Ok(text));
    }
    for text in ["", "host:", "host:x", "host:65536", ":1", "::1:10809"] {
        assert!(read(text).is_err(), "{text}");
    }
    let odd = Address::Unix("/a b".into());
    assert_eq!(odd.uri("ü", false), "nbd+unix:///%C3%BC?socket=/a%20b");
    let host = Address::Tcp {
        host: "::1".into(),
        port: 1,
    };
    assert_eq!(host.uri("d", true), "nbds://[::1]:1/d");
}

#[test]
fn the_probe_takes_the_way_of_clients() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let held = Duration::from_millis(2);
    let slow = Arc::new(crate::testing::disk("slow", SIZE, held.as_nanos() as u64));
    for at in [path.to_str().unwrap(), "localhost:0"] {
        let server = Server::start(vec![slow.clone()], &at.parse().unwrap(), None).unwrap();
        let times = server.probe("slow", 5).unwrap();
        assert_eq!(times.len(), 5);
        assert!(times.iter().all(|time| *time >= held), "{times:?}");
        assert!(server.probe("fast", 1).is_err());
    }
}

#[test]
fn a_request_may_be_under_way_at_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let mut server = start(path.to_str().unwrap()).unwrap();
    let mut client = connect(&path);
    client.go(b"");
    client.send(
        request(super::super::request::WRITE, 0, 1 << 20),
        &[1; 1000],
    );
    server.stop();
    assert!(client.is_ended());
}
