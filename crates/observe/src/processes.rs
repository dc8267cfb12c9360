//! Which processes read and wrote, and how much.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;

use blockyard_machine::{Error, Process, ProcessIo, Unit, processes};
use blockyard_record::result::ObservedProcess;

use crate::Options;
use crate::devices::reason;

/// Generations of processes that end one after another between two looks.
const GENERATIONS: u32 = 4;

/// The processes that are observed.
#[derive(Debug)]
enum Whose {
    /// All whose IO may be read.
    All,
    These(Vec<u32>),
    Unit(Unit),
}

/// What is known of processes so far.
#[derive(Debug)]
pub(crate) struct Processes {
    whose: Whose,
    /// By number and begin, which tell a process from any other.
    seen: BTreeMap<(u32, u64), Seen>,
    /// Those that must not be read.
    hidden: BTreeMap<u32, String>,
    begun: bool,
}

#[derive(Debug)]
struct Seen {
    name: String,
    parent: u32,
    first: ProcessIo,
    last: ProcessIo,
    /// It was there at the last look.
    there: bool,
}

impl Processes {
    /// Those that are asked for, as they are now.
    ///
    /// # Errors
    /// If one that is asked for is not there or cannot be read.
    pub(crate) fn start(options: &Options) -> Result<Self, Error> {
        let whose = match (&options.unit, &options.pid[..]) {
            (Some(_), [_, ..]) => {
                let said = "--unit and --pid: both choose processes; expected one of them";
                return Err(Error::Input(said.into()));
            }
            (Some(name), []) => Whose::Unit(Unit::named(name).ok_or_else(|| {
                Error::Input(format!(
                    "--unit: `{name}`: no such unit runs; `systemctl list-units` names those that do"
                ))
            })?),
            (None, []) => Whose::All,
            (None, pids) => {
                pids.iter().try_for_each(|pid| readable(*pid))?;
                Whose::These(pids.to_owned())
            }
        };
        let mut found = Self {
            whose,
            seen: BTreeMap::new(),
            hidden: BTreeMap::new(),
            begun: false,
        };
        found.look();
        found.begun = true;
        Ok(found)
    }

    /// Reads what they have done up to now.
    pub(crate) fn look(&mut self) {
        let there = self.seen.iter().filter(|(_, seen)| seen.there);
        let there: BTreeMap<u32, u64> = there.map(|(of, _)| *of).collect();
        self.seen.values_mut().for_each(|seen| seen.there = false);
        for process in self.now() {
            let io = match process.io() {
                Ok(io) => io,
                Err(error) => {
                    if error.kind() == ErrorKind::PermissionDenied {
                        let hidden = self.hidden.entry(process.pid());
                        hidden.or_insert_with(|| process.name());
                    }
                    continue;
                }
            };
            // What has done nothing since is the same: to ask would cost as much again.
            let began = there.get(&process.pid());
            let known = began.and_then(|began| self.seen.get_mut(&(process.pid(), *began)));
            if let Some(known) = known.filter(|known| known.last == io) {
                known.there = true;
                continue;
            }
            let Some(origin) = process.origin() else {
                continue;
            };
            let of = (process.pid(), origin.began);
            let seen = self.seen.entry(of).or_insert_with(|| Seen {
                name: process.title(),
                parent: origin.parent,
                // All that a process did that began since is of this time.
                first: if self.begun { ProcessIo::default() } else { io },
                last: io,
                there: true,
            });
            (seen.last, seen.there) = (io, true);
        }
    }

    /// The threads of those that are to be read, and of all that these have started.
    pub(crate) fn threads(&self) -> Vec<u32> {
        let mut found: BTreeSet<u32> = self.now().iter().map(Process::pid).collect();
        let all = processes().unwrap_or_default();
        let parents = all
            .iter()
            .map(|one| one.origin().map(|origin| origin.parent));
        let parents: Vec<_> = parents.collect();
        loop {
            let before = found.len();
            let children = all.iter().zip(&parents);
            let children =
                children.filter(|(_, parent)| parent.is_some_and(|it| found.contains(&it)));
            let children: Vec<_> = children.map(|(child, _)| child.pid()).collect();
            found.extend(children);
            if found.len() == before {
                break;
            }
        }
        let found = found.into_iter().filter_map(Process::numbered);
        found.flat_map(|process| process.threads()).collect()
    }

    /// Whether all that were named have ended.
    pub(crate) fn have_ended(&self) -> bool {
        matches!(self.whose, Whose::These(_)) && !self.seen.values().any(|seen| seen.there)
    }

