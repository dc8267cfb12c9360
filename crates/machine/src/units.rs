//! The processes of a systemd unit, by its control group.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Process;
use super::table::entries_if_there;

/// Where control groups are: of version 2 alone, and of both versions.
const ROOTS: [&str; 3] = [
    "/sys/fs/cgroup",
    "/sys/fs/cgroup/unified",
    "/sys/fs/cgroup/systemd",
];

/// Groups lie no deeper than this.
const DEEPEST: usize = 12;

/// A unit's control group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit(PathBuf);

impl Unit {
    /// The unit that runs under a name, as `postgresql@15-main.service`; of a service the ending
    /// may be left out. None if no such unit runs.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ROOTS
            .iter()
            .find_map(|root| Self::under(Path::new(root), name))
    }

    fn under(root: &Path, name: &str) -> Option<Self> {
        let names = [name.to_owned(), format!("{name}.service")];
        let mut ahead = vec![(root.to_owned(), 0)];
        while let Some((folder, depth)) = ahead.pop() {
            let is_it = |path: &&PathBuf| {
                path.file_name()
                    .is_some_and(|it| names.iter().any(|n| it == n.as_str()))
            };
            let inner = folders(&folder);
            if let Some(found) = inner.iter().find(is_it) {
                return Some(Self(found.clone()));
            }
            if depth < DEEPEST {
                ahead.extend(inner.into_iter().map(|path| (path, depth + 1)));
            }
        }
        None
    }

    /// Its processes now; none of a unit that has ended.
    ///
    /// # Errors
    /// If the kernel does not list them.
    pub fn processes(&self) -> io::Result<Vec<Process>> {
        let mut found = Vec::new();
        let mut ahead = vec![self.0.clone()];
        while let Some(folder) = ahead.pop() {
            let listed = match fs::read_to_string(folder.join("cgroup.procs")) {
                Ok(listed) => listed,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let pids = listed.lines().filter_map(|line| line.parse().ok());
            found.extend(pids.filter_map(Process::numbered));
            ahead.extend(folders(&folder));
        }
        found.sort_by_key(Process::pid);
        Ok(found)
    }
}

/// The folders in a folder, but for links.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let inner = entries_if_there(folder).unwrap_or_default().into_iter();
    inner
        .filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_has_the_processes_of_all_groups_in_it() {
        let root = tempfile::tempdir().unwrap();
        let unit = root
            .path()
            .join("system.slice/system-pg.slice/pg@15.service");
        fs::create_dir_all(unit.join("inner")).unwrap();
        let own = std::process::id();
        fs::write(unit.join("cgroup.procs"), format!("{own}\n")).unwrap();
        fs::write(unit.join("inner/cgroup.procs"), "1\nx\n\n").unwrap();
        for name in ["pg@15", "pg@15.service"] {
            let found = Unit::under(root.path(), name).unwrap();
            let pids: Vec<_> = found
                .processes()
                .unwrap()
                .iter()
                .map(Process::pid)
                .collect();
            assert_eq!(pids, [1, own]);
        }
        assert_eq!(Unit::under(root.path(), "pg"), None);
        let gone = Unit(root.path().join("gone"));
        assert!(gone.processes().unwrap().is_empty());
    }
}
