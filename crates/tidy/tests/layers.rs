//! A crate depends on crates of lower layers only.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::Command;

use blockyard_tidy::root;
use serde_json::Value;

/// The layers of docs/design.md. A crate that is missing here has no layer yet.
const LAYERS: [(&str, u32); 26] = [
    ("blockyard-model", 0),
    ("blockyard-text", 0),
    ("blockyard-sys", 0),
    ("blockyard-catalog", 1),
    ("blockyard-machine", 1),
    ("blockyard-trace", 1),
    ("blockyard-scenario", 2),
    ("blockyard-record", 3),
    ("blockyard-cost", 4),
    ("blockyard-simulate", 4),
    ("blockyard-bench", 4),
    ("blockyard-emulate", 4),
    ("blockyard-observe", 4),
    ("blockyard-compare", 4),
    ("blockyard-explain", 4),
    ("blockyard-fit", 4),
    ("blockyard-provision", 4),
    ("blockyard-experiment", 5),
    ("blockyard-plan", 6),
    ("blockyard-capacity", 6),
    ("blockyard-sweep", 6),
    ("blockyard-report", 7),
    ("blockyard-page", 8),
    ("blockyard-python", 8),
    ("blockyard-fuzz", 8),
    ("blockyard-tidy", 0),
];

#[test]
fn crates_depend_on_lower_layers_only() {
    let layers = BTreeMap::from(LAYERS);
    let mut faults = Vec::new();
    for package in packages().unwrap() {
        let name = package["name"].as_str().unwrap();
        let manifest = package["manifest_path"].as_str().unwrap();
        let Some(layer) = layers.get(name) else {
            faults.push(format!("{manifest}:1: `{name}` has no layer"));
            continue;
        };
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            if layers.get(other).is_some_and(|below| below >= layer) {
                faults.push(format!(
                    "{manifest}:1: `{name}` of layer {layer} must not depend on `{other}`"
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The workspace's packages as cargo describes them.
fn packages() -> Result<Vec<Value>, Box<dyn Error>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    Ok(metadata["packages"].as_array().cloned().unwrap_or_default())
}
