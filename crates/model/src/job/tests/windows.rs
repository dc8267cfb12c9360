//! Read-ahead against the page cache's own view: a process that takes one block after another,
//! and a kernel that looks at every block that it reaches.

use super::specs::read_ahead;
use super::trace::trace;
use super::*;
use crate::workload::spec::{AccessSpec, Load};

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn windows_are_read_as_the_process_comes_to_them(
        mut job in read_ahead(), longest in 10 * MILLISECOND..60 * MILLISECOND,
    ) {
        // One that rests between load steps comes to its windows later.
        if let JobSpec::Access(AccessSpec { load: Load::Closed { steps, .. }, .. }) = &mut job {
            steps.truncate(1);
        }
        let ios = trace(&job, longest);
        let JobSpec::Access(AccessSpec { file, block, read_ahead: Some(window), .. }) = job else {
            panic!("no read-ahead");
        };
        let processes = job_processes(&ios);
        for process in 0..processes {
            let mut own: Vec<_> = ios.iter().filter(|io| io.request.submitter == process).collect();
            own.sort_by_key(|io| io.number);
            let Some(first) = own.first() else { continue };
            // Blocks in the order in which the process takes them, and when each is there.
            let mut place = first.request.offset - file.offset;
            let mut issued = own.iter();
            let mut now = 0;
            let mut ahead = alloc::collections::VecDeque::new();
            'taken: loop {
                // At the first block of a window the kernel starts the next; at the very
                // first, that one too.
                while ahead.len() < 2 {
                    let Some(io) = issued.next() else { break 'taken };
                    prop_assert_eq!(io.at, now);
                    ahead.push_back(io);
                }
                let io = ahead.pop_front().expect("two windows");
                prop_assert_eq!(io.request.offset - file.offset, place);
                prop_assert_eq!(io.request.op, Op::Read);
                // Every block of the window is taken once it is there.
                let mut blocks = 0;
                while blocks * block < window && place < file.size {
                    (blocks, place) = (blocks + 1, place + block);
                }
                prop_assert_eq!(io.request.len, blocks * block);
                if place == file.size {
                    place = 0;
                }
                now = now.max(io.end);
            }
        }
    }
}

fn job_processes(ios: &[super::trace::Io]) -> u32 {
    let numbers = ios.iter().map(|io| io.request.submitter + 1);
    numbers.max().unwrap_or(0)
}
