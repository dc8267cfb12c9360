//! In what two scenarios differ.

use serde_json::Value;

use crate::Loaded;
use crate::resolve::ResolvedLimit;

/// What must be equal for two runs to be comparable. The storage may differ:
/// that is what comparisons are for. Intervals and seeds do not change what is
/// measured.
const COMPARABLE: [&str; 3] = ["duration", "warmup", "workload"];

/// What a scenario says of itself and wants of its runs: no run depends on it.
const WORDS: [&str; 8] = [
    "assumptions",
    "description",
    "goals",
    "name",
    "quotas",
    "region",
    "repeats",
    "source",
];

/// A value that two scenarios do not have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field: `storage.data.iops`.
    pub path: String,
    /// What the first scenario has there, as text: `3,000`, or `none`. Of a limit that is
    /// not stated, what the catalog grants.
    pub first: String,
    /// What the other has there.
    pub other: String,
}

/// Whether a field of a job is of the layout, which is no part of the work: where its journal is
/// mirrored to, or on which devices its files lie.
fn is_of_layout(path: &str) -> bool {
    let mut keys = path.split('.');
    let is_of_job = keys.next() == Some("workload");
    is_of_job && matches!(keys.nth(1), Some("mirror" | "on"))
}

impl Loaded {
    /// In what `other` differs, apart from what no run depends on, in the order of the
    /// fields.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<FieldChange> {
        let limits = [self, other].map(|of| of.resolve().map_or_else(|_| vec![], |r| r.limits));
        self.changes(other, &limits, |key| !WORDS.contains(&key))
    }

    /// How the work that `other` asks for differs: a line for each value,
    /// `workload.readers.processes: 4 against 8`, in the order of the fields.
    #[must_use]
    pub fn unlike(&self, other: &Self) -> Vec<String> {
        let changes = self.changes(other, &[vec![], vec![]], |key| COMPARABLE.contains(&key));
        let work = |change: &FieldChange| !is_of_layout(&change.path);
        let line = |FieldChange { path, first, other }| format!("{path}: {first} against {other}");
        changes.into_iter().filter(work).map(line).collect()
    }

    fn changes(
        &self,
        other: &Self,
        limits: &[Vec<ResolvedLimit>; 2],
        wanted: fn(&str) -> bool,
    ) -> Vec<FieldChange> {
        let mut found = Vec::new();
        // A scenario that was read can be written.
        let values = [self, other].map(|of| serde_json::to_value(&of.scenario).unwrap_or_default());
        let [Value::Object(mine), Value::Object(theirs)] = &values else {
            return found;
        };
        let added = theirs.keys().filter(|key| !mine.contains_key(*key));
        for key in mine.keys().chain(added).filter(|key| wanted(key)) {
            let sides = [mine.get(key), theirs.get(key)].map(|value| value.unwrap_or(&Value::Null));
            collect(key, sides, limits, &mut found);
        }
        found
    }
}

/// A list whose items are compared one by one.
const EVENTS: &str = "events";

fn collect(
    path: &str,
    [mine, theirs]: [&Value; 2],
    limits: &[Vec<ResolvedLimit>; 2],
    found: &mut Vec<FieldChange>,
) {
    match (mine, theirs) {
        (Value::Object(mine), Value::Object(theirs)) => {
            let added = theirs.keys().filter(|key| !mine.contains_key(*key));
            for key in mine.keys().chain(added) {
                let sides = [mine.get(key), theirs.get(key)];
                let sides = sides.map(|value| value.unwrap_or(&Value::Null));
                collect(&format!("{path}.{key}"), sides, limits, found);
            }
        }
        _ if mine == theirs => {}
        _ if path == EVENTS => {
            let [mine, theirs] = [mine, theirs].map(|it| it.as_array().map_or(&[][..], |it| it));
            for place in 0..mine.len().max(theirs.len()) {
                let sides = [mine.get(place), theirs.get(place)];
                let sides = sides.map(|value| value.unwrap_or(&Value::Null));
                collect(&format!("{path}.{place}"), sides, limits, found);
            }
        }
        _ => {
            let [first, other] =
                [(mine, &limits[0]), (theirs, &limits[1])].map(|(value, limits)| {
                    let granted = value.is_null().then(|| granted(path, limits)).flatten();
                    granted.unwrap_or_else(|| shown(path, value))
                });
            // What is stated and what the catalog grants can be the same.
            if first != other {
                let path = path.to_owned();
                found.push(FieldChange { path, first, other });
            }
        }
    }
}

/// The limit that a volume has although its field at `path` states none.
fn granted(path: &str, limits: &[ResolvedLimit]) -> Option<String> {
    let (owner, limit) = path.strip_prefix("storage.")?.rsplit_once('.')?;
    let of = |found: &&ResolvedLimit| found.owner == owner && found.limit == limit;
    let found = limits.iter().find(of)?;
    let value = found.value?;
    Some(match found.unit.as_str() {
        "IOPS" => thousands(&value.to_string()),
        unit => format!("{value}{unit}"),
    })
}

