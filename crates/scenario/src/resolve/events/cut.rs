//! Links that are cut, whole or one way, and that are restored.

use blockyard_model::fault::{Does, Drawn};
use blockyard_model::units::Nanos;
use blockyard_text::hint;

use super::faults::end;
use super::{EventKind, Events, Resolver, Spell};
use crate::resolve::Invalid;
use crate::schema::{Cut, Restore};
use crate::units::Duration;

/// A way of a link that an event has cut, by the end that sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutWay {
    link: usize,
    from: usize,
    spell: Spell,
}

impl Resolver<'_, '_> {
    /// A link goes down, or one way of it.
    pub(super) fn cut(&mut self, path: &str, it: &Cut) -> Result<(), Invalid> {
        let (name, at) = (it.cut.as_str(), it.at);
        let until = it.lasts.map(|lasts| end(path, at, lasts)).transpose()?;
        let target = self.link(path, "cut", name)?;
        let link = target.links[0];
        let ways = self.ways(path, link, it.from.as_deref())?;
        let on = |way: &&CutWay| way.link == link && ways[way.from] && way.spell.is_on(at.nanos());
        if let Some(way) = self.cuts.iter().find(on) {
            let since = Duration::new(way.spell.from);
            let what = match self.cut_ways(link, way.spell.event) {
                [true, true] => String::new(),
                one_way => self.direction(link, one_way),
            };
            let message = format!("`{name}` has been down{what} since {since}");
            return Err(Invalid::new(format!("{path}.cut"), message));
        }
        let does = (Does::Cut(ways), Drawn::default());
        let event = self.start(EventKind::Cut, (name, &target), (at, until), does);
        self.events.list[event].becomes = self.direction(link, ways);
        let from = at.nanos();
        let spell = Spell { from, until, event };
        let cut = (0..2).filter(|&from| ways[from]);
        self.cuts
            .extend(cut.map(|from| CutWay { link, from, spell }));
        Ok(())
    }

    /// A link works again, or one way of it.
    pub(super) fn restore(&mut self, path: &str, it: &Restore) -> Result<(), Invalid> {
        let (name, at) = (it.restore.as_str(), it.at.nanos());
        let link = self.link(path, "restore", name)?.links[0];
        let ways = self.ways(path, link, it.from.as_deref())?;
        let on = |way: &&mut CutWay| way.link == link && ways[way.from] && way.spell.is_on(at);
        let mut ended: Vec<(usize, [bool; 2])> = Vec::new();
        for way in self.cuts.iter_mut().filter(on) {
            way.spell.until = Some(at);
            match ended.iter_mut().find(|it| it.0 == way.spell.event) {
                Some((_, of_event)) => of_event[way.from] = true,
                None => ended.push((way.spell.event, [0, 1].map(|from| from == way.from))),
            }
        }
        if ended.is_empty() {
            let direction = self.direction(link, ways);
            let message = format!("`{name}` is not down{direction} at {}", it.at);
            return Err(Invalid::new(format!("{path}.restore"), message));
        }
        for (event, ways) in ended {
            self.end_ways(event, ways, at);
        }
        Ok(())
    }

    /// Which ways of a link are meant, by the end that sends: that from a host, or both.
    pub(super) fn ways(
        &self,
        path: &str,
        link: usize,
        from: Option<&str>,
    ) -> Result<[bool; 2], Invalid> {
        let Some(from) = from else {
            return Ok([true; 2]);
        };
        let ends = self.ends(link);
        let ways = ends.map(|end| end == from);
        if ways == [false; 2] {
            let name = &self.links[link].name;
            let hint = hint(from, ends);
            let message = format!("`{from}` is no end of `{name}`{hint}");
            return Err(Invalid::new(format!("{path}.from"), message));
        }
        Ok(ways)
    }

    /// The hosts at the ends of a link.
    fn ends(&self, link: usize) -> [&str; 2] {
        self.links[link].ends.map(|host| {
            let host = self.scenario.hosts.get_index(host);
            host.map_or("", |(name, _)| name.as_str())
        })
    }

    /// In words that go on after others: the way of a link that these are, nothing if both.
    pub(super) fn direction(&self, link: usize, ways: [bool; 2]) -> String {
        let [one, other] = self.ends(link);
        match ways {
            [true, false] => format!(" from {one} to {other}"),
            [false, true] => format!(" from {other} to {one}"),
            _ => String::new(),
        }
    }

    /// Which ways of a link an event has cut.
    fn cut_ways(&self, link: usize, event: usize) -> [bool; 2] {
        let of_event = |it: &CutWay| it.link == link && it.spell.event == event;
        [0, 1].map(|from| self.cuts.iter().any(|it| of_event(it) && it.from == from))
    }

    /// These ways of the link that an event has cut are restored.
    fn end_ways(&mut self, event: usize, ways: [bool; 2], at: Nanos) {
        let until = Duration::new(at);
        let Events { schedule, list, .. } = &mut self.events;
        let of_event = &mut list[event];
        let cut = |place: &&usize| match schedule.faults[**place].fault.does {
            Does::Cut(cut) => (0..2).any(|from| ways[from] && cut[from]),
            _ => false,
        };
        let Some(&place) = of_event.faults.iter().find(cut) else {
            return;
        };
        let fault = &mut schedule.faults[place].fault;
        let Does::Cut(was) = fault.does else { return };
        let left = [0, 1].map(|from| was[from] && !ways[from]);
        if left == [false; 2] {
            fault.until = Some(at);
            of_event.until = Some(at);
            return;
        }
        let link = fault.links[0];
        let mut ended = schedule.faults[place].clone();
        schedule.faults[place].fault.does = Does::Cut(left);
        ended.fault.does = Does::Cut(ways);
        ended.fault.until = Some(at);
        of_event.faults.push(schedule.faults.len());
        schedule.faults.push(ended);
        let direction = self.direction(link, ways);
        self.events.list[event].becomes = format!(",{direction} until {until}");
    }
}
