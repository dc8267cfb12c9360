//! A scenario on real storage, from Python.

use std::path::PathBuf;

use blockyard_bench::{Engine, Error, Observer, Options, Steady, bench};
use blockyard_record::{Interval, Plan};
use blockyard_scenario::units::{Duration, Percent, Size};
use blockyard_scenario::{Loaded, Resolved};
use pyo3::prelude::*;

use crate::error::{bad_input, not_run};
use crate::output::{create, open_log, text_of};
use crate::watcher::Watcher;

/// What `Scenario.bench` takes besides the observer.
#[derive(Debug, FromPyObject)]
pub(crate) struct Arguments {
    #[pyo3(item)]
    map: Vec<(String, PathBuf)>,
    #[pyo3(item)]
    size: Option<String>,
    #[pyo3(item)]
    overwrite: Vec<PathBuf>,
    #[pyo3(item)]
    engine: Option<String>,
    #[pyo3(item)]
    threads: Option<u32>,
    #[pyo3(item)]
    verify: bool,
    #[pyo3(item)]
    precondition: u32,
    #[pyo3(item)]
    steady_stop: Option<String>,
    #[pyo3(item)]
    started: String,
    #[pyo3(item)]
    latency_log: PathBuf,
    #[pyo3(item)]
    io_log: Option<PathBuf>,
}

/// Runs it and gives the text of `result.json`; none if it was stopped before
/// anything was measured.
pub(crate) fn run(
    py: Python<'_>,
    (loaded, resolved): (&Loaded, &Resolved),
    observer: &Py<PyAny>,
    arguments: Arguments,
) -> PyResult<Option<String>> {
    let options = options(arguments)?;
    let mut watcher = Watcher::new(observer);
    let scenario = &loaded.scenario;
    let outcome = py.detach(|| bench(scenario, resolved, options, &mut watcher));
    watcher.raised()?;
    match outcome {
        Ok(result) => text_of(&result).map(Some),
        Err(Error::Stopped) => Ok(None),
        Err(error) => Err(not_run(error)),
    }
}

fn options(arguments: Arguments) -> PyResult<Options> {
    let engine = match arguments.engine.as_deref() {
        None | Some("auto") => None,
        Some("io_uring") => Some(Engine::IoUring),
        Some("threads") => Some(Engine::Threads),
        Some(other) => {
            return Err(bad_input(format!(
                "--engine: `{other}`; expected auto, io_uring or threads"
            )));
        }
    };
    let size = arguments.size.map(|text| {
        let size: Result<Size, _> = text.parse();
        size.map_err(|error| bad_input(format!("--size: {error}")))
    });
    Ok(Options {
        map: arguments.map,
        size: size.transpose()?.map(Size::bytes),
        overwrite: arguments.overwrite,
        engine,
        threads: arguments.threads,
        verify: arguments.verify,
        precondition: arguments.precondition,
        steady: arguments.steady_stop.as_deref().map(steady).transpose()?,
        started: arguments.started,
        latency_log: Some(open_log(arguments.latency_log)?),
        io_log: arguments.io_log.map(create).transpose()?,
    })
}

/// `WINDOW:TOLERANCE`, as `30s:5%`.
fn steady(text: &str) -> PyResult<Steady> {
    let wrong = |what: String| bad_input(format!("--steady-stop: {what}"));
    let (window, tolerance) = text
        .split_once(':')
        .ok_or_else(|| wrong(format!("`{text}`; expected WINDOW:TOLERANCE, as 30s:5%")))?;
    let window: Duration = window.parse().map_err(wrong)?;
    let tolerance: Percent = tolerance.parse().map_err(wrong)?;
    if window.nanos() == 0 || tolerance.permille() == 0 {
        return Err(wrong(format!(
            "`{text}` is never steady; expected a window and a tolerance above 0"
        )));
    }
    Ok(Steady {
        window: window.nanos(),
        tolerance: tolerance.permille() as f64 / 1000.0,
    })
}

impl Observer for Watcher<'_> {
    fn prepared(&mut self, device: &str, done: u64, of: u64) {
        self.tell("prepared", (device, done, of));
    }

    fn interval(&mut self, plan: &Plan, interval: Interval) {
        let done_s = interval.done_s;
        Watcher::interval(self, plan, &interval, |observer, jobs, volumes| {
            observer.call_method1("interval", (done_s, jobs, volumes))?;
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
