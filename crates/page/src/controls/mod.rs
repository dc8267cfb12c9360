//! What of a scenario a page can change, with the catalog's ranges and reasons.

mod failure;
mod host;
mod load;
mod storage;

use blockyard_catalog::Catalog;
use blockyard_experiment::Base;
use serde::Serialize;

use crate::error::Error;

/// Something that can be changed: a range or a list of choices.
#[derive(Debug, Serialize)]
pub(crate) struct Control {
    /// The field's path, as `--set` takes it.
    path: String,
    /// What it is: `IOPS`.
    label: String,
    /// What it belongs to: a device, a job, the host.
    group: String,
    /// Where its range comes from, or why it has its choices.
    why: String,
    #[serde(flatten)]
    kind: Kind,
}

/// How a control is changed.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Kind {
    /// To a whole number.
    Range {
        value: u64,
        min: u64,
        max: u64,
        step: u64,
        /// What follows the number in an override: `GiB`, `MiB/s`, `/s`, or nothing.
        suffix: &'static str,
        /// What follows it for people.
        unit: &'static str,
        scale: Scale,
    },
    /// To one of several.
    Choice {
        /// Which of the choices there is now, by its place.
        value: Option<usize>,
        choices: Vec<Choice>,
    },
}

/// How far apart values lie on a slider.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Scale {
    Linear,
    Log,
}

/// One of several that can be chosen.
#[derive(Debug, Serialize)]
struct Choice {
    label: String,
    /// The overrides that choose it.
    sets: Vec<String>,
    /// Why it is not to be had, in a line.
    refused: Option<String>,
}

/// The controls of a scenario, those of its storage first.
pub(crate) fn controls(base: &Base) -> Result<Vec<Control>, Error> {
    let catalog = Catalog::get().map_err(Error::new)?;
    let scenario = base.opened().scenario();
    let mut found = storage::controls(base, catalog);
    found.extend(host::controls(base, catalog));
    found.extend(load::controls(scenario));
    found.extend(failure::control(scenario));
    Ok(found)
}

/// Why a scenario with these overrides is refused; none if it is not.
fn refused(base: &Base, sets: &[String]) -> Option<String> {
    let text = base.text().with(sets.iter().cloned());
    text.open().err().map(|error| error.message().to_owned())
}

/// A range of whole numbers on a logarithmic slider, wide enough for what there is.
fn range(value: u64, (min, max, step): (u64, u64, u64), suffix: &'static str) -> Kind {
    Kind::Range {
        value,
        min: min.min(value),
        max: max.max(value),
        step,
        suffix,
        unit: suffix,
        scale: Scale::Log,
    }
}
