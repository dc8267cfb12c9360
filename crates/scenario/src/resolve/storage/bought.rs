//! What has to be bought of each volume.

use blockyard_catalog::Limits;

use crate::units::{Size, Throughput};

/// What a volume is, as it is ordered: what the scenario asks for, and what its type includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedVolume {
    /// Its type, `gp3`.
    pub volume_type: String,
    /// Its size.
    pub size: Size,
    /// Provisioned IOPS; none where the type provisions none.
    pub iops: Option<u64>,
    /// Provisioned throughput; none where the type provisions none.
    pub throughput: Option<Throughput>,
    /// Whether it is a disk of the instance, which comes with that.
    pub local: bool,
    /// Whether anyone sells it: `unlimited` is only for tests.
    pub sold: bool,
}

impl ResolvedVolume {
    pub(super) fn of(got: &Limits<'_>) -> Self {
        Self {
            volume_type: got.offer.volume_type().name().to_owned(),
            size: got.provisioned.size,
            iops: got.provisioned.iops,
            throughput: got.provisioned.throughput,
            local: got.offer.row().local,
            sold: got.offer.source().is_some(),
        }
    }
}
