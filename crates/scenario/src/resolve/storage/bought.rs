//! What a scenario's storage is bought as.

use blockyard_catalog::{Instance, Provisioned};

use super::Builder;

/// What the hosts and the volumes that a run begins with are bought as.
#[derive(Clone, Debug, Default)]
pub struct Bought {
    /// By host, in the order of the storage's hosts: its instance type; none where that is not
    /// stated.
    pub instances: Vec<Option<String>>,
    /// The volumes, in the storage's order, each once however many hosts can reach it.
    pub volumes: Vec<BoughtVolume>,
}

/// What a volume is bought as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoughtVolume {
    /// The device that it is a part of.
    pub device: String,
    /// Its type, `gp3`.
    pub volume_type: String,
    /// What it is provisioned with.
    pub provisioned: Provisioned,
}

impl Bought {
    pub(super) fn of(builder: &Builder<'_>) -> Self {
        let instances = builder.hosts.iter().map(|host| host.instance);
        Self {
            instances: instances
                .map(|it| it.map(|it| Instance::name(it).to_owned()))
                .collect(),
            volumes: builder.bought.clone(),
        }
    }
}

impl Builder<'_> {
    /// Gives the volumes that have no device yet the name of theirs.
    pub(super) fn name_bought(&mut self, device: &str) {
        let unnamed = self.bought.iter_mut().filter(|it| it.device.is_empty());
        unnamed.for_each(|it| device.clone_into(&mut it.device));
    }
}