    /// Those that read or wrote, most bytes first; those that were named in any case.
    pub(crate) fn result(&self) -> Vec<ObservedProcess> {
        let named = !matches!(self.whose, Whose::All);
        let all = self.seen.iter().map(|((pid, _), seen)| {
            let (read_bytes, write_bytes) = self.moved(*pid, seen);
            ObservedProcess {
                pid: *pid,
                name: seen.name.clone(),
                read_bytes,
                write_bytes,
                ended: !seen.there,
            }
        });
        let moved = |one: &ObservedProcess| one.read_bytes + one.write_bytes;
        let mut found: Vec<_> = all.filter(|one| named || moved(one) > 0).collect();
        found.sort_by_key(|one| (std::cmp::Reverse(moved(one)), one.pid));
        found
    }

    /// What a process read and wrote itself. To what it did the kernel adds all that its children
    /// did, once they have ended.
    fn moved(&self, pid: u32, seen: &Seen) -> (u64, u64) {
        let (read, written) = self.inherited(pid, GENERATIONS);
        let own =
            |last: u64, first: u64, others: u64| last.saturating_sub(first).saturating_sub(others);
        (
            own(seen.last.read_bytes, seen.first.read_bytes, read),
            own(seen.last.write_bytes, seen.first.write_bytes, written),
        )
    }

    /// What a process has from its ended children, and through them from theirs.
    fn inherited(&self, pid: u32, generations: u32) -> (u64, u64) {
        let children = self.seen.iter();
        let ended = children.filter(|(_, child)| child.parent == pid && !child.there);
        ended.fold((0, 0), |(read, written), ((own, _), child)| {
            let (more_read, more_written) = match generations {
                0 => (0, 0),
                left => self.inherited(*own, left - 1),
            };
            (
                read + child.last.read_bytes.max(more_read),
                written + child.last.write_bytes.max(more_written),
            )
        })
    }

    /// What to know of them.
    pub(crate) fn notices(&self) -> Vec<String> {
        let ended = |seen: &&Seen| !seen.there && !matches!(self.whose, Whose::All);
        let ended = self.seen.values().filter(ended).map(|seen| &seen.name);
        let ended: Vec<_> = ended.map(String::as_str).collect();
        let mut said = Vec::new();
        if !ended.is_empty() {
            let names = ended.join(", ");
            said.push(format!(
                "{names} ended before the observation did; bytes are up to the last look"
            ));
        }
        if let Some(one) = self.hidden.values().next() {
            let more = match self.hidden.len() {
                1 => String::new(),
                all => format!(" and {} more processes", all - 1),
            };
            said.push(format!(
                "{one}{more} must not be read by this user; root with CAP_SYS_PTRACE reads all"
            ));
        }
        said
    }

    /// The processes that are to be read.
    fn now(&self) -> Vec<Process> {
        match &self.whose {
            Whose::All => processes().unwrap_or_default(),
            Whose::These(pids) => pids
                .iter()
                .filter_map(|pid| Process::numbered(*pid))
                .collect(),
            Whose::Unit(unit) => unit.processes().unwrap_or_default(),
        }
    }
}

/// Refuses a process that is not there or whose IO must not be read.
fn readable(pid: u32) -> Result<(), Error> {
    let Some(process) = Process::numbered(pid) else {
        return Err(Error::Input(format!("--pid: `{pid}`: no such process")));
    };
    process.io().map(drop).map_err(|error| {
        let (name, why) = (process.name(), reason(&error));
        Error::Lacks(format!(
            "--pid: `{pid}` ({name}): its IO cannot be read: {why}; run as its user or as root"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(whose: Whose) -> Processes {
        Processes {
            whose,
            seen: BTreeMap::new(),
            hidden: BTreeMap::new(),
            begun: true,
        }
    }

    #[test]
    fn a_process_that_ended_is_kept() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mut processes = of(Whose::These(vec![child.id()]));
        processes.look();
        assert!(!processes.have_ended());
        child.kill().unwrap();
        child.wait().unwrap();
        processes.look();
        assert!(processes.have_ended());
        let found = processes.result();
        assert_eq!((found[0].pid, found[0].ended), (child.id(), true));
        assert!(processes.notices()[0].ends_with("up to the last look"));
    }

    #[test]
    fn what_ended_children_did_counts_once() {
        let mut processes = of(Whose::All);
        let io = |bytes| ProcessIo {
            read_bytes: bytes,
            ..ProcessIo::default()
        };
        for (pid, parent, first, last, there) in [
            (1, 0, 100, 1000, true),
            (2, 1, 50, 700, false),
            (3, 1, 0, 30, true),
        ] {
            let seen = Seen {
                name: pid.to_string(),
                parent,
                first: io(first),
                last: io(last),
                there,
            };
            processes.seen.insert((pid, 7), seen);
        }
        let found = processes.result();
        let read: Vec<_> = found.iter().map(|one| (one.pid, one.read_bytes)).collect();
        assert_eq!(read, [(2, 650), (1, 200), (3, 30)]);
    }

    #[test]
    fn a_process_that_is_not_there_is_refused() {
        let said = readable(u32::MAX).unwrap_err().to_string();
        assert_eq!(said, "--pid: `4294967295`: no such process");
    }
}
