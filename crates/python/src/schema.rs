//! The JSON Schemas of what is read and written as text.

use std::collections::HashMap;

use blockyard_bench::HostsFile;
use blockyard_capacity::{Alternatives, Capacity};
use blockyard_cost::Bill;
use blockyard_emulate::Status;
use blockyard_experiment::Findings;
use blockyard_explain::{Facts, UnderDemand, Verdict};
use blockyard_fit::Fitted;
use blockyard_observe::SoFar;
use blockyard_plan::{Answer, Requirement};
use blockyard_provision::{Bought, Layout};
use blockyard_record::result::RunResult;
use blockyard_report::comparison::{Compared, Tables};
use blockyard_scenario::schema::Scenario;
use blockyard_sweep::SweepFile;
use pyo3::prelude::*;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::catalog::{instances, prices, volumes};
use crate::error::bad_input;
use crate::jobs::Job;

/// Where a schema has the types that it names.
const TYPES: &str = "$defs";

/// A document, and what makes its schema.
type Document = (&'static str, fn() -> Schema);

/// What people write.
const READ: [Document; 4] = [
    ("scenario", read::<Scenario>),
    ("requirement", read::<Requirement>),
    ("sweep", read::<SweepFile>),
    ("hosts", read::<HostsFile>),
];

/// What Blockyard writes. Types that several have stand in the schema of the first.
const WRITTEN: [Document; 20] = [
    // It is read back too, also as older versions wrote it.
    ("result", read::<RunResult>),
    ("bill", written::<Bill>),
    ("facts", written::<Facts>),
    ("findings", written::<Findings>),
    ("capacity", written::<Capacity>),
    ("what-if", written::<Alternatives>),
    ("plan", written::<Answer>),
    ("comparison", written::<Compared>),
    ("comparison-tables", written::<Tables>),
    ("status", written::<Status>),
    ("so-far", written::<Vec<SoFar>>),
    ("jobs", written::<Vec<Job>>),
    ("layout", written::<Layout>),
    ("bought", written::<Bought>),
    ("catalog-volumes", written::<Vec<volumes::Row<'static>>>),
    ("catalog-instances", written::<Vec<instances::Row<'static>>>),
    ("catalog-prices", written::<Vec<prices::Row<'static>>>),
    ("fit", written::<Fitted>),
    ("under-demand", written::<UnderDemand>),
    ("verdict", written::<Verdict>),
];

/// The JSON Schema of a document, which is called as in [`READ`] and [`WRITTEN`].
///
/// Raises ScenarioError for others.
#[pyfunction]
pub(crate) fn schema(document: &str) -> PyResult<String> {
    let mut earlier = Vec::new();
    let mut found = None;
    for (name, make) in WRITTEN {
        let schema = make();
        if name == document {
            found = Some(referring(schema, &earlier));
            break;
        }
        earlier.push((name, schema));
    }
    if let Some((_, make)) = READ.iter().find(|(name, _)| *name == document) {
        found = Some(make());
    }
    let schema = found.ok_or_else(|| bad_input(format!("`{document}` has no schema")))?;
    Ok(serde_json::to_string_pretty(&schema).map_err(bad_input)? + "\n")
}

/// That of what is read, in which a key with a default may be missing.
fn read<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::default();
    settings.into_generator().into_root_schema_for::<T>()
}

/// That of what is only written: all keys are there but those that are skipped.
fn written<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::default().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// A schema that refers to those of earlier documents for the types that these have too.
fn referring(mut schema: Schema, earlier: &[(&str, Schema)]) -> Schema {
    let mut whole = std::mem::take(schema.ensure_object());
    let Some(Value::Object(types)) = whole.remove(TYPES) else {
        return whole.into();
    };
    let elsewhere = |name: &str| {
        let own = plain(types.get(name)?);
        earlier.iter().find_map(|(document, other)| {
            let file = format!("{document}.schema.json");
            if plain(other.as_value()) == own {
                return Some(file);
            }
            let name = unnumbered(name);
            let theirs = other.get(TYPES)?.get(name)?;
            (plain(theirs) == own).then(|| format!("{file}#/{TYPES}/{name}"))
        })
    };
    let mut kept = HashMap::new();
    let mut ahead = refer(&mut whole, &elsewhere);
    while let Some(name) = ahead.pop() {
        if kept.contains_key(&name) {
            continue;
        }
        if let Some(Value::Object(mut of)) = types.get(&name).cloned() {
            ahead.extend(refer(&mut of, &elsewhere));
            kept.insert(name, Value::Object(of));
        }
    }
    // In their order.
    let own = types.keys().filter_map(|name| kept.remove_entry(name));
    let own: Map<String, Value> = own.collect();
    if !own.is_empty() {
        whole.insert(TYPES.to_owned(), Value::Object(own));
    }
    whole.into()
}

/// Point what is `elsewhere` to there, and give the names of the other types.
fn refer(
    schema: &mut Map<String, Value>,
    elsewhere: &impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut own = Vec::new();
    for (key, value) in schema {
        match value {
            Value::String(to) if key == "$ref" => {
                let name = to.rsplit('/').next().unwrap_or_default();
                match elsewhere(name) {
                    Some(there) => *to = there,
                    None => own.push(name.to_owned()),
                }
            }
            Value::Object(inner) => own.extend(refer(inner, elsewhere)),
            Value::Array(parts) => {
                for inner in parts.iter_mut().filter_map(Value::as_object_mut) {
                    own.extend(refer(inner, elsewhere));
                }
            }
            _ => (),
        }
    }
    own
}

/// A type without what depends on the document that it stands in: whether it is the whole, is read
/// or written, and meets others of its name.
fn plain(schema: &Value) -> Value {
    const ASIDE: [&str; 5] = ["$schema", "title", TYPES, "required", "default"];
    match schema {
        Value::Object(keys) => keys
            .iter()
            .filter(|(key, _)| !ASIDE.contains(&key.as_str()))
            .map(|(key, value)| match value {
                Value::String(to) if key == "$ref" => (key.clone(), unnumbered(to).into()),
                _ => (key.clone(), plain(value)),
            })
            .collect(),
        Value::Array(parts) => parts.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// A type's name without the number that tells it from others of that name in a document.
fn unnumbered(name: &str) -> &str {
    name.trim_end_matches(|last: char| last.is_ascii_digit())
}
