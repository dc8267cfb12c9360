//! How much room the jobs' files take on each device.

use std::collections::BTreeMap;
use std::ops::Range;

use blockyard_machine::Error;
use blockyard_model::units::{Bytes, MIB};
use blockyard_model::workload::spec::{JobSpec, Region};
use blockyard_scenario::units::Size;

/// Files begin at multiples of this, as the scenario lays them out.
const ALIGNMENT: Bytes = MIB;

/// Direct IO needs whole blocks of the strictest devices.
const BLOCK: Bytes = 4096;

/// The bytes that `jobs` use of device number `device`; none if they do not.
pub(crate) fn span(jobs: &[JobSpec], device: usize) -> Option<Bytes> {
    let regions = jobs.iter().flat_map(JobSpec::files).map(|file| file.region);
    let on_it = regions.filter(|region| region.device == device);
    let ends = on_it.map(|region| region.offset + region.size);
    ends.max().map(|end| end.next_multiple_of(BLOCK))
}

/// What `jobs` may write to on device number `device`, from the first byte to the last; empty if
/// they do not.
pub(crate) fn written(jobs: &[JobSpec], device: usize) -> Range<Bytes> {
    let files = jobs.iter().flat_map(JobSpec::files);
    let written = files.filter(|file| file.region.device == device && file.is_written());
    let regions = written.map(|file| file.region.offset..file.region.offset + file.region.size);
    let whole = regions.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
    whole.unwrap_or_default()
}

/// Scales all files by one factor, so that those of the largest device take
/// `size`.
///
/// # Errors
/// If a file would not hold what is written to it at once any more.
pub(crate) fn scale(jobs: &mut [JobSpec], size: Bytes) -> Result<(), Error> {
    let mut used: BTreeMap<usize, (Bytes, Bytes)> = BTreeMap::new();
    for file in jobs.iter().flat_map(JobSpec::files) {
        let (bytes, gaps) = used.entry(file.region.device).or_default();
        *bytes += file.region.size;
        *gaps += ALIGNMENT;
    }
    let Some(&(whole, gaps)) = used.values().max() else {
        return Ok(());
    };
    let room = size.saturating_sub(gaps - ALIGNMENT);
    let mut filled: BTreeMap<usize, Bytes> = BTreeMap::new();
    for job in jobs {
        let name = job.name().to_owned();
        let files = job.files();
        for (region, file) in job.regions_mut().into_iter().zip(files) {
            let unit = file.unit;
            let scaled = u128::from(region.size) * u128::from(room) / u128::from(whole);
            let next = filled.entry(region.device).or_default();
            *region = Region {
                offset: next.next_multiple_of(ALIGNMENT),
                size: scaled as Bytes / unit * unit,
                ..*region
            };
            *next = region.offset + region.size;
            if region.size < file.least_size {
                let (size, least) = (Size::new(size), file.least_size);
                return Err(Error::Input(format!(
                    "--size: {size} leaves a file of `{name}` no block of {least} bytes"
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use blockyard_model::units::GIB;
    use blockyard_model::workload::spec::{AccessSpec, Load, Skew};
    use proptest::prelude::*;

    use super::*;

    fn reader(device: usize, offset: Bytes, size: Bytes) -> JobSpec {
        JobSpec::Access(AccessSpec {
            name: "reader".into(),
            file: Region {
                device,
                offset,
                size,
            },
            block: 8192,
            read_permille: 1000,
            random_permille: 1000,
            skew: Skew::NONE,
            load: Load::Closed {
                steps: vec![(0, 1)],
                outstanding: 1,
            },
            think: 0,
            fsync: None,
            read_ahead: None,
            amount: None,
        })
    }

    proptest! {
        #[test]
        fn scaled_files_fit_keep_apart_and_keep_their_proportions(
            files in prop::collection::vec((0_usize..3, 1_u64..100_000), 1..6),
            room in (64 * MIB)..(64 * GIB),
        ) {
            let mut ends = [0; 3];
            let mut jobs = Vec::new();
            for &(device, blocks) in &files {
                let offset = Bytes::next_multiple_of(ends[device], ALIGNMENT);
                jobs.push(reader(device, offset, blocks * 8192));
                ends[device] = offset + blocks * 8192;
            }
            let before = jobs.clone();
            if scale(&mut jobs, room).is_err() {
                return Ok(());
            }
            let largest = (0..3).filter_map(|device| span(&jobs, device)).max().unwrap();
            prop_assert!(largest <= room);
            let size = |jobs: &[JobSpec], n: usize| jobs[n].files()[0].region.size as f64;
            for n in 0..jobs.len() {
                let (factor, first) = (
                    size(&jobs, n) / size(&before, n),
                    size(&jobs, 0) / size(&before, 0),
                );
                // But for rounding to whole blocks.
                let slack = 8192.0 / size(&before, n) + 8192.0 / size(&before, 0);
                prop_assert!((factor - first).abs() <= slack, "{factor} {first}");
            }
            let files = jobs.iter().flat_map(JobSpec::files);
            let mut regions: Vec<Region> = files.map(|file| file.region).collect();
            regions.sort_by_key(|region| (region.device, region.offset));
            for pair in regions.windows(2) {
                prop_assert!(
                    pair[0].device != pair[1].device
                        || pair[0].offset + pair[0].size <= pair[1].offset
                );
            }
        }
    }

    #[test]
    fn a_size_without_room_for_a_block_is_refused() {
        let mut jobs = vec![reader(0, 0, GIB), reader(0, GIB, 8192)];
        let refused = scale(&mut jobs, MIB).unwrap_err();
        assert!(refused.to_string().contains("no block of 8192 bytes"));
    }
}
