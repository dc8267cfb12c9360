//! A layout under its load as an ordinary scenario.
//!
//! It is the end of the load: then the rates are at their highest, and least is left of credits. A
//! load by interval also has one of a whole period.

use std::fmt::Write;

use blockyard_experiment::budget::FOR_PROOF;
use blockyard_model::units::SECOND;
use blockyard_text::units::{Date, Duration, Percent, Size, Throughput};

use crate::answer::layout::{Layout, Volumes};
use crate::answer::replication::Replicas;
use crate::proof::balances::{Balances, Begin};
use crate::proof::by_interval::by_interval;
use crate::proof::jobs::{Job, goals, jobs};
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
    /// The scenario as YAML: the layout, its load and what must hold as goals. The load is
    /// open-loop jobs at their highest rates, or, of one by interval, a whole period of it.
    #[must_use]
    pub fn scenario(&self, needs: &Needs, layout: &Layout) -> String {
        let whole = self.period(needs, layout);
        whole.unwrap_or_else(|| self.at_highest(needs, layout))
    }

    /// The end of the load.
    pub(crate) fn at_highest(&self, needs: &Needs, layout: &Layout) -> String {
        let jobs = jobs(needs, layout);
        let rate: u64 = jobs.iter().map(|job| job.stream.iops).sum();
        let seconds = (FOR_PROOF / rate.max(1)).clamp(SHORTEST_S, LONGEST_S);
        let begin = Begin::BeforeEnd(seconds * SECOND);
        let under = Under {
            what: "under the peak of its load, with the credits that remain then",
            duration: format!("{seconds}s"),
            balances: Balances::at(needs, layout, self.day, begin),
            jobs: jobs.iter().map(Job::yaml).collect(),
            goals: goals(needs, &jobs, seconds),
        };
        self.written(layout, &under)
    }

    /// A period of a load by interval.
    pub(crate) fn period(&self, needs: &Needs, layout: &Layout) -> Option<String> {
        let demand = needs.load_profile.demand.as_deref()?;
        let (jobs, goals) = by_interval(needs, layout, demand);
        let under = Under {
            what: "under its load by interval, with the credits that are left when it comes again",
            duration: Duration::new(demand.every).to_string(),
            balances: Balances::at(needs, layout, self.day, Begin::Period),
            jobs,
            goals,
        };
        Some(self.written(layout, &under))
    }

    fn written(&self, layout: &Layout, under: &Under) -> String {
        let mut text = format!("name: {}\n", quoted(&self.name));
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        let price = layout.usd_per_month;
        let with = match &layout.replicas {
            Some(_) => " with the log to its replicas, which are idle here",
            None => "",
        };
        let described = format!(
            "The planned layout, {price:.2} dollars a month{with}, {}",
            under.what
        );
        line(format!("description: {}", quoted(&described)));
        if let Some(region) = &self.region {
            line(format!("region: {region}"));
        }
        if let Some(day) = self.day {
            line(format!("as_of: {day}"));
        }
        line(format!("duration: {}", under.duration));
        let balances = &under.balances;
        line(hosts(layout, balances));
        line("storage:".into());
        line(device("data", &layout.data, layout, balances.data));
        if let Some(journal) = &layout.journal {
            line(device("journal", journal, layout, balances.journal));
        }
        line("workload:".into());
        for job in &under.jobs {
            line(job.clone());
        }
        // A load of some IOs a second has none: chance alone could miss any.
        if !under.goals.is_empty() {
            line("goals:".into());
        }
        for goal in &under.goals {
            line(format!("  - {goal}"));
        }
        text
    }
}

/// What a layout is simulated under.
struct Under {
    what: &'static str,
    duration: String,
    balances: Balances,
    /// As YAML.
    jobs: Vec<String>,
    goals: Vec<String>,
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
    if let Some(replicas) = &layout.replicas {
        let zone = if replicas.other_zones {
            "zone-b"
        } else {
            "zone-a"
        };
        let others =
            numbers(replicas).map(|number| format!("\n  replica-{number}: {}", host(zone)));
        let others: String = others.collect();
        return format!("hosts:\n  first: {}{others}", host("zone-a"));
    }
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
    if let Some(replicas) = &layout.replicas {
        let other = |number| {
            let at = of_host("", &format!("replica-{number}"));
            format!("\n  {name}-{number}: {at}")
        };
        let others: String = numbers(replicas).map(other).collect();
        return format!("  {name}: {}{others}", of_host("", "first"));
    }
    format!(
        "  {name}:\n    mirror:\n      legs:\n        near: {}\n        far: {}\n      \
         link: replication\n      acknowledge: C",
        of_host("", "near"),
        of_host("", "far"),
    )
}

/// Replicas, as their hosts and devices are numbered. They take no IO: none of theirs takes more
/// than the first.
fn numbers(replicas: &Replicas) -> impl Iterator<Item = u32> {
    1..=replicas.count
}

/// A YAML text in double quotes.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
