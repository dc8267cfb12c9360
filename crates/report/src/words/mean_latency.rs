//! Means of latency where that is all that is known, as of iostat's output.

use blockyard_record::result::Total;

use crate::{Intervals, Names};

/// The mean latency of a total by the means of its intervals, in µs; none where these have none.
pub(crate) fn mean_us(intervals: &Intervals, total: &Total) -> Option<f64> {
    let job = place(&intervals.job, &total.job)?;
    let device = place(&intervals.device, &total.device)?;
    let op = place(&intervals.op, &total.op)?;
    let series = intervals.job.index.iter();
    let series = series.zip(&intervals.device.index).zip(&intervals.op.index);
    let figures = intervals.ios.iter().zip(&intervals.latency_mean_us);
    let own = series
        .zip(figures)
        .filter(|(series, (_, mean))| *series == ((&job, &device), &op) && !mean.is_nan());
    let (mut ios, mut whole) = (0, 0.0);
    for (_, (&count, &mean)) in own {
        ios += count;
        whole += count as f64 * mean;
    }
    (ios > 0).then(|| whole / ios as f64)
}

/// The place of a name in a column.
fn place(column: &Names, name: &str) -> Option<usize> {
    column.names.iter().position(|one| one == name)
}
