//! An axis: the values that a path of the scenario takes.

use std::borrow::Cow;
use std::fmt;

use blockyard_catalog::Catalog;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::AxisValue;

/// The most values of an axis.
const MOST: usize = 100_000;

/// The values that a path of the scenario takes.
#[derive(Clone, Debug)]
pub enum Axis {
    /// These.
    Values(Vec<AxisValue>),
    /// Those of a range, or of the catalog.
    Spread(Spread),
}

/// Values that are not written one by one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// The first value: a number, with its unit if it has one, as `100GiB`.
    pub from: Option<String>,
    /// The last value, in the same unit.
    pub to: Option<String>,
    /// The difference between one value and the next; of the last as far as it fits.
    pub step: Option<String>,
    /// How many values, each as many times the one before it.
    pub log: Option<usize>,
    /// `all`: every volume type of the catalog.
    pub volumes: Option<String>,
    /// The family whose instance types of the catalog are taken, as `r6i`.
    pub instances: Option<String>,
}

impl Axis {
    /// The values, in their order.
    ///
    /// # Errors
    /// A line, for what is no range and what the catalog does not have.
    pub(crate) fn values(&self) -> Result<Vec<String>, String> {
        let values: Vec<_> = match self {
            Self::Values(values) => values.iter().map(ToString::to_string).collect(),
            Self::Spread(spread) => spread.values()?,
        };
        match values.len() {
            0 => Err("no values; expected at least one".to_owned()),
            1..=MOST => Ok(values),
            many => Err(format!("{many} values; expected at most {MOST}")),
        }
    }

    /// Whether one value leads to the next: numbers of one unit that rise or fall, instances of a
    /// family.
    pub(crate) fn is_ordered(&self) -> bool {
        match self {
            Self::Spread(spread) => spread.volumes.is_none(),
            Self::Values(values) => {
                let numbers = values.iter().map(|value| number(&value.0));
                let Ok(numbers) = numbers.collect::<Result<Vec<_>, _>>() else {
                    return false;
                };
                let one_unit = numbers.iter().all(|(_, unit, _)| *unit == numbers[0].1);
                let values = || numbers.iter().map(|(value, _, _)| value);
                one_unit && (values().is_sorted() || values().rev().is_sorted())
            }
        }
    }

    /// The value at `share` of the axis, from 0 to below 1: of a range without steps anything
    /// between its ends.
    ///
    /// # Errors
    /// As [`Self::values`].
    pub(crate) fn at(&self, share: f64) -> Result<String, String> {
        if let Self::Spread(spread) = self
            && let Some(range) = spread.range()?
            && spread.step.is_none()
            && spread.log.is_none()
        {
            return Ok(range.write(range.from + share * (range.to - range.from)));
        }
        let mut values = self.values()?;
        let place = (share * values.len() as f64) as usize;
        let last = values.len() - 1;
        Ok(values.swap_remove(place.min(last)))
    }
}

impl Spread {
    fn values(&self) -> Result<Vec<String>, String> {
        let ways = [
            self.from.is_some(),
            self.volumes.is_some(),
            self.instances.is_some(),
        ];
        if ways.iter().filter(|way| **way).count() != 1 {
            return Err("expected one of `from`, `volumes` and `instances`".to_owned());
        }
        if let Some(volumes) = &self.volumes {
            return volume_types(volumes);
        }
        if let Some(family) = &self.instances {
            return instances(family);
        }
        let Some(range) = self.range()? else {
            return Err("expected `from` and `to`".to_owned());
        };
        match (&self.step, self.log) {
            (Some(step), None) => range.by(step),
            (None, Some(count)) => range.log(count),
            _ => Err(
                "expected `step` or `log`, as in `{from: 3000, to: 16000, step: 1000}`".to_owned(),
            ),
        }
    }

    fn range(&self) -> Result<Option<Range>, String> {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => Range::of(from, to).map(Some),
            (None, None) => Ok(None),
            (Some(_), None) => Err("`from` without `to`; expected both".to_owned()),
            (None, Some(_)) => Err("`to` without `from`; expected both".to_owned()),
        }
    }
}

fn volume_types(which: &str) -> Result<Vec<String>, String> {
    if which != "all" {
        return Err(format!(
            "volumes: `{which}`; expected `all`, or else a list of types"
        ));
    }
    let catalog = Catalog::get().map_err(|error| error.to_string())?;
    Ok(catalog
        .volume_types()
        .map(|one| one.name().to_owned())
        .collect())
}

/// The instance types of a family, smallest first.
fn instances(family: &str) -> Result<Vec<String>, String> {
    let catalog = Catalog::get().map_err(|error| error.to_string())?;
    let all = catalog.instances().iter();
    let mut found: Vec<_> = all.filter(|one| one.family() == family).collect();
    found.sort_by_key(|one| (one.vcpu(), one.memory_mib(), one.name()));
    if found.is_empty() {
        let families = catalog.instances().iter().map(|one| one.family());
        let hint = blockyard_text::hint(family, families);
        return Err(format!("instances: no family is called `{family}`{hint}"));
    }
    Ok(found.iter().map(|one| one.name().to_owned()).collect())
}

/// Numbers of one unit.
struct Range {
    from: f64,
    to: f64,
    unit: String,
    /// Digits after the point that a value is written with.
    digits: usize,
}

impl Range {
    fn of(from: &str, to: &str) -> Result<Self, String> {
        let (first, unit, digits) = number(from)?;
        let (last, other, more) = number(to)?;
        if unit != other {
            return Err(format!("from `{from}` to `{to}`; expected one unit"));
        }
        if last < first {
            return Err(format!("from `{from}` to `{to}`; expected a rising range"));
        }
        Ok(Self {
            from: first,
            to: last,
            unit: unit.to_owned(),
            digits: digits.max(more),
        })
    }

