//! A load by interval as the `demand` jobs of a scenario, and as its goals.

use std::fmt::Write;

use blockyard_model::units::{MILLISECOND, Nanos};
use blockyard_text::units::{Duration, Size};

use crate::answer::layout::Layout;
use crate::load::demand::Demand;
use crate::load::streams::Stream;
use crate::proof::jobs::{in_flight, jobs};
use crate::requirement::needs::{Needs, Of};

/// What no volume takes on average for an IO that waits for nothing. With credits that end too
/// early IO waits for minutes.
const WITHOUT_WAITING: Nanos = 50 * MILLISECOND;

/// The jobs as YAML, and what must hold.
pub(crate) fn by_interval(
    needs: &Needs,
    layout: &Layout,
    demand: &Demand,
) -> (Vec<String>, Vec<String>) {
    let at_highest = jobs(needs, layout);
    let journal = at_highest.iter().find(|job| job.of == Of::Journal);
    let data = at_highest.iter().filter(|job| job.of != Of::Journal);
    let data_size = data.map(|job| job.file).sum();
    let highest = needs.data.iter().map(|it| it.iops).sum();
    let mut rows = String::new();
    let mut at = 0;
    for (lasts, mix) in &demand.intervals {
        rows += &row(at, &demand.mixes[*mix]);
        at += lasts;
    }
    let mut written = vec![job("load", "data", (data_size, highest), &rows)];
    written.extend(journal.map(|it| {
        let row = row(0, std::slice::from_ref(&it.stream));
        job("journal", it.on, (it.file, it.stream.iops), &row)
    }));
    let of = [
        (demand.has(false), "load.read", Of::Read),
        (demand.has(true), "load.write", Of::Write),
        (journal.is_some(), "journal", Of::Journal),
    ];
    let goals = of
        .into_iter()
        .filter(|(there, ..)| *there)
        .map(|(_, name, of)| {
            // A mean is below any high quantile, unless something waits.
            let stated = needs.latency.iter().filter(|goal| goal.of == of);
            let most = stated
                .map(|goal| goal.most)
                .max()
                .unwrap_or(WITHOUT_WAITING);
            format!("{name}.latency.mean <= {}", Duration::new(most))
        });
    (written, goals.collect())
}

/// A job with a file of so many bytes, and so many IOs a second at most.
fn job(name: &str, on: &str, (file, iops): (u64, u64), rows: &str) -> String {
    let file = Size::new(file);
    let outstanding = in_flight(iops);
    format!(
        "  {name}:\n    kind: demand\n    on: {on}\n    file_size: {file}\n    \
         max_outstanding: {outstanding}\n    intervals: |\n      at,reads,writes,size\n{}",
        rows.trim_end_matches('\n')
    )
}

/// The line of an interval that begins at some time.
fn row(at: Nanos, mix: &[Stream]) -> String {
    let iops = |write: bool| -> u64 {
        let own = mix.iter().filter(|it| it.write == write);
        own.map(|it| it.iops).sum()
    };
    let size = mix.first().map_or(0, |it| it.io_size);
    let mut row = String::new();
    // Writing to a string cannot fail.
    let (at, reads, writes) = (Duration::new(at), iops(false), iops(true));
    let _ = writeln!(row, "      {at},{reads},{writes},{size}");
    row
}
