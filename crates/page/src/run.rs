//! A run that was simulated here: what its directory would hold.

use std::num::NonZeroU32;
use std::sync::Arc;

use blockyard_experiment::{Base, Findings, Inline, ScenarioText, Variant, simulate_seeds};
use blockyard_record::result::RunResult;
use blockyard_record::{Detail, InMemory, read_log};
use blockyard_report::Run;
use blockyard_simulate::{LogTo, Options};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::recorded::Recording;
use crate::tables::Tables;

/// What errors call the scenario's text.
const FILE: &str = "scenario.yaml";

/// A scenario with what is to be changed in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scenario {
    /// Its YAML.
    pub(crate) text: String,
    /// `path=value` overrides; the last wins.
    #[serde(default)]
    pub(crate) sets: Vec<String>,
}

impl Scenario {
    pub(crate) fn read(&self) -> Result<Arc<Base>, Error> {
        let text = ScenarioText {
            text: self.text.clone(),
            file_name: FILE.to_owned(),
            sets: self.sets.clone(),
        };
        Ok(Base::read(text)?)
    }
}

/// How a scenario is to be simulated.
#[derive(Debug, Deserialize)]
pub(crate) struct How {
    #[serde(flatten)]
    scenario: Scenario,
    /// Ends the run early, after so many virtual seconds.
    #[serde(default)]
    until_s: Option<f64>,
    /// Whether to try what would help.
    #[serde(default)]
    advice: bool,
    /// How many seeds; none for as many as the command takes.
    #[serde(default)]
    seeds: Option<NonZeroU32>,
}

/// What a run directory holds, but for its prices' folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded {
    scenario: Scenario,
    result: RunResult,
    findings: Findings,
    tables: Tables,
    /// The text of `latency.hlog`.
    latencies: String,
}

impl Recorded {
    /// Simulates a scenario.
    pub(crate) fn new(how: How) -> Result<Self, Error> {
        let base = how.scenario.read()?;
        base.opened().can_be_simulated()?;
        let (log, mut recording) = (InMemory::default(), Recording::default());
        recording.until_s = how.until_s;
        let options = Options {
            latency_log: Some(LogTo::Memory(log.clone())),
            detail: Detail::Intervals,
            ..Options::default()
        };
        let variant = Variant::of(&base);
        let result = simulate_seeds(&variant, options, how.seeds, &Inline, &mut recording)?;
        let tables = recording.tables;
        let mut findings = Findings::of(&base, &result, &tables.volumes()).map_err(Error::new)?;
        if how.advice {
            findings = findings.advised(&base, &result, &Inline, &mut ());
        }
        Ok(Self {
            scenario: how.scenario,
            result,
            findings,
            tables,
            latencies: String::from_utf8_lossy(&log.take()).into_owned(),
        })
    }

    /// The scenario's name.
    pub(crate) fn name(&self) -> &str {
        &self.result.scenario
    }

    /// How many IOs were simulated.
    pub(crate) fn ios(&self) -> u64 {
        self.result.totals.iter().map(|total| total.ios).sum()
    }

    /// The run as reports know it.
    pub(crate) fn for_report(self, name: &str) -> Result<Run, Error> {
        let base = self.scenario.read()?;
        let latencies = read_log(self.latencies.as_bytes()).map_err(Error::new)?;
        let tables = self.tables.for_report();
        Ok(Run {
            name: name.to_owned(),
            foreign: None,
            warmup_s: base.opened().scenario().warmup.nanos() as f64 / 1e9,
            scenario: Some(base.clone()),
            storage: None,
            ebs: std::collections::BTreeMap::new(),
            interval_s: tables.intervals.interval_s(),
            result: self.result,
            facts: Some(self.findings.facts),
            advice: self.findings.advice,
            bill: self.findings.bill,
            // Nobody who names no region asks for a price.
            unpriced: self
                .findings
                .unpriced
                .filter(|_| base.opened().scenario().region.is_some()),
            tables,
            latencies: Arc::new(latencies),
            percentiles: std::collections::BTreeMap::new(),
        })
    }
}
