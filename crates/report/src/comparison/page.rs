//! What the page of a comparison says, under its headings.

use super::Compared;
use super::tables::{Line, StepLine};
use crate::text::format::{sentence, sentence_with};
use crate::text::table::{Passage, Said, Table};

impl Compared {
    /// What there is to say of it: in short, what differs, conditions, costs, all figures.
    #[must_use]
    pub fn passages(&self) -> Vec<Passage> {
        let short = self.conclusions.iter();
        let short = short.map(|one| one.sentence.clone().into()).collect();
        let mut found = vec![passage("In short", short)];
        found.extend(self.differing.iter().map(|one| {
            let lines = one.lines.iter().cloned().map(Said::from);
            passage(
                &format!("What differs in {}", self.name(one.side)),
                lines.collect(),
            )
        }));
        let conditions = self.checked();
        if !conditions.is_empty() {
            found.push(passage("Conditions", conditions));
        }
        let tables = self.tables();
        if let Some(costs) = tables.costs {
            found.push(passage("Cost", vec![costs.into()]));
        }
        let mut differences: Vec<Said> = Vec::new();
        for (side, own) in (1..).zip(&tables.sides) {
            differences.push(self.differences(side, &own.lines).into());
        }
        for (side, own) in (1..).zip(&tables.sides) {
            if !own.steps.is_empty() {
                differences.push(self.load_steps(side, &own.steps).into());
            }
        }
        differences.extend(tables.bases.iter().map(|basis| sentence(basis).into()));
        let names: Vec<_> = self.sides.iter().map(String::as_str).collect();
        let notes = self.notes.iter();
        differences.extend(notes.map(|note| sentence_with(note, &names).into()));
        found.push(passage("Differences", differences));
        found
    }

    fn name(&self, side: usize) -> &str {
        self.sides.get(side).map_or("", String::as_str)
    }

    /// The outcome of each condition.
    fn checked(&self) -> Vec<Said> {
        let line = |one: &blockyard_compare::Outcome| {
            let outcome = if one.holds { "Fails" } else { "Passes" };
            let name = self.name(one.side);
            let (condition, measured) = (&one.condition, &one.measured);
            format!("{outcome}: {condition} ({name}): {measured}.").into()
        };
        self.conditions.iter().map(line).collect()
    }

    fn differences(&self, side: usize, lines: &[Line]) -> Table {
        let caption = format!("{} against {}", self.name(side), self.name(0));
        let rows = lines.iter().map(Line::cells).collect();
        Table {
            verdict: true,
            ..Table::new(&caption, &self.columns(side), rows, 1)
        }
    }

    fn load_steps(&self, side: usize, steps: &[StepLine]) -> Table {
        let caption = format!("Load steps: {} against {}", self.name(side), self.name(0));
        let columns = [&["job", "load"], &self.columns(side)[..]].concat();
        let lines = |step: &StepLine| -> Vec<Vec<String>> {
            let lines = [Some(&step.rate), step.p99.as_ref()].into_iter().flatten();
            let named = |line: &Line| {
                let names = [step.name.clone(), step.load.clone()];
                [&names[..], &line.cells()].concat()
            };
            lines.map(named).collect()
        };
        Table {
            verdict: true,
            ..Table::new(
                &caption,
                &columns,
                steps.iter().flat_map(lines).collect(),
                1,
            )
        }
    }

    fn columns(&self, side: usize) -> [&str; 6] {
        let (first, other) = (self.name(0), self.name(side));
        ["figure", first, other, "change", "95% interval", "verdict"]
    }
}

fn passage(heading: &str, content: Vec<Said>) -> Passage {
    Passage {
        heading: heading.to_owned(),
        content,
    }
}
