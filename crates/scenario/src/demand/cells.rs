//! The values of a line of demand: when, how many IOs a second, and their size.

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::spec::RATES_PER;
use blockyard_text::shorten;

use crate::units::{Date, Duration, Size};

/// Devices read and write whole sectors.
pub(super) const SECTOR: Bytes = 512;

/// No kernel sends a larger IO at once.
const MAX_IO: Bytes = 64 << 20;

/// Most IOs a second, as of any rate.
const MAX_RATE: f64 = 1e9;

const DAY_S: u64 = 86_400;

/// A time of the file: seconds, a duration, or a date with a time of day.
pub(super) fn time(text: &str) -> Result<Nanos, String> {
    let wrong = || {
        let text = shorten(text);
        format!("at `{text}`; expected seconds, `5m` or a time such as `2026-11-02T01:00:00Z`")
    };
    if let Ok(seconds) = text.parse::<f64>() {
        let fits = (0.0..1e9).contains(&seconds);
        return fits
            .then_some((seconds * 1e9).round() as Nanos)
            .ok_or_else(wrong);
    }
    if let Some((date, clock)) = text.split_once(['T', ' ']) {
        let date: Date = date.parse().map_err(|_| wrong())?;
        let clock = clock.trim_end_matches('Z').trim_end_matches("+00:00");
        let mut seconds = 0;
        let parts: Vec<_> = clock.split(':').collect();
        if !(2..=3).contains(&parts.len()) {
            return Err(wrong());
        }
        for (part, (most, each)) in parts.iter().zip([(23, 3600), (59, 60), (59, 1)]) {
            let value: u64 = part.parse().map_err(|_| wrong())?;
            if value > most {
                return Err(wrong());
            }
            seconds += value * each;
        }
        return Ok((u64::from(date.days_since_1970()) * DAY_S + seconds) * SECOND);
    }
    let duration: Duration = text.parse().map_err(|_| wrong())?;
    Ok(duration.nanos())
}

/// IOs in [`RATES_PER`], of a number a second.
pub(super) fn rate(name: &str, text: &str) -> Result<u64, String> {
    let per_s = text.parse::<f64>().ok();
    let per_s = per_s.filter(|rate| (0.0..=MAX_RATE).contains(rate));
    let per_s = per_s.ok_or_else(|| {
        format!(
            "{name} `{}`; expected a number of IOs a second",
            shorten(text)
        )
    })?;
    Ok((per_s * (RATES_PER / SECOND) as f64).round() as u64)
}

/// Bytes of an IO, in whole sectors. Of an idle interval the size means nothing.
pub(super) fn size(text: &str, idle: bool) -> Result<Bytes, String> {
    let bytes = match text.parse::<f64>() {
        Ok(bytes) => Some(bytes),
        Err(_) => text.parse::<Size>().ok().map(|size| size.bytes() as f64),
    };
    if idle && (text.is_empty() || bytes.is_some_and(|bytes| bytes == 0.0)) {
        return Ok(SECTOR);
    }
    match bytes.filter(|bytes| *bytes > 0.0 && *bytes <= MAX_IO as f64) {
        Some(bytes) => Ok(((bytes / SECTOR as f64).round() as Bytes).max(1) * SECTOR),
        None => Err(format!(
            "size `{}`; expected bytes of an IO up to 64MiB, such as 8192 or `8KiB`",
            shorten(text)
        )),
    }
}
