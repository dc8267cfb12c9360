//! A package of `python/blockyard` imports from lower floors only.

use std::collections::BTreeMap;

use blockyard_tidy::{Faults, TextFile, text_files};

const ROOT: &str = "python/blockyard/";

/// What `import blockyard` itself offers.
const FACE: &str = "__init__";

/// The floors of docs/design.md. What is missing here has no floor yet.
const FLOORS: [(&str, u32); 16] = [
    ("types", 0),
    ("_core", 1),
    ("text", 2),
    ("service", 2),
    ("runs", 3),
    ("formats", 4),
    ("words", 4),
    ("hosts", 4),
    ("sweeps", 5),
    ("comparison", 5),
    ("fitting", 5),
    ("pages", 6),
    ("questions", 7),
    (FACE, 8),
    ("cli", 9),
    ("__main__", 10),
];

#[test]
fn packages_import_from_lower_floors_only() {
    let floors = BTreeMap::from(FLOORS);
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        let Some(package) = package(file) else {
            continue;
        };
        let Some(floor) = floors.get(package) else {
            faults.add(file, 1, &format!("`{package}` has no floor"));
            continue;
        };
        for (line, imported) in imports(&file.text) {
            if imported == package {
                continue;
            }
            // What is no package is a name that the face offers.
            let below = floors.get(imported).unwrap_or(&floors[FACE]);
            if below >= floor {
                let what = format!("`{package}` of floor {floor} must not import `{imported}`");
                faults.add(file, line, &what);
            }
        }
    }
    faults.expect_none();
}

#[test]
fn imports_name_the_whole_path() {
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        let relative = file
            .lines()
            .find(|(_, line)| line.trim_start().starts_with("from ."));
        if let (Some(_), Some((line, _))) = (package(file), relative) {
            faults.add(file, line, "a relative import; begin with `blockyard`");
        }
    }
    faults.expect_none();
}

/// The package of a module, or the module itself if it stands in none.
fn package(file: &TextFile) -> Option<&str> {
    let path = file.path.strip_prefix(ROOT)?;
    let module = path
        .strip_suffix(".py")
        .or_else(|| path.strip_suffix(".pyi"))?;
    module.split('/').next()
}

/// What of `blockyard` a module imports anywhere, within functions too, and in which lines: of
/// `from blockyard.text.files import text` and of `from blockyard import text` it is `text`.
fn imports(module: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(module.lines().map(str::trim));
    while let Some((number, line)) = lines.next() {
        if let Some(path) = of_blockyard(line) {
            found.push((number, path));
        } else if let Some(names) = line.strip_prefix("from blockyard import ") {
            found.extend(listed(names).map(|name| (number, name)));
            if names.starts_with('(') && !names.ends_with(')') {
                let more = lines.by_ref().take_while(|(_, line)| *line != ")");
                found.extend(
                    more.flat_map(|(number, line)| listed(line).map(move |it| (number, it))),
                );
            }
        } else if line == "import blockyard" {
            found.push((number, FACE));
        }
    }
    found
}

/// The package that a whole path names.
fn of_blockyard(line: &str) -> Option<&str> {
    let path = line
        .strip_prefix("from blockyard.")
        .or_else(|| line.strip_prefix("import blockyard."))?;
    path.split(|letter: char| letter != '_' && !letter.is_alphanumeric())
        .next()
}

/// The names in a list, without those that they get.
fn listed(names: &str) -> impl Iterator<Item = &str> {
    names
        .split(',')
        .filter_map(|name| name.trim_matches(['(', ')', ' ']).split(' ').next())
        .filter(|name| !name.is_empty())
}

#[test]
fn all_ways_to_import_are_seen() {
    let module = "
from blockyard import pages, text as words
from blockyard import (
    runs,
    __version__,
)
from json import dumps

def lazily():
    from blockyard.words.plan import bought
    import blockyard.cli
    import blockyard
";
    let expected = [
        (2, "pages"),
        (2, "text"),
        (4, "runs"),
        (5, "__version__"),
        (10, "words"),
        (11, "cli"),
        (12, FACE),
    ];
    assert_eq!(imports(module), expected);
}
