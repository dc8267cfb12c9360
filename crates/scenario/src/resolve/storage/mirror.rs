//! Devices that keep two copies.

use blockyard_model::spec::{
    Acknowledge, AfterSplitBrain, Fencing, Layout, LegSpec, LinkSpec, LogSpec, MirrorSpec,
    PartitionSpec, ReadPolicy, ResyncSpec,
};
use blockyard_model::units::{Bytes, KIB, SECOND};
use blockyard_text::hint;

use super::{Builder, HostNames, MIN_CHUNK};
use crate::check::names;
use crate::resolve::Invalid;
use crate::schema::{self, DirtyRegionLog, MirrorLayout};
use crate::units::{Duration, Size};

/// DRBD's `max-buffers`: 2,048 pages (`DRBD_MAX_BUFFERS_DEF` in Linux's
/// `include/linux/drbd_limits.h`).
const MAX_BUFFERS: Bytes = 2048 * 4 * KIB;

/// A region leaves the log only when another takes its place.
const NEVER: u64 = u64::MAX;

/// How long a peer is fenced, as a lost node of a cluster is.
const FENCING: Duration = Duration::new(5 * SECOND);

impl Builder<'_> {
    /// Resolves the mirror at `path`, which is called `name`.
    pub(super) fn mirror(
        &mut self,
        name: &str,
        path: &str,
        mirror: &MirrorLayout,
        hosts: &HostNames,
        links: &[LinkSpec],
    ) -> Result<(Layout, Bytes), Invalid> {
        let path = format!("{path}.mirror");
        let at = |field: &str, message: String| Invalid::new(format!("{path}.{field}"), message);
        if mirror.legs.len() != 2 {
            let legs = mirror.legs.len();
            return Err(at("legs", format!("{legs} legs; expected two")));
        }
        names(&format!("{path}.legs"), "leg", mirror.legs.keys())?;
        let mut legs = Vec::with_capacity(2);
        let mut sizes = Vec::with_capacity(2);
        let mut on = Vec::with_capacity(2);
        for (leg, device) in &mirror.legs {
            let path = format!("{path}.legs.{leg}");
            self.host = hosts.stated(&path, device)?.unwrap_or(0);
            self.standby.clear();
            let (layout, size) = self.device(&format!("{name}.{leg}"), &path, device)?;
            legs.push(LegSpec { layout, link: None });
            sizes.push(size);
            on.push(self.host);
        }
        let size = sizes[0];
        if size != sizes[1] {
            let [a, b] = [Size::new(sizes[0]), Size::new(sizes[1])];
            let message = format!("legs of {a} and {b}; expected equal sizes");
            return Err(at("legs", message));
        }
        legs[1].link = self.link_of(&path, mirror, [on[0], on[1]], links)?;
        let region = mirror.region.bytes();
        if !region.is_power_of_two() || region < MIN_CHUNK {
            let (given, least) = (mirror.region, Size::new(MIN_CHUNK));
            let message = format!("`{given}` is no region; expected a power of two from {least}");
            return Err(at("region", message));
        }
        let resync = mirror.resync.unwrap_or_default();
        let request = resync.request.bytes();
        if !request.is_power_of_two() || request > region {
            let (given, most) = (resync.request, mirror.region);
            let message = format!("`{given}`; expected a power of two up to the region of {most}");
            return Err(at("resync.request", message));
        }
        let over = legs[1].link.map(|(link, _)| &links[link]);
        let partition = partition(&path, mirror, over)?;
        let [first, second] = [legs.remove(0), legs.remove(0)];
        let spec = MirrorSpec {
            legs: [first, second],
            size,
            acknowledge: match mirror.acknowledge {
                schema::Acknowledge::A => Acknowledge::A,
                schema::Acknowledge::B => Acknowledge::B,
                schema::Acknowledge::C => Acknowledge::C,
            },
            max_buffers: max_buffers(&path, mirror)?,
            read: match mirror.read {
                schema::ReadPolicy::Local => ReadPolicy::Local,
                schema::ReadPolicy::RoundRobin => ReadPolicy::RoundRobin,
            },
            region,
            log: mirror
                .log
                .as_ref()
                .map(|it| log(&path, mirror, it))
                .transpose()?,
            resync: ResyncSpec {
                rate: resync
                    .rate
                    .and_then(|rate| rate.bytes_per_s().try_into().ok()),
                request,
                depth: resync.depth.get(),
                full: resync.full,
            },
            partition,
        };
        Ok((Layout::Mirror(Box::new(spec)), size))
    }

    /// The link to the second leg, and at which end of it the first is.
    fn link_of(
        &self,
        path: &str,
        mirror: &MirrorLayout,
        on: [usize; 2],
        links: &[LinkSpec],
    ) -> Result<Option<(usize, usize)>, Invalid> {
        let at = |message: String| Err(Invalid::new(format!("{path}.link"), message));
        let [here, there] = on.map(|host| &self.hosts[host].spec.name);
        let Some(name) = &mirror.link else {
            return match on[0] == on[1] {
                true => Ok(None),
                false => at(format!(
                    "missing, with legs on `{here}` and `{there}`; expected one of `links`"
                )),
            };
        };
        let Some(index) = links.iter().position(|link| link.name == *name) else {
            let hint = hint(name, links.iter().map(|link| link.name.as_str()));
            return at(format!("no link is called `{name}`{hint}"));
        };
        if on[0] == on[1] {
            return at(format!(
                "`{name}`, with both legs on `{here}`; expected none"
            ));
        }
        let ends = links[index].ends;
        match [ends, [ends[1], ends[0]]]
            .iter()
            .position(|ends| *ends == on)
        {
            Some(end) => Ok(Some((index, end))),
            None => {
                let [a, b] = ends.map(|host| &self.hosts[host].spec.name);
                at(format!(
                    "`{name}` is between `{a}` and `{b}`; expected one between `{here}` and \
                     `{there}`"
                ))
            }
        }
    }
}

