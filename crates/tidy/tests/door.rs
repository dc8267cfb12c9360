//! What Rust hands to Python has types that are made from the Rust types.

use blockyard_tidy::{Faults, text_files};

const PYTHON: &str = "python/blockyard/";
const TYPES: &str = "python/blockyard/types/";

/// The line of a module that is made.
const MADE: &str = "Made by scripts/door_types.py";

/// What Python itself puts together and hands to Rust, which reads it field by field.
const BY_HAND: [&str; 1] = ["fitting/run_intervals.py"];

#[test]
fn types_of_what_rust_gives_are_made() {
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        let Some(module) = file.path.strip_prefix(PYTHON) else {
            continue;
        };
        let is_made = file.path.starts_with(TYPES) && file.text.contains(MADE);
        if is_made || BY_HAND.contains(&module) {
            continue;
        }
        let mut lines = file.lines();
        if let Some((line, _)) = lines.find(|(_, line)| line.contains("TypedDict")) {
            let what = "a TypedDict by hand; of what Rust gives scripts/door_types.py makes it";
            faults.add(file, line, what);
        }
    }
    faults.expect_none();
}

#[test]
fn what_is_made_by_hand_is_named_for_a_reason() {
    let files = text_files().unwrap();
    for module in BY_HAND {
        let mut known = files.iter();
        let known = known.find(|file| file.path.strip_prefix(PYTHON) == Some(module));
        assert!(
            known.is_some_and(|file| file.text.contains("TypedDict")),
            "{module} has no TypedDict"
        );
    }
}