    fn by(&self, step: &str) -> Result<Vec<String>, String> {
        let (width, unit, digits) = number(step)?;
        if unit != self.unit || width <= 0.0 {
            let unit = &self.unit;
            return Err(format!(
                "step: `{step}`; expected more than 0{unit}, in that unit"
            ));
        }
        // Half a millionth of a step: what is written in decimals adds up only nearly.
        let count = ((self.to - self.from) / width + 5e-7).floor() + 1.0;
        if count > MOST as f64 {
            return Err(format!("{count} values; expected at most {MOST}"));
        }
        let finer = Self {
            unit: self.unit.clone(),
            digits: digits.max(self.digits),
            ..*self
        };
        let value = |place| finer.write(self.from + place as f64 * width);
        Ok((0..count as u64).map(value).collect())
    }

    fn log(&self, count: usize) -> Result<Vec<String>, String> {
        if self.from <= 0.0 || !(2..=MOST).contains(&count) {
            return Err(format!(
                "log: {count} values from {}; expected 2 to {MOST}, from more than 0",
                self.from
            ));
        }
        let ratio = (self.to / self.from).ln() / (count - 1) as f64;
        let value = |place: usize| self.write(self.from * (ratio * place as f64).exp());
        let mut values: Vec<_> = (0..count).map(value).collect();
        // Rounded they may be equal.
        values.dedup();
        Ok(values)
    }

    fn write(&self, value: f64) -> String {
        format!("{value:.*}{}", self.digits, self.unit)
    }
}

/// A number, its unit, and how many digits it has after the point.
fn number(text: &str) -> Result<(f64, &str, usize), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let after = digits.split_once('.').map_or(0, |(_, after)| after.len());
    let value: f64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is not a number; expected one, as in `3000` or `100GiB`"))?;
    Ok((value, unit, after))
}

/// By hand, since serde's untagged enums lose the place of an error.
impl<'de> Deserialize<'de> for Axis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListOrMap)
    }
}

struct ListOrMap;

impl<'de> Visitor<'de> for ListOrMap {
    type Value = Axis;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of values, or a map of `from`, `to` and `step`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Axis, E> {
        Ok(Axis::Values(vec![AxisValue(super::value::scalar(text))]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Axis, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(Axis::Values)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Axis, A::Error> {
        Spread::deserialize(MapAccessDeserializer::new(map)).map(Axis::Spread)
    }
}

impl JsonSchema for Axis {
    fn schema_name() -> Cow<'static, str> {
        "Axis".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let spread = generator.subschema_for::<Spread>();
        schemars::json_schema!({"anyOf": [{"type": "array"}, spread]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(keys: &[(&str, &str)]) -> Axis {
        let of = |name| {
            keys.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, v)| (*v).to_owned())
        };
        Axis::Spread(Spread {
            from: of("from"),
            to: of("to"),
            step: of("step"),
            log: of("log").map(|count| count.parse().unwrap()),
            volumes: of("volumes"),
            instances: of("instances"),
        })
    }

    #[test]
    fn a_range_has_the_values_that_it_says() {
        let values = |keys: &[(&str, &str)]| spread(keys).values().unwrap().join(" ");
        assert_eq!(
            values(&[("from", "3000"), ("to", "6500"), ("step", "1000")]),
            "3000 4000 5000 6000"
        );
        assert_eq!(
            values(&[("from", "0.1"), ("to", "0.5"), ("step", "0.1")]),
            "0.1 0.2 0.3 0.4 0.5"
        );
        assert_eq!(
            values(&[("from", "100GiB"), ("to", "800GiB"), ("log", "4")]),
            "100GiB 200GiB 400GiB 800GiB"
        );
        assert_eq!(values(&[("from", "1"), ("to", "3"), ("log", "9")]), "1 2 3");
        assert!(values(&[("volumes", "all")]).contains("gp3"));
        assert!(values(&[("instances", "r6i")]).starts_with("r6i.large r6i.xlarge r6i.2xlarge"));
    }

    #[test]
    fn a_sample_lies_between_the_ends() {
        let axis = spread(&[("from", "3000"), ("to", "16000")]);
        assert_eq!(axis.at(0.0).unwrap(), "3000");
        assert_eq!(axis.at(0.5).unwrap(), "9500");
        let list = Axis::Values(vec![AxisValue("gp2".into()), AxisValue("gp3".into())]);
        assert_eq!(
            [0.0, 0.49, 0.5, 0.999].map(|at| list.at(at).unwrap()),
            ["gp2", "gp2", "gp3", "gp3"]
        );
    }

    #[test]
    fn what_is_no_range_is_refused() {
        let wrong = |keys: &[(&str, &str)]| spread(keys).values().unwrap_err();
        for (keys, said) in [
            (
                &[("from", "1GiB"), ("to", "5MiB"), ("step", "1GiB")][..],
                "expected one unit",
            ),
            (
                &[("from", "5"), ("to", "1"), ("step", "1")],
                "expected a rising range",
            ),
            (
                &[("from", "1"), ("to", "5"), ("step", "0")],
                "expected more than 0, in that unit",
            ),
            (&[("from", "1"), ("to", "5")], "expected `step` or `log`"),
            (&[("from", "1")], "`from` without `to`"),
            (
                &[("instances", "r6j")],
                "no family is called `r6j`; did you mean",
            ),
            (&[("volumes", "ssd")], "expected `all`"),
            (
                &[("from", "0"), ("to", "5"), ("log", "3")],
                "from more than 0",
            ),
            (&[], "expected one of"),
        ] {
            assert!(wrong(keys).contains(said), "{}", wrong(keys));
        }
    }
}
