//! The first phase of a connection: greeting, options, and the choice of an
//! export. A state machine that moves no bytes itself.

use std::sync::Arc;

use super::clients::{CLIENTS_MAX, Visit};
use super::option::{self, Choice, Contexts, Header};
use super::wire::{Fields, PAYLOAD_MAX};
use crate::disk::Disk;

/// Option data that is still read, in bytes.
pub(super) const OPTION_MAX: u32 = 64 << 10;

const FLAGS: u16 = option::FIXED_NEWSTYLE | option::NO_ZEROES;

/// What the server may announce before clients choose.
pub(super) type Exports = Arc<[Arc<Disk>]>;

/// Whether what passes is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsState {
    /// It is not, and need not be.
    Plain,
    /// It has to be before anything is told.
    Required,
    /// It is.
    Agreed,
}

/// What was agreed on.
#[derive(Clone, Debug)]
pub(super) struct Negotiated {
    pub(super) disk: Arc<Disk>,
    /// Reads are answered by structured replies.
    pub(super) structured: bool,
    /// Block status may be asked for.
    pub(super) contexts: bool,
}

/// What follows a message.
#[derive(Debug)]
pub(super) enum Next {
    Message,
    /// Once the reply is sent, the client begins TLS.
    Encrypt,
    /// The second phase.
    Transmit(Negotiated),
    /// The end, once the reply is sent.
    Close,
}

/// What breaks the protocol so that nothing can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProtocolError;

#[derive(Debug)]
pub(super) struct Handshake {
    visit: Arc<Visit>,
    tls_state: TlsState,
    /// The client's flags, once they came.
    flags: Option<u16>,
    structured: bool,
    /// The export whose block status may be asked for.
    contexts: Option<Arc<Disk>>,
}

/// The server's first words.
pub(super) fn greeting() -> Vec<u8> {
    let mut out = option::GREETING.to_be_bytes().to_vec();
    out.extend(option::OPTION.to_be_bytes());
    out.extend(FLAGS.to_be_bytes());
    out
}

impl Handshake {
    pub(super) fn new(visit: Arc<Visit>, tls_state: TlsState) -> Self {
        Self {
            visit,
            tls_state,
            flags: None,
            structured: false,
            contexts: None,
        }
    }

    /// What was said in the clear no longer counts.
    pub(super) fn encrypted(&mut self) {
        self.tls_state = TlsState::Agreed;
        self.structured = false;
        self.contexts = None;
    }

