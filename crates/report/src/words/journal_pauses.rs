//! Why the commits of a mirrored journal had to wait, pause by pause.

use blockyard_record::result::{JournalMirrorTotal, MirrorStage, MirrorTransition};

use super::phrases::counted;
use crate::text::format::{clock, duration};

/// More causes than these are only counted.
const NAMED: usize = 4;

/// Why nothing was committed: the cause of the only pause, or those of several in order.
pub(super) fn why_paused(mirror: &JournalMirrorTotal) -> String {
    let causes = causes(mirror);
    if mirror.pauses < 2 || causes.is_empty() {
        return why_paused_once(mirror);
    }
    let named = causes.len().min(NAMED);
    let mut said = causes[..named].join("; ");
    let others = causes.len() - named;
    if others > 0 {
        said.push_str(&format!("; and {}", counted(others as u64, "other cause")));
    }
    let waits = mirror.pauses.saturating_sub(causes.len() as u64);
    if waits > 0 {
        let waits = counted(waits, "wait");
        said.push_str(&format!(
            "; {waits} for a backup that answered before it was given up"
        ));
    }
    said
}

/// What kept the primary from committing, in order, each in a few words.
fn causes(mirror: &JournalMirrorTotal) -> Vec<String> {
    let all = &mirror.transitions;
    let ready = all.iter().filter(|it| it.to == MirrorStage::Ready).count();
    let backup = mirror.members.first().map_or("", |it| it.host.as_str());
    // They change places with every takeover, and the last places are known.
    let mut hosts = [mirror.primary.as_str(), backup];
    if ready % 2 == 1 {
        hosts.reverse();
    }
    let mut is_lost = false;
    let mut causes = Vec::new();
    for (place, change) in all.iter().enumerate() {
        let at = clock(change.t_s);
        let later = &all[place + 1..];
        let [primary, backup] = hosts;
        match change.to {
            MirrorStage::PrimaryLost => {
                is_lost = true;
                let ends = [MirrorStage::PrimaryBack, MirrorStage::TakenOver];
                causes.push(match first_of(later, &ends) {
                    Some(end) if end.to == MirrorStage::TakenOver => {
                        let ready = ready_at(later);
                        format!("{primary} was lost at {at}, and {backup} took over{ready}")
                    }
                    end => {
                        let until = until(end);
                        format!(
                            "{primary} was lost from {at} {until}, and {backup} did not take over"
                        )
                    }
                });
            }
            MirrorStage::TakenOver if !is_lost => {
                let ready = ready_at(later);
                causes.push(format!(
                    "neither {backup} nor arbiter heard {primary}, and {backup} took over at \
                     {at}{ready}"
                ));
            }
            MirrorStage::Frozen => {
                let until = until(first_of(later, &[MirrorStage::Thawed]));
                causes.push(format!(
                    "the disk of {primary} refused the journal from {at} {until}"
                ));
            }
            MirrorStage::Trouble if !is_lost => {
                causes.extend(in_trouble(hosts, change, later));
            }
            MirrorStage::PrimaryBack => is_lost = false,
            MirrorStage::Ready => {
                is_lost = false;
                hosts.reverse();
            }
            _ => {}
        }
    }
    causes
}

/// What kept a primary that works from committing once the backup had lost active status; none if
/// that took over in the end.
fn in_trouble(
    [primary, backup]: [&str; 2],
    change: &MirrorTransition,
    later: &[MirrorTransition],
) -> Option<String> {
    let ends = [
        MirrorStage::Alone,
        MirrorStage::CatchingUp,
        MirrorStage::TakenOver,
    ];
    let end = first_of(later, &ends);
    let given_up = format!("{backup} was given up at {}", clock(change.t_s));
    match end {
        Some(end) if end.to == MirrorStage::TakenOver => None,
        Some(end) if end.t_s <= change.t_s => Some(given_up),
        end => Some(format!(
            "{given_up}, and {primary} was in trouble {}",
            until(end)
        )),
    }
}

fn first_of<'a>(
    later: &'a [MirrorTransition],
    stages: &[MirrorStage],
) -> Option<&'a MirrorTransition> {
    later.iter().find(|it| stages.contains(&it.to))
}

/// `until 0:20`, `to the end`.
fn until(end: Option<&MirrorTransition>) -> String {
    end.map_or_else(
        || "to the end".to_owned(),
        |end| format!("until {}", clock(end.t_s)),
    )
}

/// When the backup that takes over was ready.
fn ready_at(later: &[MirrorTransition]) -> String {
    first_of(later, &[MirrorStage::Ready]).map_or_else(
        || " and is still replaying".to_owned(),
        |ready| format!(", ready at {}", clock(ready.t_s)),
    )
}

