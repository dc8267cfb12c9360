//! Who asked for the IO of a trace.

use std::cmp::Reverse;
use std::collections::HashMap;

use blockyard_model::storage::Op;
use blockyard_model::units::Bytes;
use blockyard_record::result::ObservedProcess;
use blockyard_trace::Row;

/// Those that are kept, most bytes first.
const MOST: usize = 100;

/// Bytes read and written, by name and number.
#[derive(Debug, Default)]
pub(super) struct Threads(HashMap<(u32, u32), [Bytes; 2]>);

impl Threads {
    pub(super) fn add(&mut self, row: &Row) {
        if let Some(by) = row.by
            && matches!(row.op, Op::Read | Op::Write)
        {
            self.0.entry(by).or_default()[row.op as usize] += row.bytes;
        }
    }

    /// As processes; `jobs` are their names.
    pub(super) fn processes(&self, jobs: &[String]) -> Vec<ObservedProcess> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(by, bytes)| (Reverse(bytes[0] + bytes[1]), **by));
        let all = all.into_iter().take(MOST);
        all.map(|((job, thread), [read, write])| ObservedProcess {
            pid: *thread,
            name: jobs[*job as usize].clone(),
            read_bytes: *read,
            write_bytes: *write,
            ended: false,
        })
        .collect()
    }
}
