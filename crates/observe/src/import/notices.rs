//! What to know of the figures of a trace.

use blockyard_model::units::{MILLISECOND, Nanos, SECOND};
use blockyard_record::result::LostEvents;
use blockyard_scenario::units::Duration;
use blockyard_text::grouped;
use blockyard_trace::Trace;

use super::LATEST;
use super::survey::Survey;

/// What to know of a trace that was read to its end.
pub(super) fn notices(survey: &Survey, trace: &Trace<'_>, interval: Duration) -> Vec<String> {
    let recorded = trace.format().recorded();
    let notes = trace.notes();
    let mut said = Vec::new();
    if recorded.step >= MILLISECOND {
        let step = recorded.step / SECOND;
        said.push(format!(
            "its times are multiples of {step} s: nothing shorter is known"
        ));
    }
    let length = survey.end - survey.begin;
    if length < interval.nanos() {
        let length = length as f64 / SECOND as f64;
        said.push(format!(
            "it lasts {length:.6} s, less than an interval: rates are those of {interval}; a \
             shorter --interval gives its own"
        ));
    }
    if survey.ends {
        if survey.no_end > 0 {
            let ios = grouped(survey.no_end);
            said.push(format!(
                "{ios} IOs had not ended when it was recorded; they do not count"
            ));
        }
        if survey.undecided() > 0 {
            let ios = grouped(survey.undecided());
            said.push(format!(
                "{ios} IOs, the last of their slots, failed or had not ended; they do not count"
            ));
        }
        if recorded.step > 1000 {
            let step = recorded.step as f64 / 1000.0;
            said.push(format!(
                "its times are multiples of {step} µs, and so are latencies"
            ));
        }
    } else {
        said.push("ends are not recorded: IOs count when they came, and have no latency".into());
    }
    if survey.no_begin > 0 {
        let ios = grouped(survey.no_begin);
        said.push(format!(
            "of {ios} IOs only the end is recorded: they have no latency, and ios.csv lacks them"
        ));
    }
    let lost = losses(survey, trace);
    if let (Some(first), Some(last)) = (lost.first(), lost.last()) {
        let events = match lost.iter().map(|lost| lost.events).sum() {
            0 => "events".into(),
            events => format!("{} events", grouped(events)),
        };
        let (from, to) = (first.from_s, last.to_s);
        said.push(format!(
            "{events} were lost between {from:.6} s and {to:.6} s: what went on then is missing"
        ));
    }
    if notes.unmatched > 0 {
        let ends = grouped(notes.unmatched);
        said.push(format!(
            "{ends} ends belong to IOs that began before it, and do not count"
        ));
    }
    if notes.out_of_order > 0 {
        let back = notes.furthest_back as f64 / SECOND as f64;
        let lines = grouped(notes.out_of_order);
        let late = if notes.furthest_back > LATEST {
            "; what came over 10 s late counts in a later interval"
        } else {
            ""
        };
        said.push(format!(
            "times run back {lines} times, by {back:.6} s at most{late}"
        ));
    }
    if notes.skipped > 0 {
        let lines = grouped(notes.skipped);
        said.push(format!(
            "{lines} records of no read, write, flush or trim are left out"
        ));
    }
    if let Some(cut) = &notes.cut {
        said.push(format!("{cut}; what is before it counts"));
    }
    if let Some(line) = notes.unended {
        said.push(format!(
            "line {line}, the last, has no line end, so it may be cut off; it counts as it is"
        ));
    }
    said.push("sizes of devices are not recorded: the last byte touched stands for them".into());
    said
}

/// When events were lost, from the beginning of what is imported on.
pub(super) fn losses(survey: &Survey, trace: &Trace<'_>) -> Vec<LostEvents> {
    let since = |time: Nanos| time.saturating_sub(survey.begin) as f64 / SECOND as f64;
    let all = trace.notes().lost.iter();
    all.map(|lost| LostEvents {
        from_s: since(lost.from),
        to_s: since(lost.to),
        events: lost.events,
    })
    .collect()
}
