//! The limits in force over a device while it ran.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::Limit;
use crate::limits::id::LimitId;
use crate::limits::owners::Owners;
use crate::storage::devices::Device;
use crate::storage::table::{Ids, VolumeTable};

/// A limit over a device, interval by interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InForce {
    /// Which limit.
    pub limit: LimitId,
    /// IOs or bytes a second, of all volumes whose it is together: a single value, or if it
    /// changed one for each interval; none of one in which it did not hold.
    pub per_s: Vec<Option<f64>>,
}

/// The rates that a table tells of, by limit and volume.
pub(crate) struct Rates<'a> {
    table: &'a VolumeTable,
    ids: Vec<LimitId>,
    /// By place of a limit in `ids` and of a volume in the table, interval by interval; 0 where
    /// it did not hold.
    rates: HashMap<(usize, usize), Vec<u64>>,
}

impl<'a> Rates<'a> {
    /// # Errors
    /// A line that names what is no limit.
    pub(crate) fn of(table: &'a VolumeTable, owners: &Owners) -> Result<Self, String> {
        let ids = Ids::of(&table.rates, &table.volume, owners)?;
        let mut rates: HashMap<_, Vec<_>> = HashMap::new();
        let mut intervals = vec![0; table.volume.names.len()];
        let mut interval_of = Vec::with_capacity(table.volume.index.len());
        for &volume in &table.volume.index {
            interval_of.push(intervals[volume]);
            intervals[volume] += 1;
        }
        for (row, limit, rate) in table.rates.iter(&ids, &table.volume) {
            let volume = table.volume.index[row];
            let column = rates.entry((limit, volume));
            column.or_insert_with(|| vec![0; intervals[volume]])[interval_of[row]] = rate;
        }
        Ok(Self {
            table,
            ids: ids.ids,
            rates,
        })
    }

    /// The limits over `device`, of all `limits` there are. Without a table, as resolved.
    pub(crate) fn over(&self, device: &Device, limits: &[Limit]) -> Vec<InForce> {
        let over = limits.iter().filter(|limit| device.passes(&limit.limit));
        let in_force = over.map(|limit| InForce {
            limit: limit.limit.clone(),
            per_s: match self.table.t_s.is_empty() {
                true => vec![Some(limit.value * limit.unit.per_s())],
                false => self.summed(device, &limit.limit),
            },
        });
        in_force.filter(|found| !found.per_s.is_empty()).collect()
    }

    /// The sum over those volumes of a device that have a limit; a host's is the same in
    /// the rows of all.
    fn summed(&self, device: &Device, limit: &LimitId) -> Vec<Option<f64>> {
        let Some(id) = self.ids.iter().position(|known| known == limit) else {
            return Vec::new();
        };
        let most = if limit.is_host() { 1 } else { usize::MAX };
        let names = &self.table.volume.names;
        let columns: Vec<_> = device
            .volumes_behind(limit)
            .take(most)
            .filter_map(|volume| names.iter().position(|name| name == volume))
            .filter_map(|volume| self.rates.get(&(id, volume)))
            .collect();
        let steady = |column: &&Vec<u64>| column.iter().all(|rate| *rate == column[0]);
        let rows = match columns.iter().all(steady) {
            true => columns.len().min(1),
            false => columns.iter().map(|column| column.len()).min().unwrap_or(0),
        };
        let sum = |row| columns.iter().map(|column| column[row]).sum::<u64>();
        let held = |sum: u64| (sum > 0).then_some(sum as f64);
        (0..rows).map(sum).map(held).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{device, limit, owners, rate, table};

    fn over(table: &VolumeTable, device: &Device) -> Vec<Vec<f64>> {
        let limits = [
            limit("data", "iops", 6000.0, "IOPS"),
            limit("other", "iops", 1.0, "IOPS"),
            limit("host", "throughput", 10.0, "MB/s"),
        ];
        let found = Rates::of(table, &owners()).unwrap().over(device, &limits);
        let none = f64::NAN;
        let of = |found: InForce| found.per_s.into_iter().map(|it| it.unwrap_or(none));
        found.into_iter().map(|found| of(found).collect()).collect()
    }

    #[test]
    fn volumes_are_summed_and_the_host_is_not() {
        let mut table = table(&[(0.0, "data.0", 0, 0), (0.0, "data.1", 0, 0)]);
        for row in [0, 1] {
            rate(&mut table, row, "host.throughput", 10_000_000);
            rate(&mut table, row, "iops", 3000);
        }
        let mut data = device("data", &["data.0", "data.1"]);
        assert_eq!(over(&table, &data), [[6000.0], [1e7]]);
        data.legs[0].behind_host = false;
        assert_eq!(over(&table, &data), [[6000.0]]);
    }

    #[test]
    fn a_limit_that_changed_has_a_value_for_each_interval() {
        let rows = [
            (0.0, "data", 0, 0),
            (1.0, "data", 0, 0),
            (2.0, "data", 0, 0),
        ];
        let mut table = table(&rows);
        for (row, value) in [3000, 1000, 1000].into_iter().enumerate() {
            rate(&mut table, row, "iops", value);
        }
        let data = device("data", &["data"]);
        assert_eq!(over(&table, &data), [vec![3000.0, 1000.0, 1000.0]]);
    }

    #[test]
    fn a_limit_has_no_value_while_it_does_not_hold() {
        let rows = [
            (0.0, "data", 0, 0),
            (1.0, "data", 0, 0),
            (2.0, "data", 0, 0),
        ];
        let mut table = table(&rows);
        rate(&mut table, 1, "iops", 3000);
        let found = &over(&table, &device("data", &["data"]))[0];
        assert!(found[0].is_nan() && found[2].is_nan() && found.len() == 3);
        assert_eq!(found[1], 3000.0);
    }

    #[test]
    fn without_a_table_limits_are_as_resolved() {
        let data = device("data", &["data.0", "data.1"]);
        assert_eq!(over(&table(&[]), &data), [[6000.0], [1e7]]);
    }
}
