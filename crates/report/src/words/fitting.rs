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
/// and then without its last parts, but for `kept`, if it ends with that.
pub(crate) fn fitting(said: &str, names: &[&str], kept: &str, longest: usize) -> String {
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
    let end = format!("{kept}.");
    if let Some(before) = fitting.strip_suffix(&end) {
        let mut before = before.to_owned();
        while let (true, Some((first, _))) = (
            length(&before) + length(&end) > longest,
            before.rsplit_once("; "),
        ) {
            before = first.to_owned();
        }
        fitting = before + &end;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_loses_its_last_parts_but_the_one_that_is_kept() {
        let said = "Done; stopped; back; lost; 1 of 2 goals missed.";
        let of = |kept, longest| fitting(said, &[], kept, longest);
        assert_eq!(of("", 47), said);
        assert_eq!(of("", 20), "Done; stopped; back.");
        let missed = "; 1 of 2 goals missed";
        assert_eq!(of(missed, 46), "Done; stopped; back; 1 of 2 goals missed.");
        assert_eq!(of(missed, 30), "Done; 1 of 2 goals missed.");
        assert_eq!(of(missed, 20), "Done; 1 of 2 goals….");
    }
}
