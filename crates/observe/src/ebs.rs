//! EBS's own statistics of a volume: page 0xD0 of its NVMe log.
//!
//! Their meaning is AWS's ("total time that IOPS demand exceeded the volume's provisioned IOPS
//! performance", in CloudWatch's guide under "Collect Amazon EBS NVMe driver metrics").
//! The layout is that of `ebsnvme` (amazonlinux/amazon-ec2-utils, d84cf6dc) and of nvme-cli's
//! `plugins/amzn/amzn-nvme.c` (e117ee68). It was read, and never met a volume.

use std::fs::File;
use std::io;

use blockyard_machine::BlockDevice;
use blockyard_record::result::{EbsOp, EbsStatistics};
use blockyard_sys::nvme;

/// What EBS volumes call themselves.
const MODEL: &str = "Amazon Elastic Block Store";

const PAGE: u8 = 0xD0;
const LENGTH: usize = 4096;
const MAGIC: u32 = 0x3C23_B510;

/// Where the four exceeded times begin, in microseconds since the volume was attached: the volume's
/// IOPS and throughput, the instance's.
const EXCEEDED: usize = 56;

/// Where the histograms of reads and writes begin: how many bins, then bins of a lower and an upper
/// bound in microseconds and a count.
const HISTOGRAMS: [(&str, usize); 2] = [("read", 512), ("write", 2056)];
const BIN: usize = 24;
const MOST_BINS: usize = 64;

/// The latencies of an operation, by their upper bounds in microseconds.
type Histogram = Vec<(u64, u32)>;

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    exceeded_us: [u64; 4],
    latencies: [Histogram; 2],
}

/// Whether a device is an EBS volume that may have such statistics.
pub(crate) fn is_volume(device: &BlockDevice) -> bool {
    device.model().is_some_and(|model| model.trim() == MODEL)
}

/// What the volume counted since it was attached.
pub(crate) fn counted(device: &BlockDevice) -> io::Result<Counted> {
    let file = File::open(device.node())?;
    let page = nvme::log_page::<LENGTH>(&file, PAGE)?;
    parse(&page).map_err(io::Error::other)
}

fn parse(page: &[u8; LENGTH]) -> Result<Counted, String> {
    let magic = u32_at(page, 0);
    if magic != MAGIC {
        return Err(format!(
            "its log page 0xd0 begins with {magic:#x}; expected {MAGIC:#x}"
        ));
    }
    let mut latencies = [Histogram::new(), Histogram::new()];
    for ((op, at), own) in HISTOGRAMS.into_iter().zip(&mut latencies) {
        *own = histogram(page, at).map_err(|why| format!("its {op} latencies have {why}"))?;
    }
    Ok(Counted {
        exceeded_us: [0, 1, 2, 3].map(|place| u64_at(page, EXCEEDED + 8 * place)),
        latencies,
    })
}

fn histogram(page: &[u8; LENGTH], at: usize) -> Result<Histogram, String> {
    let bins = u64_at(page, at);
    if bins > MOST_BINS as u64 {
        return Err(format!("{bins} bins; expected at most {MOST_BINS}"));
    }
    let begin = |bin| at + 8 + bin * BIN;
    let read: Histogram = (0..bins as usize)
        .map(|bin| (u64_at(page, begin(bin) + 8), u32_at(page, begin(bin) + 16)))
        .collect();
    match read.is_sorted_by(|one, next| one.0 < next.0) {
        true => Ok(read),
        false => Err("bounds that do not rise".into()),
    }
}

impl Counted {
    /// What was counted from `first` on. Counts of latencies have 32 bits, and wrap.
    ///
    /// # Errors
    /// If the volume is another one: bounds differ, or a time has run back.
    pub(crate) fn since(&self, first: &Self) -> Result<EbsStatistics, String> {
        let times = self.exceeded_us.iter().zip(first.exceeded_us);
        let seconds: Option<Vec<f64>> = times
            .map(|(last, first)| Some(last.checked_sub(first)? as f64 / 1e6))
            .collect();
        let [
            volume_iops,
            volume_throughput,
            instance_iops,
            instance_throughput,
        ] = seconds
            .and_then(|all| <[f64; 4]>::try_from(all).ok())
            .ok_or("its counters began anew")?;
        let mut ops = Vec::new();
        for (place, (op, _)) in HISTOGRAMS.into_iter().enumerate() {
            let (own, before) = (&self.latencies[place], &first.latencies[place]);
            let bounds = |of: &Histogram| of.iter().map(|bin| bin.0).collect::<Vec<_>>();
            if bounds(own) != bounds(before) {
                return Err("the bounds of its latencies changed".into());
            }
            let bins = own.iter().zip(before);
            let bins = bins.map(|(last, first)| (last.0, last.1.wrapping_sub(first.1)));
            ops.extend(latencies(op, &bins.collect::<Vec<_>>()));
        }
        Ok(EbsStatistics {
            volume_iops_exceeded_s: volume_iops,
            volume_throughput_exceeded_s: volume_throughput,
            instance_iops_exceeded_s: instance_iops,
            instance_throughput_exceeded_s: instance_throughput,
            ops,
        })
    }
}

