//! Sentences that have too many characters, cut short.

use std::collections::BTreeSet;

use blockyard_explain::Facts;
use blockyard_record::result::RunResult;

/// To how many characters names are cut, one after the other, until the sentence fits.
const SHORTER: [usize; 5] = [40, 24, 16, 10, 6];

/// What people named and a sentence may have in it, the longest first.
pub(crate) fn names<'a>(result: &'a RunResult, facts: &'a Facts) -> Vec<&'a str> {
    let loads = facts.loads.iter().map(|load| &load.job);
    let found: BTreeSet<_> = loads
        .chain(result.totals.iter().map(|total| &total.job))
        .chain(facts.devices.iter().map(|device| &device.name))
        .chain(result.hosts.iter().map(|host| &host.name))
        .chain(result.links.iter().map(|link| &link.name))
        .collect();
    let mut found: Vec<_> = found.into_iter().map(String::as_str).collect();
    found.sort_by_key(|name| std::cmp::Reverse(length(name)));
    found
}

/// A sentence of no more than `longest` characters: with its names cut short as far as it takes,
/// and then without what it says last but one, and so on.
pub(crate) fn fitting(said: &str, names: &[&str], longest: usize) -> String {
    let cut_to = |most: usize| {
        let long = names.iter().filter(|name| length(name) > most);
        long.fold(said.to_owned(), |said, name| {
            said.replace(name, &format!("{}…", beginning(name, most - 1)))
        })
    };
    let mut fitting = said.to_owned();
    for most in SHORTER {
        fitting = cut_to(most);
        if length(&fitting) <= longest {
            return fitting;
        }
    }
    // The first part is what was done, and the last whether goals were missed.
    let mut parts: Vec<_> = fitting.split("; ").collect();
    while length(&parts.join("; ")) > longest && parts.len() > 2 {
        parts.remove(parts.len() - 2);
    }
    let fitting = parts.join("; ");
    if length(&fitting) <= longest {
        return fitting;
    }
    format!("{}….", beginning(&fitting, longest - 2))
}

fn beginning(text: &str, letters: usize) -> String {
    text.chars().take(letters).collect()
}

/// How many characters a text has.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}
