//! In which order a volume's limits serve queued IOs, and the source of that order.

use blockyard_model::spec::Discipline;
use indexmap::IndexMap;
use serde::Deserialize;

use crate::grounds::Note;
use crate::source::Sources;

/// Why an order was chosen, and from which source.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisciplineGrounds {
    source: String,
    /// Why the order is inferred rather than published.
    inferred: String,
}

/// The orders that rows name, each with its source. `fifo` needs no entry: it claims nothing.
pub(crate) type Disciplines = IndexMap<Named, DisciplineGrounds>;

/// An order as a key of the catalog's text.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Named(#[serde(with = "Order")] pub(crate) Discipline);

/// The names of orders in the catalog's text.
#[derive(Deserialize)]
#[serde(remote = "Discipline", rename_all = "snake_case")]
pub(crate) enum Order {
    Fifo,
    PerDirection,
    PerSubmitter,
}

impl DisciplineGrounds {
    /// The source of the order, in words.
    pub(crate) fn note<'a>(&'a self, sources: &'a Sources) -> Note<'a> {
        Note::DisciplineInferred {
            reason: &self.inferred,
            source: sources.get(&self.source),
        }
    }

    pub(crate) fn check(&self, sources: &Sources) -> Result<(), String> {
        sources.check(&self.source)
    }
}
