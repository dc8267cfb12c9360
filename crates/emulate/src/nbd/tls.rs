//! Certificates, in the layout that QEMU and nbdkit use.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::Error;

/// What a server shows to its clients, and demands of them.
#[derive(Clone, Debug)]
pub(crate) struct Tls(pub(super) Arc<ServerConfig>);

impl Tls {
    /// Reads `server-cert.pem` (with intermediate certificates, if any),
    /// `server-key.pem` and `ca-cert.pem` from a folder. If the last is there,
    /// clients have to show a certificate that it signed.
    ///
    /// # Errors
    /// If a file is missing or is no such certificate or key.
    pub(crate) fn load(folder: &Path) -> Result<Self, Error> {
        let chain = certificates(&folder.join("server-cert.pem"))?;
        let key_path = folder.join("server-key.pem");
        let key = PrivateKeyDer::from_pem_slice(&read(&key_path)?)
            .map_err(|error| refused(&key_path, &format!("no private key: {error}")))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Failed(format!("TLS: {error}")))?;
        let authority = folder.join("ca-cert.pem");
        let clients = match authority.exists() {
            false => versions.with_no_client_auth(),
            true => {
                let roots = Arc::new(roots(&authority)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(|error| refused(&authority, &error.to_string()))?;
                versions.with_client_cert_verifier(verifier)
            }
        };
        clients
            .with_single_cert(chain, key)
            .map(|config| Self(Arc::new(config)))
            .map_err(|error| refused(&key_path, &format!("not for server-cert.pem: {error}")))
    }
}

fn roots(path: &Path) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots
            .add(certificate)
            .map_err(|error| refused(path, &error.to_string()))?;
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(path)?).collect();
    match found {
        Ok(found) if found.is_empty() => Err(refused(path, "no certificate in it")),
        Ok(found) => Ok(found),
        Err(error) => Err(refused(path, &format!("no certificate: {error}"))),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| refused(path, &error.to_string()))
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Input(format!("{}: {why}", path.display()))
}
