//! What a trace has, before it is imported.

use blockyard_machine::Error;
use blockyard_model::units::{Bytes, MILLISECOND, Nanos, SECOND};
use blockyard_text::grouped;
use blockyard_trace::{Notes, OPS, Row};

use super::failures::Failures;
use super::{Import, LOOK_UP};
use crate::Observer;

/// More would make tables that nobody reads, of too many rows.
const MOST_DEVICES: usize = 64;
/// Rows of a table: some 2 GB of memory.
const MOST_ROWS: u64 = 20_000_000;

/// What a trace has.
#[derive(Debug)]
pub(super) struct Survey {
    /// The first moment, and where the last one is over.
    pub(super) begin: Nanos,
    pub(super) end: Nanos,
    /// Whether any end was recorded.
    pub(super) ends: bool,
    /// IOs whose beginning is not known, and such whose end is not.
    pub(super) no_begin: u64,
    pub(super) no_end: u64,
    /// Of those without an end: such that failed, and rows of which that is not known.
    failures: Failures,
    /// The devices that count: their numbers in the trace, names, and the last byte touched.
    pub(super) devices: Vec<Found>,
    /// By number in the trace: the place in `devices`.
    places: Vec<Option<usize>>,
}

/// A device of a trace.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    /// One past the last byte that was touched.
    pub(super) size: Bytes,
    /// By operation: whether any counts.
    pub(super) ops: [bool; OPS.len()],
}

impl Survey {
    /// Reads a trace once.
    pub(super) fn of(options: &Import, observer: &mut dyn Observer) -> Result<Self, Error> {
        let mut trace = options.open()?;
        let mut sizes: Vec<Bytes> = Vec::new();
        let mut times: Vec<(Nanos, Nanos)> = Vec::new();
        let mut ops: Vec<[(bool, bool); OPS.len()]> = Vec::new();
        let (mut rows, mut no_begin, mut no_end) = (0, 0, 0);
        let mut failures = Failures::default();
        for row in trace.by_ref() {
            let row = row.map_err(|error| options.wrong(&error))?;
            let device = row.device as usize;
            if sizes.len() <= device {
                sizes.resize(device + 1, 0);
                times.resize(device + 1, (Nanos::MAX, 0));
                ops.resize(device + 1, Default::default());
            }
            sizes[device] = sizes[device].max(row.offset.saturating_add(row.bytes));
            let begin = row.begin().unwrap_or(0);
            times[device].0 = times[device].0.min(begin);
            times[device].1 = times[device].1.max(row.completion.unwrap_or(begin));
            let (came, ended) = &mut ops[device][row.op as usize];
            *came = true;
            *ended |= row.completion.is_some() || row.failed;
            no_begin += u64::from(row.arrival.or(row.issue).is_none());
            no_end += u64::from(row.completion.is_none());
            failures.add(&row, rows);
            rows += 1;
            if rows % LOOK_UP == 0 && observer.stopped() {
                return Err(Error::Stopped);
            }
        }
        if rows == 0 {
            return Err(Error::Input(format!("{}: no IO in it", options.called)));
        }
        failures.finish();
        let places = chosen(options, trace.devices())?;
        let taken = (0..).zip(&places).filter(|(_, place)| place.is_some());
        let taken: Vec<usize> = taken.map(|(device, _)| device).collect();
        let begin = taken.iter().map(|device| times[*device].0).min();
        let end = taken.iter().map(|device| times[*device].1).max();
        // What is stamped with a second may have come at any time in it.
        let step = trace.format().recorded().step;
        let lasts = if step >= MILLISECOND { step } else { 0 };
        let ends = no_end < rows || failures.count() > 0;
        let found = Self {
            begin: begin.unwrap_or(0),
            end: end.unwrap_or(0).saturating_add(lasts),
            ends,
            no_begin,
            no_end: no_end - failures.count() - failures.undecided(),
            failures,
            devices: taken
                .into_iter()
                .map(|device| Found {
                    name: trace.devices()[device].clone(),
                    size: sizes[device],
                    ops: ops[device].map(|(came, ended)| if ends { ended } else { came }),
                })
                .collect(),
            places,
        };
        found.check(options, trace.notes())?;
        Ok(found)
    }

    /// Where the row's device is among those that count.
    pub(super) fn place(&self, row: &Row) -> Option<usize> {
        self.places.get(row.device as usize).copied().flatten()
    }

    /// Whether row `number` counts as one that ended: it did, or it failed, or none has an end.
    pub(super) fn ended(&self, row: &Row, number: u64) -> bool {
        !self.ends || row.completion.is_some() || self.failures.has(row, number)
    }

    /// IOs that failed or had not ended: which, the trace does not say.
    pub(super) fn undecided(&self) -> u64 {
        self.failures.undecided()
    }

    fn check(&self, options: &Import, notes: &Notes) -> Result<(), Error> {
        let intervals = (self.end - self.begin) / options.interval.nanos().max(1);
        let rows = intervals.saturating_mul(self.devices.len() as u64 * 2);
        if rows > MOST_ROWS && notes.furthest_back > (self.end - self.begin) / 2 {
            let back = grouped(notes.furthest_back / SECOND);
            return Err(Error::Input(format!(
                "{}: times run back by {back} s; expected none that do, as in a damaged line",
                options.called
            )));
        }
        if rows > MOST_ROWS {
            return Err(Error::Input(format!(
                "{}: {} intervals of {} for {} devices; expected a longer --interval, or fewer by \
                 --device",
                options.called,
                grouped(intervals),
                options.interval,
                self.devices.len(),
            )));
        }
        Ok(())
    }
}

/// By number in the trace: the place among the devices that count.
fn chosen(options: &Import, names: &[String]) -> Result<Vec<Option<usize>>, Error> {
    let wanted = &options.device;
    if let Some(missing) = wanted.iter().find(|name| !names.contains(name)) {
        let hint = blockyard_text::hint(missing, names.iter().map(String::as_str));
        let count = names.len();
        return Err(Error::Input(format!(
            "--device: `{missing}`; not among the {count} devices of {}{hint}",
            options.called
        )));
    }
    let mut count = 0;
    let places = names.iter().map(|name| {
        (wanted.is_empty() || wanted.contains(name)).then(|| {
            count += 1;
            count - 1
        })
    });
    let places = places.collect();
    if count > MOST_DEVICES {
        return Err(Error::Input(format!(
            "{}: {count} devices; expected at most {MOST_DEVICES}: --device chooses",
            options.called
        )));
    }
    Ok(places)
}
