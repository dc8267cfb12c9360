//! The tables of an engine, laid out one after another in its data.

use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::{Draw, NuRand, TableSpec};

use crate::resolve::Invalid;
use crate::resolve::workload::skew;
use crate::schema::{NuRandRows, Oltp, Table};
use crate::units::Size;

/// Most tables: each access is looked up among them.
const MOST_TABLES: usize = 1000;

/// The tables of the job at `path`: one of all its data if none is named.
///
/// # Errors
/// More than the data holds, a table that is nothing or two things, or a law out of range.
pub(super) fn tables(path: &str, job: &Oltp, page: Bytes) -> Result<Vec<TableSpec>, Invalid> {
    let pages = job.data_size.bytes() / page;
    if job.tables.is_empty() {
        let preference = skew(path, job.skew.as_ref())?.preference;
        let draw = Draw::Preferred(preference);
        let first = 0;
        return Ok(vec![TableSpec { first, pages, draw }]);
    }
    if job.skew.is_some() {
        let message = "stands beside `tables`; expected it in one of them";
        return Err(Invalid::new(format!("{path}.skew"), message));
    }
    if job.tables.len() > MOST_TABLES {
        let (given, most) = (job.tables.len(), MOST_TABLES);
        let message = format!("`{given}` tables are too many; expected at most {most}");
        return Err(Invalid::new(format!("{path}.tables"), message));
    }
    let mut found: Vec<TableSpec> = Vec::new();
    let mut taken = 0;
    for (name, table) in &job.tables {
        let path = format!("{path}.tables.{name}");
        let draw = draw(&path, table)?;
        let (first, own) = match (table.size, &table.of) {
            (Some(size), None) => (taken, size.bytes() / page),
            (None, Some(of)) => pages_of(&path, job, of, &found)?,
            _ => return Err(Invalid::new(path, "expected either `size` or `of`")),
        };
        let too_much = |message: String| Err(Invalid::new(format!("{path}.size"), message));
        if own == 0 {
            return too_much(format!("is less than a page of {}", Size::new(page)));
        }
        taken = taken.max(first + own);
        if taken > pages {
            let (all, most) = (Size::new(taken * page), job.data_size);
            return too_much(format!(
                "tables up to here have {all}; `data_size` is {most}"
            ));
        }
        found.push(TableSpec {
            first,
            pages: own,
            draw,
        });
    }
    Ok(found)
}

/// The pages of the table called `of`, which must be among the first.
fn pages_of(path: &str, job: &Oltp, of: &str, found: &[TableSpec]) -> Result<(u64, u64), Invalid> {
    let number = job.tables.get_index_of(of);
    if let Some(it) = number.and_then(|number| found.get(number)) {
        return Ok((it.first, it.pages));
    }
    let known = job.tables.keys().take(found.len()).map(String::as_str);
    let hint = blockyard_text::hint(of, known);
    let message = format!("no table before it is called `{of}`{hint}");
    Err(Invalid::new(format!("{path}.of"), message))
}

fn draw(path: &str, table: &Table) -> Result<Draw, Invalid> {
    let Some(NuRandRows { a, of, rows }) = table.nurand else {
        let skew = skew(path, table.skew.as_ref())?;
        return Ok(Draw::Preferred(skew.preference));
    };
    if table.skew.is_some() {
        let message = "stands beside `skew`; expected one of the two";
        return Err(Invalid::new(format!("{path}.nurand"), message));
    }
    let (a, of, rows) = (a.get(), of.get(), rows.get());
    if a >= of || !(a + 1).is_power_of_two() {
        let message = format!("`{a}` is not a power of two less one below {of}; expected one");
        return Err(Invalid::new(format!("{path}.nurand.a"), message));
    }
    Ok(Draw::NuRand(NuRand { a, of, rows }))
}

#[cfg(test)]
mod tests;
