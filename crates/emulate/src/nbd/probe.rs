//! A small client, which measures what a connection itself costs.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::address::Address;
use super::option::{self, Choice};
use super::reply::{SIMPLE_SIZE, parse_simple};
use super::request::{READ, Request};
use super::wire::Fields;

/// Bytes that each read asks for.
const LEN: u32 = 4096;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client's stream, of either kind.
pub(super) trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// Both ends of a connection like those that come in at `address`.
pub(super) fn pair(address: &Address) -> io::Result<(Box<dyn Stream>, OwnedFd)> {
    match address {
        Address::Unix(_) => {
            let (client, server) = UnixStream::pair()?;
            client.set_read_timeout(Some(PATIENCE))?;
            Ok((Box::new(client), server.into()))
        }
        Address::Tcp { .. } => {
            let listener = TcpListener::bind("localhost:0")?;
            let client = TcpStream::connect(listener.local_addr()?)?;
            let (server, _) = listener.accept()?;
            client.set_nodelay(true)?;
            client.set_read_timeout(Some(PATIENCE))?;
            Ok((Box::new(client), server.into()))
        }
    }
}

/// How long each of `rounds` reads took, one after another.
///
/// # Errors
/// If the export is not there, or the connection ends.
pub(super) fn time_reads(
    mut stream: Box<dyn Stream>,
    export: &str,
    rounds: usize,
) -> io::Result<Vec<Duration>> {
    let size = choose(&mut *stream, export.as_bytes())?;
    let mut reply = vec![0; SIMPLE_SIZE + LEN as usize];
    let places = size / u64::from(LEN);
    (0..rounds as u64)
        .map(|round| {
            let request = Request {
                flags: 0,
                command: READ,
                cookie: round,
                offset: round % places.max(1) * u64::from(LEN),
                len: LEN,
            };
            let start = Instant::now();
            stream.write_all(&request.encode())?;
            stream.read_exact(&mut reply)?;
            let took = start.elapsed();
            let header = reply.first_chunk().and_then(parse_simple);
            match header {
                Some((cookie, 0)) if cookie == round => Ok(took),
                _ => Err(ErrorKind::InvalidData.into()),
            }
        })
        .collect()
}

/// Goes through the handshake; gives the export's size in bytes.
pub(super) fn choose(stream: &mut dyn Stream, export: &[u8]) -> io::Result<u64> {
    stream.read_exact(&mut [0; 18])?;
    let agreed = u32::from(option::FIXED_NEWSTYLE | option::NO_ZEROES);
    let mut ask = agreed.to_be_bytes().to_vec();
    let infos = Vec::new();
    option::ask(&mut ask, option::GO, &Choice { export, infos }.encode());
    stream.write_all(&ask)?;
    let mut size = None;
    loop {
        let (kind, data) = option_reply(stream)?;
        match kind {
            option::REP_INFO => {
                let mut fields = Fields(&data);
                if fields.u16() == Some(option::INFO_EXPORT) {
                    size = fields.u64();
                }
            }
            option::REP_ACK => return size.ok_or_else(|| ErrorKind::InvalidData.into()),
            _ => return Err(ErrorKind::NotFound.into()),
        }
    }
}

/// The next reply to an option: its kind and data.
fn option_reply(stream: &mut dyn Stream) -> io::Result<(u32, Vec<u8>)> {
    let mut header = [0; 20];
    stream.read_exact(&mut header)?;
    let mut fields = Fields(&header);
    let fields = (fields.u64(), fields.u32(), fields.u32(), fields.u32());
    let (Some(option::REPLY), _, Some(kind), Some(len)) = fields else {
        return Err(ErrorKind::InvalidData.into());
    };
    let mut data = vec![0; len as usize];
    stream.read_exact(&mut data)?;
    Ok((kind, data))
}
