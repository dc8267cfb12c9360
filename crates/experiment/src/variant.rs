//! A variant: a scenario with edits and a seed.

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::edit::Edit;
use crate::error::Error;
use crate::scenario::{Opened, ScenarioText};

/// The scenario that variants differ from, read once for all of them.
#[derive(Debug)]
pub struct Base {
    text: ScenarioText,
    opened: Opened,
}

impl Base {
    /// Reads and resolves a scenario.
    ///
    /// # Errors
    /// The first fault of it, with its place.
    pub fn read(text: ScenarioText) -> Result<Arc<Self>, blockyard_scenario::Error> {
        let opened = text.open()?;
        Ok(Arc::new(Self { text, opened }))
    }

    /// A scenario that was read of `text` before.
    #[must_use]
    pub fn of(text: ScenarioText, opened: Opened) -> Arc<Self> {
        Arc::new(Self { text, opened })
    }

    /// What it was read from.
    #[must_use]
    pub fn text(&self) -> &ScenarioText {
        &self.text
    }

    /// The scenario as it is, without edits.
    #[must_use]
    pub fn opened(&self) -> &Opened {
        &self.opened
    }
}

/// A scenario with edits and a seed. Copies with other seeds share what was read.
#[derive(Clone, Debug)]
pub struct Variant {
    base: Arc<Base>,
    edited: Arc<Edited>,
    seed: Option<u64>,
}

/// Edits, and the scenario with them once it was read.
#[derive(Debug, Default)]
struct Edited {
    edits: Vec<Edit>,
    opened: OnceLock<Opened>,
}

impl Variant {
    /// The scenario as it is, with its own seed.
    #[must_use]
    pub fn of(base: &Arc<Base>) -> Self {
        Self {
            base: Arc::clone(base),
            edited: Arc::default(),
            seed: None,
        }
    }

    /// The same with more edits; of overrides of one value the last wins.
    #[must_use]
    pub fn with(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        let edits = self.edits().iter().cloned().chain(edits);
        self.edited = Arc::new(Edited {
            edits: edits.collect(),
            opened: OnceLock::new(),
        });
        self
    }

    /// The same with another seed, whatever the edits say.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// This variant with `count` seeds: the scenario's own and those that follow it.
    #[must_use]
    pub fn by_seed(&self, count: u32) -> Vec<Self> {
        let own = self.base.opened.seed();
        let each = (0..count).map(|further| self.clone().seeded(own.wrapping_add(further.into())));
        each.collect()
    }

    /// What differs from the scenario.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edited.edits
    }

    /// What it comes down to: the scenario with the edits and the seed.
    ///
    /// # Errors
    /// For an edit that cannot be made, or that the catalog refuses.
    pub fn open(&self) -> Result<Opened, Error> {
        let opened = match self.edited.opened.get() {
            Some(opened) => opened,
            None => {
                let read = self.read()?;
                self.edited.opened.get_or_init(|| read)
            }
        };
        let seed = self.seed.unwrap_or(opened.seed());
        Ok(opened.clone().seeded(seed))
    }

    fn read(&self) -> Result<Opened, Error> {
        let overrides = Edit::overrides(self.edits());
        let opened = match overrides.is_empty() {
            true => self.base.opened.clone(),
            false => self.base.text.with(overrides).open()?,
        };
        opened.edited(self.edits()).map_err(Error::Input)
    }

    /// What identifies it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn id(&self) -> Result<VariantId, Error> {
        let opened = self.open()?;
        VariantId::of(&opened, self.edits())
    }
}

/// What identifies a variant: the SHA-256 of this crate's version, the scenario with all its
/// defaults and overrides, the edits that are none, the seed, and what is replayed.
///
/// Equal ids have equal results, on any machine. Two variants that differ in what no run depends
/// on, such as a description, have two ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariantId([u8; 32]);

impl VariantId {
    pub(crate) fn of(opened: &Opened, edits: &[Edit]) -> Result<Self, Error> {
        let edits = edits.iter().filter(|edit| !edit.is_override());
        let edits = serde_json::to_string(&edits.collect::<Vec<_>>());
        let edits = edits.map_err(|error| Error::Input(error.to_string()))?;
        let mut hash = Sha256::new();
        for part in [
            env!("CARGO_PKG_VERSION"),
            &opened.loaded.to_yaml()?,
            &edits,
            &opened.seed().to_string(),
        ] {
            // Its length keeps a part from running into the next one.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        for recording in &opened.resolved.recordings {
            hash.update(&recording.digest);
        }
        Ok(Self(hash.finalize().into()))
    }
}

/// In hexadecimal digits.
impl fmt::Display for VariantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for VariantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
