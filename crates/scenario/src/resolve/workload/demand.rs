//! `demand` jobs.

use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::{self as model, DemandSpec, DemandStep};

use super::files::Files;
use super::steps::Run;
use crate::demand;
use crate::resolve::Invalid;
use crate::schema::{self, Load};
use crate::units::{Duration, Size};

/// The job called `name` at `path`.
pub(super) fn resolve(
    (name, path): (&str, &str),
    job: &schema::Demand,
    run: Run<'_>,
    files: &mut Files<'_>,
) -> Result<DemandSpec, Invalid> {
    let field = format!("{path}.intervals");
    let invalid = |message: String| Invalid::new(&*field, message);
    if demand::is_file(&job.intervals) {
        return Err(invalid(format!("cannot read `{}`", job.intervals)));
    }
    let percent = u64::from(job.percent.get());
    let mut steps = demand::steps(&job.intervals).map_err(invalid)?;
    steps.retain(|step| run.contains(step.from));
    for step in &mut steps {
        if !run.fits(Duration::new(step.from)) {
            let (at, interval) = (Duration::new(step.from), run.interval());
            return Err(invalid(format!(
                "an interval at {at}, which is not a multiple of the run's interval of {interval}"
            )));
        }
        step.reads = step.reads * percent / 100;
        step.writes = step.writes * percent / 100;
    }
    if steps.iter().all(|step| step.reads + step.writes == 0) {
        return Err(invalid(
            "no IO within the duration; expected some".to_owned(),
        ));
    }
    let largest: Bytes = steps
        .iter()
        .map(|step: &DemandStep| step.size)
        .max()
        .unwrap_or(1);
    let size = job.file_size;
    if size.bytes() < largest {
        let (path, largest) = (format!("{path}.file_size"), Size::new(largest));
        let message = format!("a file of {size} holds no IO of {largest}");
        return Err(Invalid::new(path, message));
    }
    let max_outstanding = job.max_outstanding.unwrap_or(Load::MAX_OUTSTANDING).get();
    run.check_in_flight(path, max_outstanding)?;
    Ok(DemandSpec {
        name: name.to_owned(),
        file: files.place(path, "on", &job.on, "file_size", size, 512)?,
        steps,
        arrivals: match job.arrivals.unwrap_or(Load::ARRIVALS) {
            schema::Arrivals::Poisson => model::Arrivals::Poisson,
            schema::Arrivals::Even => model::Arrivals::Even,
        },
        max_outstanding,
    })
}
