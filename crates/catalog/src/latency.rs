//! Latency profiles: what is written, what the model draws from, and what each value rests on.

mod class;
mod errors;
mod profile;
mod stated;
mod values;

use blockyard_model::spec::LatencySpec;
use blockyard_text::tree::Node;

pub use self::class::{Class, Standing};
pub(crate) use self::errors::ErrorTable;
pub use self::errors::{LatencyError, LatencyFigure};
pub use self::profile::LatencyProfile;
pub use self::stated::{Basis, Stated};
pub use self::values::{Factor, Quantiles, Slope, SlowPhase};
use crate::Catalog;
use crate::source::{Source, Sources};

/// A latency profile of the catalog.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What the model draws from.
    pub spec: LatencySpec,
    /// As it is written.
    pub text: LatencyProfile,
    /// Its tree, which knows the places of its values.
    pub tree: Node,
    /// What each value rests on, in the file's order.
    grounds: Vec<Grounds>,
}

/// What a value of a profile rests on.
#[derive(Clone, Debug)]
pub struct Grounds {
    /// The value's name, `per_kib`.
    pub field: &'static str,
    /// How it was obtained.
    pub basis: Basis,
    /// From what, or why.
    pub why: String,
    /// The measurements that it comes from, by their ids.
    pub rows: Vec<String>,
    /// Key of the source.
    source: Option<String>,
}

impl Profile {
    /// Checks a profile of the catalog, in which every part says what it rests on.
    pub(crate) fn new(text: LatencyProfile, tree: Node, sources: &Sources) -> Result<Self, String> {
        if text.like.is_some() {
            return Err("`like` in the catalog; expected every part".into());
        }
        let spec = text.spec()?;
        let sequential = [
            ("sequential_read", &text.sequential_read),
            ("sequential_write", &text.sequential_write),
        ];
        let mut parts = vec![
            grounds("read", &text.read, sources)?,
            grounds("write", &text.write, sources)?,
        ];
        for (field, stated) in sequential {
            if stated.is_some() {
                parts.push(grounds(field, stated, sources)?);
            }
        }
        parts.extend([
            grounds("base_size", &text.base_size, sources)?,
            grounds("per_kib", &text.per_kib, sources)?,
            grounds("spread", &text.spread, sources)?,
            grounds("volume_spread", &text.volume_spread, sources)?,
            grounds("slow", &text.slow, sources)?,
        ]);
        Ok(Self {
            spec,
            grounds: parts,
            text,
            tree,
        })
    }

    /// What each value rests on, in the file's order.
    #[must_use]
    pub fn grounds(&self) -> &[Grounds] {
        &self.grounds
    }
}

fn grounds<T>(
    field: &'static str,
    stated: &Option<Stated<T>>,
    sources: &Sources,
) -> Result<Grounds, String> {
    let stated = stated.as_ref();
    let stated = stated.ok_or_else(|| format!("`{field}` is missing"))?;
    let missing = |what: &str| format!("{field}: `{what}` is missing");
    let basis = stated.basis.ok_or_else(|| missing("basis"))?;
    let why = stated.why.clone().ok_or_else(|| missing("why"))?;
    if let Some(key) = &stated.source {
        sources.check(key)?;
    }
    for row in &stated.rows {
        check_row(row).map_err(|message| format!("{field}: {message}"))?;
    }
    if basis != Basis::Assumed && stated.source.is_none() && stated.rows.is_empty() {
        let basis = basis.name();
        return Err(format!("{field}: `{basis}` needs a `source` or `rows`"));
    }
    Ok(Grounds {
        field,
        basis,
        why,
        rows: stated.rows.clone(),
        source: stated.source.clone(),
    })
}

/// Ids of measurements are a source and a number of three digits, `longhorn-001`.
fn check_row(id: &str) -> Result<(), String> {
    let formed = id.split_once('-').is_some_and(|(source, number)| {
        let word = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        !source.is_empty()
            && source.bytes().all(word)
            && number.len() == 3
            && number.bytes().all(|c| c.is_ascii_digit())
    });
    match formed {
        true => Ok(()),
        false => Err(format!(
            "`{id}` is no id of a measurement; expected one as in `longhorn-001`"
        )),
    }
}

impl Grounds {
    /// The source, if there is one.
    #[must_use]
    pub fn source<'a>(&self, catalog: &'a Catalog) -> Option<&'a Source> {
        catalog.sources.get(self.source.as_ref()?)
    }
}
