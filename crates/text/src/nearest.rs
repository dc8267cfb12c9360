//! What the user probably meant: the nearest of the known names.

/// Lists longer than this are not printed in an error.
const MAX_LISTED: usize = 12;

/// The known name nearest to `name` in edits (insert, delete, replace, swap),
/// ignoring case; none if each differs in more than a third of its letters. Of
/// equally near names the first wins.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let most = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|other| {
            let edits = strsim::damerau_levenshtein(&name, &other.to_lowercase());
            (edits, other)
        })
        .filter(|&(edits, _)| edits <= most)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, other)| other)
}

/// The end of an "unknown …" message: the nearest name; otherwise all names if
/// they are few; otherwise nothing. Begins with `; ` unless empty.
///
/// ```
/// use blockyard_text::hint;
/// assert_eq!(hint("gp4", ["gp2", "gp3"]), "; did you mean `gp2`?");
/// assert_eq!(hint("floppy", ["gp2", "gp3"]), "; known are `gp2`, `gp3`");
/// ```
#[must_use]
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(other) => format!("; did you mean `{other}`?"),
        None if known.is_empty() || known.len() > MAX_LISTED => String::new(),
        None => format!("; known are {}", quoted_list(&known)),
    }
}

/// `` `a`, `b`, `c` ``.
pub(crate) fn quoted_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_forgives_case_swaps_and_a_third_of_the_letters() {
        let known = ["iops", "size", "throughput"];
        assert_eq!(nearest("IOPS", known), Some("iops"));
        assert_eq!(nearest("iosp", known), Some("iops"));
        assert_eq!(nearest("thruput", known), None);
        assert_eq!(nearest("troughputt", known), Some("throughput"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
    }
}
