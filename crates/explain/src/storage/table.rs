//! The table of volumes of a run, column by column.

use crate::limits::id::LimitId;
use crate::limits::owners::Owners;

/// A column of names, each of them once, and by row which it is.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The names.
    pub names: Vec<String>,
    /// An index into them for each row.
    pub index: Vec<usize>,
}

/// What some rows say of some limits, an entry in each place.
#[derive(Clone, Debug)]
pub struct Entries<T> {
    /// The row, rising.
    pub row: Vec<usize>,
    /// The limit, named as it stands beside a volume: `iops`, `host.iops`.
    pub limit: Names,
    /// The figure.
    pub value: Vec<T>,
}

/// A row for each interval and volume, by time; empty where a run has none.
#[derive(Clone, Debug)]
pub struct VolumeTable {
    /// Start of the interval, in seconds.
    pub t_s: Vec<f64>,
    /// The volume.
    pub volume: Names,
    /// IOs served.
    pub ios: Vec<u64>,
    /// Bytes served.
    pub bytes: Vec<u64>,
    /// How long limits made IOs wait, in microseconds summed over IOs.
    pub waits_us: Entries<f64>,
    /// The limits in force, in IOs or bytes a second.
    pub rates: Entries<u64>,
}

impl VolumeTable {
    /// Checks that the columns fit together.
    ///
    /// # Errors
    /// A line that says what does not.
    pub(crate) fn check(&self) -> Result<(), String> {
        let rows = self.t_s.len();
        let columns = [self.volume.index.len(), self.ios.len(), self.bytes.len()];
        let whole = columns == [rows; 3]
            && self.volume.fits(rows)
            && self.waits_us.fits(rows)
            && self.rates.fits(rows);
        match whole {
            true => Ok(()),
            false => Err("volumes: columns that do not fit together".to_owned()),
        }
    }

    /// The time from row to row in seconds; 1 with fewer than two intervals.
    pub(crate) fn interval_s(&self) -> f64 {
        let least = |starts: &mut dyn Iterator<Item = f64>| starts.min_by(f64::total_cmp);
        let first = least(&mut self.t_s.iter().copied());
        let later = |start: &f64| first.is_some_and(|first| *start > first);
        let second = least(&mut self.t_s.iter().copied().filter(later));
        first
            .zip(second)
            .map_or(1.0, |(first, second)| second - first)
    }
}

impl Names {
    fn fits(&self, rows: usize) -> bool {
        self.index.len() == rows && self.index.iter().all(|&index| index < self.names.len())
    }
}

impl<T: Copy> Entries<T> {
    fn fits(&self, rows: usize) -> bool {
        self.row.len() == self.value.len()
            && self.limit.fits(self.value.len())
            && self.row.iter().all(|&row| row < rows)
    }

    /// Each entry: its row, its limit's place in `ids`, and its figure.
    pub(crate) fn iter<'a>(
        &'a self,
        ids: &'a Ids,
        volume: &'a Names,
    ) -> impl Iterator<Item = (usize, usize, T)> + 'a {
        let rows = self.row.iter().zip(&self.limit.index).zip(&self.value);
        rows.map(move |((&row, &limit), &value)| (row, ids.of[volume.index[row]][limit], value))
    }
}

/// The limits that entries name, each once, in the order of their first entries.
pub(crate) struct Ids {
    pub(crate) ids: Vec<LimitId>,
    /// By volume and name, which of them it is.
    of: Vec<Vec<usize>>,
}

impl Ids {
    /// # Errors
    /// A line that names what is no limit.
    pub(crate) fn of<T>(
        entries: &Entries<T>,
        volume: &Names,
        owners: &Owners,
    ) -> Result<Self, String> {
        let unknown = usize::MAX;
        let mut of = vec![vec![unknown; entries.limit.names.len()]; volume.names.len()];
        let mut ids: Vec<LimitId> = Vec::new();
        for (&row, &limit) in entries.row.iter().zip(&entries.limit.index) {
            let place = &mut of[volume.index[row]][limit];
            if *place != unknown {
                continue;
            }
            let name = &entries.limit.names[limit];
            let (owner, kind) = owners.beside_volume(&volume.names[volume.index[row]], name);
            let id = LimitId::of(owner, kind).map_err(|error| format!("volumes: {error}"))?;
            *place = ids
                .iter()
                .position(|known| *known == id)
                .unwrap_or_else(|| {
                    ids.push(id);
                    ids.len() - 1
                });
        }
        Ok(Self { ids, of })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::table;

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let whole = table(&[(0.0, "data", 1, 512)]);
        assert_eq!(whole.check(), Ok(()));
        let mut short = whole.clone();
        short.ios.pop();
        assert!(short.check().is_err());
        let mut beyond = whole.clone();
        beyond.volume.index[0] = 1;
        assert!(beyond.check().is_err());
        let mut no_row = whole;
        no_row.waits_us.row.push(1);
        no_row.waits_us.value.push(1.0);
        no_row.waits_us.limit.index.push(0);
        no_row.waits_us.limit.names.push("iops".to_owned());
        assert!(no_row.check().is_err());
    }
}
