//! Counts the rows of a trace, to measure how fast it is read:
//! `cargo run --release -p blockyard-trace --example count FILE`.

#![allow(clippy::print_stdout, reason = "it prints its answer")]

use std::env;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("expected a file")?;
    let began = Instant::now();
    let mut rows = 0_u64;
    for row in blockyard_trace::open(path.as_ref(), None)? {
        row?;
        rows += 1;
    }
    let million_a_second = rows as f64 / began.elapsed().as_secs_f64() / 1e6;
    println!("{rows} rows, {million_a_second:.2} million a second");
    Ok(())
}
