//! A control that breaks something.

use blockyard_model::units::SECOND;
use blockyard_scenario::schema::{Event, Scenario};
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
    let choice = |label: &str, sets: Vec<String>| Choice {
        label: label.to_owned(),
        sets,
        refused: None,
    };
    let mut choices = vec![choice("nothing", vec!["events=[]".to_owned()])];
    let mut value = scenario.events.is_empty().then_some(0);
    for name in scenario.storage.keys() {
        for (verb, key) in [("pauses", "pause"), ("fails", "fail")] {
            if is(&scenario.events, key, name, at, lasts) {
                value = Some(choices.len());
            }
            let set = format!("events=[{{at: {at}, {key}: {name}, for: {lasts}}}]");
            choices.push(choice(&format!("{name} {verb} for {lasts}"), vec![set]));
        }
    }
    let value = value.unwrap_or_else(|| {
        choices.push(choice("as written", Vec::new()));
        choices.len() - 1
    });
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

/// Whether this is all that happens: the device fails, or pauses, then and for so long.
fn is(events: &[Event], key: &str, name: &str, at: Duration, lasts: Duration) -> bool {
    let (own_key, on, own_at, own_lasts) = match events {
        [Event::Fail(it)] => ("fail", &it.fail, it.at, it.lasts),
        [Event::Pause(it)] => ("pause", &it.pause, it.at, it.lasts),
        _ => return false,
    };
    (own_key, on.as_str(), own_at, own_lasts) == (key, name, at, Some(lasts))
}
