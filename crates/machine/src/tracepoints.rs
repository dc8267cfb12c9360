//! The kernel's tracepoints, as tracefs describes them.

use std::fs;
use std::io;
use std::path::Path;

/// A tracepoint: its number, and what it records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracepoint {
    /// Its number, which differs from machine to machine.
    pub id: u32,
    fields: Fields,
}

/// Fields by name, as a description lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields(Vec<(String, Field)>);

/// Where a field lies in what is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its first byte.
    pub offset: usize,
    /// Its length in bytes.
    pub size: usize,
}

/// No record is longer, in bytes.
const LONGEST: usize = 1 << 16;

impl Tracepoint {
    /// The tracepoint `name`, as `block/block_rq_issue`; none if the kernel has no such one.
    ///
    /// # Errors
    /// If its description cannot be read.
    pub fn named(tracefs: &Path, name: &str) -> io::Result<Option<Self>> {
        let path = tracefs.join("events").join(name).join("format");
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).map(Some).ok_or_else(|| {
                let said = format!("{}: no description of a tracepoint", path.display());
                io::Error::new(io::ErrorKind::InvalidData, said)
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Of the text of its `format`; none if it is no such text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let id = text.lines().find_map(|line| line.strip_prefix("ID:"))?;
        Some(Self {
            id: id.trim().parse().ok()?,
            fields: Fields::parse(text)?,
        })
    }

    /// A field by its name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.named(name)
    }
}

impl Fields {
    /// Those of a text; none if one of them is no field. Versions place them differently.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().map(str::trim_start);
        let fields = lines.filter_map(|line| line.strip_prefix("field:"));
        fields.map(field).collect::<Option<_>>().map(Self)
    }

    /// A field by its name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Field> {
        let mut fields = self.0.iter();
        fields.find(|(own, _)| own == name).map(|(_, field)| *field)
    }
}

/// `char rwbs[10]; offset:34; size:10; signed:0;`
fn field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.split(';').map(str::trim);
    let declared = parts.next()?;
    let mut number = |name: &str| -> Option<usize> {
        let value = parts.next()?.strip_prefix(name)?.parse().ok()?;
        (value < LONGEST).then_some(value)
    };
    let (offset, size) = (number("offset:")?, number("size:")?);
    let name = declared.split_ascii_whitespace().next_back()?;
    let name = name.split('[').next()?.trim_start_matches('*');
    Some((name.to_owned(), Field { offset, size }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "name: block_bio_queue\nID: 2097\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n\
        \tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n\n\
        print fmt: \"%d,%d %s\", REC->dev\n";

    #[test]
    fn fields_are_found_by_name() {
        let found = Tracepoint::parse(TEXT).unwrap();
        let field = |offset, size| Some(Field { offset, size });
        assert_eq!(found.id, 2097);
        assert_eq!(found.field("dev"), field(8, 4));
        assert_eq!(found.field("rwbs"), field(28, 10));
        assert_eq!(found.field("cmd"), field(60, 4));
        assert_eq!(found.field("bytes"), None);
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for (from, to) in [
            ("ID: 2097", "ID: x"),
            ("ID", "id"),
            ("offset:8", "offset:-8"),
            ("size:10", "size:99999999"),
        ] {
            assert_eq!(Tracepoint::parse(&TEXT.replace(from, to)), None, "{to}");
        }
    }

    proptest! {
        #[test]
        fn a_text_cut_or_changed_anywhere_is_read_or_refused(
            at in 0..TEXT.len(),
            other in "\\PC{0,8}",
        ) {
            let _ = Tracepoint::parse(&TEXT[..at]);
            let _ = Tracepoint::parse(&(TEXT[..at].to_owned() + &other + &TEXT[at..]));
        }
    }
}
