//! From when on a difference counts: one place for all questions.

/// How many seeds show how far a figure comes from chance, where they cost little. A figure of a
/// further seed lies outside the range of eight in two of nine cases; Student's t with the 7
/// degrees of freedom of a comparison is 2.4, and with 2 it is 4.3.
pub const SEEDS: u32 = 8;

/// With fewer seeds a range says too little to be worth their time.
pub const FEWEST: u32 = 3;

/// Whether this many seeds tell a difference from chance.
#[must_use]
pub fn are_enough(seeds: usize) -> bool {
    seeds >= FEWEST as usize
}

/// A gain or a loss that is a smaller share of a figure is neither.
pub const GAIN: f64 = 0.01;

/// A limit that let through a larger share more than its rate did so from tokens that lay ready.
pub const CARRIED: f64 = 0.003;

/// From which share on a rate is said to move. Runs that differ in nothing but the order in which
/// chance falls differ by less.
pub const RATE_MOVES: f64 = 0.02;

/// From which share on a latency is said to move; tails vary more than rates.
pub const LATENCY_MOVES: f64 = 0.05;

/// Waiting that is a smaller share of all latency is not felt.
pub const FELT: f64 = 0.05;

/// A smaller share of anything is not worth a word.
pub const NOTEWORTHY: f64 = 0.01;

/// Figures within this share of each other are alike. Storage is bought, and its limits are kept,
/// in steps that are larger.
pub const ALIKE: f64 = 0.05;

/// Changes of a smaller share count as none: histogram buckets are this wide.
pub const RESOLUTION: f64 = 0.001;

/// What differs by this factor over many IOs does so by no chance that storage has, whatever is
/// known of its course.
pub const MANY_TIMES: f64 = 3.0;

/// IO whose mean latency is this many times what its storage is known for is slow.
pub const SLOW: f64 = 1.6;

/// Waiting that is a smaller share of all latency says nothing against storage.
pub const HELD_BACK: f64 = 0.12;

/// From this share of a limit on, IO that is slow waits for it: what comes within a second is never
/// even.
pub const NEAR_LIMIT: f64 = 0.85;

/// What is most of something.
pub const MOST: f64 = 0.5;
