//! How long each limit made IOs wait, interval by interval.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;
use crate::limits::owners::Owners;
use crate::storage::table::{Ids, VolumeTable};

/// A limit's waits over time, the warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitSeries {
    /// Which limit.
    pub limit: LimitId,
    /// Starts of the intervals in which IOs waited for it, in seconds, rising.
    pub t_s: Vec<f64>,
    /// How long, in microseconds summed over IOs.
    pub waited_us: Vec<f64>,
}

impl WaitSeries {
    /// How long IOs waited in the intervals of a length that overlap a part of the run, all in
    /// seconds.
    pub(crate) fn within_s(&self, part_s: &Range<f64>, length_s: f64) -> f64 {
        let points = self.t_s.iter().zip(&self.waited_us);
        let inside =
            points.filter(|(t_s, _)| **t_s < part_s.end && **t_s + length_s > part_s.start);
        inside.map(|(_, us)| us / 1e6).sum()
    }
}

/// The limits that IOs waited for, in the order in which they first did.
///
/// # Errors
/// A line that names what is no limit.
pub(crate) fn series(table: &VolumeTable, owners: &Owners) -> Result<Vec<WaitSeries>, String> {
    let ids = Ids::of(&table.waits_us, &table.volume, owners)?;
    let mut found: Vec<_> = ids.ids.iter().cloned().map(empty).collect();
    for (row, limit, waited_us) in table.waits_us.iter(&ids, &table.volume) {
        let (series, t_s) = (&mut found[limit], table.t_s[row]);
        match (series.t_s.last(), series.waited_us.last_mut()) {
            (Some(&last), Some(sum)) if last == t_s => *sum += waited_us,
            _ => {
                series.t_s.push(t_s);
                series.waited_us.push(waited_us);
            }
        }
    }
    Ok(found)
}

fn empty(limit: LimitId) -> WaitSeries {
    WaitSeries {
        limit,
        t_s: Vec::new(),
        waited_us: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{owners, table, wait};

    #[test]
    fn volumes_of_a_device_wait_together() {
        let mut table = table(&[
            (0.0, "data.0", 1, 1),
            (0.0, "data.1", 1, 1),
            (1.0, "data.0", 1, 1),
            (1.0, "wij", 1, 1),
        ]);
        wait(&mut table, 0, "iops", 1e6);
        wait(&mut table, 1, "iops", 2e6);
        wait(&mut table, 2, "host.iops", 4e6);
        wait(&mut table, 3, "host.iops", 8e6);
        let found = series(&table, &owners()).unwrap();
        assert!(found[0].limit.is_of("data"));
        assert_eq!(
            (&found[0].t_s, &found[0].waited_us),
            (&vec![0.0], &vec![3e6])
        );
        assert!(found[1].limit.is_host());
        assert_eq!(
            (&found[1].t_s, &found[1].waited_us),
            (&vec![1.0], &vec![12e6])
        );
        assert_eq!(found[1].within_s(&(0.0..1.0), 1.0), 0.0);
        assert_eq!(found[1].within_s(&(1.5..1.6), 1.0), 12.0);
    }
}
