//! A scenario that is served, from Python.

use std::path::PathBuf;

use blockyard_emulate::{Backing, Observer, Options, Served, emulate};
use blockyard_record::{Interval, Plan};
use blockyard_scenario::units::Duration;
use blockyard_scenario::{Loaded, Resolved};
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::{bad_input, not_run};
use crate::output::{create, open_log, text_of};
use crate::watcher::Watcher;

/// What `Scenario.emulate` takes besides the observer.
#[derive(Debug, FromPyObject)]
pub(crate) struct Arguments {
    #[pyo3(item)]
    front: String,
    #[pyo3(item)]
    devices: Vec<String>,
    #[pyo3(item)]
    each_volume: bool,
    #[pyo3(item)]
    backing: String,
    #[pyo3(item)]
    control: Option<PathBuf>,
    #[pyo3(item)]
    tls_certificates: Option<PathBuf>,
    #[pyo3(item)]
    tls_any_client: bool,
    #[pyo3(item)]
    spin: String,
    #[pyo3(item)]
    length: Option<String>,
    #[pyo3(item)]
    started: String,
    #[pyo3(item)]
    latency_log: PathBuf,
    #[pyo3(item)]
    arrivals: Option<PathBuf>,
}

/// Serves it and gives the text of `result.json`.
pub(crate) fn run(
    py: Python<'_>,
    (loaded, resolved): (&Loaded, &Resolved),
    observer: &Py<PyAny>,
    arguments: Arguments,
) -> PyResult<String> {
    let options = options(arguments)?;
    let mut watcher = Watcher::new(observer);
    let scenario = &loaded.scenario;
    let outcome = py.detach(|| emulate(scenario, resolved, options, &mut watcher));
    watcher.raised()?;
    text_of(&outcome.map_err(not_run)?)
}

fn options(arguments: Arguments) -> PyResult<Options> {
    let wrong = |option: &str, error: String| bad_input(format!("{option}: {error}"));
    let time = |option: &str, text: &str| {
        let time: Result<Duration, _> = text.parse();
        time.map_err(|error| wrong(option, error))
    };
    let front = arguments.front.parse();
    let backing: Result<Backing, String> = arguments.backing.parse();
    let length = arguments.length.as_deref();
    let length = length.map(|text| time("--for", text)).transpose()?;
    if length.is_some_and(|length| length.nanos() == 0) {
        return Err(wrong("--for", "`0s`; expected a time above 0".into()));
    }
    Ok(Options {
        front: front.map_err(|error| wrong("--as", error))?,
        devices: arguments.devices,
        each_volume: arguments.each_volume,
        backing: backing.map_err(|error| wrong("--backing", error))?,
        control: arguments.control,
        tls_certificates: arguments.tls_certificates,
        tls_any_client: arguments.tls_any_client,
        spin: time("--spin", &arguments.spin)?.nanos(),
        length: length.map(Duration::nanos),
        started: arguments.started,
        latency_log: Some(open_log(arguments.latency_log)?),
        arrivals: arguments.arrivals.map(create).transpose()?,
    })
}

impl Observer for Watcher<'_> {
    fn serving(&mut self, served: &[Served]) {
        let served: Vec<_> = served
            .iter()
            .map(|served| {
                let size = served.size.to_string();
                (&served.name, &served.place, size, &served.backing)
            })
            .collect();
        self.tell("serving", (served,));
    }

    fn interval(&mut self, plan: &Plan, interval: Interval, status: &Value) {
        let (done_s, status) = (interval.done_s, status.to_string());
        Watcher::interval(self, plan, &interval, |observer, jobs, volumes| {
            observer.call_method1("interval", (done_s, jobs, volumes, status))?;
            Ok(())
        });
    }

    fn warn(&mut self, message: &str) {
        self.tell("warn", (message,));
    }

    fn stopped(&mut self) -> bool {
        self.is_stopped()
    }
}
