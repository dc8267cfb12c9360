//! The module for Python and the tests are built from the same crates with the same features:
//! cargo would build a crate twice, with all that use it, if it had others in one of the two.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::process::Command;

use blockyard_tidy::root;

const MODULE: [&str; 2] = ["--package", "blockyard-python"];
/// As the Makefile has it.
const TESTS: [&str; 7] = [
    "--workspace",
    "--exclude",
    "blockyard-python",
    "--exclude",
    "blockyard-page",
    "--exclude",
    "blockyard-fuzz",
];

/// Each crate by its name and version, with the sets of features that it is built with.
type Built = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_module_and_the_tests_are_built_from_the_same_crates() {
    let (module, tests) = (built(&MODULE).unwrap(), built(&TESTS).unwrap());
    let mut faults = Vec::new();
    for (name, wanted) in module {
        // What only the module has is built once.
        let Some(there) = tests.get(&name) else {
            continue;
        };
        if !wanted.is_subset(there) {
            faults.push(format!(
                "{name}: the module has it with {wanted:?}, tests with {there:?}; \
                 crates/tidy/Cargo.toml is where tests ask for what the module has"
            ));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// What cargo builds for these packages.
fn built(packages: &[&str]) -> Result<Built, Box<dyn Error>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none"])
        .args(["--format", "{p}\t{f}"])
        .args(packages)
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let mut built = Built::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        // A crate that was there before ends in ` (*)`.
        if let Some((name, features)) = line.split_once('\t') {
            let features = features.trim_end_matches(" (*)").to_owned();
            built.entry(name.to_owned()).or_default().insert(features);
        }
    }
    Ok(built)
}
