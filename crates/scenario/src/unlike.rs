//! How the work of two scenarios differs.

use serde_json::Value;

use crate::Loaded;

/// What must be equal for two runs to be comparable. The storage may differ:
/// that is what comparisons are for. Intervals, seeds and goals do not change
/// what is measured.
const COMPARABLE: [&str; 3] = ["duration", "warmup", "workload"];

impl Loaded {
    /// How the work that `other` asks for differs: a line for each value,
    /// `workload.readers.processes: 4 against 8`, in the order of the fields.
    #[must_use]
    pub fn unlike(&self, other: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        let (Ok(mine), Ok(theirs)) = (
            serde_json::to_value(&self.scenario),
            serde_json::to_value(&other.scenario),
        ) else {
            // A scenario that was read can be written.
            return lines;
        };
        for key in COMPARABLE {
            differences(key, &mine[key], &theirs[key], &mut lines);
        }
        lines
    }
}

fn differences(path: &str, mine: &Value, theirs: &Value, lines: &mut Vec<String>) {
    match (mine, theirs) {
        (Value::Object(mine), Value::Object(theirs)) => {
            let added = theirs.keys().filter(|key| !mine.contains_key(*key));
            for key in mine.keys().chain(added) {
                let values = (mine.get(key), theirs.get(key));
                let values = (
                    values.0.unwrap_or(&Value::Null),
                    values.1.unwrap_or(&Value::Null),
                );
                differences(&format!("{path}.{key}"), values.0, values.1, lines);
            }
        }
        _ if mine == theirs => {}
        _ => lines.push(format!("{path}: {} against {}", shown(mine), shown(theirs))),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Object(_) => "a job".into(),
        other => other.to_string(),
    }
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

    #[test]
    fn a_job_that_only_one_has_is_named() {
        let more = "workload.more={kind: ranread, on: data, file_size: 1GiB, processes: 1}";
        assert_eq!(unlike(&[more]), ["workload.more: none against a job"]);
    }
}
