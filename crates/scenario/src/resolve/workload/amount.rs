//! What a job has to do in all.

use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::Load;

use crate::resolve::Invalid;
use crate::schema::{AccessSpec, Pattern};
use crate::units::Duration;

/// The bytes after which the job at `path` has nothing more to do; none if it goes on.
///
/// # Errors
/// An open loop, load steps or a warm-up, with which it would not be clear what is done by when;
/// less than an IO for each process.
pub(super) fn amount(
    path: &str,
    job: &AccessSpec,
    pattern: &Pattern,
    load: &Load,
    warmup: Duration,
) -> Result<Option<Bytes>, Invalid> {
    let Some(amount) = job.amount else {
        return Ok(None);
    };
    let refused = |message: String| Err(Invalid::new(format!("{path}.amount"), message));
    let Load::Closed { steps, .. } = load else {
        return refused("`amount` belongs to a closed loop, which has `processes`".into());
    };
    let [(_, processes)] = steps[..] else {
        let message = "an amount is shared by processes that are there from the start to the end; \
                       expected one number of `processes`";
        return refused(message.into());
    };
    if warmup.nanos() > 0 {
        let message = format!(
            "an amount counts from the start of the run; expected `warmup: 0s`, not {warmup}"
        );
        return refused(message);
    }
    let io = job.read_ahead.unwrap_or(pattern.size);
    if amount.bytes() / io.bytes() < u64::from(processes) {
        let message =
            format!("`{amount}` is less than an IO of {io} for each of {processes} processes");
        return refused(message);
    }
    Ok(Some(amount.bytes()))
}
