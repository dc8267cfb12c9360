//! The formats of traces, and what each can say.

use blockyard_model::units::{Nanos, SECOND};

/// Who wrote a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// `ios.csv` of a run.
    Blockyard,
    /// The same as a table, which `export trace` writes.
    Parquet,
    /// What blkparse prints.
    Blkparse,
    /// The kernel's trace as text, of tracefs, trace-cmd or `perf script`.
    Ftrace,
    /// biosnoop, of bcc or libbpf-tools.
    Biosnoop,
    /// fio's `write_iolog`, version 2 or 3.
    FioIolog,
    /// MSR Cambridge.
    Msr,
    /// Alibaba's block traces of 2020.
    Alibaba,
    /// Tencent's CBS.
    Tencent,
    /// SYSTOR '17.
    Systor,
    /// The Storage Performance Council's form, as at UMass.
    Spc,
    /// VMware's, of CloudPhysics, version 1 or 2.
    Vscsi,
    /// The files of blktrace.
    Blktrace,
}

/// What a format records, where its program knew it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its times are multiples of this.
    pub step: Nanos,
    /// Ends, so that there are latencies.
    pub ends: bool,
    /// The thread that asked for an IO.
    pub threads: bool,
}

const MICRO: Nanos = 1000;

impl Format {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Blockyard,
        Self::Parquet,
        Self::Blkparse,
        Self::Ftrace,
        Self::Biosnoop,
        Self::FioIolog,
        Self::Msr,
        Self::Alibaba,
        Self::Tencent,
        Self::Systor,
        Self::Spc,
        Self::Vscsi,
        Self::Blktrace,
    ];

    /// What users call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Blockyard => "blockyard",
            Self::Parquet => "parquet",
            Self::Blkparse => "blkparse",
            Self::Ftrace => "ftrace",
            Self::Biosnoop => "biosnoop",
            Self::FioIolog => "fio-iolog",
            Self::Msr => "msr",
            Self::Alibaba => "alibaba",
            Self::Tencent => "tencent",
            Self::Systor => "systor",
            Self::Spc => "spc",
            Self::Vscsi => "vscsi",
            Self::Blktrace => "blktrace",
        }
    }

    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What it records.
    #[must_use]
    pub fn recorded(self) -> Recorded {
        let (step, ends, threads) = match self {
            Self::Blockyard | Self::Parquet | Self::Blkparse | Self::Blktrace => (1, true, true),
            Self::Ftrace => (MICRO, true, true),
            // bcc prints milliseconds with two decimals.
            Self::Biosnoop => (10 * MICRO, true, true),
            Self::FioIolog | Self::Alibaba | Self::Spc => (MICRO, false, false),
            Self::Msr => (100, true, false),
            Self::Systor => (MICRO, true, false),
            // Version 2 alone has them.
            Self::Vscsi => (MICRO, true, false),
            Self::Tencent => (SECOND, false, false),
        };
        Recorded {
            step,
            ends,
            threads,
        }
    }
}
