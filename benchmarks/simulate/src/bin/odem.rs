//! The readers as agents of odem-rs, each an asynchronous loop.

use std::cell::RefCell;

use odem_rs::prelude::*;
use simulate_peers::{Bench, PROCESSES};

#[derive(Config, Default)]
#[time(Time<f64>)]
struct World {
    bench: RefCell<Option<Bench>>,
}

struct Reader(usize);

impl Behavior<World> for Reader {
    type Output = ();

    async fn actions(&self, sim: &Sim<World>) {
        let mut now = 0;
        loop {
            let next = {
                let mut bench = sim.global().bench.borrow_mut();
                let bench = bench.as_mut().expect("the bench is set up");
                let next = bench.step(now, self.0);
                if next >= bench.end {
                    return;
                }
                next
            };
            sim.advance(second::new((next - now) as f64 / 1e9)).await;
            now = next;
        }
    }
}

#[odem_rs::main]
async fn main(sim: &Sim<World>) {
    let bench = Bench::from_args();
    let end = bench.end as f64 / 1e9;
    *sim.global().bench.borrow_mut() = Some(bench);
    for process in 0..PROCESSES {
        sim.spawn(Reader(process));
    }
    sim.advance(second::new(end)).await;
    if let Some(bench) = sim.global().bench.borrow_mut().as_mut() {
        bench.finish();
    }
}
