//! Edits: the ways in which a variant differs from its scenario.
//!
//! Most are overrides, as `--set` makes them: the catalog is asked about them, and whoever reads
//! one can simulate it again by hand. The others change what a scenario resolves to, and no catalog
//! is asked: a limit of which half as much again is sold nowhere still shows what it holds up.

mod limit;
mod link;
mod load;
mod mirror;
mod reserve;

use std::fmt;

use blockyard_scenario::Resolved;
use serde::{Deserialize, Serialize};

pub use self::limit::ScaledLimit;
pub use self::link::{OfLink, ScaledLink};
pub use self::load::{JobLoad, LoadUnit};
pub use self::mirror::{OtherMirror, Protocol, Reads};
pub use self::reserve::{Reserve, Saved, emptied};

/// The largest factor: what is multiplied stays far below what a bucket can count.
const LARGEST: f64 = 100.0;

/// One way in which a variant differs from its scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// The value at a path is another.
    Set {
        /// Where in the scenario: `storage.data.iops`.
        path: String,
        /// The value, as YAML.
        value: String,
    },
    /// A job has another load.
    Load(JobLoad),
    /// A reserve is used up before the start.
    Empty(Reserve),
    /// A limit is multiplied.
    Limit(ScaledLimit),
    /// What a link can do is multiplied.
    Link(ScaledLink),
    /// A mirror works in another way.
    Mirror(OtherMirror),
    /// The job of this name issues nothing. All others draw their random numbers as ever.
    #[serde(rename = "without")]
    Silence(String),
}

impl Edit {
    /// The value at `path` is `value`.
    pub fn set(path: impl Into<String>, value: impl fmt::Display) -> Self {
        Self::Set {
            path: path.into(),
            value: value.to_string(),
        }
    }

    /// Whether it is an override of the scenario's text, which [`fmt::Display`] then prints.
    pub fn is_override(&self) -> bool {
        matches!(self, Self::Set { .. } | Self::Load(_) | Self::Empty(_))
    }

    /// The overrides among `edits`, in their order.
    pub fn overrides(edits: &[Self]) -> Vec<String> {
        let own = edits.iter().filter(|edit| edit.is_override());
        own.map(ToString::to_string).collect()
    }

    /// Changes what a scenario resolves to, and adds the numbers of jobs that fall silent.
    /// Overrides change nothing here: they stand in the text that was resolved.
    ///
    /// # Errors
    /// A line, for what the scenario does not have or a factor out of range.
    pub(crate) fn apply(
        &self,
        resolved: &mut Resolved,
        silent: &mut Vec<usize>,
    ) -> Result<(), String> {
        match self {
            Self::Set { .. } | Self::Load(_) | Self::Empty(_) => Ok(()),
            Self::Limit(scaled) => scaled.apply(resolved),
            Self::Link(scaled) => scaled.apply(resolved),
            Self::Mirror(other) => other.apply(resolved),
            Self::Silence(name) => {
                let job = resolved.jobs.iter().position(|job| job.name() == name);
                silent.push(job.ok_or_else(|| format!("no job is called `{name}`"))?);
                Ok(())
            }
        }
    }
}

/// An override as `--set` takes it, or else what is changed, in a few words.
impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { path, value } => write!(f, "{path}={value}"),
            Self::Load(load) => load.fmt(f),
            Self::Empty(reserve) => reserve.fmt(f),
            Self::Limit(scaled) => scaled.fmt(f),
            Self::Link(scaled) => scaled.fmt(f),
            Self::Mirror(other) => other.fmt(f),
            Self::Silence(job) => write!(f, "{job} silent"),
        }
    }
}

fn in_range(factor: f64) -> Result<(), String> {
    match factor > 0.0 && factor <= LARGEST {
        true => Ok(()),
        false => Err(format!(
            "factor: `{factor}`; expected more than 0 and at most {LARGEST}"
        )),
    }
}

fn times(tokens: u64, factor: f64) -> u64 {
    (tokens as f64 * factor).round().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_prints_as_set_takes_it() {
        let edits = [
            Edit::set("storage.data.iops", 4000),
            Edit::Silence("readers".into()),
            Edit::Load(JobLoad {
                job: "readers".into(),
                unit: LoadUnit::IosPerS,
                load: 500,
                schedule: Vec::new(),
            }),
        ];
        assert_eq!(
            Edit::overrides(&edits),
            ["storage.data.iops=4000", "workload.readers.rate=500/s"]
        );
        assert_eq!(edits[1].to_string(), "readers silent");
    }

    #[test]
    fn an_edit_is_read_as_it_is_written() {
        let edits = vec![
            Edit::set("duration", "10s"),
            Edit::Empty(Reserve {
                path: "storage.data".into(),
                what: Saved::Tokens,
            }),
            Edit::Limit(ScaledLimit {
                device: Some("data".into()),
                leg: None,
                host: None,
                kind: blockyard_record::limit_names::LimitKind::named("read_iops").unwrap(),
                factor: 1.5,
            }),
            Edit::Mirror(OtherMirror {
                device: "data".into(),
                read: Some(Reads::Local),
                acknowledge: None,
            }),
        ];
        let text = serde_json::to_string(&edits).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Edit>>(&text).unwrap(), edits);
    }
}