/// The latencies of an operation; none if it did not happen.
fn latencies(op: &str, bins: &[(u64, u32)]) -> Option<EbsOp> {
    let ios: u64 = bins.iter().map(|bin| u64::from(bin.1)).sum();
    let within = |share: f64| {
        let rank = (share * ios as f64).ceil() as u64;
        let mut seen = 0;
        let bin = bins.iter().find(|bin| {
            seen += u64::from(bin.1);
            seen >= rank
        });
        bin.map_or(0, |bin| bin.0)
    };
    (ios > 0).then(|| EbsOp {
        op: op.into(),
        ios,
        p50_within_us: within(0.5),
        p99_within_us: within(0.99),
    })
}

fn u32_at(page: &[u8; LENGTH], at: usize) -> u32 {
    let mut own = [0; 4];
    own.copy_from_slice(&page[at..at + 4]);
    u32::from_le_bytes(own)
}

fn u64_at(page: &[u8; LENGTH], at: usize) -> u64 {
    let mut own = [0; 8];
    own.copy_from_slice(&page[at..at + 8]);
    u64::from_le_bytes(own)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A page as a volume of four bins has it, with bounds at powers of two.
    fn page(exceeded_us: [u64; 4], counts: [[u32; 4]; 2]) -> [u8; LENGTH] {
        let mut page = [0; LENGTH];
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC.to_le_bytes());
        for (place, time) in exceeded_us.into_iter().enumerate() {
            put(56 + 8 * place, &time.to_le_bytes());
        }
        for (at, counts) in [512, 2056].into_iter().zip(counts) {
            put(at, &4_u64.to_le_bytes());
            for (bin, count) in counts.into_iter().enumerate() {
                let begin = at + 8 + 24 * bin;
                put(begin, &(256_u64 << bin >> 1).to_le_bytes());
                put(begin + 8, &(256_u64 << bin).to_le_bytes());
                put(begin + 16, &count.to_le_bytes());
            }
        }
        page
    }

    #[test]
    fn what_was_counted_meanwhile_is_told() {
        let first = page([7, 0, 1_000_000, 0], [[5, 5, 5, 5], [0; 4]]);
        let last = page([2_500_007, 0, 1_000_000, 4], [[55, 54, 6, 5], [0; 4]]);
        let [first, last] = [first, last].map(|page| parse(&page).unwrap());
        let told = last.since(&first).unwrap();
        assert_eq!(told.volume_iops_exceeded_s, 2.5);
        assert_eq!(told.volume_throughput_exceeded_s, 0.0);
        assert_eq!(told.instance_iops_exceeded_s, 0.0);
        assert_eq!(told.instance_throughput_exceeded_s, 4e-6);
        let [reads] = &told.ops[..] else {
            panic!("{told:?}")
        };
        assert_eq!((&*reads.op, reads.ios), ("read", 100));
        assert_eq!((reads.p50_within_us, reads.p99_within_us), (256, 512));
        // Of another volume.
        assert_eq!(first.since(&last), Err("its counters began anew".into()));
    }

    #[test]
    fn counts_of_32_bits_wrap() {
        let first = parse(&page([0; 4], [[u32::MAX, 0, 0, 0], [0; 4]])).unwrap();
        let last = parse(&page([0; 4], [[9, 0, 0, 0], [0; 4]])).unwrap();
        assert_eq!(last.since(&first).unwrap().ops[0].ios, 10);
    }

    #[test]
    fn what_is_no_such_page_is_said() {
        let refused = |change: fn(&mut [u8; LENGTH])| {
            let mut odd = page([0; 4], [[1; 4]; 2]);
            change(&mut odd);
            parse(&odd).unwrap_err()
        };
        assert!(refused(|page| page[0] = 0).contains("; expected 0x3c23b510"));
        let many = "its write latencies have 65 bins; expected at most 64";
        assert_eq!(refused(|page| page[2056] = 65), many);
        let falling = "its read latencies have bounds that do not rise";
        assert_eq!(refused(|page| page[512 + 8 + 8 + 2] = 9), falling);
    }

    proptest! {
        #[test]
        fn no_page_breaks_anything(
            bytes in prop::collection::vec(any::<u8>(), LENGTH),
            bins in 0_u8..=65,
        ) {
            let mut odd = page([1; 4], [[1; 4]; 2]);
            odd[56..].copy_from_slice(&bytes[56..]);
            for (_, at) in HISTOGRAMS {
                odd[at..at + 8].copy_from_slice(&u64::from(bins).to_le_bytes());
            }
            if let Ok(counted) = parse(&odd) {
                let told = counted.since(&counted).unwrap();
                prop_assert!(told.ops.is_empty());
            }
        }
    }
}
