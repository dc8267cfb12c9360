//! The figures of a page as JSON, which its script and matplotlib read.

use indexmap::IndexMap;
use serde_json::{Value, json as value};

use super::{Axis, Bar, Bars, Curve, Curves, Dash, Figure, Heat, Lane, Lanes, Level, Lines, Plot};
use super::{Scale, Series, Span};
use crate::text::format::rounded;

/// Measured values are shown to three digits.
const MEASURED: usize = 5;

/// Places along an axis keep more: a second of a week, the fifth nine of a percentile.
const PLACE: usize = 9;

/// The figures as JSON: `{"places": […], "figures": […]}`. Places that several [`Lines`] share are
/// written once, and named by their number.
#[must_use]
pub fn json(figures: &[Figure]) -> Value {
    let mut places = IndexMap::new();
    let written: Vec<_> = figures.iter().map(|one| figure(one, &mut places)).collect();
    let places: Vec<_> = places.into_values().collect();
    value!({"places": places, "figures": written})
}

/// Lists of places, by their bits.
type Places = IndexMap<Vec<u64>, Value>;

fn figure(figure: &Figure, places: &mut Places) -> Value {
    value!({
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "plot": plot(&figure.plot, places),
        "group": figure.group,
    })
}

fn plot(plot: &Plot, places: &mut Places) -> Value {
    match plot {
        Plot::Lines(plot) => lines(plot, places),
        Plot::Curves(plot) => curves(plot),
        Plot::Heat(plot) => heat(plot),
        Plot::Bars(plot) => bars(plot),
        Plot::Lanes(plot) => lanes(plot),
    }
}

fn lines(plot: &Lines, places: &mut Places) -> Value {
    let bits = plot.at.iter().map(|at| at.to_bits()).collect();
    let found = places.entry(bits);
    let number = found.index();
    found.or_insert_with(|| numbers(&plot.at, PLACE));
    value!({
        "kind": "Lines",
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "series": list(&plot.series, series),
        "levels": list(&plot.levels, level),
        "spans": list(&plot.spans, span),
        "at": number,
    })
}

fn series(series: &Series) -> Value {
    let values = series.values.iter();
    let values: Vec<_> = values
        .map(|one| one.map(|it| number(it, MEASURED)))
        .collect();
    value!({
        "label": series.label,
        "values": values,
        "colour": series.colour,
        "dash": dash(series.dash),
        "stepped": series.stepped,
    })
}

fn curves(plot: &Curves) -> Value {
    value!({
        "kind": "Curves",
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "curves": list(&plot.curves, curve),
        "levels": list(&plot.levels, level),
    })
}

fn curve(curve: &Curve) -> Value {
    let points = curve.points.iter();
    let points: Vec<_> = points
        .map(|(x, y, what)| value!([number(*x, PLACE), number(*y, PLACE), what]))
        .collect();
    value!({
        "label": curve.label,
        "points": points,
        "colour": curve.colour,
        "dash": dash(curve.dash),
        "marked": curve.marked,
        "joined": curve.joined,
        "named": curve.named,
    })
}

fn heat(plot: &Heat) -> Value {
    value!({
        "kind": "Heat",
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "x_edges": numbers(&plot.x_edges, PLACE),
        "y_edges": numbers(&plot.y_edges, PLACE),
        "counts": plot.counts,
    })
}

fn bars(plot: &Bars) -> Value {
    let bar = |bar: &Bar| value!({"label": bar.label, "parts": numbers(&bar.parts, MEASURED)});
    value!({
        "kind": "Bars",
        "x": axis(&plot.x),
        "kinds": plot.kinds,
        "bars": list(&plot.bars, bar),
    })
}

fn lanes(plot: &Lanes) -> Value {
    let lane = |lane: &Lane| {
        let pieces = lane.pieces.iter();
        let pieces: Vec<_> = pieces
            .map(|(start, end, kind)| value!([number(*start, PLACE), number(*end, PLACE), kind]))
            .collect();
        value!({"label": lane.label, "pieces": pieces})
    };
    value!({
        "kind": "Lanes",
        "x": axis(&plot.x),
        "kinds": plot.kinds,
        "lanes": list(&plot.lanes, lane),
        "levels": list(&plot.levels, level),
    })
}

fn axis(axis: &Axis) -> Value {
    let scale = match axis.scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
        Scale::Nines => "nines",
    };
    value!({
        "label": axis.label,
        "unit": axis.unit,
        "scale": scale,
        "most": axis.most.map(|most| number(most, PLACE)),
    })
}

fn level(level: &Level) -> Value {
    value!({"label": level.label, "value": number(level.value, PLACE)})
}

fn span(span: &Span) -> Value {
    value!({
        "label": span.label,
        "start": number(span.start, PLACE),
        "end": number(span.end, PLACE),
    })
}

fn dash(dash: Dash) -> &'static str {
    match dash {
        Dash::Solid => "solid",
        Dash::Dashed => "dashed",
        Dash::Dotted => "dotted",
    }
}

fn list<T>(items: &[T], written: impl Fn(&T) -> Value) -> Value {
    items.iter().map(written).collect()
}

fn numbers(values: &[f64], digits: usize) -> Value {
    values.iter().map(|&value| number(value, digits)).collect()
}

/// A number to some digits; what is none is a gap. Whole numbers have no point.
fn number(of: f64, digits: usize) -> Value {
    const EXACT: f64 = 9e15;
    let of = rounded(of, digits);
    if of.fract() == 0.0 && of.abs() < EXACT {
        Value::from(of as i64)
    } else {
        serde_json::Number::from_f64(of).map_or(Value::Null, Value::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_lines_share_are_written_once() {
        let line = |at: &[f64]| Figure {
            name: "iops".to_owned(),
            title: String::new(),
            caption: String::new(),
            plot: Plot::Lines(Lines {
                x: Axis::new("time", "s"),
                y: Axis::new("IOPS", "IOPS"),
                at: at.to_vec(),
                series: vec![Series::new(
                    "a",
                    vec![Some(1_234.56), None],
                    Some(0),
                    Dash::Solid,
                )],
                levels: Vec::new(),
                spans: Vec::new(),
            }),
            group: String::new(),
        };
        let found = json(&[line(&[0.0, 0.5]), line(&[0.0, 0.5]), line(&[0.0, 1.0])]);
        assert_eq!(found["places"], value!([[0, 0.5], [0, 1]]));
        assert_eq!(found["figures"][2]["plot"]["at"], value!(1));
        let values = &found["figures"][0]["plot"]["series"][0]["values"];
        assert_eq!(*values, value!([1234.6, null]));
    }
}
