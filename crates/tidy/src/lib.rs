//! The repository's own files, for this crate's tests to inspect.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// A text file of the repository.
#[derive(Debug)]
pub struct TextFile {
    /// Path from the repository's root, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl TextFile {
    /// Whether the path ends in one of `endings`.
    pub fn ends_in(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }

    /// The lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text files that are in the repository or about to be added: all that git
/// does not ignore, sorted by path. Files that are not UTF-8 are left out.
///
/// # Errors
/// If git cannot be asked, or a file cannot be read.
pub fn text_files() -> io::Result<Vec<TextFile>> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root())
        .output()?;
    if !listed.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&listed.stderr)));
    }
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut paths: Vec<_> = listed.split_terminator('\0').collect();
    paths.sort_unstable();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        match fs::read_to_string(root().join(path)) {
            Ok(text) => files.push(TextFile {
                path: path.to_owned(),
                text,
            }),
            // Not text, or deleted but still in git's index.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidData | io::ErrorKind::NotFound
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// The faults found, each as a line `file:line: what`.
#[derive(Debug, Default)]
pub struct Faults(String);

impl Faults {
    /// Notes a fault on a line of a file.
    pub fn add(&mut self, file: &TextFile, line: usize, what: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{}:{line}: {what}", file.path);
    }

    /// Ends the test.
    ///
    /// # Panics
    /// If there is a fault; the message lists all.
    pub fn expect_none(self) {
        assert!(self.0.is_empty(), "\n{}", self.0);
    }
}
