//! Where an NBD server is reached.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use crate::Error;

/// A unix socket's path, or a host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A unix socket.
    Unix(PathBuf),
    /// A name or number of a host, and a port; with port 0 the system chooses.
    Tcp {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
}

impl Address {
    /// How clients name an export, as the NBD project writes it.
    pub(crate) fn uri(&self, export: &str, encrypted: bool) -> String {
        let scheme = if encrypted { "nbds" } else { "nbd" };
        let export = escaped(export.as_bytes(), b"");
        match self {
            Self::Unix(path) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                let path = escaped(path.as_os_str().as_encoded_bytes(), b"/");
                format!("{scheme}+unix:///{export}?socket={path}")
            }
            Self::Tcp { .. } => format!("{scheme}://{self}/{export}"),
        }
    }
}

/// What has a slash or no colon is a path.
impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refused = |why: &str| Err(Error::Input(format!("{text:?}: {why}")));
        if text.is_empty() {
            return refused("expected PATH or HOST:PORT");
        }
        let Some((host, port)) = text.rsplit_once(':').filter(|_| !text.contains('/')) else {
            return Ok(Self::Unix(text.into()));
        };
        let Ok(port) = port.parse() else {
            return refused("expected PATH or HOST:PORT with a port from 0 to 65535");
        };
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = bare.unwrap_or(host);
        if host.is_empty() {
            return refused("expected a host before the port, such as localhost");
        }
        if bare.is_none() && host.contains(':') {
            return refused("expected an IPv6 address in brackets, such as [::1]:10809");
        }
        let host = host.into();
        Ok(Self::Tcp { host, port })
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => path.display().fmt(f),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// `bytes` with what a URI does not take as it is written in percent.
fn escaped(bytes: &[u8], also: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            true => text.push(byte.into()),
            false => text += &format!("%{byte:02X}"),
        }
    }
    text
}
