//! A layout under its load as an ordinary scenario, and what its simulation comes to.
//!
//! What is simulated is the end of the load: then the rates are at their highest, and least is
//! left of credits.

use std::fmt::Write;

use blockyard_catalog::Catalog;
use blockyard_model::units::{MIB, Nanos, SECOND};
use blockyard_record::Detail;
use blockyard_record::result::RunResult;
use blockyard_scenario::load;
use blockyard_simulate::{Options, simulate};
use blockyard_text::units::{Date, Duration, Percent, Size, Throughput};

use crate::demand::{Counting, Stream};
use crate::endurance::left;
use crate::layout::{Layout, Simulated, Volumes};
use crate::reason::Reason;
use crate::volumes::bucket;
use crate::wanted::{Of, Wanted};

/// The most IOs of a simulation: with these the p99 of 1 % of them rests on thousands.
const MOST_IOS: u64 = 1_000_000;

const LONGEST_S: u64 = 60;
const SHORTEST_S: u64 = 2;

/// The share of the wanted IOs that must complete at least, in 1/1000, beside chance.
const SERVED: f64 = 0.99;

/// What the scenario of a layout is called and rests on.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its name.
    pub name: String,
    /// The region, if one was stated.
    pub region: Option<String>,
    /// The day whose limits hold.
    pub day: Option<Date>,
}

/// What a simulation came to.
pub(crate) struct Proof {
    pub(crate) jobs: Vec<Simulated>,
    pub(crate) missed: Vec<Reason>,
}

/// A job of the load.
struct Job<'a> {
    name: &'a str,
    on: &'a str,
    stream: Stream,
    file: u64,
    of: Of,
}

impl Written {
    /// The scenario as YAML: the layout, its load as open-loop jobs at their highest rates, and
    /// what must hold as goals.
    #[must_use]
    pub fn scenario(&self, wanted: &Wanted, layout: &Layout) -> String {
        let jobs = jobs(wanted, layout);
        let rate: u64 = jobs.iter().map(|job| job.stream.iops).sum();
        let seconds = (MOST_IOS / rate.max(1)).clamp(SHORTEST_S, LONGEST_S);
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
        let balance = Balances::at_end(wanted, layout, self.day, seconds * SECOND);
        line(hosts(layout, &balance));
        line("storage:".into());
        line(device("data", &layout.data, layout, balance.data));
        if let Some(journal) = &layout.journal {
            line(device("journal", journal, layout, balance.journal));
        }
        line("workload:".into());
        for job in &jobs {
            line(job.written());
        }
        line("goals:".into());
        for goal in goals(wanted, &jobs, seconds) {
            line(format!("  - {goal}"));
        }
        text
    }

    /// What the simulation of a layout comes to.
    pub(crate) fn proof(&self, wanted: &Wanted, layout: &Layout) -> Result<Proof, String> {
        let result = self.run(wanted, layout)?;
        let missed = result
            .goals
            .iter()
            .filter(|goal| !goal.met)
            .map(|goal| Reason::Simulated {
                goal: goal.goal.clone(),
                measured: goal.measured.clone(),
            });
        let jobs = result.totals.iter().filter_map(|total| {
            let latency = total.latency_us?;
            Some(Simulated {
                job: total.job.clone(),
                iops: total.iops,
                p50_us: latency.p50,
                p99_us: latency.p99,
            })
        });
        Ok(Proof {
            missed: missed.collect(),
            jobs: jobs.collect(),
        })
    }

    fn run(&self, wanted: &Wanted, layout: &Layout) -> Result<RunResult, String> {
        let text = Self {
            region: None,
            ..self.clone()
        }
        .scenario(wanted, layout);
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name);
        let loaded = load(&text, &self.name, &[]).map_err(|error| failed(&error))?;
        let resolved = loaded.resolve().map_err(|error| failed(&error))?;
        let options = Options {
            detail: Detail::Totals,
            ..Options::default()
        };
        simulate(&loaded.scenario, &resolved, options, &mut ()).map_err(|error| failed(&error))
    }
}

/// How full credits are when the simulation begins, in 1/1000.
struct Balances {
    host: u64,
    data: u64,
    journal: u64,
}

