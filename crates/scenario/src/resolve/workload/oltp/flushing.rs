//! How an engine writes changed pages, by its product's values and the job's own.

use blockyard_catalog::Engine;
use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::{Flushing, Pace};

use crate::resolve::Invalid;
use crate::resolve::workload::permille;
use crate::resolve::workload::ranwrite::LOG_BLOCK;
use crate::schema::{Oltp, PageFlush};
use crate::units::{Duration, Size};

/// Most pages in flight of one batch, and most batches.
const MOST_BATCH: u32 = 4096;
const MOST_CLEANERS: u32 = 256;

/// The size of the doublewrite area, if there is one: a batch fits it.
pub(super) fn doublewrite(job: &Oltp, engine: &Engine, batch: Bytes) -> Option<Size> {
    let least = engine.doublewrite.map_or(0, Size::bytes);
    let has_it = job.doublewrite.unwrap_or(engine.doublewrite.is_some());
    has_it.then(|| Size::new(least.max(batch.next_multiple_of(LOG_BLOCK))))
}

/// How the job at `path` writes the changed pages of its pool.
///
/// # Errors
/// Figures out of range, or keys of an engine that paces its writes in another way.
pub(super) fn flushing(
    path: &str,
    job: &Oltp,
    page: Bytes,
    engine: &Engine,
) -> Result<Flushing, Invalid> {
    let own = job.flush.unwrap_or_default();
    let refused =
        |key: &str, message: String| Err(Invalid::new(format!("{path}.flush.{key}"), message));
    let batch = own.batch.map_or(engine.flush.batch, Into::into);
    let cleaners = own.cleaners.map_or(engine.flush.cleaners, Into::into);
    for (key, value, most) in [
        ("batch", batch, MOST_BATCH),
        ("cleaners", cleaners, MOST_CLEANERS),
    ] {
        if value > most {
            return refused(
                key,
                format!("`{value}` is too large; expected at most {most}"),
            );
        }
    }
    Ok(Flushing {
        pace: pace(path, &own, engine)?,
        batch,
        cleaners,
        depth: own
            .depth
            .map_or(engine.flush.depth_of(job.pool), |depth| depth.get().into())
            // As InnoDB, which looks at no more than its list of pages has.
            .min((job.pool.bytes() / page).max(1)),
    })
}

fn pace(path: &str, own: &PageFlush, engine: &Engine) -> Result<Pace, Invalid> {
    let belongs = |key: &str, to: &str| {
        let message = format!(
            "`{key}` belongs to an engine with {to}; {} has none",
            engine.called
        );
        Err(Invalid::new(format!("{path}.flush.{key}"), message))
    };
    let invalid = |key: &str, message: String| Invalid::new(format!("{path}.flush.{key}"), message);
    if let Some(adaptive) = engine.flush.adaptive {
        let other = [
            ("every", own.every.is_some()),
            ("spread", own.spread.is_some()),
        ];
        if let Some((key, _)) = other.into_iter().find(|it| it.1) {
            return belongs(key, "checkpoints");
        }
        let (rate, most) = (
            own.rate.unwrap_or(adaptive.rate),
            own.most.unwrap_or(adaptive.most),
        );
        let (low, high) = (
            own.low.unwrap_or(adaptive.low),
            own.high.unwrap_or(adaptive.high),
        );
        if most.per_s() < rate.per_s().max(1) {
            return Err(invalid(
                "most",
                format!("`{most}` is less than the rate, {rate}"),
            ));
        }
        if high < low {
            return Err(invalid("high", format!("`{high}` is below `low`, {low}")));
        }
        return Ok(Pace::Adaptive {
            rate: rate.per_s(),
            most: most.per_s(),
            low: permille(low),
            high: permille(high),
        });
    }
    let keys = [
        ("rate", own.rate.is_some()),
        ("most", own.most.is_some()),
        ("low", own.low.is_some()),
        ("high", own.high.is_some()),
    ];
    if let Some((key, _)) = keys.into_iter().find(|it| it.1) {
        return belongs(key, "adaptive flushing");
    }
    // A checked engine has one of the two.
    let checkpoints = engine.flush.checkpoints;
    let every = own
        .every
        .or(checkpoints.map(|it| it.every))
        .map_or(0, Duration::nanos);
    if every == 0 {
        return Err(invalid("every", "`0s` is too short; expected more".into()));
    }
    let spread = own.spread.or(checkpoints.map(|it| it.spread));
    Ok(Pace::Checkpoints {
        every,
        spread: spread.map_or(0, permille),
    })
}
