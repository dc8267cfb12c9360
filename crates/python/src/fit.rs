//! Profiles made from measurements, for Python.

use blockyard_catalog::Catalog;
use blockyard_fit::{Base, Bin, Io, Kind, Op, Part, Records, Trace, Window, fit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{FileError, bad_input};
use crate::latencies::Latencies;

/// What one job did on a device with one operation, an interval in each place.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Series {
    tag: String,
    write: bool,
    /// The size of each IO; none if they differ, or their latencies are not to be taken.
    size: Option<u64>,
    ios: Vec<u64>,
    bytes: Vec<u64>,
    latency_mean_us: Vec<Option<f64>>,
    /// Where no more is known of latencies, of the whole run: shares of the IOs, rising, and
    /// the latencies in microseconds that they do not exceed.
    percentiles: Vec<(f64, f64)>,
}

/// What was measured of one storage: runs by intervals, and single IOs.
#[pyclass(module = "blockyard._core")]
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    traces: Vec<Trace>,
    records: Option<Records>,
}

#[pymethods]
impl Measurements {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a run: where its intervals begin and the last one ends, in seconds, and what was
    /// done in them. Latencies may be off by `error`, as a share.
    fn add_run(
        &mut self,
        py: Python<'_>,
        edges_s: Vec<f64>,
        series: Vec<Series>,
        latencies: &Latencies,
        error: f64,
    ) -> PyResult<()> {
        let nanos = |seconds: &f64| (seconds * 1e9).round() as u64;
        let edges: Vec<u64> = edges_s.iter().map(nanos).collect();
        let intervals = edges.len().saturating_sub(1);
        let columns = |one: &Series| [one.ios.len(), one.bytes.len(), one.latency_mean_us.len()];
        if !edges.is_sorted_by(|a, b| a < b)
            || series.iter().any(|one| columns(one) != [intervals; 3])
        {
            let message = "intervals that do not rise, or columns of other lengths than theirs";
            return Err(PyValueError::new_err(message));
        }
        let windows = py.detach(|| windows(&edges, &series, latencies));
        self.traces.push(Trace {
            windows,
            error,
            percentiles: series.iter().any(|one| !one.percentiles.is_empty()),
        });
        Ok(())
    }