/// The cause of one pause.
fn why_paused_once(mirror: &JournalMirrorTotal) -> String {
    let last = |stage| {
        let mut changes = mirror.transitions.iter().rev();
        changes
            .find(|change| change.to == stage)
            .map(|change| clock(change.t_s))
    };
    if let Some(taken_over) = last(MirrorStage::TakenOver) {
        let ready = last(MirrorStage::Ready).map_or_else(
            || "and is still replaying".to_owned(),
            |at| format!("and was ready at {at}"),
        );
        return format!(
            "neither backup nor arbiter heard the primary, so the backup took over at {taken_over} \
             {ready}"
        );
    }
    let host = &mirror.primary;
    if let Some(lost) = last(MirrorStage::PrimaryLost) {
        let back = last(MirrorStage::PrimaryBack)
            .map_or_else(|| "to the end".to_owned(), |at| format!("until {at}"));
        return format!(
            "{host} was lost from {lost} {back}, and the backup did not take over: it had failed \
             too, or nobody could tell it that {host} was gone"
        );
    }
    if let Some(frozen) = last(MirrorStage::Frozen) {
        let thawed = last(MirrorStage::Thawed)
            .map_or_else(|| "to the end".to_owned(), |at| format!("until {at}"));
        return format!("the disk of {host} refused the journal from {frozen} {thawed}");
    }
    let ends = mirror.transitions.last().map(|change| change.to);
    if ends == Some(MirrorStage::Trouble) {
        return "the primary is in trouble to the end, as it reaches neither backup nor arbiter \
                and the backup may have taken over"
            .to_owned();
    }
    if last(MirrorStage::Trouble).is_none() {
        return "it waited for a backup that was in contact again before it was given up"
            .to_owned();
    }
    if mirror.trouble_s <= 0.0 {
        return "that long it took until the backup had lost active status".to_owned();
    }
    let waited = duration((mirror.paused_s - mirror.trouble_s).max(0.0));
    let trouble = duration(mirror.trouble_s);
    format!("{waited} until the backup had lost active status, and {trouble} in trouble")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mirror of which `primary` and `backup` are so in the end, with these changes.
    fn paused(pauses: u64, ends: [&str; 2], changes: &[(f64, &str)]) -> String {
        let [primary, backup] = ends;
        let changes: Vec<_> = changes
            .iter()
            .map(|(t_s, to)| serde_json::json!({"t_s": t_s, "to": to}))
            .collect();
        let member = serde_json::json!({
            "host": backup, "role": "backup", "received_bytes": 0,
            "lag_bytes": 0, "lag_s": 0.0, "most_lag_bytes": 0, "most_lag_s": 0.0,
            "backlog_bytes": 0, "backlog_s": 0.0, "most_backlog_bytes": 0, "most_backlog_s": 0.0,
        });
        let mirror = serde_json::json!({
            "job": "writers", "primary": primary, "backup": "active", "paused_s": 4.0,
            "pauses": pauses, "trouble_s": 0.0, "at_risk_bytes": 0, "most_at_risk_bytes": 0,
            "transitions": changes, "members": [member],
        });
        why_paused(&serde_json::from_value(mirror).expect("a mirror"))
    }

    #[test]
    fn each_pause_has_its_cause() {
        let there_and_back = [
            (5.0, "primary_lost"),
            (7.0, "trouble"),
            (7.0, "taken_over"),
            (7.0, "ready"),
            (10.0, "catching_up"),
            (10.1, "active"),
            (20.0, "trouble"),
            (20.0, "alone"),
            (21.0, "catching_up"),
            (22.0, "active"),
            (30.0, "trouble"),
            (32.0, "taken_over"),
            (33.0, "ready"),
            (40.0, "frozen"),
            (45.0, "thawed"),
        ];
        let expected = "a was lost at 0:05, and b took over, ready at 0:07; \
                        a was given up at 0:20; \
                        neither a nor arbiter heard b, and a took over at 0:32, ready at 0:33; \
                        the disk of a refused the journal from 0:40 until 0:45";
        assert_eq!(paused(4, ["a", "b"], &there_and_back), expected);
        let waits =
            format!("{expected}; 2 waits for a backup that answered before it was given up");
        assert_eq!(paused(6, ["a", "b"], &there_and_back), waits);
        let lost = [
            (5.0, "primary_lost"),
            (8.0, "primary_back"),
            (9.0, "primary_lost"),
        ];
        assert_eq!(
            paused(2, ["a", "b"], &lost),
            "a was lost from 0:05 until 0:08, and b did not take over; \
             a was lost from 0:09 to the end, and b did not take over"
        );
    }

    #[test]
    fn many_causes_are_counted() {
        let each = |second: u32| {
            let at = f64::from(second);
            [
                (at, "trouble"),
                (at, "alone"),
                (at + 1.0, "catching_up"),
                (at + 2.0, "active"),
            ]
        };
        let changes: Vec<_> = [10, 20, 30, 40, 50, 60]
            .into_iter()
            .flat_map(each)
            .collect();
        let said = paused(6, ["a", "b"], &changes);
        assert!(
            said.starts_with("b was given up at 0:10; b was given up at 0:20; "),
            "{said}"
        );
        assert!(
            said.ends_with("b was given up at 0:40; and 2 other causes"),
            "{said}"
        );
    }

    #[test]
    fn one_pause_is_told_at_length() {
        let lost = [(5.0, "primary_lost"), (8.0, "primary_back")];
        let said = paused(1, ["a", "b"], &lost);
        assert!(
            said.starts_with("a was lost from 0:05 until 0:08, and the backup"),
            "{said}"
        );
    }
}
