//! Means of latency where that is all that is known, as of iostat's output.

use blockyard_record::result::Total;

use crate::{Intervals, Names};

/// The mean latency of a total by the means of its intervals; none where these have none.
pub(crate) fn mean_us(intervals: &Intervals, total: &Total) -> Option<f64> {
    let job = place(&intervals.job, &total.job)?;
    let device = place(&intervals.device, &total.device)?;
    let op = place(&intervals.op, &total.op)?;
    let own = |row: &usize| {
        intervals.job.index[*row] == job
            && intervals.device.index[*row] == device
            && intervals.op.index[*row] == op
    };
    let rows = 0..intervals.ios.len();
    let timed = rows
        .filter(own)
        .map(|row| (intervals.ios[row], intervals.latency_mean_us[row]))
        .filter(|(_, mean)| !mean.is_nan());
    let (ios, whole) = timed.fold((0, 0.0), |(ios, whole), (more, mean)| {
        (ios + more, whole + more as f64 * mean)
    });
    (ios > 0).then(|| whole / ios as f64)
}

fn place(names: &Names, wanted: &str) -> Option<usize> {
    names.names.iter().position(|name| name == wanted)
}
