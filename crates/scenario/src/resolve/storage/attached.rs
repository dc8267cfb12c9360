//! Which host a device is attached to.

#[cfg(test)]
mod tests;

use blockyard_text::hint;

use crate::resolve::Invalid;
use crate::schema::Device;

/// The names of the hosts that a device, at some path, can be attached to.
#[derive(Clone, Debug)]
pub(crate) struct HostNames {
    /// None where the scenario has no `hosts`.
    named: Option<Vec<String>>,
}

impl HostNames {
    /// The names of `hosts`; of none if the scenario does not name its host.
    pub(crate) fn new<'a>(hosts: impl Iterator<Item = &'a String>) -> Self {
        let named: Vec<_> = hosts.cloned().collect();
        Self {
            named: (!named.is_empty()).then_some(named),
        }
    }

    /// The index of the host that the field at `path` calls `name`.
    ///
    /// # Errors
    /// If there is no such host.
    pub(crate) fn find(&self, path: &str, name: &str) -> Result<usize, Invalid> {
        let Some(hosts) = &self.named else {
            let message = format!("`{name}`: the scenario names no hosts; expected `hosts`");
            return Err(Invalid::new(path, message));
        };
        let found = hosts.iter().position(|host| host == name);
        found.ok_or_else(|| {
            let hint = hint(name, hosts.iter().map(String::as_str));
            Invalid::new(path, format!("no host is called `{name}`{hint}"))
        })
    }

    /// The host of the device at `path` that it or a part of it states, if any does. All that
    /// state one must state the same.
    pub(super) fn stated(&self, path: &str, device: &Device) -> Result<Option<usize>, Invalid> {
        let mut stated = Vec::new();
        collect(path, device, &mut stated);
        let mut host = None;
        for (path, name) in stated {
            let found = self.find(&path, name)?;
            if let Some((first, known)) = host
                && first != found
            {
                return Err(Invalid::new(
                    path,
                    format!(
                        "`{name}`, beside volumes of the same device on `{known}`; expected one \
                         host for all volumes of a device"
                    ),
                ));
            }
            host = Some((found, name));
        }
        Ok(host.map(|(found, _)| found))
    }
}

/// The hosts that a device and its parts state, each with the path of its field.
fn collect<'a>(path: &str, device: &'a Device, found: &mut Vec<(String, &'a str)>) {
    let host = match device {
        Device::Volume(volume) => &volume.host,
        Device::Stripe(stripe) => &stripe.host,
        Device::Linear(linear) => &linear.host,
        // Its legs are attached each for itself.
        Device::Mirror(_) => &None,
    };
    found.extend(
        host.iter()
            .map(|host| (format!("{path}.host"), host.as_str())),
    );
    match device {
        Device::Volume(_) | Device::Mirror(_) => {}
        Device::Stripe(stripe) => collect(&format!("{path}.of"), &stripe.of, found),
        Device::Linear(linear) => {
            for (index, part) in linear.linear.iter().enumerate() {
                collect(&format!("{path}.linear.{index}"), part, found);
            }
        }
    }
}
