//! How an instance is paid for.

use std::fmt;
use std::str::FromStr;

use crate::unknown::{Named, Unknown};

/// How an instance is paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Term {
    /// By the hour, with no commitment.
    #[default]
    OnDemand,
    /// Reserved for one year (Standard), nothing paid in advance.
    NoUpfront,
    /// Reserved for one year (Standard), half of it paid in advance.
    PartialUpfront,
    /// Reserved for one year (Standard), all of it paid in advance.
    AllUpfront,
    /// Reserved for three years (Standard), nothing paid in advance.
    NoUpfront3y,
    /// Reserved for three years (Standard), half of it paid in advance.
    PartialUpfront3y,
    /// Reserved for three years (Standard), all of it paid in advance.
    AllUpfront3y,
    /// At the hourly rate of a Savings Plan.
    SavingsPlan,
}

impl Term {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OnDemand,
        Self::NoUpfront,
        Self::PartialUpfront,
        Self::AllUpfront,
        Self::NoUpfront3y,
        Self::PartialUpfront3y,
        Self::AllUpfront3y,
        Self::SavingsPlan,
    ];

    /// Its name as users write it, `1y-no-upfront`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::NoUpfront => "1y-no-upfront",
            Self::PartialUpfront => "1y-partial-upfront",
            Self::AllUpfront => "1y-all-upfront",
            Self::NoUpfront3y => "3y-no-upfront",
            Self::PartialUpfront3y => "3y-partial-upfront",
            Self::AllUpfront3y => "3y-all-upfront",
            Self::SavingsPlan => "savings-plan",
        }
    }

    /// Its key in price tables, `no_upfront`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::OnDemand => "on_demand",
            Self::NoUpfront => "no_upfront",
            Self::PartialUpfront => "partial_upfront",
            Self::AllUpfront => "all_upfront",
            Self::NoUpfront3y => "no_upfront_3y",
            Self::PartialUpfront3y => "partial_upfront_3y",
            Self::AllUpfront3y => "all_upfront_3y",
            Self::SavingsPlan => "savings_plan",
        }
    }
}

/// Prints it in words, `reserved for one year, nothing upfront`.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OnDemand => "on demand",
            Self::NoUpfront => "reserved for one year, nothing upfront",
            Self::PartialUpfront => "reserved for one year, partly upfront",
            Self::AllUpfront => "reserved for one year, all upfront",
            Self::NoUpfront3y => "reserved for three years, nothing upfront",
            Self::PartialUpfront3y => "reserved for three years, partly upfront",
            Self::AllUpfront3y => "reserved for three years, all upfront",
            Self::SavingsPlan => "on a Savings Plan",
        })
    }
}

impl FromStr for Term {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        let mut known = Self::ALL.into_iter();
        (known.find(|term| term.name() == text))
            .ok_or_else(|| Unknown::new(Named::Term, text, Self::ALL.map(Self::name)))
    }
}
