//! The hosts of a bench on a fleet, as a user writes them. These types are the file's schema.

use blockyard_scenario::check_name;
use blockyard_text::Error;
use blockyard_text::tree::{from_node, parse};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// As many SSH connections as one machine opens at once.
const MOST: usize = 500;

/// What stands beside the folders of the hosts, which have their names.
const RESULT: &str = "hosts.json";

/// The machines that take part in a bench on several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostsFile {
    /// The machines.
    pub hosts: Vec<Host>,
}

/// A machine that takes part.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Where `ssh` goes: `db1`, `root@10.0.0.5`, or a name of `~/.ssh/config`.
    pub ssh: String,
    /// What it is called in results; by default what `ssh` has after `@`.
    #[serde(default)]
    pub name: String,
    /// The port of its SSH server; by default what `ssh` takes.
    pub port: Option<u16>,
    /// What each device of the scenario is there; what is missing is as `--map` says.
    #[serde(default)]
    pub map: IndexMap<String, String>,
    /// Targets that may be overwritten although they hold data; by default those of `--overwrite`.
    pub overwrite: Option<Vec<String>>,
    /// The command that starts Python 3.11 or later there, such as `sudo -n python3`.
    #[serde(default = "python")]
    pub python: String,
}

fn python() -> String {
    "python3".to_owned()
}

/// Reads a file of hosts; `file_name` is what errors call it.
///
/// # Errors
/// The first fault of the text, with its place.
pub fn hosts(text: &str, file_name: &str) -> Result<Vec<Host>, Error> {
    let source = parse(text, file_name)?;
    let HostsFile { mut hosts } = from_node(&source)?;
    hosts.iter_mut().for_each(Host::be_named);
    let wrong = |path: String, message: String| Error::new(source.locate(&path), &path, message);
    if hosts.is_empty() || hosts.len() > MOST {
        let message = format!("{} hosts; expected 1 to {MOST}", hosts.len());
        return Err(wrong("hosts".to_owned(), message));
    }
    for (number, host) in hosts.iter().enumerate() {
        let fault = |(key, message)| wrong(format!("hosts.{number}.{key}"), message);
        host.check(&hosts[..number]).map_err(fault)?;
    }
    Ok(hosts)
}

impl Host {
    fn be_named(&mut self) {
        if self.name.is_empty() {
            let after = self.ssh.rsplit('@').next();
            self.name = after.unwrap_or_default().to_owned();
        }
    }

    /// The key that is wrong, and why.
    fn check(&self, earlier: &[Self]) -> Result<(), (&'static str, String)> {
        let ssh = &self.ssh;
        // It would be an option, or several words, to whoever reads the command line.
        let odd = |c: char| c.is_whitespace() || c.is_control();
        if ssh.is_empty() || ssh.starts_with('-') || ssh.contains(odd) {
            let message = format!("`{ssh}` is no host; expected one such as `db1` or `root@db1`");
            return Err(("ssh", message));
        }
        check_name(&self.name).map_err(|message| ("name", message))?;
        if earlier.iter().any(|other| other.name == self.name) {
            let name = &self.name;
            let message = format!("two hosts are called `{name}`; expected a `name` for each");
            return Err(("name", message));
        }
        if self.name == RESULT {
            let message = format!("`{RESULT}` is the result's own; expected another name");
            return Err(("name", message));
        }
        if self.port == Some(0) {
            return Err(("port", "`0` is no port; expected 1 to 65535".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_called_as_it_is_reached() {
        let found = hosts(
            "hosts:\n- ssh: db1\n- {ssh: root@db2, port: 2222, map: {data: /dev/nvme1n1}}\n\
             - {ssh: db1, name: again, python: sudo -n python3}",
            "h.yaml",
        );
        let found = found.unwrap();
        let names: Vec<_> = found.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(names, ["db1", "db2", "again"]);
        assert_eq!(found[1].map["data"], "/dev/nvme1n1");
        assert_eq!(
            [&found[0].python, &found[2].python],
            ["python3", "sudo -n python3"]
        );
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        let wrong = |hosts_of: &str| {
            let error = hosts(&format!("hosts:{hosts_of}"), "h.yaml").unwrap_err();
            error.to_string()
        };
        assert_eq!(
            wrong("\n- ssh: db1\n- sh: db2"),
            "h.yaml:3: hosts.1.sh: unknown key; did you mean `ssh`?"
        );
        assert_eq!(
            wrong("\n- ssh: db1\n- ssh: root@db1"),
            "h.yaml:3: hosts.1.name: two hosts are called `db1`; expected a `name` for each"
        );
        assert_eq!(
            wrong("\n- ssh: -oProxyCommand=x"),
            "h.yaml:2: hosts.0.ssh: `-oProxyCommand=x` is no host; expected one such as `db1` or \
             `root@db1`"
        );
        assert_eq!(wrong(" []"), "h.yaml:1: hosts: 0 hosts; expected 1 to 500");
        assert_eq!(
            wrong("\n- {ssh: db1, port: 70000}"),
            "h.yaml:2: hosts.0.port: `70000` is out of range; expected a whole number from 0 to \
             65535"
        );
    }
}