    /// Adds IOs to those of the record that is being read: of each when it was issued, its
    /// latency and its size, as 64-bit numbers in the machine's order, and a byte that is not 0
    /// for a write.
    fn add_ios(
        &mut self,
        issued_ns: &[u8],
        latency_ns: &[u8],
        sizes: &[u8],
        writes: &[u8],
    ) -> PyResult<()> {
        let columns = [issued_ns, latency_ns, sizes];
        if columns.iter().any(|it| it.len() != 8 * writes.len()) {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        let records = self.records.get_or_insert_default();
        let [issued, latency, sizes] = columns.map(numbers);
        for (((issued, latency), bytes), write) in issued.zip(latency).zip(sizes).zip(writes) {
            records.push(Io {
                issued,
                latency,
                op: op(*write != 0),
                bytes,
            });
        }
        Ok(())
    }

    /// Ends that record; gives the number of IOs beyond the most that are kept. `lost` has
    /// from when to when, in nanoseconds, others were not recorded.
    #[allow(clippy::needless_pass_by_value, reason = "pyo3 gives a list by value")]
    fn end_record(&mut self, py: Python<'_>, lost: Vec<(u64, u64)>) -> u64 {
        let records = self.records.take().unwrap_or_default();
        let left_out = records.left_out();
        self.traces.extend(py.detach(|| records.traces(&lost)));
        left_out
    }

    /// The profile and the limits, as a JSON text; what was not measured is that of the
    /// catalog's profile `like`.
    ///
    /// Raises ScenarioError if there is no such profile, and FileError for what is missing.
    fn fit(&self, py: Python<'_>, like: &str) -> PyResult<String> {
        let base = base(like)?;
        let fitted = py.detach(|| fit(&self.traces, &base));
        serde_json::to_string(&fitted.map_err(FileError::new_err)?).map_err(bad_input)
    }
}

fn op(write: bool) -> Op {
    match write {
        true => Op::Write,
        false => Op::Read,
    }
}

fn numbers(column: &[u8]) -> impl Iterator<Item = u64> {
    let (numbers, _) = column.as_chunks::<8>();
    numbers.iter().map(|number| u64::from_ne_bytes(*number))
}

/// How many of so many writes, of so many bytes, have data: see the crate `explain`.
#[pyfunction]
pub(crate) fn data_writes(writes: (u64, u64), flushes: u64, counted: Option<u64>) -> u64 {
    blockyard_explain::data_writes(writes, flushes, counted)
}

/// How many of a device's IOs are sequential; they are in the order of arrival.
#[pyfunction]
pub(crate) fn sequential(py: Python<'_>, offsets: &[u8], sizes: &[u8]) -> usize {
    let ios: Vec<_> = numbers(offsets).zip(numbers(sizes)).collect();
    py.detach(|| blockyard_trace::sequential(&ios))
}

fn windows(edges: &[u64], series: &[Series], latencies: &Latencies) -> Vec<Window> {
    let mut windows: Vec<Window> = edges
        .windows(2)
        .map(|edges| Window {
            start: edges[0],
            length: edges[1] - edges[0],
            parts: Vec::new(),
        })
        .collect();
    for one in series {
        let found = latencies.0.between(std::slice::from_ref(&one.tag), edges);
        for (place, (window, latencies)) in windows.iter_mut().zip(found).enumerate() {
            let (ios, bytes) = (one.ios[place], one.bytes[place]);
            let mean = one.latency_mean_us[place].unwrap_or(0.0) * 1e3;
            let sum = match latencies.count() {
                0 => (mean * ios as f64) as u128,
                count => (latencies.mean() * count as f64) as u128,
            };
            let kind = Kind {
                op: op(one.write),
                bytes: one.size,
            };
            let bins = match one.percentiles.is_empty() {
                true => latencies
                    .buckets()
                    .map(|(nanos, count)| bin(nanos, count))
                    .collect(),
                false => percentiles(&one.percentiles, ios),
            };
            if ios > 0 {
                window.parts.push(Part {
                    kind,
                    ios,
                    bytes,
                    sum,
                    bins,
                });
            }
        }
    }
    windows
}

fn bin(nanos: u64, count: u64) -> Bin {
    Bin { nanos, count }
}

/// Bins that end at percentiles of a number of IOs. Equal ones are a nanosecond apart, as each is
/// wanted at its own level.
fn percentiles(known: &[(f64, f64)], ios: u64) -> Vec<Bin> {
    let (mut bins, mut rank, mut least): (Vec<Bin>, _, _) = (Vec::new(), 0, 0);
    for (share, us) in known {
        // The shortest IO is the first.
        let next = ((share * ios as f64).ceil() as u64).clamp(1, ios.max(1));
        if next > rank {
            let nanos = ((us * 1e3).round() as u64).max(least);
            bins.push(bin(nanos, next - rank));
            (rank, least) = (next, nanos + 1);
        }
    }
    bins
}

fn base(name: &str) -> PyResult<Base> {
    let catalog = Catalog::get().map_err(bad_input)?;
    let profile = catalog.profile(name);
    let spec = &profile.map_err(|e| bad_input(format!("--like: {e}")))?.spec;
    let slow = |state: &blockyard_model::spec::SlowState| {
        (
            f64::from(state.multiplier_permille) / 1e3,
            state.mean as f64 / 1e9,
        )
    };
    Ok(Base {
        read: spec.read.clone(),
        write: spec.write.clone(),
        base_size: spec.base_size,
        per_kib: [spec.per_kib.read as f64, spec.per_kib.write as f64],
        slow: spec.slow.iter().map(slow).collect(),
        volume_spread: f64::from(spec.volume_spread_permille) / 1e3,
    })
}
