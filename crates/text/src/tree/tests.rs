//! Reading a document into types, and where errors point.

use indexmap::IndexMap;
use serde::Deserialize;

use super::{from_node, parse};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Shape {
    Plain,
    Tagged { depth: u32 },
    Key { key: Vec<f64> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    flag: Option<bool>,
    shapes: IndexMap<String, Shape>,
}

fn read(text: &str) -> Result<Sample, String> {
    from_node(&parse(text, "t.yaml").unwrap()).map_err(|e| e.to_string())
}

#[test]
fn enums_are_words_kinds_or_keys() {
    let text = "flag: true\nshapes:\n  a: plain\n  b: {kind: tagged, depth: 5}\n  c: {key: 0.5}\n  d: {kind: plain}";
    let sample = read(text).unwrap();
    assert_eq!(sample.flag, Some(true));
    let shapes: Vec<&Shape> = sample.shapes.values().collect();
    let expected = [
        &Shape::Plain,
        &Shape::Tagged { depth: 5 },
        &Shape::Key { key: vec![0.5] },
        &Shape::Plain,
    ];
    assert_eq!(shapes, expected);
}

#[test]
fn errors_name_the_innermost_place() {
    let cases = [
        (
            "flag: yes\nshapes: {}",
            "t.yaml:1: flag: expected true or false, found `yes`",
        ),
        (
            "flag:\nshapes:\n  a: plai",
            "t.yaml:3: shapes.a: `plai` is not known; did you mean `plain`?",
        ),
        (
            "shapes:\n  a:\n    kind: tagged\n    depht: 1",
            "t.yaml:4: shapes.a.depht: unknown key; did you mean `depth`?",
        ),
        (
            "shapes:\n  a:\n    kind: tagged",
            "t.yaml:2: shapes.a: `depth` is missing",
        ),
        (
            "shapes:\n  a: {key: [1,\n    x]}",
            "t.yaml:3: shapes.a.key.1: `x` is not a number; expected one as in `0.25`",
        ),
        (
            "shapes: [1]",
            "t.yaml:1: shapes: expected a map, found a list",
        ),
        (
            "shapes: {a: {kind: plain, b: 1}}",
            "t.yaml:1: shapes.a.b: unknown key",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(read(text).unwrap_err(), message);
    }
}

#[test]
fn a_path_is_located_at_its_key_or_the_nearest_parent() {
    let node = parse("a:\n  b:\n    - c: 1\n    -\n      d: 2", "t.yaml").unwrap();
    let cases = [
        ("", "t.yaml:1"),
        ("a", "t.yaml:1"),
        ("a.b", "t.yaml:2"),
        ("a.b.0.c", "t.yaml:3"),
        ("a.b.1.d", "t.yaml:5"),
        ("a.b.7.d", "t.yaml:2"),
        ("a.x.y", "t.yaml:1"),
        ("x", "t.yaml:1"),
    ];
    for (path, place) in cases {
        assert_eq!(node.locate(path).to_string(), place, "{path}");
    }
}
