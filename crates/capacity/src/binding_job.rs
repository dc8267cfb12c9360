//! The job whose goal binds, which a curve shows.

use blockyard_scenario::schema::Scenario;

use crate::answer::Point;
use crate::goals::Goals;
use crate::what_if::Measure;

/// The job whose goal binds, which a curve shows: of the goals that are missed at `end`, or
/// of all if none is, the one that is missed at most loads, or else lies nearest to what was
/// measured there. In which order goals are written does not matter.
pub(crate) fn binding_job(scenario: &Scenario, curve: &[Point], end: u64, goals: &Goals) -> String {
    let at_end = curve.iter().find(|point| point.load == end);
    let is_missed = |point: &Point, index: usize| point.goals.get(index).is_some_and(|it| !it.met);
    let missed = |index: usize| at_end.is_some_and(|point| is_missed(point, index));
    let any = (0..goals.all().len()).any(missed);
    let levels = goals.levels();
    let rank = |index: usize| {
        let goal = &goals.all()[index];
        let level = levels.iter().find(|level| level.goal == goal.text);
        let came = at_end.and_then(|point| point.jobs.iter().find(|came| came.job == goal.job));
        let nearness = level.zip(came).map(|(level, came)| match level.of {
            Measure::P99 | Measure::Mean => level.of.of(came) / level.value,
            Measure::PerS => level.value / level.of.of(came).max(1.0),
        });
        let often = curve.iter().filter(|point| is_missed(point, index));
        (often.count(), nearness.unwrap_or(0.0))
    };
    let binding = |job: &String| {
        let own = (0..goals.all().len()).filter(|&index| goals.all()[index].job == *job);
        let own = own.filter(|&index| missed(index) || !any).map(rank);
        own.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))
    };
    let jobs = scenario.workload.keys();
    let ranked = jobs.filter_map(|job| Some((job, binding(job)?)));
    // Of equals the first job of the scenario.
    let ranked: Vec<_> = ranked.collect();
    let most = ranked.iter().rev().max_by(|a, b| {
        let (a, b) = (a.1, b.1);
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    most.map(|(job, _)| (*job).clone()).unwrap_or_default()
}
