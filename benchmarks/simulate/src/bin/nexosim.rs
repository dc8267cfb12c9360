//! The readers as one model of NeXosim that schedules each completion.

use std::time::Duration;

use nexosim::model::{BuildContext, Context, Model, ProtoModel, schedulable};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};
use simulate_peers::{Bench, PROCESSES};

#[derive(Serialize, Deserialize)]
struct Readers;

#[Model(type Env = Bench)]
impl Readers {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>, bench: &mut Bench) {
        for process in 0..PROCESSES {
            self.completed(process, cx, bench).await;
        }
    }

    #[nexosim(schedulable)]
    async fn completed(&mut self, process: usize, cx: &Context<Self>, bench: &mut Bench) {
        if bench.done() {
            return;
        }
        let now = cx.time().duration_since(MonotonicTime::EPOCH).as_nanos() as u64;
        let wait = (bench.step(now, process) - now).max(1);
        if now + wait >= bench.end {
            return bench.finish();
        }
        let wait = Duration::from_nanos(wait);
        cx.schedule_event(wait, schedulable!(Self::completed), process)
            .expect("later than now");
    }
}

struct Proto;

impl ProtoModel for Proto {
    type Model = Readers;

    fn build(self, _: &mut BuildContext<Self>) -> (Readers, <Readers as Model>::Env) {
        (Readers, Bench::from_args())
    }
}

fn main() {
    let mut simulation = SimInit::with_num_threads(1)
        .add_model(Proto, Mailbox::new(), "readers")
        .init(MonotonicTime::EPOCH)
        .expect("the bench starts");
    simulation.run().expect("the bench runs");
}
