use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use proptest::prelude::*;
use serde_json::json;

use super::request::Request;
use super::*;

/// Writes down what is done to it.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Diary {
    fn note(&self, entry: String) -> Result<(), String> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push(entry);
        Ok(())
    }
}

impl Commands for Diary {
    fn status(&self) -> Value {
        json!({"uptime_s": 1.5})
    }

    fn set(&self, rates: &[(String, String)]) -> Result<(), String> {
        self.note(format!("set {rates:?}"))
    }

    fn fault(&self, fault: &Fault) -> Result<(), String> {
        self.note(format!("{} on {:?}", fault.kind(), fault.on()))
    }

    fn resume(&self, name: Option<&str>) -> Result<(), String> {
        self.note(format!("resume {name:?}"))
    }

    fn restore(&self, name: Option<&str>) -> Result<(), String> {
        self.note(format!("restore {name:?}"))
    }

    fn clear(&self) -> Result<(), String> {
        self.note("clear".into())
    }

    fn stop(&self) -> Result<(), String> {
        Err("it has ended already".into())
    }
}

struct Fixture {
    folder: tempfile::TempDir,
    diary: Arc<Diary>,
    server: Option<Server>,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let diary = Arc::new(Diary::default());
        let server = Server::start(&folder.path().join("control"), diary.clone()).unwrap();
        Self {
            folder,
            diary,
            server: Some(server),
        }
    }

    fn connect(&self) -> BufReader<UnixStream> {
        BufReader::new(UnixStream::connect(self.folder.path().join("control")).unwrap())
    }
}

fn ask(client: &mut BufReader<UnixStream>, line: &str) -> String {
    client
        .get_mut()
        .write_all(format!("{line}\n").as_bytes())
        .unwrap();
    let mut answer = String::new();
    client.read_line(&mut answer).unwrap();
    answer.trim_end().into()
}

#[test]
fn orders_are_carried_out_in_turn() {
    let fixture = Fixture::new();
    let mut client = fixture.connect();
    assert_eq!(
        ask(&mut client, r#""status""#),
        r#"{"ok":{"uptime_s":1.5}}"#
    );
    for order in [
        r#"{"set": {"data.0.iops": "6000"}}"#,
        r#"{"pause": {"on": "data"}}"#,
        r#"{"resume": {}}"#,
        r#"{"fault": {"power-cut": {"torn": true}}}"#,
        r#""clear""#,
    ] {
        assert_eq!(ask(&mut client, order), r#"{"ok":null}"#, "{order}");
    }
    assert_eq!(
        ask(&mut client, r#""stop""#),
        r#"{"error":"it has ended already"}"#
    );
    let entries = fixture.diary.0.lock().unwrap();
    let expected = [
        r#"set [("data.0.iops", "6000")]"#,
        r#"stall on Some("data")"#,
        "resume None",
        "power-cut on None",
        "clear",
    ];
    assert_eq!(*entries, expected);
}

#[test]
fn wrong_orders_name_the_field_and_what_was_expected() {
    let refusals = [
        (
            r#""statsu""#,
            "unknown variant `statsu`, expected one of `status`, `set`, `pause`, `resume`, \
             `cut`, `restore`, `fault`, `clear`, `stop`",
        ),
        (
            r#"{"pause": {"volume": "data"}}"#,
            "pause.volume: unknown field `volume`, expected `on`",
        ),
        (
            r#"{"fault": {"stall": {"duration": "5 parsecs"}}}"#,
            "fault.stall.duration: `5 parsecs` is not a duration; expected a number with \
             h, m, s, ms, us or ns, as in `30m`",
        ),
        (
            r#"{"fault": {"latency": {"pattern": "rising"}}}"#,
            "fault.latency.pattern: unknown variant `rising`, expected one of `sustained`, \
             `increasing`, `intermittent`, `decreasing`",
        ),
        (
            r#""status" "status""#,
            "trailing characters at line 1 column 10",
        ),
    ];
    for (line, message) in refusals {
        assert_eq!(
            Request::read(line.as_bytes()),
            Err(message.to_owned()),
            "{line}"
        );
    }
}

#[test]
fn clients_harm_only_themselves() {
    let fixture = Fixture::new();
    let mut good = fixture.connect();
    let mut half = fixture.connect();
    half.get_mut().write_all(b"\"sta").unwrap();
    let mut endless = fixture.connect();
    // It may be left before it has sent all.
    let _ = endless.get_mut().write_all(&[b'x'; 80 << 10]);
    let mut told = String::new();
    let _ = endless.read_to_string(&mut told);
    assert!(
        told.is_empty() || told.contains("a line of more than 65536 bytes"),
        "{told}"
    );
    let mut deaf = fixture.connect();
    while deaf
        .get_mut()
        .write_all(&b"\"status\"\n".repeat(1000))
        .is_ok()
    {}
    drop(fixture.connect());
    assert_eq!(ask(&mut good, r#""status""#), r#"{"ok":{"uptime_s":1.5}}"#);
    assert_eq!(ask(&mut half, "tus\""), r#"{"ok":{"uptime_s":1.5}}"#);
}

#[test]
fn the_socket_is_private_and_goes_with_the_server() {
    let mut fixture = Fixture::new();
    let path = fixture.folder.path().join("control");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = Server::start(&path, fixture.diary.clone()).unwrap_err();
    let expected = format!("{}: another server is there", path.display());
    assert_eq!(second.to_string(), expected);
    let mut client = fixture.connect();
    ask(&mut client, r#""clear""#);
    fixture.server = None;
    assert!(!path.exists());
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
}

#[test]
fn what_a_dead_server_left_is_replaced_and_nothing_else() {
    let fixture = Fixture::new();
    let stale = fixture.folder.path().join("stale");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    Server::start(&stale, fixture.diary.clone()).unwrap();
    let file = fixture.folder.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    let error = Server::start(&file, fixture.diary.clone()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("a file that is no socket is there")
    );
    assert_eq!(std::fs::read_to_string(file).unwrap(), "kept");
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused_in_one_line(line: Vec<u8>) {
        if let Err(message) = Request::read(&line) {
            prop_assert!(!message.contains('\n') && !message.is_empty());
        }
    }

    #[test]
    fn so_is_any_that_looks_like_an_order(
        order in "(set|pause|fault|latency|stop)",
        field in "(on|stall|error|pattern|data\\.0\\.iops|\\PC{0,5})",
        value in "(\"\\PC{0,8}\"|null|-?[0-9]{1,4}|\\{\\}|\\[true\\]|\"5s\")",
    ) {
        let field = json!(field);
        for line in [
            format!(r#"{{"{order}": {{{field}: {value}}}}}"#),
            format!(r#"{{"fault": {{"{order}": {{{field}: {value}}}}}}}"#),
        ] {
            if let Err(message) = Request::read(line.as_bytes()) {
                prop_assert!(!message.contains('\n') && !message.is_empty());
            }
        }
    }
}
