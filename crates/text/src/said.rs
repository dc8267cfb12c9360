//! What the system says of a failure.

use std::io;

/// What the system says, without its number: `No such file or directory`.
#[must_use]
pub fn said(error: &io::Error) -> String {
    let mut text = error.to_string();
    if let Some(end) = text.find(" (os error") {
        text.truncate(end);
    }
    text
}
