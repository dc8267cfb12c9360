//! What an observed load is like: its bursts, its order, its hot blocks, and who issues it.

use blockyard_record::result::{Observed, ObservedDevice, ObservedLoad};

use super::background_writes;
use super::phrases::{in_bytes, listed};
use crate::Run;
use crate::charts::bursts::{Bursts, WINDOWS_S, bursts};
use crate::text::format::{duration, grouped, number, percent, rate};
use crate::text::table::{Said, Table};

/// What a summary says: a line a device, and one where reads can be told apart.
pub(crate) fn lines(run: &Run) -> Vec<String> {
    let of = |device: &ObservedDevice| {
        let parts = [
            peak(run, device),
            device.load.as_ref().and_then(order),
            device.load.as_ref().and_then(hottest),
            flushes(run, device),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let load = (!parts.is_empty()).then(|| format!("{}: {}", device.name, parts.join("; ")));
        [load, background_writes::reads_beside(run, device)]
    };
    let observed = run.result.observed.iter();
    let said = observed.flat_map(|observed| observed.devices.iter().flat_map(of));
    said.flatten().collect()
}

/// Tables, and sentences on flushes and on reads beside writes.
pub(crate) fn told(run: &Run) -> Vec<Said> {
    let Some(observed) = &run.result.observed else {
        return Vec::new();
    };
    let devices = &observed.devices;
    let rates = rates(run, observed);
    let dispersion = rates
        .columns
        .iter()
        .any(|column| column.starts_with("dispersion"));
    let dispersion = dispersion.then(|| {
        "Dispersion is the variance of the number of IOs in windows of that length, by its mean: \
         1 of IOs that come independently of each other."
            .to_owned()
    });
    let flushes = devices.iter().filter_map(|device| {
        let said = flushes(run, device)?;
        Some(format!("{}: {said}.", device.name))
    });
    let beside = background_writes::told(run, observed);
    let sentences = dispersion.into_iter().chain(flushes).chain(beside);
    let sentences = sentences.map(Said::from);
    let tables = [rates, hot_blocks(observed), issuers(observed)];
    let tables = tables.into_iter().filter(|table| !table.rows.is_empty());
    tables.map(Said::from).chain(sentences).collect()
}

fn rates(run: &Run, observed: &Observed) -> Table {
    let windows = WINDOWS_S.map(|window| format!("dispersion, {}", duration(window)));
    let mut columns = vec!["device", "operation", "IOPS", "peak", "peak to mean"];
    columns.extend(windows.iter().map(String::as_str));
    columns.push("sequential");
    let rows = observed.devices.iter().flat_map(|device| {
        device.ops.iter().filter_map(|op| {
            let of = bursts(run, &device.name, Some(&op.op))?;
            let dispersion = of.dispersion.map(|of| of.map(number).unwrap_or_default());
            let mut row = vec![device.name.clone(), op.op.clone()];
            row.extend([rate(of.mean), rate(of.peak), number(of.peak / of.mean)]);
            row.extend(dispersion);
            let load = device.load.as_ref();
            let sequential = load.and_then(|load| match op.op.as_str() {
                "read" => load.sequential_reads,
                "write" => load.sequential_writes,
                _ => None,
            });
            row.push(sequential.map(|of| percent(of, 0)).unwrap_or_default());
            Some(row)
        })
    });
    let bin = duration(observed.interval_s.max(1.0));
    let caption = format!("Bursts by {bin}, and order");
    Table::new(&caption, &columns, rows.collect(), 2).without_empty()
}

fn hot_blocks(observed: &Observed) -> Table {
    let columns = [
        "device",
        "blocks of",
        "touched",
        "hottest 1%",
        "hottest 10%",
    ];
    let loads = observed.devices.iter();
    let loads = loads.filter_map(|device| Some((&device.name, &device.load.as_ref()?.places)));
    let rows = loads.map(|(name, places)| {
        let part = |of: Option<f64>| of.map(|of| percent(of, 0)).unwrap_or_default();
        vec![
            name.clone(),
            in_bytes(places.block_bytes),
            in_bytes(places.touched.saturating_mul(places.block_bytes)),
            part(places.hottest_1_pct),
            part(places.hottest_10_pct),
        ]
    });
    let caption = "Reads and writes that the hottest blocks get";
    Table::new(caption, &columns, rows.collect(), 1).without_empty()
}

fn issuers(observed: &Observed) -> Table {
    let columns = [
        "device",
        "issued by",
        "threads",
        "reads",
        "read",
        "writes",
        "written",
        "flushes",
        "in the background",
    ];
    let nonzero = |count: u64, text: String| if count > 0 { text } else { String::new() };
    let rows = observed.devices.iter().flat_map(|device| {
        let issuers = device.load.iter().flat_map(|load| &load.issuers);
        issuers.map(|own| {
            let ios = |count: u64| nonzero(count, grouped(count as f64, 0));
            let bytes = |count: u64| nonzero(count, in_bytes(count));
            let name = match own.name.as_str() {
                "" => "others",
                name => name,
            };
            vec![
                device.name.clone(),
                name.to_owned(),
                ios(own.threads),
                ios(own.reads),
                bytes(own.read_bytes),
                ios(own.writes),
                bytes(own.write_bytes),
                ios(own.flushes),
                bytes(own.background_bytes),
            ]
        })
    });
    Table::new("Who issued it", &columns, rows.collect(), 2).without_empty()
}

fn peak(run: &Run, device: &ObservedDevice) -> Option<String> {
    let Bursts { peak, mean, .. } = bursts(run, &device.name, None)?;
    Some(format!(
        "peak of {} IOPS in {}, {} times the mean",
        rate(peak),
        duration(run.interval_s.max(1.0)),
        number(peak / mean)
    ))
}

fn order(load: &ObservedLoad) -> Option<String> {
    let of = [
        ("reads", load.sequential_reads),
        ("writes", load.sequential_writes),
    ];
    let parts = of.into_iter().filter_map(|(ops, part)| {
        let part = percent(part?, 0);
        Some(format!("{part} of {ops}"))
    });
    let parts: Vec<_> = parts.collect();
    (!parts.is_empty()).then(|| format!("{} sequential", listed(&parts)))
}

fn hottest(load: &ObservedLoad) -> Option<String> {
    let places = &load.places;
    let tenth = percent(places.hottest_10_pct?, 0);
    let first = places.hottest_1_pct.map(|one| percent(one, 0));
    let first = first.map_or_else(String::new, |one| {
        format!("{one} of IOs in the hottest 1% and ")
    });
    let touched = in_bytes(places.touched.saturating_mul(places.block_bytes));
    Some(format!(
        "{first}{tenth} in the hottest 10% of {touched} touched"
    ))
}

fn flushes(run: &Run, device: &ObservedDevice) -> Option<String> {
    let of = |op: &str| {
        let mut totals = run.result.totals.iter();
        totals.find(|total| total.device == device.name && total.op == op)
    };
    let (flushed, written) = (of("flush")?.ios, of("write").map_or(0, |total| total.bytes));
    (flushed > 0).then(|| format!("a flush for each {} written", in_bytes(written / flushed)))
}
