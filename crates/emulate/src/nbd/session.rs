//! What a connection says, from its first byte to its last, apart from the
//! socket that carries it.

use std::sync::Arc;

use super::clients::Visit;
use super::handshake::{Handshake, Next, ProtocolError, TlsState, greeting};
use super::input::Input;
use super::outbox::Outbox;
use super::transmission::{Stop, Transmission};

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// Bytes from the client, in [`Session::space`].
    Bytes,
    /// Replies to be sent.
    Room,
    /// Replies to be sent, and then TLS.
    Tls,
    /// Replies to be sent, and then the end.
    End,
}

#[derive(Debug)]
pub(super) struct Session {
    input: Input,
    outbox: Arc<Outbox>,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Handshake(Handshake),
    /// Of a handshake that goes on when TLS has begun.
    Encrypting(Handshake),
    Transmission(Transmission),
    End,
}

impl Session {
    /// A session that greets the client.
    pub(super) fn new(visit: Arc<Visit>, tls_state: TlsState, outbox: Arc<Outbox>) -> Self {
        outbox.say(greeting());
        Self {
            input: Input::new(),
            outbox,
            phase: Phase::Handshake(Handshake::new(visit, tls_state)),
        }
    }

    /// Where the next bytes from the client go.
    pub(super) fn space(&mut self) -> &mut [u8] {
        if let Phase::Transmission(transmission) = &mut self.phase
            && let Some(space) = transmission.space()
        {
            return space;
        }
        self.input.space()
    }

    /// `len` bytes came into [`Session::space`].
    pub(super) fn filled(&mut self, len: usize) {
        if let Phase::Transmission(transmission) = &mut self.phase
            && transmission.filled(len)
        {
            return;
        }
        self.input.filled(len);
    }

    /// Whether the client has not chosen an export yet.
    pub(super) fn in_handshake(&self) -> bool {
        matches!(self.phase, Phase::Handshake(_) | Phase::Encrypting(_))
    }

    /// Whether the client has begun a long write and not sent all of it.
    pub(super) fn is_amid_write(&self) -> bool {
        matches!(&self.phase, Phase::Transmission(transmission) if transmission.is_amid_write())
    }

    /// TLS has begun.
    ///
    /// # Errors
    /// If something was said in the clear that would count as said within.
    pub(super) fn encrypted(&mut self) -> Result<(), ProtocolError> {
        let phase = std::mem::replace(&mut self.phase, Phase::End);
        let Phase::Encrypting(mut handshake) = phase else {
            return Err(ProtocolError);
        };
        if !self.input.data().is_empty() {
            return Err(ProtocolError);
        }
        handshake.encrypted();
        self.phase = Phase::Handshake(handshake);
        Ok(())
    }

    /// Goes on as far as what has arrived allows.
    pub(super) fn proceed(&mut self) -> Result<Wants, ProtocolError> {
        loop {
            match &mut self.phase {
                Phase::Handshake(handshake) => {
                    // One reply after another: who does not read them cannot
                    // have them pile up.
                    if self.outbox.is_stuck() {
                        return Ok(Wants::Room);
                    }
                    let mut reply = Vec::new();
                    let step = handshake.step(self.input.data(), &mut reply)?;
                    let Some((len, next)) = step else {
                        return Ok(Wants::Bytes);
                    };
                    if !reply.is_empty() {
                        self.outbox.say(reply);
                    }
                    self.input.consume(len);
                    self.enter(next);
                }
                Phase::Encrypting(_) => return Ok(Wants::Tls),
                Phase::Transmission(transmission) => {
                    return Ok(match transmission.proceed(&mut self.input)? {
                        Stop::Bytes => Wants::Bytes,
                        Stop::Room => Wants::Room,
                        Stop::End => Wants::End,
                    });
                }
                Phase::End => return Ok(Wants::End),
            }
        }
    }

    fn enter(&mut self, next: Next) {
        let phase = std::mem::replace(&mut self.phase, Phase::End);
        self.phase = match (next, phase) {
            (Next::Encrypt, Phase::Handshake(handshake)) => Phase::Encrypting(handshake),
            (Next::Transmit(negotiated), _) => {
                Phase::Transmission(Transmission::new(negotiated, self.outbox.clone()))
            }
            (Next::Close, _) => Phase::End,
            (_, phase) => phase,
        };
    }
}
