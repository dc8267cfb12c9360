//! Certificates, in the layout that QEMU and nbdkit use.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use blockyard_scenario::nearest;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::Error;

/// What a server shows to its clients, and demands of them.
#[derive(Clone, Debug)]
pub(crate) struct Tls(pub(super) Arc<ServerConfig>);

/// The files of a folder with certificates.
const CHAIN: &str = "server-cert.pem";
const KEY: &str = "server-key.pem";
const AUTHORITY: &str = "ca-cert.pem";

impl Tls {
    /// Reads `server-cert.pem` (with intermediate certificates, if any) and
    /// `server-key.pem` of a folder, and `ca-cert.pem`: clients have to show a
    /// certificate that it signed. With `any_client` they show none, and
    /// `ca-cert.pem` must not be there.
    ///
    /// # Errors
    /// If a file is missing or is no such certificate or key.
    pub(crate) fn load(folder: &Path, any_client: bool) -> Result<Self, Error> {
        let chain = certificates(folder, CHAIN)?;
        let key_path = folder.join(KEY);
        let key = PrivateKeyDer::from_pem_slice(&read(folder, KEY)?)
            .map_err(|error| refused(&key_path, &format!("no private key: {error}")))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Failed(format!("TLS: {error}")))?;
        let authority = folder.join(AUTHORITY);
        let clients = match any_client {
            true if authority.exists() => {
                let why = "it says whom to let in, and --tls-any-client lets in everybody; \
                           expected one of the two";
                return Err(refused(&authority, why));
            }
            true => versions.with_no_client_auth(),
            false => {
                let roots = Arc::new(roots(folder)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(|error| refused(&authority, &error.to_string()))?;
                versions.with_client_cert_verifier(verifier)
            }
        };
        clients
            .with_single_cert(chain, key)
            .map(|config| Self(Arc::new(config)))
            .map_err(|error| refused(&key_path, &format!("not for {CHAIN}: {error}")))
    }
}

/// Those who sign the certificates of clients.
fn roots(folder: &Path) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(folder, AUTHORITY)? {
        roots
            .add(certificate)
            .map_err(|error| refused(&folder.join(AUTHORITY), &error.to_string()))?;
    }
    Ok(roots)
}

fn certificates(folder: &Path, name: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(folder, name)?).collect();
    let path = folder.join(name);
    match found {
        Ok(found) if found.is_empty() => Err(refused(&path, "no certificate in it")),
        Ok(found) => Ok(found),
        Err(error) => Err(refused(&path, &format!("no certificate: {error}"))),
    }
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let path = folder.join(name);
    fs::read(&path).map_err(|error| {
        let mut why = blockyard_text::said(&error);
        if error.kind() == ErrorKind::NotFound {
            if name == AUTHORITY {
                why += "; it says which clients to let in (--tls-any-client lets in everybody)";
            }
            if let Some(similar) = similar(folder, name) {
                why += &format!("; found {similar}, expected {name}");
            }
        }
        refused(&path, &why)
    })
}

/// What is in the folder under names like this one: with the same first word,
/// or nearly the same.
fn similar(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_own = |other: &String| [CHAIN, KEY, AUTHORITY].contains(&other.as_str());
    let (role, _) = name.split_once('-')?;
    let is_similar = |other: &String| {
        let starts = other.get(..role.len());
        starts.is_some_and(|start| start.eq_ignore_ascii_case(role))
            || nearest(name, [other.as_str()]).is_some()
    };
    let mut found: Vec<_> = names
        .filter(|other| !is_own(other) && is_similar(other))
        .collect();
    found.sort();
    (!found.is_empty()).then(|| found.join(", "))
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Input(format!("{}: {why}", path.display()))
}
