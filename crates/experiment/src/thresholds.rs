//! From when on a difference counts: one place for all questions.

/// How many seeds show how far a figure comes from chance, where they cost little. A figure of a
/// further seed lies outside the range of eight in two of nine cases; Student's t with the 7
/// degrees of freedom of a comparison is 2.4, and with 2 it is 4.3.
pub const SEEDS: u32 = 8;

/// With fewer seeds a range says too little to be worth their time.
pub const FEWEST: u32 = 3;

/// Whether so many seeds tell a difference from chance.
#[must_use]
pub fn are_enough(seeds: usize) -> bool {
    seeds >= FEWEST as usize
}

/// A gain or a loss that is a smaller share of a figure is neither.
pub const GAIN: f64 = 0.01;

/// A limit that let through a larger share more than its rate did so from tokens that lay ready.
pub const CARRIED: f64 = 0.003;
