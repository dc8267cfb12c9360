//! The resolved jobs as JSON, for reports and for what writes them in the form of other tools.

use blockyard_model::spec::DeviceSpec;
use blockyard_model::workload::spec::{AccessSpec, Arrivals, JobSpec, Load, Preference, Skew};
use serde_json::{Value, json};

/// The jobs in their order: sizes in bytes, times in nanoseconds, shares in
/// 1/1000. Of a `ranwrite` job only its kind, its name and the longest time from
/// the start of one write-daemon cycle to the next: the cycles have no form that
/// other tools know.
pub(crate) fn text_of(jobs: &[JobSpec], devices: &[DeviceSpec]) -> String {
    let jobs = jobs.iter().map(|job| match job {
        JobSpec::Access(spec) => access(spec, devices),
        JobSpec::RanWrite(spec) => {
            json!({"kind": "ranwrite", "name": spec.name, "cycle": spec.cycle})
        }
    });
    Value::Array(jobs.collect()).to_string()
}

fn access(spec: &AccessSpec, devices: &[DeviceSpec]) -> Value {
    json!({
        "kind": "access",
        "name": spec.name,
        "device": devices[spec.file.device].name,
        "offset": spec.file.offset,
        "size": spec.file.size,
        "block": spec.block,
        "read_permille": spec.read_permille,
        "random_permille": spec.random_permille,
        "skew": skew(spec.skew),
        "load": load(&spec.load),
    })
}

fn skew(skew: Skew) -> Value {
    let scatter = skew.scatter;
    match skew.preference {
        Preference::None => Value::Null,
        Preference::Zipf { permille } => {
            json!({"kind": "zipf", "permille": permille, "scatter": scatter})
        }
        Preference::Hot {
            ios_permille,
            blocks_permille,
        } => json!({
            "kind": "hot",
            "ios_permille": ios_permille,
            "blocks_permille": blocks_permille,
            "scatter": scatter,
        }),
    }
}

fn load(load: &Load) -> Value {
    match load {
        Load::Closed { steps, outstanding } => {
            json!({"kind": "closed", "steps": steps, "outstanding": outstanding})
        }
        Load::Open {
            steps,
            arrivals,
            max_outstanding,
            latency_limit,
        } => json!({
            "kind": "open",
            "steps": steps,
            "arrivals": match arrivals {
                Arrivals::Poisson => "poisson",
                Arrivals::Even => "even",
            },
            "max_outstanding": max_outstanding,
            "latency_limit": latency_limit,
        }),
    }
}
