//! A process that thinks issues its next IO one drawn pause after the end of the one before.

use alloc::format;

use super::specs::thinking;
use super::trace::trace;
use super::*;

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn an_io_follows_the_one_before_after_a_pause((job, think) in thinking()) {
        let mut ios = trace(&job, 10 * MILLISECOND);
        ios.sort_by_key(|io| io.number);
        let processes = ios.iter().map(|io| io.request.submitter).max().map_or(0, |last| last + 1);
        for process in 0..processes {
            let mut pauses = Stream::new(1, &format!("job/{JOB}/think/{process}"));
            let own: Vec<_> = ios.iter().filter(|io| io.request.submitter == process).collect();
            prop_assert_eq!(own[0].at, 0);
            for pair in own.windows(2) {
                prop_assert_eq!(pair[1].at, pair[0].end + pauses.exponential_of(think));
                prop_assert_eq!(pair[1].due, pair[1].at);
            }
        }
    }
}
