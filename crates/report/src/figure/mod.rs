//! What a chart shows, apart from how it is drawn.
//!
//! The browser and matplotlib draw the same figures: `web/` and `blockyard.pages.pictures` know
//! the kinds of plots here, and nothing of runs. A page has [`json`] of them, to the digits that
//! are shown; Python has all digits.

mod json;

pub use json::json;

use serde::Serialize;

/// How a line is drawn: lines differ by more than colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dash {
    /// Without gaps.
    #[default]
    Solid,
    /// Long pieces.
    Dashed,
    /// Short pieces.
    Dotted,
}

/// What tells lines of several runs apart besides their colours, in their order.
pub const DASHES: [Dash; 3] = [Dash::Solid, Dash::Dashed, Dash::Dotted];

/// How an axis is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal distances for equal differences.
    #[default]
    Linear,
    /// Equal distances for equal ratios.
    Log,
    /// A share q, below 1, lies at -log10(1 - q), so that 99 %, 99.9 % and 99.99 % are as far
    /// apart.
    Nines,
}

/// What is measured along an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it is.
    pub label: String,
    /// As it follows a figure: `s`, `IOPS`, `MiB/s`, `ms`, `%`; empty for a plain number.
    pub unit: String,
    /// How it is laid out.
    pub scale: Scale,
    /// The end of the axis, where there is a natural one, as 100 %.
    pub most: Option<f64>,
}

impl Axis {
    /// A linear axis that ends where its values do.
    #[must_use]
    pub fn new(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            scale: Scale::Linear,
            most: None,
        }
    }

    /// The same on another scale.
    #[must_use]
    pub fn on(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    /// The same with an end.
    #[must_use]
    pub fn up_to(self, most: f64) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }
}

/// A line; a gap where it has no value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it shows.
    pub label: String,
    /// Its values.
    pub values: Vec<Option<f64>>,
    /// A place in the palette; none for grey, which is for what is not measured.
    pub colour: Option<usize>,
    /// How it is drawn.
    pub dash: Dash,
    /// Whether a value holds until the next one.
    pub stepped: bool,
}

impl Series {
    /// A line through its values.
    #[must_use]
    pub fn new(label: &str, values: Vec<Option<f64>>, colour: Option<usize>, dash: Dash) -> Self {
        Self {
            label: label.to_owned(),
            values,
            colour,
            dash,
            stepped: false,
        }
    }
}

/// A value drawn across the whole plot: a budget, a threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// What it is.
    pub label: String,
    /// Where it lies.
    pub value: f64,
}

/// A part of the x axis that has a name: a load step, an event where both ends are one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Its name.
    pub label: String,
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
}

/// Series over common places on the x axis, which rise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lines {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The places.
    pub at: Vec<f64>,
    /// The lines.
    pub series: Vec<Series>,
    /// Values across the plot.
    pub levels: Vec<Level>,
    /// Named parts of the x axis.
    pub spans: Vec<Span>,
}

/// Points joined in their order, or a cloud of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// What it shows.
    pub label: String,
    /// Its points, and what each is.
    pub points: Vec<(f64, f64, String)>,
    /// A place in the palette; none for grey.
    pub colour: Option<usize>,
    /// How it is drawn.
    pub dash: Dash,
    /// The number of the point that is marked, with what it is marked as.
    pub marked: Option<(usize, String)>,
    /// Whether the points are joined.
    pub joined: bool,
    /// Whether what the points are stands beside them, as far as there is room.
    pub named: bool,
}

impl Curve {
    /// A line through points.
    #[must_use]
    pub fn new(label: &str, points: Vec<(f64, f64, String)>, colour: Option<usize>) -> Self {
        Self {
            label: label.to_owned(),
            points,
            colour,
            dash: Dash::Solid,
            marked: None,
            joined: true,
            named: false,
        }
    }

    /// The points alone.
    #[must_use]
    pub fn cloud(self) -> Self {
        Self {
            joined: false,
            ..self
        }
    }
}

/// Curves that have their own places on the x axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curves {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Values across the plot.
    pub levels: Vec<Level>,
}

/// Counts in cells between the edges of x and y: `counts[column][row]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heat {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The edges of the columns.
    pub x_edges: Vec<f64>,
    /// The edges of the rows.
    pub y_edges: Vec<f64>,
    /// How many are in each cell; of a difference of two maps, more or fewer.
    pub counts: Vec<Vec<i64>>,
}

/// A bar, of parts of the kinds that its plot names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// Its parts.
    pub parts: Vec<f64>,
}

/// Bars beside each other, of stacked parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bars {
    /// The axis along the bars.
    pub x: Axis,
    /// What the parts are.
    pub kinds: Vec<String>,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// A row of pieces: start, end, number of the kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// What it is.
    pub label: String,
    /// Its pieces.
    pub pieces: Vec<(f64, f64, usize)>,
}

/// Rows of pieces of named kinds along a common axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lanes {
    /// The common axis.
    pub x: Axis,
    /// What the pieces are.
    pub kinds: Vec<String>,
    /// The rows.
    pub lanes: Vec<Lane>,
    /// Values across the plot.
    pub levels: Vec<Level>,
}

/// What a figure shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind")]
pub enum Plot {
    /// Series over common places.
    Lines(Lines),
    /// Curves with their own places.
    Curves(Curves),
    /// Counts in cells.
    Heat(Heat),
    /// Stacked bars.
    Bars(Bars),
    /// Rows of pieces.
    Lanes(Lanes),
}

/// A plot with its name and words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its name among the figures of a page, as `iops-data`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it shows, in sentences.
    pub caption: String,
    /// What it shows, in data.
    pub plot: Plot,
    /// Figures of one group stand side by side; one without stands alone.
    pub group: String,
}
