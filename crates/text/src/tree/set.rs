//! `--set path=value`: edits the tree before serde sees it.

use super::read::{MAX_DEPTH, parse_value};
use super::{Key, Node, Origin, Value, shorten};
use crate::Error;

impl Node {
    /// Applies `path=value`, such as `storage.data.of.iops=12000`,
    /// `workload.readers.processes.0=5` or `goals=[readers.iops > 60000]`.
    ///
    /// The value is read as YAML. Missing keys along the path are created; the schema
    /// decides whether they may exist. Where the path meets a list, a number is an index,
    /// and the list's length appends. `null` removes an existing key.
    ///
    /// # Errors
    /// No `=`, an empty path segment, a value that is not YAML, a path that
    /// leads into a plain value or beyond a list's end.
    pub fn set(&mut self, assignment: &str) -> Result<(), Error> {
        let Some((path, text)) = assignment.split_once('=') else {
            let message = format!("`{}` has no `=`; expected path=value", shorten(assignment));
            return Err(Error::new(Origin::Set, "", message));
        };
        let path = path.trim();
        if path.split('.').any(str::is_empty) || path.split('.').count() > MAX_DEPTH {
            let path = shorten(path);
            let message =
                format!("`{path}` is not a path; expected up to {MAX_DEPTH} names joined by dots");
            return Err(Error::new(Origin::Set, "", message));
        }
        let value = parse_value(text)
            .map_err(|e| Error::new(Origin::Set, path, e.message()))?
            .value;
        // Only a `null` that is spelled out: an empty value is a slip.
        if value == Value::Null && !text.trim().is_empty() && self.take(path) {
            return Ok(());
        }
        *self.make(path)? = Node {
            value,
            origin: Origin::Set,
        };
        Ok(())
    }

    /// Removes the key at `path`, so that its default holds again. Returns whether it was
    /// there.
    fn take(&mut self, path: &str) -> bool {
        let (parent, last) = path.rsplit_once('.').unwrap_or(("", path));
        let mut node = self;
        for segment in parent.split_terminator('.') {
            let Value::Map(entries) = &mut node.value else {
                return false;
            };
            let Some((_, child)) = entries.iter_mut().find(|(key, _)| key.name == segment) else {
                return false;
            };
            node = child;
        }
        let Value::Map(entries) = &mut node.value else {
            return false;
        };
        let before = entries.len();
        entries.retain(|(key, _)| key.name != last);
        entries.len() < before
    }

    /// The node at `path`, created empty where there is none.
    fn make(&mut self, path: &str) -> Result<&mut Node, Error> {
        let mut node = self;
        let mut walked = 0;
        for segment in path.split('.') {
            let parent = path[..walked].trim_end_matches('.');
            node = node
                .make_child(segment)
                .map_err(|message| Error::new(Origin::Set, parent, message))?;
            walked += segment.len() + 1;
        }
        Ok(node)
    }

    fn make_child(&mut self, segment: &str) -> Result<&mut Node, String> {
        if self.value == Value::Null {
            self.value = Value::Map(Vec::new());
        }
        match &mut self.value {
            Value::Map(entries) => {
                let found = entries.iter().position(|(key, _)| key.name == segment);
                let index = found.unwrap_or(entries.len());
                if found.is_none() {
                    let key = Key {
                        name: segment.to_owned(),
                        origin: Origin::Set,
                    };
                    entries.push((key, Node::unset()));
                }
                Ok(&mut entries[index].1)
            }
            Value::List(items) => {
                let length = items.len();
                let index = segment
                    .parse()
                    .ok()
                    .filter(|&index: &usize| index <= length);
                let Some(index) = index else {
                    return Err(format!(
                        "a list of {length}; expected an index from 0 to {length}, not `{}`",
                        shorten(segment)
                    ));
                };
                if index == length {
                    items.push(Node::unset());
                }
                Ok(&mut items[index])
            }
            scalar => Err(format!(
                "{} is a plain value; `{}` cannot be set within it",
                scalar.describe(),
                shorten(segment)
            )),
        }
    }

    fn unset() -> Node {
        Node {
            value: Value::Null,
            origin: Origin::Set,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// A small document after one `--set`, as YAML.
    fn after(set: &str) -> String {
        let mut node = parse("a: {b: 1, c: [5, 6]}", "t.yaml").unwrap();
        match node.set(set) {
            Ok(()) => node.to_yaml(false),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn sets_replace_append_and_make_what_is_missing() {
        assert_eq!(after("a.b=2"), "a:\n  b: 2\n  c: [5, 6]\n");
        assert_eq!(after("a.c.0 = 7"), "a:\n  b: 1\n  c: [7, 6]\n");
        assert_eq!(after("a.c.2=x=y"), "a:\n  b: 1\n  c: [5, 6, \"x=y\"]\n");
        assert_eq!(after("a=[1, 2]"), "a: [1, 2]\n");
        assert_eq!(
            after("d.e.f={g: 1}"),
            "a:\n  b: 1\n  c: [5, 6]\nd:\n  e:\n    f:\n      g: 1\n"
        );
    }

    #[test]
    fn null_takes_a_key_away() {
        assert_eq!(after("a.b=null"), "a:\n  c: [5, 6]\n");
        assert_eq!(after("a=null"), after("a=~"));
        assert!(!after("a=null").contains('a'));
        // A key that is not there is left for the schema to judge, and so is a missing
        // value.
        assert_eq!(after("x=null"), "a:\n  b: 1\n  c: [5, 6]\nx: null\n");
        assert_eq!(after("a.b="), "a:\n  b: null\n  c: [5, 6]\n");
    }

    #[test]
    fn sets_that_lead_nowhere_are_refused() {
        assert_eq!(
            after("a.b.c=2"),
            "--set: a.b: `1` is a plain value; `c` cannot be set within it"
        );
        assert_eq!(
            after("a.c.x=2"),
            "--set: a.c: a list of 2; expected an index from 0 to 2, not `x`"
        );
        assert_eq!(
            after("a..b=2"),
            "--set: `a..b` is not a path; expected up to 64 names joined by dots"
        );
    }
}
