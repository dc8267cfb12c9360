//! Controls of hosts: the instance type.

use blockyard_catalog::{Catalog, Instance};
use blockyard_experiment::Base;
use blockyard_scenario::schema::{Host, Scenario};

use super::{Choice, Control, Kind, refused};

/// Families of the same generation for other needs, which are offered in the size that there is.
const OTHER_USES: [&str; 3] = ["m", "c", "r"];

/// Those of all hosts.
pub(super) fn controls(base: &Base, catalog: &Catalog) -> Vec<Control> {
    let scenario = base.opened().scenario();
    let hosts = hosts(scenario);
    let controls = hosts.into_iter().filter_map(|(group, path, host)| {
        let own = catalog.instance(&host.instance).ok()?;
        let path = format!("{path}.instance");
        let (choices, value) = choices(base, catalog, &path, own);
        Some(Control {
            path,
            label: "Instance".to_owned(),
            group,
            why: format!("sizes of {}, and the size of its sisters", own.family()),
            kind: Kind::Choice { value, choices },
        })
    });
    controls.collect()
}

/// The hosts: what each is called, its path, and itself.
fn hosts(scenario: &Scenario) -> Vec<(String, String, &Host)> {
    let alone = scenario.host.iter();
    let alone = alone.map(|host| ("instance".to_owned(), "host".to_owned(), host));
    let named = scenario.hosts.iter();
    let named = named.map(|(name, host)| (name.clone(), format!("hosts.{name}"), host));
    alone.chain(named).collect()
}

fn choices(
    base: &Base,
    catalog: &Catalog,
    path: &str,
    own: &Instance,
) -> (Vec<Choice>, Option<usize>) {
    let mut fitting: Vec<_> = catalog
        .instances()
        .iter()
        .filter(|it| fits(it, own))
        .collect();
    fitting.sort_by_key(|it| (it.family() != own.family(), it.vcpu(), it.name()));
    let choices = fitting.iter().map(|instance| {
        let same = instance.name() == own.name();
        let sets = if same {
            Vec::new()
        } else {
            vec![format!("{path}={}", instance.name())]
        };
        let memory = instance.memory_mib() / 1024;
        Choice {
            label: format!(
                "{}: {} vCPU, {memory} GiB",
                instance.name(),
                instance.vcpu()
            ),
            refused: refused(base, &sets),
            sets,
        }
    });
    let value = fitting.iter().position(|it| it.name() == own.name());
    (choices.collect(), value)
}

/// Whether it is of the family, or a sister of the same generation and size.
fn fits(other: &Instance, own: &Instance) -> bool {
    let generation = |family: &str| family.trim_start_matches(char::is_alphabetic).to_owned();
    let size = |name: &str| name.split_once('.').map(|(_, size)| size.to_owned());
    let letters = |family: &str| {
        family
            .trim_end_matches(|it: char| !it.is_alphabetic())
            .to_owned()
    };
    let first = |family: &str| {
        let letters = letters(family);
        letters
            .chars()
            .take_while(|it| it.is_alphabetic())
            .collect::<String>()
    };
    let sister = OTHER_USES.contains(&first(other.family()).as_str())
        && generation(other.family()) == generation(own.family())
        && size(other.name()) == size(own.name());
    (other.family() == own.family() || sister) && !other.name().contains("metal")
}
