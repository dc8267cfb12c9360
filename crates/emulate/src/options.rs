//! How a scenario is served, as the command line says.

use std::path::PathBuf;

use blockyard_machine::Error;
use blockyard_scenario::units;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::front::Front;
use crate::nbd::Tls;
use crate::store::Backing;

/// How to serve a scenario. The names that are read are those of the command line's
/// options, so that an error can name the option.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// How its devices are served.
    #[serde(rename = "as")]
    pub front: Front,
    /// The devices that are served; all if none is named.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Whether each volume is served alone, in place of the devices that consist of them.
    #[serde(default)]
    pub each_volume: bool,
    /// Where their bytes lie.
    #[serde(default)]
    pub backing: Backing,
    /// The socket that takes commands, if any does.
    #[serde(default)]
    pub control: Option<PathBuf>,
    /// The folder with the certificates for TLS.
    #[serde(default)]
    pub tls_certificates: Option<PathBuf>,
    /// Whether TLS lets in clients without a certificate.
    #[serde(default)]
    pub tls_any_client: bool,
    /// Deadlines closer than this are busy-waited.
    #[serde(default)]
    pub spin: Option<units::Duration>,
    /// How long to serve; until it is stopped unless stated.
    #[serde(default, rename = "for", deserialize_with = "above_zero")]
    pub length: Option<units::Duration>,
    /// When the run began, for the result.
    #[serde(default)]
    pub started: String,
    /// The file that gets each interval's latencies.
    #[serde(default)]
    pub latency_log: Option<PathBuf>,
    /// The file that gets a line for each request.
    #[serde(default)]
    pub arrivals: Option<PathBuf>,
}

impl Options {
    /// How the service is encrypted, if it is.
    ///
    /// # Errors
    /// If the certificates cannot be used, or there are none to go without those of clients.
    pub(crate) fn tls(&self) -> Result<Option<Tls>, Error> {
        match &self.tls_certificates {
            Some(folder) => Tls::load(folder, self.tls_any_client).map(Some),
            None if self.tls_any_client => Err(Error::Input(
                "--tls-any-client: there is no TLS; expected --tls-certificates DIR too".into(),
            )),
            None => Ok(None),
        }
    }
}

/// Reads a time that is not zero.
fn above_zero<'de, D: Deserializer<'de>>(from: D) -> Result<Option<units::Duration>, D::Error> {
    match Option::<units::Duration>::deserialize(from)? {
        Some(length) if length.nanos() == 0 => {
            Err(D::Error::custom("`0s`; expected a time above 0"))
        }
        length => Ok(length),
    }
}
