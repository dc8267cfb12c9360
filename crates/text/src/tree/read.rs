//! Reads YAML text into a [`Node`].
//!
//! The subset that a configuration file needs: one document, maps, lists and
//! scalars. Anchors and tags are rejected rather than half supported.

use std::collections::BTreeSet;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

use super::{Key, Node, Origin, Value, shorten};
use crate::Error;

/// Most bytes of a document.
const MAX_BYTES: usize = 4 << 20;

/// Most bytes of a document that a program wrote.
const MAX_MADE_BYTES: usize = 64 << 20;

/// Most levels of maps and lists within each other.
pub(super) const MAX_DEPTH: usize = 64;

/// Reads one YAML (or JSON) document whose top level is a map. `file` is the
/// name that errors print.
///
/// # Errors
/// Malformed YAML, an empty document, a top level that is no map, several
/// documents, a duplicate key, an anchor, alias or tag, more than 4 MiB, or
/// more than 64 levels.
pub fn parse(text: &str, file: &str) -> Result<Node, Error> {
    map(Reader::new(Source::File(Arc::from(file))), text)
}

/// The same of a document that a program may have written: up to 64 MiB.
///
/// # Errors
/// As [`parse`].
pub fn parse_made(text: &str, file: &str) -> Result<Node, Error> {
    let mut reader = Reader::new(Source::File(Arc::from(file)));
    reader.at_most = MAX_MADE_BYTES;
    map(reader, text)
}

fn map(reader: Reader, text: &str) -> Result<Node, Error> {
    let node = reader.document(text)?;
    let complaint = match &node.value {
        Value::Map(_) => return Ok(node),
        Value::Null => "the document is empty; expected a map such as `name: …`".to_owned(),
        other => format!(
            "expected a map such as `name: …` at the top level, found {}",
            other.describe()
        ),
    };
    Err(Error::new(node.origin, "", complaint))
}

/// Reads the value of a `--set`: any YAML value.
pub(super) fn parse_value(text: &str) -> Result<Node, Error> {
    Reader::new(Source::Set).document(text)
}

/// Where the text comes from.
enum Source {
    File(Arc<str>),
    Set,
}

impl Source {
    fn origin(&self, at: Marker) -> Origin {
        match self {
            Self::File(file) => Origin::File {
                file: Arc::clone(file),
                line: at.line().max(1),
                column: at.col() + 1,
            },
            Self::Set => Origin::Set,
        }
    }
}

/// A list or map that has begun but not ended.
enum Open {
    List(Vec<Node>, Origin),
    Map {
        entries: Vec<(Key, Node)>,
        /// Keys so far: a scan of `entries` for each key would be quadratic.
        seen: BTreeSet<String>,
        /// The key whose value comes next.
        key: Option<Key>,
        origin: Origin,
    },
}

struct Reader {
    source: Source,
    /// Bytes of the document.
    at_most: usize,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

impl Reader {
    fn new(source: Source) -> Self {
        Self {
            source,
            at_most: MAX_BYTES,
            open: Vec::new(),
            root: None,
            documents: 0,
        }
    }

