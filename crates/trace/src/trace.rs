//! A trace as a stream of rows.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

#[cfg(not(target_family = "wasm"))]
use crate::binary::Parquet;
use crate::binary::{Blktrace, Vscsi};
use crate::error::{Error, Place};
use crate::found::Found;
use crate::sniff::sniff;
use crate::text::{
    Alibaba, Biosnoop, Blkparse, Blockyard, Ftrace, Iolog, Lines, Msr, Spc, Systor, Tencent,
};
use crate::{Format, Notes, Row};

/// Reads a piece of a file.
pub(crate) trait Pull {
    /// Adds what the next line or record says; whether there was one.
    fn pull(&mut self, found: &mut Found) -> Result<bool, Failure>;
}

/// Why no more can be read.
pub(crate) enum Failure {
    Io(Place, io::Error),
    Wrong(Place, String),
}

/// The rows of a trace. It ends with its first error.
pub struct Trace<'a> {
    file: String,
    format: Format,
    source: Box<dyn Pull + 'a>,
    found: Found,
    ended: bool,
}

/// How much is read at once, and the most that the format is told from.
const AT_ONCE: usize = 1 << 18;

/// What UTF-8 and UTF-16 text may begin with.
const MARK: &[u8] = b"\xef\xbb\xbf";
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

fn is_binary(format: Format) -> bool {
    matches!(format, Format::Vscsi | Format::Blktrace | Format::Parquet)
}

impl<'a> Trace<'a> {
    /// The trace that `input` has, in the format that its first bytes show unless `format` says
    /// it. Errors call it `file`.
    ///
    /// # Errors
    /// If it cannot be read, or is none of the formats.
    pub fn new(
        mut input: impl BufRead + 'a,
        file: &str,
        format: Option<Format>,
    ) -> Result<Self, Error> {
        let unread = |error| Error::io(file, Place::Whole, &error);
        if input.fill_buf().map_err(unread)?.starts_with(MARK) {
            input.consume(MARK.len());
        }
        let head = input.fill_buf().map_err(unread)?;
        let format = format.or_else(|| sniff(head));
        if UTF_16.iter().any(|mark| head.starts_with(mark)) && !format.is_some_and(is_binary) {
            let message = "UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8` first".into();
            return Err(Error::new(file, Place::Whole, message));
        }
        let format = format.ok_or_else(|| {
            let names = Format::ALL.map(Format::name).join(", ");
            let message = match head.is_empty() {
                true => "empty".into(),
                false => format!("no trace that is known; expected one of {names}"),
            };
            Error::new(file, Place::Whole, message)
        })?;
        let source: Box<dyn Pull + 'a> = match format {
            Format::Blockyard => Box::new(Lines::new(input, Blockyard::default())),
            Format::Blkparse => Box::new(Lines::new(input, Blkparse::default())),
            Format::Ftrace => Box::new(Lines::new(input, Ftrace::default())),
            Format::Biosnoop => Box::new(Lines::new(input, Biosnoop::default())),
            Format::FioIolog => Box::new(Lines::new(input, Iolog::default())),
            Format::Msr => Box::new(Lines::new(input, Msr)),
            Format::Alibaba => Box::new(Lines::new(input, Alibaba)),
            Format::Tencent => Box::new(Lines::new(input, Tencent)),
            Format::Systor => Box::new(Lines::new(input, Systor)),
            Format::Spc => Box::new(Lines::new(input, Spc)),
            Format::Vscsi => Box::new(Vscsi::new(input)),
            Format::Blktrace => Box::new(Blktrace::new(vec![Box::new(input)])),
            Format::Parquet => {
                let whole = in_memory(input);
                whole.map_err(|failure| Error::of(file, failure))?
            }
        };
        Ok(Self::of(file, format, source))
    }

    fn of(file: &str, format: Format, source: Box<dyn Pull + 'a>) -> Self {
        Self {
            file: file.to_owned(),
            format,
            source,
            found: Found::default(),
            ended: false,
        }
    }

    /// Its format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The names of the devices in the rows so far.
    #[must_use]
    pub fn devices(&self) -> &[String] {
        self.found.devices.all()
    }

    /// The names of processes or jobs in the rows so far.
    #[must_use]
    pub fn jobs(&self) -> &[String] {
        self.found.jobs.all()
    }

    /// What to know of the rows so far.
    #[must_use]
    pub fn notes(&self) -> &Notes {
        &self.found.notes
    }
}

