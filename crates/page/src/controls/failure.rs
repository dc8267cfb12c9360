//! A control that breaks something.

use blockyard_model::units::SECOND;
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::units::Duration;

use super::{Choice, Control, Kind};

/// A failure lasts this part of the run.
const PART: u64 = 6;

/// What can happen to each device halfway through; nothing of a scenario without storage.
pub(super) fn control(scenario: &Scenario) -> Option<Control> {
    let whole = scenario.duration.nanos();
    let seconds = |nanos: u64| Duration::new((nanos / SECOND).max(1) * SECOND);
    let (at, lasts) = (seconds(whole / 2), seconds(whole / PART));
    if scenario.storage.is_empty() || whole < 4 * SECOND {
        return None;
    }
    let choice = |label: String, events: String| Choice {
        label,
        sets: vec![format!("events={events}")],
        refused: None,
    };
    let mut choices = vec![choice("nothing".to_owned(), "[]".to_owned())];
    for name in scenario.storage.keys() {
        choices.push(choice(
            format!("{name} pauses for {lasts}"),
            format!("[{{at: {at}, pause: {name}, for: {lasts}}}]"),
        ));
        choices.push(choice(
            format!("{name} fails for {lasts}"),
            format!("[{{at: {at}, fail: {name}, for: {lasts}}}]"),
        ));
    }
    let value = if scenario.events.is_empty() {
        0
    } else {
        choices.push(Choice {
            label: "as written".to_owned(),
            sets: Vec::new(),
            refused: None,
        });
        choices.len() - 1
    };
    Some(Control {
        path: "events".to_owned(),
        label: "Failure".to_owned(),
        group: "what happens".to_owned(),
        why: format!("at {at}, halfway through the run"),
        kind: Kind::Choice {
            value: Some(value),
            choices,
        },
    })
}
