//! Demand by interval as text: CSV with a line each interval.

mod cells;
mod file;
#[cfg(test)]
mod tests;
mod together;

use blockyard_model::workload::spec::DemandStep;
use blockyard_text::{hint, shorten};

use self::cells::{rate, size, time};
pub(crate) use self::file::is_file;
pub use self::file::put_text;
pub use self::together::together;

const COLUMNS: [&str; 4] = ["at", "reads", "writes", "size"];

/// The intervals of a CSV text, counted from the first.
///
/// # Errors
/// A line that names the place in the text, the value and what was expected.
pub fn steps(text: &str) -> Result<Vec<DemandStep>, String> {
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