/// What the host of the other leg receives into.
fn max_buffers(path: &str, mirror: &MirrorLayout) -> Result<Bytes, Invalid> {
    match (mirror.max_buffers, &mirror.link) {
        (Some(size), None) => Err(Invalid::new(
            format!("{path}.max_buffers"),
            format!("`{size}` without a `link`; expected both or none"),
        )),
        (size, _) => Ok(size.map_or(MAX_BUFFERS, |size| size.bytes())),
    }
}

/// What is done when the hosts lose each other over `link`.
fn partition(
    path: &str,
    mirror: &MirrorLayout,
    link: Option<&LinkSpec>,
) -> Result<PartitionSpec, Invalid> {
    let at = |field: &str, message: String| Err(Invalid::new(format!("{path}.{field}"), message));
    let fencing = match mirror.fencing {
        schema::Fencing::DontCare => Fencing::DontCare,
        schema::Fencing::ResourceOnly => Fencing::ResourceOnly,
        schema::Fencing::ResourceAndStonith => {
            Fencing::ResourceAndStonith(mirror.fencing_time.unwrap_or(FENCING).nanos())
        }
    };
    let Some(link) = link else {
        let given = [
            ("failover", mirror.failover.is_some()),
            ("fencing", fencing != Fencing::DontCare),
        ];
        return match given.iter().find(|(_, is)| *is) {
            Some((field, _)) => at(
                field,
                "given, without a `link`; expected both or none".into(),
            ),
            None => Ok(PartitionSpec::default()),
        };
    };
    if let (Fencing::ResourceAndStonith(_), schema::Acknowledge::A) = (fencing, mirror.acknowledge)
    {
        let message = "`resource_and_stonith` with `acknowledge: A`, which DRBD refuses; expected \
                       B or C";
        return at("fencing", message.into());
    }
    if let (Some(time), false) = (
        mirror.fencing_time,
        matches!(fencing, Fencing::ResourceAndStonith(_)),
    ) {
        let message = format!("`{time}` without `fencing: resource_and_stonith`");
        return at("fencing_time", format!("{message}; expected both or none"));
    }
    let after_split_brain = match mirror.after_split_brain {
        schema::AfterSplitBrain::Disconnect => AfterSplitBrain::Disconnect,
        schema::AfterSplitBrain::DiscardSecondary => AfterSplitBrain::DiscardSecondary,
    };
    match mirror.failover {
        Some(after) if after.nanos() < link.timeout => {
            let (timeout, name) = (Duration::new(link.timeout), &link.name);
            let message = format!("`{after}` is below the timeout of `{name}`, {timeout}");
            at("failover", format!("{message}; expected at least that"))
        }
        None if after_split_brain != AfterSplitBrain::Disconnect => {
            let message = "given, without a `failover`; expected both or none";
            at("after_split_brain", message.into())
        }
        failover => Ok(PartitionSpec {
            failover: failover.map(|after| after.nanos()),
            fencing,
            after_split_brain,
        }),
    }
}

fn log(path: &str, mirror: &MirrorLayout, log: &DirtyRegionLog) -> Result<LogSpec, Invalid> {
    let mut on = [log.on.is_empty(); 2];
    for name in &log.on {
        match mirror.legs.get_index_of(name) {
            Some(leg) => on[leg] = true,
            None => {
                let hint = hint(name, mirror.legs.keys().map(String::as_str));
                let message = format!("no leg is called `{name}`{hint}");
                return Err(Invalid::new(format!("{path}.log.on"), message));
            }
        }
    }
    let extent = log.extent.unwrap_or(mirror.region);
    if !extent.bytes().is_power_of_two() || extent.bytes() < mirror.region.bytes() {
        let message = format!(
            "`{extent}`; expected a power of two from the region of {}",
            mirror.region
        );
        return Err(Invalid::new(format!("{path}.log.extent"), message));
    }
    Ok(LogSpec {
        on,
        extent: extent.bytes(),
        block: log.block.bytes(),
        clean_after: log.clean_after.map_or(NEVER, |after| after.nanos()),
        active: log.active.get(),
    })
}
