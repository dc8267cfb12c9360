//! What the latencies of a profile rest on, in one word for each operation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Basis, LatencyProfile, Quantiles, Stated};
use crate::Catalog;

/// Provenance of latencies, weakest first; of several the weakest counts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A judgement: nobody measured or published them.
    Assumed,
    /// Given by the user without provenance.
    Yours,
    /// Chosen so that the model agrees with measurements, in the catalog or by `blockyard fit`.
    Fitted,
    /// Measured, or stated by the provider.
    Measured,
}

impl Class {
    /// The catalog's parts all say what they rest on, so what does not is the user's own, also
    /// in a profile that is `like` one of the catalog.
    const fn of(basis: Option<Basis>) -> Self {
        match basis {
            None => Self::Yours,
            Some(Basis::Assumed) => Self::Assumed,
            Some(Basis::Fitted) => Self::Fitted,
            Some(Basis::Measured | Basis::Published) => Self::Measured,
        }
    }
}

/// What the latencies of an operation rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The class.
    pub class: Class,
    /// The document and the ids of measurements that they come from; empty if none is named.
    pub source: String,
    /// How the values follow from these, or why they were chosen; may be empty.
    pub why: String,
}

impl LatencyProfile {
    /// What the quantiles of reads and those of writes rest on, random and sequential ones
    /// together.
    #[must_use]
    pub fn standing(&self, catalog: &Catalog) -> [Standing; 2] {
        [
            [&self.read, &self.sequential_read],
            [&self.write, &self.sequential_write],
        ]
        .map(|tables| {
            let standings = tables.into_iter().flatten();
            let standings = standings.map(|stated| standing(stated, catalog));
            // A profile without the first has no spec, and resolves to no volume.
            standings
                .min_by_key(|standing| standing.class)
                .unwrap_or_else(|| Standing {
                    class: Class::Yours,
                    source: String::new(),
                    why: String::new(),
                })
        })
    }
}

fn standing(stated: &Stated<Quantiles>, catalog: &Catalog) -> Standing {
    let document = stated.source.as_ref().map(|name| {
        let known = catalog.sources.get(name);
        known.map_or_else(|| name.clone(), ToString::to_string)
    });
    let cited: Vec<_> = document
        .into_iter()
        .chain(stated.rows.iter().cloned())
        .collect();
    Standing {
        class: Class::of(stated.basis),
        source: cited.join(", "),
        why: stated.why.clone().unwrap_or_default(),
    }
}
