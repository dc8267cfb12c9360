//! The first phase: what a client asks about the exports, and our replies.

use super::wire::Fields;

/// First on a connection, from the server.
pub(super) const GREETING: u64 = u64::from_be_bytes(*b"NBDMAGIC");
/// Second, and before each option.
pub(super) const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
/// Before each reply to an option.
pub(super) const REPLY: u64 = 0x0003_e889_0455_65a9;

/// Options are numbered and may be refused: "fixed newstyle".
pub(super) const FIXED_NEWSTYLE: u16 = 1;
/// No zeros after the reply to [`EXPORT_NAME`].
pub(super) const NO_ZEROES: u16 = 2;
/// The zeros that old clients want there.
pub(super) const ZEROES: usize = 124;

// What a client asks for.
pub(super) const EXPORT_NAME: u32 = 1;
pub(super) const ABORT: u32 = 2;
pub(super) const LIST: u32 = 3;
pub(super) const STARTTLS: u32 = 5;
pub(super) const INFO: u32 = 6;
pub(super) const GO: u32 = 7;
pub(super) const STRUCTURED_REPLY: u32 = 8;
pub(super) const LIST_META_CONTEXT: u32 = 9;
pub(super) const SET_META_CONTEXT: u32 = 10;

// What is replied.
pub(super) const REP_ACK: u32 = 1;
pub(super) const REP_SERVER: u32 = 2;
pub(super) const REP_INFO: u32 = 3;
pub(super) const REP_META_CONTEXT: u32 = 4;
pub(super) const REP_ERR_UNSUP: u32 = (1 << 31) + 1;
/// With a message for the user: not now, or not here.
pub(super) const REP_ERR_POLICY: u32 = (1 << 31) + 2;
pub(super) const REP_ERR_INVALID: u32 = (1 << 31) + 3;
pub(super) const REP_ERR_TLS_REQD: u32 = (1 << 31) + 5;
pub(super) const REP_ERR_UNKNOWN: u32 = (1 << 31) + 6;

// What there is to know of an export.
pub(super) const INFO_EXPORT: u16 = 0;
pub(super) const INFO_NAME: u16 = 1;
pub(super) const INFO_DESCRIPTION: u16 = 2;
pub(super) const INFO_BLOCK_SIZE: u16 = 3;

// What an export can: the transmission flags.
pub(super) const HAS_FLAGS: u16 = 1;
pub(super) const SEND_FLUSH: u16 = 1 << 2;
pub(super) const SEND_FUA: u16 = 1 << 3;
pub(super) const SEND_TRIM: u16 = 1 << 5;
pub(super) const SEND_WRITE_ZEROES: u16 = 1 << 6;
pub(super) const SEND_DF: u16 = 1 << 7;
pub(super) const CAN_MULTI_CONN: u16 = 1 << 8;

/// What every export can.
pub(crate) const ABILITIES: u16 =
    HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM | SEND_WRITE_ZEROES | CAN_MULTI_CONN;

/// The only metadata context here: what is allocated, what reads as zeros.
pub(super) const ALLOCATION: &[u8] = b"base:allocation";
/// Its number in block status replies.
pub(super) const ALLOCATION_ID: u32 = 1;

/// What precedes an option's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) option: u32,
    /// Bytes of data.
    pub(super) len: u32,
}

impl Header {
    /// Its own size in bytes.
    pub(super) const SIZE: usize = 16;

    /// None if it does not begin as an option does.
    pub(super) fn parse(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let magic = fields.u64()?;
        let header = Self {
            option: fields.u32()?,
            len: fields.u32()?,
        };
        (magic == OPTION).then_some(header)
    }
}

/// The data of [`INFO`] and [`GO`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice<'a> {
    pub(super) export: &'a [u8],
    /// What the client wants to know of it.
    pub(super) infos: Vec<u16>,
}

impl<'a> Choice<'a> {
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(data);
        let export = fields.string()?;
        let infos = (0..fields.u16()?).map(|_| fields.u16());
        let infos = infos.collect::<Option<_>>()?;
        fields.end(Self { export, infos })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut data = string(self.export);
        data.extend((self.infos.len() as u16).to_be_bytes());
        data.extend(self.infos.iter().flat_map(|info| info.to_be_bytes()));
        data
    }
}

/// The data of [`LIST_META_CONTEXT`] and [`SET_META_CONTEXT`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contexts<'a> {
    pub(super) export: &'a [u8],
    pub(super) queries: Vec<&'a [u8]>,
}

impl<'a> Contexts<'a> {
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(data);
        let export = fields.string()?;
        let queries = (0..fields.u32()?).map(|_| fields.string());
        let queries = queries.collect::<Option<_>>()?;
        fields.end(Self { export, queries })
    }
}

/// A length and that many bytes.
fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

/// Appends an option, as clients send it.
pub(super) fn ask(out: &mut Vec<u8>, option: u32, data: &[u8]) {
    out.extend(OPTION.to_be_bytes());
    out.extend(option.to_be_bytes());
    out.extend((data.len() as u32).to_be_bytes());
    out.extend(data);
}

/// Appends a reply to `option`, whose data are `parts` in a row.
pub(super) fn reply(out: &mut Vec<u8>, option: u32, kind: u32, parts: &[&[u8]]) {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    out.extend(REPLY.to_be_bytes());
    out.extend(option.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend((len as u32).to_be_bytes());
    parts.iter().for_each(|part| out.extend(*part));
}
