//! How many tokens a limit holds when it is full.

use blockyard_text::units::Duration;
use indexmap::IndexMap;
use serde::Deserialize;

use crate::grounds::Note;
use crate::source::Sources;

/// A depth and what it rests on. The catalog's text states exactly one of
/// `time`, `tokens` and `volume_sizes`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Depth {
    time: Option<Duration>,
    tokens: Option<u64>,
    volume_sizes: Option<u64>,
    source: String,
    /// Why the figure is inferred rather than published, if it is.
    inferred: Option<String>,
}

/// All depths by name.
pub(crate) type Depths = IndexMap<String, Depth>;

impl Depth {
    /// Tokens of a limit of `rate` tokens a second on a volume of `size`
    /// bytes, at least 1.
    pub(crate) fn tokens(&self, rate: u64, size: u64) -> u64 {
        let tokens = match (self.time, self.tokens, self.volume_sizes) {
            (Some(time), ..) => in_time(rate, time),
            (_, Some(tokens), _) => tokens,
            (.., Some(sizes)) => sizes.saturating_mul(size),
            // `check` refuses a depth that states none of them.
            _ => rate,
        };
        tokens.max(1)
    }

    /// What the figure rests on, where it is inferred.
    pub(crate) fn note<'a>(&'a self, sources: &'a Sources) -> Option<Note<'a>> {
        let reason = self.inferred.as_deref()?;
        let source = sources.get(&self.source);
        Some(Note::DepthInferred { reason, source })
    }

    pub(super) fn check(&self, sources: &Sources) -> Result<(), String> {
        sources.check(&self.source)?;
        let time = self.time.map(Duration::nanos);
        let given: Vec<u64> = [time, self.tokens, self.volume_sizes]
            .into_iter()
            .flatten()
            .collect();
        match given.as_slice() {
            [figure] if *figure > 0 => Ok(()),
            _ => Err("expected exactly one of `time`, `tokens` and `volume_sizes`".into()),
        }
    }
}

/// The tokens that `rate` a second brings in `time`.
pub(crate) fn in_time(rate: u64, time: Duration) -> u64 {
    let exact = u128::from(rate) * u128::from(time.nanos()) / 1_000_000_000;
    u64::try_from(exact).unwrap_or(u64::MAX)
}
