//! The combinations of axes: a grid, a zip, a sample.

use indexmap::IndexMap;

use crate::file::{Axis, Combine, DEMAND, Fault, SweepFile};

/// One value of each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The scenario that it varies, among the bases.
    pub base: usize,
    /// The value of each axis, as `--set` takes it.
    pub values: Vec<String>,
}

/// All combinations of a sweep file, at most `most`.
pub(super) fn all(
    file: &SweepFile,
    points: Option<&[Vec<f64>]>,
    most: usize,
) -> Result<Vec<Combination>, Fault> {
    let rows = match points {
        Some(points) => sampled(&file.axes, points)?,
        None => {
            let each = file.axes.iter().map(|(path, axis)| {
                let values = axis.values();
                values.map_err(|message| (format!("axes.{path}"), message))
            });
            let values = each.collect::<Result<Vec<_>, _>>()?;
            match file.combine {
                Combine::Grid => grid(&values, most)?,
                Combine::Zip => zip(&file.axes, &values)?,
            }
        }
    };
    let demand = file.axes.get_index_of(DEMAND);
    let files = file.axes.get(DEMAND).map(Axis::values);
    let files = files.and_then(Result::ok).unwrap_or_default();
    let base = |values: &[String]| {
        let own = demand.and_then(|axis| files.iter().position(|file| *file == values[axis]));
        own.unwrap_or(0)
    };
    let combination = |values: Vec<String>| Combination {
        base: base(&values),
        values,
    };
    Ok(rows.into_iter().map(combination).collect())
}

/// How many values each axis of a grid has, and whether they have an order.
pub(super) fn grid_of(file: &SweepFile, points: Option<&[Vec<f64>]>) -> Option<Vec<(usize, bool)>> {
    if points.is_some() || file.combine != Combine::Grid {
        return None;
    }
    let each = file.axes.values();
    let each = each.map(|axis| Some((axis.values().ok()?.len(), axis.is_ordered())));
    each.collect()
}

/// Every value with every other; the last axis varies fastest.
fn grid(axes: &[Vec<String>], most: usize) -> Result<Vec<Vec<String>>, Fault> {
    let count = axes
        .iter()
        .try_fold(1_usize, |all, axis| all.checked_mul(axis.len()));
    let Some(count) = count.filter(|count| *count <= most) else {
        let sizes: Vec<_> = axes.iter().map(|axis| axis.len().to_string()).collect();
        let message = format!(
            "{} combinations; expected at most {most}",
            sizes.join(" × ")
        );
        return Err(("axes".to_owned(), message));
    };
    let row = |mut place: usize| {
        let mut row: Vec<_> = axes
            .iter()
            .rev()
            .map(|axis| {
                let value = axis[place % axis.len()].clone();
                place /= axis.len();
                value
            })
            .collect();
        row.reverse();
        row
    };
    Ok((0..count).map(row).collect())
}

fn zip(axes: &IndexMap<String, Axis>, values: &[Vec<String>]) -> Result<Vec<Vec<String>>, Fault> {
    let count = values.first().map_or(0, Vec::len);
    let longer = axes
        .keys()
        .zip(values)
        .find(|(_, values)| values.len() != count);
    if let Some((path, values)) = longer {
        let message = format!(
            "{} values; expected {count}, as many as the first axis has, for `combine: zip`",
            values.len()
        );
        return Err((format!("axes.{path}"), message));
    }
    let row = |place: usize| values.iter().map(|axis| axis[place].clone()).collect();
    Ok((0..count).map(row).collect())
}

/// The values at the places of a sample. Places that come to the same values are one.
fn sampled(axes: &IndexMap<String, Axis>, points: &[Vec<f64>]) -> Result<Vec<Vec<String>>, Fault> {
    let mut seen = std::collections::BTreeSet::new();
    let mut rows = Vec::new();
    for point in points {
        let each = axes.iter().zip(point).map(|((path, axis), share)| {
            let value = axis.at(*share);
            value.map_err(|message| (format!("axes.{path}"), message))
        });
        let row = each.collect::<Result<Vec<_>, _>>()?;
        if seen.insert(row.clone()) {
            rows.push(row);
        }
    }
    Ok(rows)
}
