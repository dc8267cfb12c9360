//! The resolved jobs as JSON, for reports and for what writes them in the form of other tools.

use blockyard_model::spec::DeviceSpec;
use blockyard_model::workload::spec::{AccessSpec, Arrivals, JobSpec, Load, Preference, Skew};
use blockyard_model::workload::{LoopType, Offered};
use serde_json::{Value, json};

/// The jobs in their order: sizes in bytes, times in nanoseconds, shares in
/// 1/1000. Each has a `name` and a `load` with its steps. One with write-daemon
/// cycles has the longest time from the start of one `cycle` to the next. One
/// that is nothing but IOs of one size also says where they go and what they
/// are, and all of its load.
pub(crate) fn text_of(jobs: &[JobSpec], devices: &[DeviceSpec]) -> String {
    let jobs = jobs.iter().map(|job| {
        let mut fields = json!({"name": job.name(), "load": load(job)});
        if let Some(cycle) = job.cycle() {
            fields["cycle"] = cycle.into();
        }
        if let Some(spec) = job.as_access() {
            add_access(&mut fields, spec, devices);
        }
        fields
    });
    Value::Array(jobs.collect()).to_string()
}

/// What every job says of its load: a step is when it begins, and processes or
/// IOs a second.
fn load(job: &JobSpec) -> Value {
    let kind = match job.loop_type() {
        LoopType::Closed => "closed",
        LoopType::Open { .. } => "open",
        LoopType::Timed => "timed",
    };
    let step = |(from, offered)| match offered {
        Offered::Processes(amount) | Offered::Rate(amount) => (from, amount),
    };
    let steps: Vec<_> = job.steps().into_iter().map(step).collect();
    json!({"kind": kind, "steps": steps})
}

fn add_access(fields: &mut Value, spec: &AccessSpec, devices: &[DeviceSpec]) {
    fields["device"] = devices[spec.file.device].name.as_str().into();
    fields["offset"] = spec.file.offset.into();
    fields["size"] = spec.file.size.into();
    fields["block"] = spec.block.into();
    fields["read_permille"] = spec.read_permille.into();
    fields["random_permille"] = spec.random_permille.into();
    fields["skew"] = skew(spec.skew);
    let load = &mut fields["load"];
    match spec.load {
        Load::Closed { outstanding, .. } => load["outstanding"] = outstanding.into(),
        Load::Open {
            arrivals,
            max_outstanding,
            latency_limit,
            ..
        } => {
            load["arrivals"] = match arrivals {
                Arrivals::Poisson => "poisson",
                Arrivals::Even => "even",
            }
            .into();
            load["max_outstanding"] = max_outstanding.into();
            load["latency_limit"] = latency_limit.into();
        }
    }
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