fn shown(path: &str, value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Object(roles) if path.ends_with(".on") => {
            let roles = roles.iter();
            let roles = roles.map(|(role, device)| format!("{role}: {}", shown("", device)));
            roles.collect::<Vec<_>>().join(", ")
        }
        Value::Object(_) if path.starts_with("workload.") => "a job".into(),
        Value::Object(_) if path.starts_with("storage.") => "a device".into(),
        Value::Object(event) if path.starts_with(EVENTS) => {
            let keys = event
                .iter()
                .map(|(key, value)| format!("{key} {}", shown("", value)));
            keys.collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) if !path.ends_with("seed") => thousands(&number.to_string()),
        other => other.to_string(),
    }
}

/// A number with commas between thousands.
fn thousands(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use crate::load;

    const ONE: &str = "
name: one
duration: 1m
storage: {data: {type: gp3, size: 100GiB}}
workload: {readers: {kind: ranread, on: data, file_size: 80GiB, processes: [1, 2]}}
";

    fn unlike(sets: &[&str]) -> Vec<String> {
        let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
        let mine = load(ONE, "one.yaml", &[]).expect("a scenario");
        mine.unlike(&load(ONE, "other.yaml", &sets).expect("a scenario"))
    }

    #[test]
    fn other_storage_is_the_same_work() {
        assert!(unlike(&["storage.data.iops=6000", "seed=7", "name=two"]).is_empty());
    }

    #[test]
    fn files_on_other_devices_are_the_same_work() {
        let log = "storage.log={type: gp3, size: 9GiB}";
        assert!(unlike(&[log, "workload.readers.on=log"]).is_empty());
        let engine = |on: &str| {
            let job = format!(
                "workload.shop={{kind: oltp, engine: postgres, on: {on}, data_size: 9GiB, \
                 pool: 1GiB, cores: 2, threads: 2, \
                 transactions: {{look: {{pages: 3, cpu: 1ms}}}}}}"
            );
            load(ONE, "one.yaml", &[log.to_owned(), job]).expect("a scenario")
        };
        let of_its_own = engine("{data: data, log: log}");
        assert!(engine("data").unlike(&of_its_own).is_empty());
        let named = engine("data").differences(&of_its_own).remove(0);
        assert_eq!(named.path, "workload.shop.on");
        assert_eq!(
            (&*named.first, &*named.other),
            ("data", "data: data, log: log")
        );
    }

    #[test]
    fn what_differs_is_named() {
        let sets = [
            "duration=2m",
            "workload.readers.file_size=4GiB",
            "workload.readers.processes=[1, 4]",
        ];
        assert_eq!(
            unlike(&sets),
            [
                "duration: 1m against 2m",
                "workload.readers.file_size: 80GiB against 4GiB",
                "workload.readers.processes: [1,2] against [1,4]",
            ]
        );
    }

    fn differences(mine: &str, theirs: &[&str]) -> Vec<String> {
        let sets: Vec<_> = theirs.iter().map(|set| (*set).to_owned()).collect();
        let mine = load(ONE, "one.yaml", &[mine.to_owned()]).expect("a scenario");
        let theirs = load(ONE, "other.yaml", &sets).expect("a scenario");
        let changes = mine.differences(&theirs).into_iter();
        changes
            .map(|found| format!("{}: {} -> {}", found.path, found.first, found.other))
            .collect()
    }

    #[test]
    fn every_value_that_a_run_depends_on_is_named() {
        let sets = ["storage.data.iops=16000", "duration=2m", "name=two"];
        assert_eq!(
            differences("seed=7000", &sets),
            [
                "seed: 7000 -> 1",
                "duration: 1m -> 2m",
                "storage.data.iops: 3,000 -> 16,000",
            ]
        );
    }

    #[test]
    fn what_the_catalog_grants_is_as_if_it_were_stated() {
        assert!(differences("storage.data.iops=3000", &["name=two"]).is_empty());
    }

    #[test]
    fn events_are_compared_one_by_one() {
        let first = "events=[{at: 1s, pause: data, for: 1s}]";
        let more = "events=[{at: 1s, pause: data, for: 2s}, {at: 9s, fail: data}]";
        assert_eq!(
            differences(first, &[more, "name=two"]),
            [
                "events.0.for: 1s -> 2s",
                "events.1: none -> at 9s, fail data"
            ]
        );
    }

    #[test]
    fn a_job_that_only_one_has_is_named() {
        let more = "workload.more={kind: ranread, on: data, file_size: 1GiB, processes: 1}";
        assert_eq!(unlike(&[more]), ["workload.more: none against a job"]);
    }
}
