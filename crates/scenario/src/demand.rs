//! Demand by interval as text: CSV with a line each interval.

use std::path::Path;

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::spec::{DemandStep, RATES_PER};
use blockyard_text::{hint, shorten};

use crate::units::{Date, Duration, Size};

/// Devices read and write whole sectors.
const SECTOR: Bytes = 512;

/// No kernel sends a larger IO at once.
const MAX_IO: Bytes = 64 << 20;

/// Most IOs a second, as of any rate.
const MAX_RATE: f64 = 1e9;

const COLUMNS: [&str; 4] = ["at", "reads", "writes", "size"];
const DAY_S: u64 = 86_400;

/// Whether this is the name of a file, and no text of one.
pub(crate) fn is_file(intervals: &str) -> bool {
    !intervals.contains('\n') && Path::new(intervals).extension().is_some()
}

/// The intervals of a CSV text, counted from the first.
///
/// # Errors
/// A line that names the place in the text, the value and what was expected.
pub(crate) fn steps(text: &str) -> Result<Vec<DemandStep>, String> {
    let mut lines = (1..).zip(text.lines());
    let mut lines = lines.by_ref().filter(|(_, line)| !line.trim().is_empty());
    let Some((number, header)) = lines.next() else {
        return Err(format!(
            "no intervals; expected a header `{}`",
            COLUMNS.join(",")
        ));
    };
    let places = columns(header).map_err(|error| format!("line {number}: {error}"))?;
    let mut found: Vec<DemandStep> = Vec::new();
    let mut first = None;
    for (number, line) in lines {
        let failed = |error: String| format!("line {number}: {error}");
        let cells: Vec<_> = line.split(',').map(str::trim).collect();
        if cells.len() != places.count {
            let (got, expected) = (cells.len(), places.count);
            return Err(failed(format!("{got} values; expected {expected}")));
        }
        let at = time(cells[places.at]).map_err(failed)?;
        let from = at - (*first.get_or_insert(at)).min(at);
        if found.last().is_some_and(|last| last.from >= from) {
            let at = cells[places.at];
            return Err(failed(format!(
                "at `{at}` does not come after the line before"
            )));
        }
        let rate =
            |place: Option<usize>, name| place.map_or(Ok(0), |place| rate(name, cells[place]));
        let reads = rate(places.reads, "reads").map_err(failed)?;
        let writes = rate(places.writes, "writes").map_err(failed)?;
        let idle = reads + writes == 0;
        let size = size(cells[places.size], idle).map_err(failed)?;
        found.push(DemandStep {
            from,
            reads,
            writes,
            size,
        });
    }
    match found.is_empty() {
        true => Err("no intervals below the header; expected a line each".to_owned()),
        false => Ok(found),
    }
}

/// Where the columns are.
struct Places {
    at: usize,
    reads: Option<usize>,
    writes: Option<usize>,
    size: usize,
    count: usize,
}

fn columns(header: &str) -> Result<Places, String> {
    let names: Vec<_> = header.split(',').map(str::trim).collect();
    if let Some(odd) = names.iter().find(|name| !COLUMNS.contains(name)) {
        let hint = hint(odd, COLUMNS);
        let (odd, known) = (shorten(odd), COLUMNS.join(", "));
        return Err(format!(
            "no column is called `{odd}`; expected {known}{hint}"
        ));
    }
    let place = |name| names.iter().position(|own| *own == name);
    let needed = |name| place(name).ok_or_else(|| format!("no column `{name}`"));
    if (1..names.len()).any(|at| names[..at].contains(&names[at])) {
        return Err("a column is there twice; expected each once".to_owned());
    }
    let (reads, writes) = (place("reads"), place("writes"));
    if reads.is_none() && writes.is_none() {
        return Err("neither a column `reads` nor `writes`".to_owned());
    }
    Ok(Places {
        at: needed("at")?,
        reads,
        writes,
        size: needed("size")?,
        count: names.len(),
    })
}

/// A time of the file: seconds, a duration, or a date with a time of day.
fn time(text: &str) -> Result<Nanos, String> {
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
fn rate(name: &str, text: &str) -> Result<u64, String> {
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
fn size(text: &str, idle: bool) -> Result<Bytes, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_rates_and_sizes_may_be_written_in_several_ways() {
        let all = |text: &str| {
            let found = steps(text).unwrap();
            let found = found.iter();
            let found = found.map(|it| (it.from / SECOND, it.reads, it.writes, it.size));
            found.collect::<Vec<_>>()
        };
        let expected = [(0, 100_000, 500, 8192), (300, 0, 0, 512)];
        assert_eq!(
            all("at,reads,writes,size\n0,100,0.5,8192\n300,0,0,\n"),
            expected
        );
        assert_eq!(
            all("at, size, writes, reads\r\n1m,8KiB,0.5,100\r\n6m,0,0,0"),
            expected
        );
        let dated = "at,reads,writes,size\n2026-12-31T23:55:00Z,100,.5,8200\n\
                     2027-01-01 00:00,0,0,1KiB\n";
        assert_eq!(all(dated)[1].0, 300);
        assert_eq!(all(dated)[0].3, 8192);
        assert_eq!(all("at,reads,size\n7,1,1MiB"), [(0, 1000, 0, 1 << 20)]);
    }

    #[test]
    fn mistakes_are_named_by_line_and_value() {
        let said = |text: &str| steps(text).unwrap_err();
        let lines = |rows: &str| said(&format!("at,reads,writes,size\n{rows}"));
        assert_eq!(
            said(""),
            "no intervals; expected a header `at,reads,writes,size`"
        );
        assert_eq!(
            said("at,read,size\n"),
            "line 1: no column is called `read`; expected at, reads, writes, size; did you mean `reads`?"
        );
        assert_eq!(
            said("at,size"),
            "line 1: neither a column `reads` nor `writes`"
        );
        assert_eq!(said("at,reads\n"), "line 1: no column `size`");
        assert_eq!(
            lines(""),
            "no intervals below the header; expected a line each"
        );
        assert_eq!(lines("0,1,1"), "line 2: 3 values; expected 4");
        assert_eq!(
            lines("0,-1,1,1"),
            "line 2: reads `-1`; expected a number of IOs a second"
        );
        assert_eq!(
            lines("0,1,1,0"),
            "line 2: size `0`; expected bytes of an IO up to 64MiB, such as 8192 or `8KiB`"
        );
        assert_eq!(
            lines("1,1,1,512\n1,1,1,512"),
            "line 3: at `1` does not come after the line before"
        );
        assert_eq!(
            lines("noon,1,1,512"),
            "line 2: at `noon`; expected seconds, `5m` or a time such as `2026-11-02T01:00:00Z`"
        );
    }
}