    fn document(mut self, text: &str) -> Result<Node, Error> {
        let start = Marker::new(0, 1, 0);
        if text.len() > self.at_most {
            let message = format!("{} bytes; expected at most {}", text.len(), self.at_most);
            return Err(self.error(start, message));
        }
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|e| self.syntax_error(text, &e))?;
            self.event(event, span.start)?;
        }
        let origin = self.source.origin(start);
        Ok(self.root.unwrap_or(Node {
            value: Value::Null,
            origin,
        }))
    }

    fn event(&mut self, event: Event<'_>, at: Marker) -> Result<(), Error> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(self.error(at, "a second document begins; expected one"));
                }
                Ok(())
            }
            Event::Alias(_) => Err(self.error(at, "aliases (`*name`) are not supported")),
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse(anchor, tag.is_some(), at)?;
                self.scalar(text.into_owned(), style, at)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse(anchor, tag.is_some(), at)?;
                let list = Open::List(Vec::new(), self.source.origin(at));
                self.begin(list, at)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse(anchor, tag.is_some(), at)?;
                let map = Open::Map {
                    entries: Vec::new(),
                    seen: BTreeSet::new(),
                    key: None,
                    origin: self.source.origin(at),
                };
                self.begin(map, at)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.end();
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn refuse(&self, anchor: usize, tagged: bool, at: Marker) -> Result<(), Error> {
        if anchor != 0 {
            return Err(self.error(at, "anchors (`&name`) are not supported"));
        }
        if tagged {
            return Err(self.error(at, "tags (`!name`) are not supported"));
        }
        Ok(())
    }

    fn scalar(&mut self, text: String, style: ScalarStyle, at: Marker) -> Result<(), Error> {
        let origin = self.source.origin(at);
        if let Some(Open::Map { seen, key, .. }) = self.open.last_mut()
            && key.is_none()
        {
            if !seen.insert(text.clone()) {
                let message = format!("key `{}` stands here a second time", shorten(&text));
                return Err(self.error(at, message));
            }
            *key = Some(Key { name: text, origin });
            return Ok(());
        }
        let quoted = style != ScalarStyle::Plain;
        let value = match text.as_str() {
            "" | "~" | "null" if !quoted => Value::Null,
            _ => Value::Scalar { text, quoted },
        };
        self.add(Node { value, origin });
        Ok(())
    }

    fn begin(&mut self, container: Open, at: Marker) -> Result<(), Error> {
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(self.error(at, "a key must be a plain word, not a list or map"));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(at, format!("more than {MAX_DEPTH} levels")));
        }
        self.open.push(container);
        Ok(())
    }

    fn end(&mut self) {
        let node = match self.open.pop() {
            Some(Open::List(items, origin)) => Node {
                value: Value::List(items),
                origin,
            },
            Some(Open::Map {
                entries, origin, ..
            }) => Node {
                value: Value::Map(entries),
                origin,
            },
            // Never: the parser pairs starts and ends.
            None => return,
        };
        self.add(node);
    }

    /// Adds a finished value to the map or list that contains it.
    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(items, _)) => items.push(node),
            Some(Open::Map { entries, key, .. }) => {
                entries.extend(key.take().map(|key| (key, node)));
            }
        }
    }

    fn error(&self, at: Marker, message: impl AsRef<str>) -> Error {
        Error::new(self.source.origin(at), "", message)
    }

    fn syntax_error(&self, text: &str, error: &ScanError) -> Error {
        // An unexpected end is reported after the last line.
        let last = text.lines().count().max(1);
        let number = error.marker().line().clamp(1, last);
        let line = text.lines().nth(number - 1).unwrap_or("");
        let indent = &line[..line.len() - line.trim_start().len()];
        let message = if indent.contains('\t') {
            "a tab indents this line; YAML is indented with spaces".to_owned()
        } else {
            explain(error.info())
        };
        let at = Marker::new(error.marker().index(), number, error.marker().col());
        self.error(at, message)
    }
}

/// The user's most likely mistake, for the library's commonest errors.
fn explain(info: &str) -> String {
    let known = [
        (
            "simple key expect",
            "this line or the one before is no `key: value`; is the space after the colon missing?",
        ),
        (
            "mapping values are not allowed",
            "a `: ` where no key can stand; is the indentation wrong, or a value to be quoted?",
        ),
        ("unknown anchor", "aliases (`*name`) are not supported"),
        (
            "expected ',' or ']'",
            "a `[` is not closed, or a comma is missing",
        ),
        (
            "expected ',' or '}'",
            "a `{` is not closed, or a comma is missing",
        ),
    ];
    match known.iter().find(|(part, _)| info.contains(part)) {
        Some((_, explained)) => format!("not valid YAML: {explained}"),
        None => format!("not valid YAML: {}", shorten(info)),
    }
}