impl Iterator for Trace<'_> {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.found.rows.pop_front() {
                return Some(Ok(row));
            }
            if self.ended {
                return None;
            }
            match self.source.pull(&mut self.found) {
                Ok(more) => self.ended = !more,
                Err(failure) => {
                    self.ended = true;
                    return Some(Err(Error::of(&self.file, failure)));
                }
            }
        }
    }
}

impl fmt::Debug for Trace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Trace");
        shown
            .field("file", &self.file)
            .field("format", &self.format);
        shown.finish_non_exhaustive()
    }
}

/// What files begin with that gzip and xz packed.
#[cfg(not(target_family = "wasm"))]
const GZIP: &[u8] = b"\x1f\x8b";
const XZ: &[u8] = b"\xfd7zXZ\0";

/// The trace in a file, packed by gzip or not. Of blktrace, which has a file for each processor,
/// all of them.
///
/// # Errors
/// As [`Trace::new`].
pub fn open(path: &Path, format: Option<Format>) -> Result<Trace<'static>, Error> {
    let name = path.display().to_string();
    let mut file = opened(path)?;
    let head = file.fill_buf();
    let head = head.map_err(|error| Error::io(&name, Place::Whole, &error))?;
    #[cfg(not(target_family = "wasm"))]
    if head.starts_with(GZIP) {
        let unpacked = flate2::bufread::MultiGzDecoder::new(file);
        let unpacked = BufReader::with_capacity(AT_ONCE, unpacked);
        return Trace::new(unpacked, &name, format);
    }
    if head.starts_with(XZ) {
        let message = "packed by xz; unpack it with `xz -dk` first".to_owned();
        return Err(Error::new(&name, Place::Whole, message));
    }
    match format.or_else(|| sniff(head)) {
        Some(Format::Blktrace) => {
            let mut inputs: Vec<Box<dyn BufRead>> = vec![Box::new(file)];
            for other in of_other_processors(path) {
                inputs.push(Box::new(opened(&other)?));
            }
            let source = Box::new(Blktrace::new(inputs));
            Ok(Trace::of(&name, Format::Blktrace, source))
        }
        #[cfg(not(target_family = "wasm"))]
        Some(Format::Parquet) => {
            let source = Parquet::new(file.into_inner());
            let source = source.map_err(|failure| Error::of(&name, failure))?;
            Ok(Trace::of(&name, Format::Parquet, Box::new(source)))
        }
        _ => Trace::new(file, &name, format),
    }
}

/// A Parquet table that is not a file of its own: it can only be read as a whole.
#[cfg(not(target_family = "wasm"))]
fn in_memory<'a>(mut input: impl BufRead) -> Result<Box<dyn Pull + 'a>, Failure> {
    let mut whole = Vec::new();
    let read = input.read_to_end(&mut whole);
    read.map_err(|error| Failure::Io(Place::Whole, error))?;
    Ok(Box::new(Parquet::new(bytes::Bytes::from(whole))?))
}

#[cfg(target_family = "wasm")]
fn in_memory<'a>(_: impl BufRead) -> Result<Box<dyn Pull + 'a>, Failure> {
    let message = "Parquet is not read here".to_owned();
    Err(Failure::Wrong(Place::Whole, message))
}

fn opened(path: &Path) -> Result<BufReader<File>, Error> {
    let file = File::open(path);
    let file =
        file.map_err(|error| Error::io(&path.display().to_string(), Place::Whole, &error))?;
    Ok(BufReader::with_capacity(AT_ONCE, file))
}

/// `NAME.blktrace.1`, `.2` and so on beside `NAME.blktrace.0`.
fn of_other_processors(path: &Path) -> Vec<PathBuf> {
    let Some(stem) = path.to_str().and_then(|path| path.strip_suffix(".0")) else {
        return Vec::new();
    };
    let of_processor = (1..).map(|number| PathBuf::from(format!("{stem}.{number}")));
    of_processor.take_while(|path| path.is_file()).collect()
}
