//! Demand that is a file of its own, named where its text can stand.

use blockyard_text::tree::Node;
use blockyard_text::{Error, said};

use super::steps;
use crate::profiles::{beside, read};

/// Most bytes: a year of minutes.
const MOST_BYTES: u64 = 64 << 20;

/// Whether this is the name of a file, and no text of one.
pub(crate) fn is_file(intervals: &str) -> bool {
    !intervals.is_empty() && !intervals.contains('\n')
}

/// Puts the text of the file that `intervals` at `field` names, if it names one, in its place, and
/// reads it once, so that what is wrong is named by the file. Returns whether anything changed.
///
/// # Errors
/// If it cannot be read, or is no demand.
pub fn put_text(source: &mut Node, field: &str, intervals: &str) -> Result<bool, Error> {
    if !is_file(intervals) {
        return Ok(false);
    }
    let place = source.locate(field);
    let path = beside(&place, intervals);
    let error = |message| Error::new(place.clone(), field, message);
    let text = read(&path, MOST_BYTES);
    let unread = |e| error(format!("cannot read `{}`: {}", path.display(), said(&e)));
    let text = text.map_err(unread)?;
    steps(&text).map_err(|e| error(format!("{}: {e}", path.display())))?;
    let Some(node) = source.at(field) else {
        return Ok(false);
    };
    let mut node = node.clone();
    node.set_text(text);
    source.replace(field, node);
    Ok(true)
}
