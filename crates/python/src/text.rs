//! Figures, limits and bills in words, for Python.

use blockyard_cost::Bill;
use blockyard_explain::{LimitId, Owner, Waited};
use blockyard_report::text::{format, limit_names};
use blockyard_report::words;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

use crate::error::FileError;
use crate::result::text_of;

/// A time of microseconds to three digits: `250 ns`, `0.62 ms`, `36.4 ms`, `5 min 10 s`.
///
/// Tenths of a millisecond have two digits. From two minutes on it is as long as `duration`s.
#[pyfunction]
pub(crate) fn latency(us: f64) -> String {
    format::latency(us)
}

/// What was said as a sentence: a capital letter, unless it begins with a name.
///
/// That is one of `names`, or has a figure, as volume and instance types have.
#[pyfunction]
#[pyo3(signature = (said, names=None), text_signature = "(said, names=())")]
pub(crate) fn sentence(said: &str, names: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let Some(names) = names else {
        return Ok(format::sentence(said));
    };
    let names = names.try_iter()?.map(|name| name?.extract());
    let names: Vec<String> = names.collect::<PyResult<_>>()?;
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    Ok(format::sentence_with(said, &names))
}

/// A figure with its unit; of times with whichever fits: `3,000 IOPS`, `1 ms`, `5 min 10 s`.
#[pyfunction]
pub(crate) fn quantity(value: f64, unit: &str) -> String {
    format::quantity(value, unit)
}

/// An amount a second: `0.25`, `7.5`, `3,000`, `1.2 million`.
#[pyfunction]
pub(crate) fn rate(value: f64) -> String {
    format::rate(value)
}

/// How long something lasts: `0.5 s`, `90 s`, `30 min`, `5 h 36 min`, `2 d 3 h`.
///
/// To three digits below two minutes, above to the second, from an hour on to the minute
/// and from two days on to the hour.
#[pyfunction]
pub(crate) fn duration(seconds: f64) -> String {
    format::duration(seconds)
}

/// A moment as MINUTES:SECONDS, from an hour on as HOURS:MINUTES:SECONDS.
///
/// With tenths of a second where there are any.
#[pyfunction]
pub(crate) fn clock(seconds: f64) -> String {
    format::clock(seconds)
}

/// A figure to some digits, or all before the point: `0.0123`, `12,345`, `1.2 million`.
#[pyfunction]
#[pyo3(signature = (value, digits=3))]
pub(crate) fn number(value: f64, digits: usize) -> String {
    format::number_to(value, digits)
}

/// Bytes in the largest binary unit that they have one of: `2 TiB`, `1.5 GiB`, `512 B`.
#[pyfunction]
pub(crate) fn size(of: u64) -> String {
    format::size(of)
}

/// A price as exact as it is stated, to the millionth: `0.0455`.
#[pyfunction]
pub(crate) fn price(dollars: f64) -> String {
    format::price(dollars)
}

/// A share of 0 to 1: in percent, unless it is all, or too little for a figure.
#[pyfunction]
pub(crate) fn share(part: f64) -> String {
    words::share(part)
}

/// A limit of a device, of a leg or of a host, which is given as JSON: `data read IOPS`.
#[pyfunction]
pub(crate) fn limit_in_words(limit: &str) -> PyResult<String> {
    Ok(limit_names::in_words(&read::<LimitId>("limit", limit)?))
}

/// What a limit counts, `IOPS` or `throughput`.
#[pyfunction]
pub(crate) fn limit_counts(limit: &str) -> PyResult<&'static str> {
    let limit: LimitId = read("limit", limit)?;
    Ok(limit_names::counted(limit.kind.counts))
}

/// Whose a limit is: `data`, of a leg `data.far`, of a host `instance` or `primary's`.
#[pyfunction]
pub(crate) fn limit_owner(
    device: Option<String>,
    leg: Option<String>,
    host: Option<String>,
) -> String {
    let owner = match (device, leg) {
        (Some(device), Some(leg)) => Owner::Leg { device, leg },
        (Some(device), None) => Owner::Device(device),
        (None, _) => Owner::Host(host.unwrap_or_default()),
    };
    limit_names::owner(&owner)
}

/// Which limits throttled IOs, with their shares, which are given as JSON; `nothing` of none.
#[pyfunction]
pub(crate) fn waited_in_words(waited: &str) -> PyResult<String> {
    let waited: Vec<Waited> = read("waited", waited)?;
    Ok(words::throttled_by(&waited))
}

/// A host: `instance`, or the name that it has.
#[pyfunction]
pub(crate) fn host_in_words(name: Option<&str>) -> &str {
    limit_names::host(name)
}

/// `primary's`, `readers'`.
#[pyfunction]
pub(crate) fn possessive(noun: &str) -> String {
    limit_names::possessive(noun)
}

/// How instances are paid for on a term, as `1y-all-upfront`: `one year, all upfront`.
#[pyfunction]
pub(crate) fn term_in_words(term: &str) -> &str {
    words::cost::term(term)
}

/// A bill, which is given as JSON, as a JSON list: its table, if it has lines, and sentences.
#[pyfunction]
pub(crate) fn bill_in_words(bill: &str) -> PyResult<String> {
    text_of(&words::cost::told(&read::<Bill>("bill", bill)?))
}

/// What `text` says. Raises FileError, in one line that `what` begins, if that is something else.
pub(crate) fn read<T: DeserializeOwned>(what: &str, text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| FileError::new_err(format!("{what}: {error}")))
}
