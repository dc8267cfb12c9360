//! Which files have to be there.

use std::fs;
use std::path::Path;

use super::super::Tls;

/// Something in the armour of a certificate or key; nobody looks into it
/// before all are there.
fn put(folder: &Path, name: &str) {
    let label = match name.contains("key") {
        true => "PRIVATE KEY",
        false => "CERTIFICATE",
    };
    let pem = format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    fs::write(folder.join(name), pem).unwrap();
}

fn refused(folder: &Path, any_client: bool) -> String {
    let message = Tls::load(folder, any_client).err().unwrap().to_string();
    message.replace(&format!("{}/", folder.display()), "")
}

const NOT_THERE: &str = "No such file or directory";

#[test]
fn clients_are_not_checked_only_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    put(folder, "server-cert.pem");
    put(folder, "server-key.pem");
    let missing = format!(
        "ca-cert.pem: {NOT_THERE}; it says which clients to let in (--tls-any-client lets in \
         everybody)"
    );
    assert_eq!(refused(folder, false), missing);
    put(folder, "ca.pem");
    put(folder, "CA-cert.crt");
    let found = "; found CA-cert.crt, ca.pem, expected ca-cert.pem";
    assert_eq!(refused(folder, false), format!("{missing}{found}"));
    // Not for want of an authority.
    let other = refused(folder, true);
    assert!(other.starts_with("server-key.pem: not for"), "{other}");
    put(folder, "ca-cert.pem");
    let both = refused(folder, true);
    assert!(both.starts_with("ca-cert.pem: it says whom"), "{both}");
}

#[test]
fn files_of_similar_names_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    put(folder, "ca-cert.pem");
    let missing = |name| format!("{name}: {NOT_THERE}");
    assert_eq!(refused(folder, false), missing("server-cert.pem"));
    put(folder, "server.crt");
    let found = "; found server.crt, expected server-cert.pem";
    let missing = missing("server-cert.pem") + found;
    assert_eq!(refused(folder, false), missing);
}
