use crate::file::read;
use crate::run::{Prices, Text};
use crate::{Plan, simulate};

const GP3: &str = "{name: gp3, duration: 1s, storage: {data: {type: gp3, size: 100GiB}}, \
    workload: {readers: {kind: ranread, on: data, file_size: 80GiB, processes: 1}}}";

fn planned(sweep: &str) -> Result<Plan, String> {
    let file = read(&format!("base: gp3.yaml\n{sweep}"), "s.yaml").map_err(|e| e.to_string())?;
    let base = Text {
        text: GP3.into(),
        name: "gp3.yaml".into(),
    };
    Plan::of(&file, "s.yaml", vec![base], None, Prices::default())
}

fn examined(sweep: &str) -> Result<Plan, String> {
    let mut plan = planned(sweep)?;
    assert!(plan.examine(2, &mut || false)?);
    Ok(plan)
}

#[test]
fn a_grid_has_every_value_with_every_other() {
    let plan = examined(
        "axes: {storage.data.iops: [3000, 4000], workload.readers.processes: [1, 2]}\nseeds: 2",
    );
    let plan = plan.unwrap();
    let sets: Vec<_> = (0..4)
        .map(|combination| plan.sets(combination).join(" "))
        .collect();
    assert_eq!(
        sets,
        [
            "storage.data.iops=3000 workload.readers.processes=1",
            "storage.data.iops=3000 workload.readers.processes=2",
            "storage.data.iops=4000 workload.readers.processes=1",
            "storage.data.iops=4000 workload.readers.processes=2",
        ]
    );
    let runs: Vec<_> = plan.runs().collect();
    let keys: std::collections::BTreeSet<_> = runs.iter().map(|(_, key)| key).collect();
    assert_eq!((runs.len(), keys.len()), (8, 8));
    let seeds: Vec<_> = plan
        .work(&[0, 1, 7])
        .runs
        .iter()
        .map(|run| run.seed)
        .collect();
    assert_eq!(seeds, [1, 2, 2]);
}

#[test]
fn a_zip_has_the_first_of_each_and_the_second_of_each() {
    let axes = "axes: {storage.data.iops: [3000, 4000], workload.readers.processes: [1, 2]}";
    let plan = examined(&format!("{axes}\ncombine: zip")).unwrap();
    assert_eq!(plan.combinations().len(), 2);
    let uneven = "axes: {a: [1], b: [1, 2]}\ncombine: zip";
    assert_eq!(
        planned(uneven).unwrap_err(),
        "s.yaml: axes.b: 2 values; expected 1, as many as the first axis has, for `combine: zip`"
    );
}

#[test]
fn what_the_catalog_refuses_is_told_apart_from_what_does_not_exist() {
    let plan = examined("axes: {storage.data.iops: [3000, 99000]}").unwrap();
    let [refused] = plan.refused() else {
        panic!("{:?}", plan.refused());
    };
    assert_eq!(refused.combination, 1);
    assert!(
        refused.reason.starts_with("storage.data.iops: "),
        "{}",
        refused.reason
    );
    assert_eq!(plan.runs().count(), 1);
    let wrong = |sweep: &str| examined(sweep).map(|_| ()).unwrap_err();
    assert!(
        wrong("axes: {storage.dat.iops: [3000, 4000]}").starts_with("s.yaml: axes: storage.dat")
    );
    assert_eq!(
        wrong("axes: {storage.data.iosp: [3000]}"),
        "s.yaml: axes: storage.data.iosp: unknown key; did you mean `iops`?"
    );
    assert!(wrong("axes: {storage.data.iops: [3000, many]}").contains("`many`"));
    assert!(wrong("axes: {storage.data.iops: [99000]}").contains("every combination is refused"));
}

#[test]
fn figures_and_goals_are_checked_before_anything_runs() {
    let axes = "axes: {storage.data.iops: [3000]}";
    let plan = examined(&format!("{axes}\nfigures: [p99]\ngoals: [p99 < 2ms]")).unwrap();
    assert_eq!(plan.columns()[0].name, "readers.latency.p99_us");
    let rows = simulate(&plan.work(&[0]), &|| false).unwrap();
    assert_eq!(rows[0].goals, [rows[0].figures[0].unwrap() < 2000.0]);
    let wrong = planned(&format!("{axes}\nfigures: [readers.ipos]")).unwrap_err();
    assert_eq!(
        wrong,
        "s.yaml: figures.0: no figure is called `ipos`; did you mean `iops`?"
    );
    let wrong = planned(&format!("{axes}\ngoals: [p99 < 2]")).unwrap_err();
    assert!(
        wrong.starts_with("s.yaml: goals.0: `2` has no unit"),
        "{wrong}"
    );
}

#[test]
fn a_key_changes_with_what_a_row_depends_on() {
    let key = |sweep: &str| examined(sweep).unwrap().runs().next().unwrap().1;
    let plain = key("axes: {storage.data.iops: [3000]}");
    assert_eq!(
        plain,
        key("axes: {storage.data.iops: [3000, 4000]}\nname: other")
    );
    for other in [
        "axes: {storage.data.iops: [4000]}",
        "axes: {storage.data.iops: [3000]}\nseeds: [7]",
        "axes: {storage.data.iops: [3000]}\nfigures: [p99]",
        "axes: {storage.data.iops: [3000]}\ngoals: [p99 < 2ms]",
    ] {
        assert_ne!(plain, key(other), "{other}");
    }
}
