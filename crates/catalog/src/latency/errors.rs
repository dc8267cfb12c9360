//! How far measured latencies lie from simulated ones.

use std::collections::BTreeMap;

use blockyard_text::Error;

use crate::Catalog;
use crate::table::Table;

const HEADER: &str = "profile,op,load,figure,low,high,rows,sources,of";

/// The errors of all figures, by profile, operation, load and figure.
#[derive(Clone, Debug)]
pub(crate) struct ErrorTable(BTreeMap<[String; 4], LatencyError>);

/// Within which multiples of a simulated latency 9 of 10 public measurements lie.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyError {
    /// The smaller multiple.
    pub low: f64,
    /// The larger one.
    pub high: f64,
    /// How many measurements there are.
    pub rows: u32,
    /// How many sources these have, at least 4.
    pub sources: u32,
    /// What they are of, as `gp3 reads`; `network volumes` where too few sources have measured the
    /// profile itself.
    pub of: String,
}

/// A figure of a distribution of latencies that has been measured often enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyFigure {
    /// The mean.
    Mean,
    /// The median.
    P50,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P99_9,
}

impl LatencyFigure {
    fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P99_9 => "p99_9",
        }
    }
}

impl ErrorTable {
    /// Reads `latency-errors.csv`. An error names the offending line.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let table = Table::new("catalog/latency-errors.csv", HEADER, text);
        let rows = table.keyed(4, |cells| {
            let [profile, op, load, figure, low, high, rows, sources, of] = cells else {
                return Err("expected 9 cells".into());
            };
            let error = LatencyError {
                low: number(low)?,
                high: number(high)?,
                rows: number(rows)?,
                sources: number(sources)?,
                of: (*of).to_owned(),
            };
            if !(0.0 < error.low && error.low <= error.high) {
                return Err(format!("{low} to {high}; expected rising factors above 0"));
            }
            let key = [*profile, *op, *load, *figure].map(str::to_owned);
            Ok((key, error))
        })?;
        Ok(Self(rows.into_iter().collect()))
    }
}

fn number<T: std::str::FromStr>(cell: &str) -> Result<T, String> {
    cell.parse()
        .map_err(|_| format!("`{cell}`; expected a number"))
}

impl Catalog {
    /// How far public measurements lie from what is simulated of `read`s or `write`s with a
    /// profile, which limits delayed noticeably or not; none where too few are known.
    #[must_use]
    pub fn latency_error(
        &self,
        profile: &str,
        op: &str,
        at_limit: bool,
        figure: LatencyFigure,
    ) -> Option<&LatencyError> {
        let load = if at_limit { "limit" } else { "below" };
        let key = [profile, op, load, figure.name()].map(str::to_owned);
        self.latency_errors.0.get(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<ErrorTable, Error> {
        ErrorTable::read(&format!("{HEADER}\n{line}\n"))
    }

    #[test]
    fn figures_are_told_apart_by_profile_operation_load_and_figure() {
        let catalog = Catalog::get().unwrap();
        let below = |figure| catalog.latency_error("gp3", "read", false, figure).unwrap();
        let (mean, tail) = (below(LatencyFigure::Mean), below(LatencyFigure::P99));
        assert!(mean.low < mean.high && mean.sources >= 4);
        assert!(tail.high / tail.low > mean.high / mean.low);
        let none = catalog.latency_error("zero", "read", false, LatencyFigure::Mean);
        assert_eq!(none, None);
    }

    #[test]
    fn every_profile_of_the_table_is_in_the_catalog() {
        let catalog = Catalog::get().unwrap();
        for [profile, ..] in catalog.latency_errors.0.keys() {
            assert!(catalog.profile(profile).is_ok(), "{profile}");
        }
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_line() {
        for (line, said) in [
            ("gp3,read,below,mean,0.8,1.2,9,4", "expected 9 cells"),
            (
                "gp3,read,below,mean,low,1.2,9,4,gp3 reads",
                "`low`; expected a number",
            ),
            (
                "gp3,read,below,mean,1.2,0.8,9,4,gp3 reads",
                "expected rising factors",
            ),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(
                error.contains(said) && error.contains("latency-errors.csv:2"),
                "{error}"
            );
        }
    }
}
