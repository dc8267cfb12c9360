//! Who watches while a question is worked out.

/// How far an answer is.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What was tried last, in words: `64 processes`.
    pub last: String,
    /// IOs that were simulated.
    pub ios: u64,
    /// IOs that are simulated at most.
    pub most_ios: u64,
}

/// Watches while a question is worked out, in the thread that asked it.
pub trait Watch {
    /// Something is about to be tried: what, in words.
    fn trying(&mut self, _what: &str) {}

    /// Something was tried.
    fn tried(&mut self, _tried: &Tried) {}

    /// Whether to stop; asked some fifty times a second.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// Ignores everything.
impl Watch for () {}