    /// Reads the message at the front of `input` and writes its reply to
    /// `out`. Gives how long it was; nothing if it is not all there.
    pub(super) fn step(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<(usize, Next)>, ProtocolError> {
        let Some(flags) = self.flags else {
            return self.read_flags(input);
        };
        let Some(header) = input.first_chunk::<{ Header::SIZE }>() else {
            return Ok(None);
        };
        let header = Header::parse(header).ok_or(ProtocolError)?;
        if header.len > OPTION_MAX {
            return Err(ProtocolError);
        }
        let end = Header::SIZE + header.len as usize;
        let Some(data) = input.get(Header::SIZE..end) else {
            return Ok(None);
        };
        let next = match header.option {
            option::EXPORT_NAME => self.export_name(data, flags, out)?,
            kind => self.option(kind, data, out),
        };
        Ok(Some((end, next)))
    }

    fn read_flags(&mut self, input: &[u8]) -> Result<Option<(usize, Next)>, ProtocolError> {
        let Some(flags) = Fields(input).u32() else {
            return Ok(None);
        };
        let flags = u16::try_from(flags).map_err(|_| ProtocolError)?;
        if flags & !FLAGS != 0 {
            return Err(ProtocolError);
        }
        self.flags = Some(flags);
        Ok(Some((4, Next::Message)))
    }

    /// The oldest way to choose: it has no reply that could refuse.
    fn export_name(
        &self,
        name: &[u8],
        flags: u16,
        out: &mut Vec<u8>,
    ) -> Result<Next, ProtocolError> {
        if self.tls_state == TlsState::Required {
            return Err(ProtocolError);
        }
        let disk = self.export(name).ok_or(ProtocolError)?;
        if !self.visit.become_client() {
            return Err(ProtocolError);
        }
        out.extend(disk.size().to_be_bytes());
        out.extend(self.abilities().to_be_bytes());
        if flags & option::NO_ZEROES == 0 {
            out.extend([0; option::ZEROES]);
        }
        Ok(self.transmit(disk))
    }

    fn option(&mut self, kind: u32, data: &[u8], out: &mut Vec<u8>) -> Next {
        let (reply, next) = match kind {
            option::ABORT => (option::REP_ACK, Next::Close),
            option::STARTTLS => self.start_tls(data),
            _ if self.tls_state == TlsState::Required => (option::REP_ERR_TLS_REQD, Next::Message),
            option::LIST => (self.list(data, out), Next::Message),
            option::INFO | option::GO => self.choose(kind, data, out),
            option::STRUCTURED_REPLY => (self.structured_reply(data), Next::Message),
            option::LIST_META_CONTEXT | option::SET_META_CONTEXT => {
                (self.meta_context(kind, data, out), Next::Message)
            }
            _ => (option::REP_ERR_UNSUP, Next::Message),
        };
        let why = match reply {
            option::REP_ERR_POLICY => {
                format!("{CLIENTS_MAX} clients are connected, the most that are served at one time")
            }
            _ => String::new(),
        };
        option::reply(out, kind, reply, &[why.as_bytes()]);
        next
    }

    fn start_tls(&self, data: &[u8]) -> (u32, Next) {
        match self.tls_state {
            TlsState::Plain => (option::REP_ERR_UNSUP, Next::Message),
            TlsState::Required if data.is_empty() => (option::REP_ACK, Next::Encrypt),
            TlsState::Required | TlsState::Agreed => (option::REP_ERR_INVALID, Next::Message),
        }
    }

    fn list(&self, data: &[u8], out: &mut Vec<u8>) -> u32 {
        if !data.is_empty() {
            return option::REP_ERR_INVALID;
        }
        for disk in self.exports().iter() {
            let name = disk.name().as_bytes();
            let len = (name.len() as u32).to_be_bytes();
            option::reply(out, option::LIST, option::REP_SERVER, &[&len, name]);
        }
        option::REP_ACK
    }

    fn choose(&self, kind: u32, data: &[u8], out: &mut Vec<u8>) -> (u32, Next) {
        let Some(choice) = Choice::parse(data) else {
            return (option::REP_ERR_INVALID, Next::Message);
        };
        let Some(disk) = self.export(choice.export) else {
            return (option::REP_ERR_UNKNOWN, Next::Message);
        };
        if kind == option::GO && !self.visit.become_client() {
            return (option::REP_ERR_POLICY, Next::Message);
        }
        let mut info = |number: u16, parts: [&[u8]; 2]| {
            let parts = [&number.to_be_bytes(), parts[0], parts[1]];
            option::reply(out, kind, option::REP_INFO, &parts);
        };
        let (size, abilities) = (disk.size().to_be_bytes(), self.abilities().to_be_bytes());
        info(option::INFO_EXPORT, [&size, &abilities]);
        for number in choice.infos {
            match number {
                option::INFO_NAME => info(number, [disk.name().as_bytes(), &[]]),
                option::INFO_DESCRIPTION => {
                    info(number, [b"emulated storage: ", disk.name().as_bytes()])
                }
                option::INFO_BLOCK_SIZE => {
                    let [least, preferred] = [1, 4096].map(u32::to_be_bytes);
                    info(
                        number,
                        [&[least, preferred].concat(), &PAYLOAD_MAX.to_be_bytes()],
                    );
                }
                _ => {}
            }
        }
        let next = match kind {
            option::GO => self.transmit(disk),
            _ => Next::Message,
        };
        (option::REP_ACK, next)
    }

    fn structured_reply(&mut self, data: &[u8]) -> u32 {
        if !data.is_empty() {
            return option::REP_ERR_INVALID;
        }
        self.structured = true;
        option::REP_ACK
    }

    /// A list may ask for all contexts, or all of a namespace; a choice names
    /// each and takes back what was chosen before.
    fn meta_context(&mut self, kind: u32, data: &[u8], out: &mut Vec<u8>) -> u32 {
        let chosen = kind == option::SET_META_CONTEXT;
        if chosen {
            self.contexts = None;
        }
        let Some(contexts) = Contexts::parse(data).filter(|_| self.structured) else {
            return option::REP_ERR_INVALID;
        };
        let Some(disk) = self.export(contexts.export) else {
            return option::REP_ERR_UNKNOWN;
        };
        let asks = |query: &&[u8]| *query == option::ALLOCATION || (!chosen && *query == b"base:");
        let all = !chosen && contexts.queries.is_empty();
        if all || contexts.queries.iter().any(asks) {
            let id = option::ALLOCATION_ID.to_be_bytes();
            let parts = [&id[..], option::ALLOCATION];
            option::reply(out, kind, option::REP_META_CONTEXT, &parts);
            if chosen {
                self.contexts = Some(disk);
            }
        }
        option::REP_ACK
    }

    /// The export of that name; without a name, the first.
    fn export(&self, name: &[u8]) -> Option<Arc<Disk>> {
        let found = match name {
            [] => self.exports().first(),
            _ => self
                .exports()
                .iter()
                .find(|disk| disk.name().as_bytes() == name),
        };
        found.cloned()
    }

    fn exports(&self) -> &Exports {
        &self.visit.clients.exports
    }

    fn abilities(&self) -> u16 {
        match self.structured {
            true => option::ABILITIES | option::SEND_DF,
            false => option::ABILITIES,
        }
    }

    fn transmit(&self, disk: Arc<Disk>) -> Next {
        let chosen = self.contexts.as_ref();
        Next::Transmit(Negotiated {
            structured: self.structured,
            contexts: chosen.is_some_and(|of| Arc::ptr_eq(of, &disk)),
            disk,
        })
    }
}
