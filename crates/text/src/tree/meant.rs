//! What was probably meant by a `--set` whose path leads to nothing that stands there.

use super::{Node, Origin, Value};
use crate::{Error, nearest};

impl Node {
    /// The error that came of reading this tree after `sets`, with the path that was
    /// probably meant where a set wrote to one that this tree does not have.
    #[must_use]
    pub fn meant(&self, sets: &[String], error: Error) -> Error {
        let hinted = error.message().contains("did you mean");
        if hinted || *error.place() != Origin::Set || error.path().is_empty() {
            return error;
        }
        let paths = sets
            .iter()
            .filter_map(|set| Some(set.split_once('=')?.0.trim()));
        let mut within = paths.filter(|path| is_within(path, error.path()));
        match within.find_map(|path| self.nearest_path(path)) {
            Some(other) => {
                let message = format!("{}; did you mean `{other}`?", error.message());
                Error::new(Origin::Set, error.path(), message)
            }
            None => error,
        }
    }

    /// The path of this tree nearest to `path`, which it does not have: with another name in
    /// place of the first that is not there, or one that ends in `path`.
    fn nearest_path(&self, path: &str) -> Option<String> {
        let mut node = self;
        let mut walked = 0;
        for segment in path.split('.') {
            let Value::Map(entries) = &node.value else {
                return None;
            };
            let Some((_, below)) = entries.iter().find(|(key, _)| key.name == segment) else {
                let names = entries.iter().map(|(key, _)| key.name.as_str());
                let Some(other) = nearest(segment, names) else {
                    break;
                };
                let rest = &path[walked + segment.len()..];
                return Some(format!("{}{other}{rest}", &path[..walked]));
            };
            node = below;
            walked += segment.len() + 1;
        }
        self.path_ending_in(path)
    }

    fn path_ending_in(&self, path: &str) -> Option<String> {
        let Value::Map(entries) = &self.value else {
            return None;
        };
        entries.iter().find_map(|(key, below)| {
            let found = match below.at(path) {
                Some(_) => Some(path.to_owned()),
                None => below.path_ending_in(path),
            };
            Some(format!("{}.{}", key.name, found?))
        })
    }
}

/// Whether `path` is `top`, or leads below it.
fn is_within(path: &str, top: &str) -> bool {
    path.strip_prefix(top)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::super::{Origin, parse};
    use crate::Error;

    #[test]
    fn the_nearest_path_that_is_there_is_named() {
        let tree = parse("storage: {data: {iops: 1}, wij: {iops: 2}}", "t.yaml").unwrap();
        for (set, path, meant) in [
            (
                "storage.dta.iops=3",
                "storage.dta",
                Some("storage.data.iops"),
            ),
            ("iops=3", "iops", Some("storage.data.iops")),
            ("wij.iops=3", "wij", Some("storage.wij.iops")),
            ("storage.data.colour=red", "storage.data.colour", None),
            ("storage.dta.iops=3", "storage.data", None),
        ] {
            let error = Error::new(Origin::Set, path, "unknown key");
            let said = tree.meant(&[set.to_owned()], error).message().to_owned();
            let hint = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            assert_eq!(said, format!("unknown key{hint}"));
        }
    }
}
