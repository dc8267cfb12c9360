//! A sweep as a user writes it. These types are its schema: the JSON Schema for editors is
//! generated from them, field descriptions included.

mod axis;
mod seeds;
mod value;

use blockyard_scenario::check_name;
use blockyard_text::Error;
use blockyard_text::tree::{from_node, parse};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

pub use axis::{Axis, Spread};
pub use seeds::Seeds;
pub use value::AxisValue;

/// The axis whose values are files of load, each with a base of its own.
pub(crate) const DEMAND: &str = "demand";

/// Many variants of a scenario, by axes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// Short name; the result is filed under it.
    #[serde(default = "unnamed")]
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The scenario that all runs vary: a file, relative to this one.
    pub base: String,
    /// What varies: a path of the scenario, as `--set` takes it, with its values. `demand` stands
    /// for the load that files of iostat, sar and others show.
    pub axes: IndexMap<String, Axis>,
    /// How values are put together: every one with every other, or the first of each, the second
    /// of each and so on.
    #[serde(default)]
    pub combine: Combine,
    /// How many combinations are drawn, spread over all that the axes span.
    pub sample: Option<u32>,
    /// How they are drawn.
    #[serde(default)]
    pub method: Method,
    /// The seeds of each combination: a number of them, from the scenario's own on, or a list; by
    /// default as many as the scenario has repeats.
    pub seeds: Option<Seeds>,
    /// Whether the latencies of a combination's seeds are kept as one histogram.
    #[serde(default)]
    pub merge_seeds: bool,
    /// The figures of a run that the table has, as goals name them: `readers.latency.p99`. By
    /// default rates and latencies of each job.
    #[serde(default)]
    pub figures: Vec<String>,
    /// Goals that each run is judged by; by default the scenario's.
    #[serde(default)]
    pub goals: Vec<String>,
}

/// How values of axes are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// Every value with every other.
    #[default]
    Grid,
    /// The first of each, the second of each and so on.
    Zip,
}

/// How combinations are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Sobol's sequence, scrambled: most even with a power of two.
    #[default]
    Sobol,
    /// A Latin hypercube: each axis alone is evenly covered.
    LatinHypercube,
}

fn unnamed() -> String {
    "sweep".to_owned()
}

/// Reads a sweep file; `file_name` is what errors call it.
///
/// # Errors
/// The first fault of the text, with its place.
pub fn read(text: &str, file_name: &str) -> Result<SweepFile, Error> {
    let source = parse(text, file_name)?;
    let file: SweepFile = from_node(&source)?;
    file.check()
        .map_err(|(path, message)| Error::new(source.locate(&path), path, message))?;
    Ok(file)
}

/// A path in a file and what is wrong there.
pub(crate) type Fault = (String, String);

impl SweepFile {
    /// The files of the axis `demand`, as they are written; none without it.
    ///
    /// # Errors
    /// A line, if the axis has no values.
    pub fn demand(&self) -> Result<Option<Vec<String>>, String> {
        let axis = self.axes.get(DEMAND);
        axis.map(Axis::values).transpose()
    }

    fn check(&self) -> Result<(), Fault> {
        let wrong = |path: &str, message: &str| Err((path.to_owned(), message.to_owned()));
        if let Err(message) = check_name(&self.name) {
            return wrong("name", &message);
        }
        if self.axes.is_empty() {
            return wrong("axes", "no axes; expected a path with its values, at least");
        }
        if self.sample.is_some() && self.combine == Combine::Zip {
            return wrong(
                "sample",
                "draws from the grid; expected no `combine: zip` beside it",
            );
        }
        if self.sample == Some(0) {
            return wrong("sample", "`0` is not allowed; expected at least 1");
        }
        if let Some(seeds) = &self.seeds {
            seeds
                .check()
                .map_err(|message| ("seeds".to_owned(), message))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        read(text, "s.yaml").unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        assert_eq!(
            wrong("base: gp3.yaml\naxis: {}"),
            "s.yaml:2: axis: unknown key; did you mean `axes`?"
        );
        assert_eq!(
            wrong("base: gp3.yaml\naxes: {}"),
            "s.yaml:2: axes: no axes; expected a path with its values, at least"
        );
        assert_eq!(
            wrong("base: b\naxes:\n  a: {from: 1, too: 2}"),
            "s.yaml:3: axes.a.too: unknown key; did you mean `to`?"
        );
        assert_eq!(
            wrong("base: b\naxes: {a: [1]}\nseeds: many"),
            "s.yaml:3: seeds: `many` is not a number of seeds; expected a whole number or a list"
        );
        assert_eq!(
            wrong("base: b\naxes: {a: [1]}\ncombine: zip\nsample: 5"),
            "s.yaml:4: sample: draws from the grid; expected no `combine: zip` beside it"
        );
    }
}
