//! How much of the time tasks waited for IO.

use blockyard_machine::Pressure;
use blockyard_record::result::IoPressure;

/// The pressure at the beginning.
#[derive(Debug)]
pub(crate) struct Waiting(Option<Pressure>);

impl Waiting {
    pub(crate) fn start() -> Self {
        Self(Pressure::now())
    }

    /// The shares of `seconds` since then; none if the kernel does not keep them.
    pub(crate) fn since(&self, seconds: f64) -> Option<IoPressure> {
        shares(self.0?, Pressure::now()?, seconds)
    }
}

fn shares(old: Pressure, new: Pressure, seconds: f64) -> Option<IoPressure> {
    let share = |old: u64, new: u64| {
        let waited = new.checked_sub(old)? as f64 / 1e6;
        Some((waited / seconds).min(1.0))
    };
    Some(IoPressure {
        some: share(old.some_us, new.some_us)?,
        full: share(old.full_us, new.full_us)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time() {
        let old = Pressure {
            some_us: 5,
            full_us: 7,
        };
        let new = Pressure {
            some_us: 1_000_005,
            full_us: 500_007,
        };
        let expected = IoPressure {
            some: 0.5,
            full: 0.25,
        };
        assert_eq!(shares(old, new, 2.0), Some(expected));
        assert_eq!(shares(new, old, 2.0), None);
    }
}
