//! A layout under its load as an ordinary scenario.
//!
//! It is the end of the load: then the rates are at their highest, and least is left of credits.

use std::fmt::Write;

use blockyard_experiment::budget::FOR_PROOF;
use blockyard_model::units::SECOND;
use blockyard_text::units::{Date, Percent, Size, Throughput};

use crate::answer::layout::{Layout, Volumes};
use crate::proof::balances::Balances;
use crate::proof::jobs::{goals, jobs};
use crate::requirement::needs::Needs;

const LONGEST_S: u64 = 60;
const SHORTEST_S: u64 = 2;

/// What the scenario of a layout is called and rests on.
#[derive(Clone, Debug)]
pub struct ScenarioWriter {
    /// Its name.
    pub name: String,
    /// The region, if one was stated.
    pub region: Option<String>,
    /// The day whose limits hold.
    pub day: Option<Date>,
}

impl ScenarioWriter {
    /// The scenario as YAML: the layout, its load as open-loop jobs at their highest rates, and
    /// what must hold as goals.
    #[must_use]
    pub fn scenario(&self, needs: &Needs, layout: &Layout) -> String {
        let jobs = jobs(needs, layout);
        let rate: u64 = jobs.iter().map(|job| job.stream.iops).sum();
        let seconds = (FOR_PROOF / rate.max(1)).clamp(SHORTEST_S, LONGEST_S);
        let mut text = format!("name: {}\n", quoted(&self.name));
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        line(format!("description: {}", quoted(&described(layout))));
        if let Some(region) = &self.region {
            line(format!("region: {region}"));
        }
        if let Some(day) = self.day {
            line(format!("as_of: {day}"));
        }
        line(format!("duration: {seconds}s"));
        let balance = Balances::at_end(needs, layout, self.day, seconds * SECOND);
        line(hosts(layout, &balance));
        line("storage:".into());
        line(device("data", &layout.data, layout, balance.data));
        if let Some(journal) = &layout.journal {
            line(device("journal", journal, layout, balance.journal));
        }
        line("workload:".into());
        for job in &jobs {
            line(job.yaml());
        }
        // A load of some IOs a second has none: chance alone could miss any.
        let goals = goals(needs, &jobs, seconds);
        if !goals.is_empty() {
            line("goals:".into());
        }
        for goal in goals {
            line(format!("  - {goal}"));
        }
        text
    }
}

fn hosts(layout: &Layout, balance: &Balances) -> String {
    let instance = &layout.instance;
    let balance = match balance.host {
        1000 => String::new(),
        share => format!(", burst_balance: {}", Percent::new(share)),
    };
    if layout.copies == 1 {
        return format!("host: {{instance: {instance}{balance}}}");
    }
    let host = |zone: &str| format!("{{instance: {instance}, zone: {zone}{balance}}}");
    format!(
        "hosts:\n  near: {}\n  far: {}\nzones: {{within: 0.25ms, round_trip: {{zone-a/zone-b: 1ms}}}}\n\
         links:\n  replication: {{between: [near, far], mtu: 9001, transport: tcp}}\n\
         assumptions: {{round_trip: a millisecond between zones is taken}}",
        host("zone-a"),
        host("zone-b"),
    )
}

fn device(name: &str, volumes: &Volumes, layout: &Layout, balance: u64) -> String {
    let mut volume = format!("type: {}", volumes.volume_type);
    // Writing to a string cannot fail.
    let _ = volumes
        .ask()
        .size
        .map(|size| write!(volume, ", size: {size}"));
    let _ = volumes.iops.map(|iops| write!(volume, ", iops: {iops}"));
    let throughput = volumes.throughput.map(Throughput::new);
    let _ = throughput.map(|it| write!(volume, ", throughput: {it}"));
    // The second of saved-up tokens does not count.
    volume.push_str(", tokens: 0%");
    if balance < 1000 {
        let _ = write!(volume, ", burst_balance: {}", Percent::new(balance));
    }
    let of_host = |indent: &str, host: &str| {
        let at = if host.is_empty() {
            String::new()
        } else {
            format!(", host: {host}")
        };
        match volumes.count {
            1 => format!("{indent}{{{volume}{at}}}"),
            width => {
                let chunk = Size::new(volumes.chunk);
                format!(
                    "{indent}{{stripe: {{chunk: {chunk}, width: {width}}}, of: {{{volume}}}{at}}}"
                )
            }
        }
    };
    if layout.copies == 1 {
        return format!("  {name}: {}", of_host("", ""));
    }
    format!(
        "  {name}:\n    mirror:\n      legs:\n        near: {}\n        far: {}\n      \
         link: replication\n      acknowledge: C",
        of_host("", "near"),
        of_host("", "far"),
    )
}

fn described(layout: &Layout) -> String {
    format!(
        "The planned layout, {:.2} dollars a month, under the peak of its load, with the credits \
         that remain then",
        layout.usd_per_month
    )
}

/// A YAML text in double quotes.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
