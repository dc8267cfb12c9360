//! What is swapped to: `/proc/swaps`.

use std::fs;
use std::io;

use super::identity::Identity;
use super::table::{lines, unescaped};

/// Whether the kernel swaps to `target`.
///
/// # Errors
/// If the kernel's table cannot be read.
pub fn is_swap(target: Identity) -> io::Result<bool> {
    let swaps = match fs::read("/proc/swaps") {
        // A kernel without swap has no such table.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        swaps => swaps?,
    };
    Ok(lines(&swaps).skip(1).any(|fields| {
        let path = fields.first().map(|field| unescaped(field));
        path.and_then(|path| Identity::at(&path)) == Some(target)
    }))
}