impl Balances {
    fn at_end(wanted: &Wanted, layout: &Layout, day: Option<Date>, before: Nanos) -> Self {
        let full = Self {
            host: 1000,
            data: 1000,
            journal: 1000,
        };
        let Ok(catalog) = Catalog::get() else {
            return full;
        };
        let Ok(instance) = catalog.instance(&layout.instance) else {
            return full;
        };
        let apart = layout.journal.is_some();
        let own: Vec<Stream> = wanted.journal.iter().map(|it| it.stream).collect();
        let mut data = wanted.data.clone();
        data.extend(own.iter().filter(|_| !apart));
        let of = |volumes: &Volumes, streams: &[Stream]| -> (u64, Counting) {
            let none = (
                1000,
                Counting {
                    unit: 1 << 18,
                    whole_units: false,
                    local: false,
                },
            );
            let Ok(volume_type) = catalog.volume_type(&volumes.volume_type) else {
                return none;
            };
            let Ok(got) = volume_type.limits(&volumes.ask(), Some(instance), day) else {
                return none;
            };
            let row = got.offer.row();
            let counting = Counting {
                unit: row.counted_in.bytes(),
                whole_units: row.whole_units,
                local: row.local,
            };
            let credits = got.limits.iter().filter(|limit| limit.credits);
            let lefts = credits.map(|limit| {
                let counted = |it: &Stream| it.counted(limit.unit, limit.applies, counting);
                let rate: u64 = streams.iter().map(counted).sum();
                let share = rate.div_ceil(volumes.count.into());
                left(&bucket(limit), share, &wanted.course, before)
            });
            (lefts.min().unwrap_or(1000), counting)
        };
        let (on_data, counting) = of(&layout.data, &data);
        let (on_journal, of_journal) = layout
            .journal
            .as_ref()
            .map_or((1000, counting), |it| of(it, &own));
        let limits = catalog
            .host_limits(instance, day)
            .limits
            .unwrap_or_default();
        let host = limits.iter().filter(|limit| limit.credits).map(|limit| {
            let counted = |it: &Stream, counting| it.behind_host(limit.unit, counting);
            let data: u64 = wanted.data.iter().map(|it| counted(it, counting)).sum();
            let own: u64 = own.iter().map(|it| counted(it, of_journal)).sum();
            left(&bucket(limit), data + own, &wanted.course, before)
        });
        Self {
            host: host.min().unwrap_or(1000),
            data: on_data,
            journal: on_journal,
        }
    }
}

/// The most whole `parts` that go into `bytes`.
fn whole(bytes: u64, part: u64) -> u64 {
    bytes / part * part
}

/// The load's jobs, at their highest rates. Files share their device in equal parts but for the
/// journal's, which has its size.
fn jobs<'a>(wanted: &Wanted, layout: &Layout) -> Vec<Job<'a>> {
    let highest = |stream: &Stream| Stream {
        iops: (stream.iops * wanted.course.highest()).div_ceil(1000),
        ..*stream
    };
    // Whole chunks, which the size of a disk of the instance may not be.
    let room = |volumes: &Volumes| whole(volumes.size, volumes.chunk) * u64::from(volumes.count);
    let mut free = room(&layout.data);
    let mut jobs = Vec::new();
    if let Some(journal) = &wanted.journal {
        let (on, file) = match &layout.journal {
            Some(own) => ("journal", room(own).min(journal.size)),
            None => ("data", journal.size),
        };
        if layout.journal.is_none() {
            free = free.saturating_sub(file.next_multiple_of(MIB));
        }
        let (name, stream, of) = ("journal", highest(&journal.stream), Of::Journal);
        jobs.push(Job {
            name,
            on,
            stream,
            file: whole(whole(file, MIB), stream.io_size),
            of,
        });
    }
    let parts = wanted.data.len().max(1) as u64;
    for stream in &wanted.data {
        let (name, of) = match stream.write {
            true => ("writes", Of::Write),
            false => ("reads", Of::Read),
        };
        let file = whole(whole(free / parts, MIB), stream.io_size);
        jobs.push(Job {
            name,
            on: "data",
            stream: highest(stream),
            file,
            of,
        });
    }
    jobs
}

impl Job<'_> {
    fn written(&self) -> String {
        let Stream { iops, io_size, .. } = self.stream;
        let read = if self.stream.write { "0%" } else { "100%" };
        let random = Percent::new(1000 - self.stream.sequential.min(1000));
        // Twice what 10 ms of them would be in flight.
        let outstanding = (iops / 50).clamp(1024, 65_536);
        format!(
            "  {}: {{kind: access_spec, on: {}, file_size: {}, pattern: {{size: {}, read: {read}, \
             random: {random}}}, rate: {iops}/s, max_outstanding: {outstanding}}}",
            self.name,
            self.on,
            Size::new(self.file),
            Size::new(io_size),
        )
    }
}

fn goals(wanted: &Wanted, jobs: &[Job<'_>], seconds: u64) -> Vec<String> {
    let mut goals = Vec::new();
    for job in jobs {
        let ios = (job.stream.iops * seconds) as f64;
        // Four standard deviations of as many Poisson arrivals.
        let least = job.stream.iops as f64 * (SERVED - 4.0 / ios.sqrt());
        if least >= 1.0 {
            goals.push(format!("{}.iops > {}", job.name, least.floor()));
        }
        for goal in wanted.latency.iter().filter(|goal| goal.of == job.of) {
            let most = Duration::new(goal.most);
            goals.push(format!("{}.latency.{} <= {most}", job.name, goal.quantile));
        }
    }
    goals
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
        "What was planned, {:.2} dollars a month, under the load that it was planned for, at its \
         highest and with what is left of credits then",
        layout.usd_per_month
    )
}

/// A YAML text in double quotes.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
