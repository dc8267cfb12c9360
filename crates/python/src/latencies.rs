//! Latencies from Python: histograms, and logs of them.

use std::borrow::Cow;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use blockyard_record::{
    Histogram as Counts, Latencies as Log, LogError, MOST_VALUES, Packed, read_log,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{FileError, os_error};

/// Latencies, counted in buckets that are within 0.1 % of their values.
#[pyclass(frozen, module = "blockyard", from_py_object)]
#[derive(Clone, Debug)]
pub(crate) struct Histogram(Packed);

#[pymethods]
impl Histogram {
    /// The latencies `us`, each as often as `counts` says. ValueError for
    /// latencies below 0, for more than [`MOST_VALUES`], and where the two differ in length.
    #[staticmethod]
    fn of(us: Vec<f64>, counts: Vec<u64>) -> PyResult<Self> {
        if us.len() != counts.len() {
            return Err(PyValueError::new_err(format!(
                "{} latencies and {} counts; expected as many of both",
                us.len(),
                counts.len()
            )));
        }
        let all = counts.iter().map(|&count| u128::from(count)).sum::<u128>();
        if all > u128::from(MOST_VALUES) {
            return Err(PyValueError::new_err(format!(
                "{all} latencies; expected at most {MOST_VALUES}"
            )));
        }
        let mut sum = Counts::default();
        for (us, count) in us.into_iter().zip(counts) {
            sum.record_many(nanos("a latency in µs", us, 1e3)?, count);
        }
        Ok(Self((&sum).into()))
    }

    /// All latencies of several.
    #[staticmethod]
    fn merged(histograms: Vec<Self>) -> Self {
        let mut sum = Counts::default();
        for Self(histogram) in &histograms {
            sum.merge_packed(histogram);
        }
        Self((&sum).into())
    }

    /// How many there are.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count()
    }

    /// Their mean in microseconds; 0 when there are none.
    #[getter]
    fn mean_us(&self) -> f64 {
        self.0.mean() / 1e3
    }

    /// The longest in microseconds; 0 when there are none.
    #[getter]
    fn max_us(&self) -> f64 {
        micros(self.0.max())
    }

    /// The latencies at `quantiles` (0 to 1, in any order) in microseconds.
    /// ValueError for other quantiles, and when there are no latencies.
    fn quantiles_us(&self, quantiles: Vec<f64>) -> PyResult<Vec<f64>> {
        if self.0.count() == 0 {
            return Err(PyValueError::new_err("no latencies have no quantiles"));
        }
        if let Some(other) = quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(PyValueError::new_err(format!(
                "a quantile of {other}; expected 0 to 1"
            )));
        }
        let mut order: Vec<_> = (0..quantiles.len()).collect();
        order.sort_by(|&a, &b| quantiles[a].total_cmp(&quantiles[b]));
        let rising: Vec<_> = order.iter().map(|&place| quantiles[place]).collect();
        let mut found = vec![0.0; quantiles.len()];
        for (place, nanos) in order.into_iter().zip(self.0.quantiles(&rising)) {
            found[place] = micros(nanos);
        }
        Ok(found)
    }

    /// The middle of each bucket that has any, in microseconds, and its count,
    /// rising.
    fn buckets(&self) -> Vec<(f64, u64)> {
        let buckets = self.0.buckets();
        buckets
            .map(|(nanos, count)| (micros(nanos), count))
            .collect()
    }

    /// How many lie from each of the rising `edges_us` on, and before the next.
    fn counts(&self, edges_us: Vec<f64>) -> Vec<u64> {
        let mut counts = vec![0; edges_us.len().saturating_sub(1)];
        let mut next = 0;
        for (nanos, count) in self.0.buckets() {
            next += edges_us[next..].partition_point(|&edge| edge <= micros(nanos));
            if let Some(below) = next.checked_sub(1)
                && let Some(counted) = counts.get_mut(below)
            {
                *counted += count;
            }
        }
        counts
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let (buckets, count, sum, max) = self.0.parts();
        let parts = (buckets.to_vec().into(), count, sum, max);
        Ok((restorer(py, "_histogram")?, parts))
    }

    fn __repr__(&self) -> String {
        let [mean, max] = [self.mean_us(), self.max_us()];
        format!(
            "<Histogram of {} latencies, mean {mean:.1} µs, max {max:.1} µs>",
            self.0.count()
        )
    }
}

/// Histograms by tag and interval.
#[pyclass(frozen, module = "blockyard")]
#[derive(Debug)]
pub(crate) struct Latencies(pub(crate) Arc<Log>);

