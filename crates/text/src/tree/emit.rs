//! Writes a tree as YAML, on request with the origin of each value as a
//! comment.
//!
//! Maps are in block style, lists of scalars on one line.

use super::{Node, Origin, Value};

/// Origins begin in this column, unless the line is longer.
const COMMENT_COLUMN: usize = 44;

/// Words that some YAML readers take for booleans or null.
const RESERVED: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];

impl Node {
    /// The tree as YAML; with `origins`, each value is followed by a comment
    /// that says where it came from. Reading it gives the same values again.
    #[must_use]
    pub fn to_yaml(&self, origins: bool) -> String {
        let mut lines = Vec::new();
        write_block(self, 0, &mut lines);
        let mut yaml = String::new();
        for Line { text, node } in lines {
            match node.filter(|_| origins) {
                Some(node) => {
                    yaml += &format!("{text:COMMENT_COLUMN$} # {}", origins_of(node));
                }
                None => yaml += &text,
            }
            yaml.push('\n');
        }
        yaml
    }
}

/// Where a value came from; both places for a list that was changed in part.
fn origins_of(node: &Node) -> String {
    let origin = node.origin.to_string();
    match &node.value {
        Value::List(items) if items.iter().any(|item| item.origin == Origin::Set) => {
            let set = Origin::Set.to_string();
            if origin == set {
                set
            } else {
                format!("{origin}, {set}")
            }
        }
        _ => origin,
    }
}

/// A line, and the node whose origin its comment gives, if any.
struct Line<'a> {
    text: String,
    node: Option<&'a Node>,
}

/// Writes a map or list with one line per entry, and anything else as one line.
fn write_block<'a>(node: &'a Node, indent: usize, lines: &mut Vec<Line<'a>>) {
    let margin = " ".repeat(indent);
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            for (key, child) in entries {
                let key = scalar(&key.name, false);
                match in_line(child) {
                    Some(text) => lines.push(Line {
                        text: format!("{margin}{key}: {text}"),
                        node: Some(child),
                    }),
                    None => {
                        let text = format!("{margin}{key}:");
                        lines.push(Line { text, node: None });
                        write_block(child, indent + 2, lines);
                    }
                }
            }
        }
        Value::List(items) if !items.is_empty() => {
            for item in items {
                let first = lines.len();
                write_block(item, indent + 2, lines);
                lines[first].text.replace_range(indent..=indent, "-");
            }
        }
        _ => lines.push(Line {
            text: margin + &in_line(node).unwrap_or_default(),
            node: Some(node),
        }),
    }
}

/// The node on one line; none for maps and for lists that do not hold only
/// scalars.
fn in_line(node: &Node) -> Option<String> {
    match &node.value {
        Value::Null => Some("null".to_owned()),
        Value::Scalar { text, quoted } => Some(scalar(text, *quoted)),
        Value::Map(entries) => entries.is_empty().then(|| "{}".to_owned()),
        Value::List(items) => {
            let nested = |item: &Node| matches!(item.value, Value::Map(_) | Value::List(_));
            if items.iter().any(nested) {
                return None;
            }
            let items: Option<Vec<String>> = items.iter().map(in_line).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
    }
}

/// A scalar as YAML. With `text_only`, no reader can take it for a number.
fn scalar(text: &str, text_only: bool) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_-./%+()<> ".contains(c);
    let number = || text.replace('_', "").parse::<f64>().is_ok();
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(safe)
        && !text.ends_with(' ')
        && !(text_only && number())
        && !(text_only && RESERVED.contains(&text.to_ascii_lowercase().as_str()));
    if plain { text.to_owned() } else { quote(text) }
}

/// The text in double quotes, on one line.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            c if c.is_control() || is_hidden(c) => quoted += &escape(c),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Line separators and marks that YAML readers treat as breaks or drop.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

fn escape(c: char) -> String {
    format!("\\U{:08X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::{Key, parse};

    #[test]
    fn blocks_lines_and_origins() {
        let text = "a:\n  b: [1, x]\n  c:\n    - {d: 5GiB, e: \"5\"}\n    - f\nz: {}\n";
        let node = parse(text, "t.yaml").unwrap();
        let expected = "a:\n  b: [1, x]\n  c:\n    - d: 5GiB\n      e: \"5\"\n    - f\nz: {}\n";
        assert_eq!(node.to_yaml(false), expected);
        let line = node.to_yaml(true).lines().nth(3).map(str::to_owned);
        assert_eq!(line.unwrap(), format!("{:44} # t.yaml:4", "    - d: 5GiB"));
    }

    #[test]
    fn a_list_set_in_part_has_two_origins() {
        let mut node = parse("a: [1, 2]", "t.yaml").unwrap();
        node.set("a.1=5").unwrap();
        let line = format!("{:44} # t.yaml:1, --set\n", "a: [1, 5]");
        assert_eq!(node.to_yaml(true), line);
    }

    fn trees() -> impl Strategy<Value = Node> {
        let node = |value| Node {
            value,
            origin: Origin::Set,
        };
        let leaf = any::<String>().prop_map(move |text| node(Value::Scalar { text, quoted: true }));
        leaf.prop_recursive(4, 32, 4, move |inner| {
            let list = prop::collection::vec(inner.clone(), 0..4)
                .prop_map(move |items| node(Value::List(items)));
            let map = prop::collection::btree_map(any::<String>(), inner, 0..4).prop_map(
                move |entries| {
                    let key = |name| Key {
                        name,
                        origin: Origin::Set,
                    };
                    node(Value::Map(
                        entries.into_iter().map(|(k, v)| (key(k), v)).collect(),
                    ))
                },
            );
            prop_oneof![list, map]
        })
    }

    /// The values alone, since origins and quotes may differ.
    fn outline(node: &Node) -> String {
        match &node.value {
            Value::Null => "null".to_owned(),
            Value::Scalar { text, .. } => format!("{text:?}"),
            Value::List(items) => format!("{:?}", items.iter().map(outline).collect::<Vec<_>>()),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, node)| (&key.name, outline(node)));
                format!("{:?}", entries.collect::<Vec<_>>())
            }
        }
    }

    proptest! {
        #[test]
        fn emitting_then_reading_gives_the_same_values(node in trees()) {
            let key = Key { name: "top".to_owned(), origin: node.origin.clone() };
            let top = Node { origin: node.origin.clone(), value: Value::Map(vec![(key, node)]) };
            for origins in [false, true] {
                let yaml = top.to_yaml(origins);
                let read = parse(&yaml, "emitted").map_err(|e| TestCaseError::fail(format!("{e}\n{yaml}")))?;
                prop_assert_eq!(outline(&read), outline(&top), "{}", yaml);
            }
        }
    }
}
