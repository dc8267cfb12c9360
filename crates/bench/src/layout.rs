//! How much room the jobs' files take on each device.

use std::collections::BTreeMap;

use blockyard_model::units::{Bytes, MIB};
use blockyard_model::workload::spec::{JobSpec, Region};

use crate::error::Error;

/// Files begin at multiples of this, as the scenario lays them out.
const ALIGNMENT: Bytes = MIB;

/// Direct IO needs whole blocks of the strictest devices.
const BLOCK: Bytes = 4096;

/// The bytes that `jobs` use of device number `device`; none if they do not.
pub(crate) fn span(jobs: &[JobSpec], device: usize) -> Option<Bytes> {
    let mut jobs = jobs.to_vec();
    let regions = jobs.iter_mut().flat_map(JobSpec::files_mut);
    let ends = regions
        .filter(|region| region.device == device)
        .map(|region| region.offset + region.size);
    ends.max().map(|end| end.next_multiple_of(BLOCK))
}

/// Scales all files by one factor, so that those of the largest device take
/// `size`.
///
/// # Errors
/// If a file would not hold a block any more.
pub(crate) fn scale(jobs: &mut [JobSpec], size: Bytes) -> Result<(), Error> {
    let mut used: BTreeMap<usize, (Bytes, Bytes)> = BTreeMap::new();
    for region in jobs.iter_mut().flat_map(JobSpec::files_mut) {
        let (bytes, gaps) = used.entry(region.device).or_default();
        *bytes += region.size;
        *gaps += ALIGNMENT;
    }
    let Some(&(whole, gaps)) = used.values().max() else {
        return Ok(());
    };
    let room = size.saturating_sub(gaps - ALIGNMENT);
    let mut filled: BTreeMap<usize, Bytes> = BTreeMap::new();
    for job in jobs {
        let (name, unit) = name_and_unit(job);
        for region in job.files_mut() {
            let scaled = u128::from(region.size) * u128::from(room) / u128::from(whole);
            let next = filled.entry(region.device).or_default();
            *region = Region {
                offset: next.next_multiple_of(ALIGNMENT),
                size: scaled as Bytes / unit * unit,
                ..*region
            };
            *next = region.offset + region.size;
            if region.size == 0 {
                return Err(Error::Input(format!(
                    "--size: {size} bytes leave a file of `{name}` no block of {unit} bytes"
                )));
            }
        }
    }
    Ok(())
}

/// A job's name and what the sizes of its files are multiples of.
fn name_and_unit(job: &JobSpec) -> (String, Bytes) {
    match job {
        JobSpec::Access(spec) => (spec.name.clone(), spec.block),
        JobSpec::RanWrite(spec) => (spec.name.clone(), spec.block.max(BLOCK)),
    }
}