#[pymethods]
impl Latencies {
    /// Reads an HdrHistogram log of latencies in nanoseconds: that of a run, or
    /// another tool's, whose tags may be missing (then "").
    ///
    /// Raises OSError if it cannot be read, FileError naming the line if it is no
    /// such log.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| read_log(BufReader::new(File::open(&path)?)));
        read.map(|log| Self(Arc::new(log)))
            .map_err(|error| match error {
                LogError::Io(error) => os_error(&error, &path),
                error => FileError::new_err(format!("{}:{error}", path.display())),
            })
    }

    /// Those of `rows`: tag, start and length of the interval in seconds, and
    /// latencies. ValueError for times below 0.
    #[staticmethod]
    fn of(rows: Vec<(String, f64, f64, Histogram)>) -> PyResult<Self> {
        let mut log = Log::default();
        for (tag, start_s, length_s, Histogram(latencies)) in rows {
            let start = nanos("a start in s", start_s, 1e9)?;
            let length = nanos("a length in s", length_s, 1e9)?;
            log.push(&tag, start, length, latencies);
        }
        Ok(Self(Arc::new(log)))
    }

    /// The tags, in order of first appearance.
    #[getter]
    fn tags(&self) -> Vec<&str> {
        self.0.tags().collect()
    }

    /// All latencies of `tags` in the intervals whose middle lies between two
    /// times in seconds. A tag that nothing has adds nothing.
    #[pyo3(signature = (tags, from_s=0.0, to_s=None))]
    fn merged(
        &self,
        py: Python<'_>,
        tags: Vec<String>,
        from_s: f64,
        to_s: Option<f64>,
    ) -> PyResult<Histogram> {
        let from = nanos("from_s", from_s, 1e9)?;
        let to = to_s.map_or(Ok(u64::MAX), |to_s| nanos("to_s", to_s, 1e9))?;
        Ok(Histogram(py.detach(|| self.0.merged(&tags, from, to))))
    }

    /// The latencies of `tags` in bins of `bin_s` seconds, by the middle of each
    /// interval: the start of each bin that has any, in seconds, and what it has.
    /// ValueError for a bin below 1 ns.
    fn over_time(
        &self,
        py: Python<'_>,
        tags: Vec<String>,
        bin_s: f64,
    ) -> PyResult<Vec<(f64, Histogram)>> {
        let bin = nanos("bin_s", bin_s, 1e9)?;
        if bin == 0 {
            return Err(PyValueError::new_err("bin_s is 0; expected 1e-9 or more"));
        }
        let bins = py.detach(|| self.0.over_time(&tags, bin));
        let bins = bins
            .into_iter()
            .map(|(start, latencies)| (start as f64 / 1e9, Histogram(latencies)));
        Ok(bins.collect())
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<Row>,))> {
        let rows = self.0.entries();
        let rows = rows
            .map(|(tag, middle, latencies)| (tag.to_owned(), middle, Histogram(latencies.clone())));
        Ok((restorer(py, "_latencies")?, (rows.collect(),)))
    }

    fn __repr__(&self) -> String {
        let count: u64 = self.0.entries().map(|(_, _, each)| each.count()).sum();
        let tags: Vec<_> = self.0.tags().take(SHOWN_TAGS).collect();
        let more = if self.0.tags().count() > SHOWN_TAGS {
            ", …"
        } else {
            ""
        };
        format!("<Latencies of {count} IOs: {}{more}>", tags.join(", "))
    }
}

/// More tags than this a line does not show.
const SHOWN_TAGS: usize = 4;

/// A histogram's parts: buckets, count, sum and maximum.
type Parts = (Cow<'static, [u8]>, u64, u128, u64);

/// Tag, middle of the interval in nanoseconds, latencies.
type Row = (String, u64, Histogram);

/// The function of this module that pickle is to call.
pub(crate) fn restorer<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("blockyard._core")?.getattr(name)
}

/// A histogram that was pickled.
#[pyfunction(name = "_histogram")]
pub(crate) fn histogram(buckets: &[u8], count: u64, sum: u128, max: u64) -> PyResult<Histogram> {
    Packed::of_parts(buckets, count, sum, max)
        .map(Histogram)
        .ok_or_else(|| PyValueError::new_err("not what a histogram was put away as"))
}

/// Latencies that were pickled.
#[pyfunction(name = "_latencies")]
pub(crate) fn latencies(rows: Vec<Row>) -> Latencies {
    let mut log = Log::default();
    for (tag, middle, Histogram(latencies)) in rows {
        log.push(&tag, middle, 0, latencies);
    }
    Latencies(Arc::new(log))
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

/// `value` in nanoseconds, of which its unit has `scale`.
fn nanos(what: &str, value: f64, scale: f64) -> PyResult<u64> {
    let nanos = (value * scale).round();
    if (0.0..u64::MAX as f64).contains(&nanos) {
        Ok(nanos as u64)
    } else {
        Err(PyValueError::new_err(format!(
            "{what} of {value}; expected 0 to {:.0}",
            u64::MAX as f64 / scale
        )))
    }
}
