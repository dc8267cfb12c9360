//! Links that are slow or lose packets.

use blockyard_model::fault::{Does, Drawn};
use blockyard_model::spec::Impairment;
use blockyard_model::units::Nanos;

use super::faults::{end, share};
use super::{EventKind, Resolver, Target};
use crate::resolve::Invalid;
use crate::resolve::storage::losing;
use crate::schema::Degrade;
use crate::units::{Duration, Loss, Percent};

impl Resolver<'_, '_> {
    /// Whether a name is that of a link, and of no device.
    pub(super) fn is_link(&self, name: &str) -> bool {
        let is_device = self.devices.iter().any(|device| device.name == name);
        !is_device && self.links.iter().any(|link| link.name == name)
    }

    /// A link is slow or loses packets.
    pub(super) fn impair(&mut self, path: &str, it: &Degrade) -> Result<(), Invalid> {
        let until = it.lasts.map(|lasts| end(path, it.at, lasts)).transpose()?;
        let share = share(path, it)?;
        let name = it.degrade.as_str();
        let target = self.link(path, "degrade", name)?;
        if share.is_none() && it.round_trip.is_none() && it.loss.is_none() {
            let message = format!(
                "`{name}` is a link, and nothing says how; expected `to`, `round_trip` or `loss`"
            );
            return Err(Invalid::new(format!("{path}.degrade"), message));
        }
        let link = &self.links[target.links[0]];
        let own = link.delay[0] + link.delay[1];
        if let Some(given) = it.round_trip.filter(|given| given.nanos() <= own) {
            let own = Duration::new(own);
            let message = format!("`{given}`; expected more than the {own} of `{name}`");
            return Err(Invalid::new(format!("{path}.round_trip"), message));
        }
        let ways = self.ways(path, target.links[0], it.from.as_deref())?;
        let delay = delays(link.delay, it.round_trip, ways);
        let before = link.loss.map_or(0, |loss| u64::from(loss.per_million));
        if let Some(given) = it.loss.filter(|given| given.per_million() <= before) {
            let message = match before {
                0 => format!("`{given}`; expected a share above 0%"),
                _ => {
                    let own = Loss::new(before);
                    format!("`{given}`; expected more than the {own} of `{name}`")
                }
            };
            return Err(Invalid::new(format!("{path}.loss"), message));
        }
        let lost = it.loss.map_or(before, Loss::per_million);
        // With the round trip the timer for what is lost anyway becomes longer, too.
        let losing = |lost| losing(&self.scenario.links[name], lost, delay);
        let loss = (lost > 0).then(|| losing(lost));
        let own_loss = (before > 0).then(|| losing(before));
        let does = Does::Impair(Impairment {
            permille: ways.map(|way| share.filter(|_| way).unwrap_or(1000)),
            delay,
            // What is lost by itself is repaired later, whichever way is longer.
            loss: ways.map(|way| if way { loss } else { own_loss }),
        });
        let on: (&str, &Target) = (name, &target);
        let event = self.start(
            EventKind::Degrade,
            on,
            (it.at, until),
            (does, Drawn::default()),
        );
        let direction = self.direction(target.links[0], ways);
        self.events.list[event].becomes = words(it) + &direction;
        let place = (target.links[0], format!("{path}.degrade"));
        self.events.degraded.push(place);
        Ok(())
    }
}

/// How long a packet travels on each way where the round trip takes longer, by these ways.
fn delays(own: [Nanos; 2], round_trip: Option<Duration>, ways: [bool; 2]) -> [Nanos; 2] {
    let Some(round_trip) = round_trip.map(Duration::nanos) else {
        return own;
    };
    match ways {
        [true, true] => own.map(|own| own.max(round_trip / 2)),
        _ => [0, 1].map(|from| match ways[from] {
            true => round_trip - own[1 - from],
            false => own[from],
        }),
    }
}

/// What a link becomes, in words.
fn words(it: &Degrade) -> String {
    let to = it.to.map(Percent::permille).map(Percent::new);
    let parts = [
        to.map(|to| format!("{to} of its bandwidth")),
        it.round_trip.map(|it| format!("a round trip of {it}")),
        it.loss.map(|it| format!("a loss of {it}")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}
