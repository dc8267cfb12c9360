//! Who submits an engine's IO, against all of its IOs gone through one by one.

use super::engines::engines;
use super::trace::{Io, trace};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn each_thread_and_each_cleaner_submits_for_itself(
        spec in engines(), longest in 1..30 * MILLISECOND,
    ) {
        let mut ios = trace(&JobSpec::Oltp(spec.clone()), longest);
        ios.sort_by_key(|io| io.number);
        let is_in = |io: &Io, region: Region| {
            let end = region.offset + region.size;
            (region.offset..end).contains(&io.request.offset)
        };
        let is_double = |io: &Io| spec.doublewrite.is_some_and(|area| is_in(io, area));
        let is_data = |io: &Io| is_in(io, spec.data);
        let mut cleaners = Vec::new();
        for (number, io) in ios.iter().enumerate() {
            let whose = io.request.submitter;
            let (node, purpose) = EngineIo::by(whose);
            prop_assert_eq!(node, 0);
            let before = ios[..number].iter();
            let mut under_way = before.filter(|it| it.request.submitter == whose && it.end > io.at);
            match purpose {
                EngineIo::PageRead => {
                    prop_assert!(is_data(io) && io.request.op == Op::Read);
                    prop_assert!(under_way.next().is_none(), "a thread does one at a time");
                }
                EngineIo::PageWrite => {
                    prop_assert!(io.request.op == Op::Write && (is_data(io) || is_double(io)));
                    // The pages of a batch go out together, once they have been doubled.
                    let together = under_way.all(|it| is_data(it) && is_data(io) && it.at == io.at);
                    prop_assert!(together, "a cleaner has one batch");
                    cleaners.push(whose);
                }
                EngineIo::Log => prop_assert!(!is_data(io) && !is_double(io)),
                EngineIo::Copy => prop_assert!(false, "it is alone"),
            }
        }
        cleaners.sort_unstable();
        cleaners.dedup();
        prop_assert!(cleaners.len() <= spec.flushing.cleaners as usize);
    }
}
