//! Latency profiles that are given in a scenario, in files, and by what they are like.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use blockyard_catalog::Class;
use blockyard_model::spec::{LatencySpec, PerKib};
use blockyard_scenario::{Direction, Error, Loaded, RestsOn, load};
use tempfile::TempDir;

const FLAT: &str = "\
read: {min: 100us, p50: 200us, max: 1ms}
write: {basis: measured, rows: [mine-001], why: a run, value: {min: 300us, max: 2ms}}
base_size: 4KiB
per_kib: {read: 10ns, write: 200ns}
spread: 12.5%
slow: [{times: 1.0, mean: 10s}, {times: 2.5, mean: 1s}]
";

fn scenario(latency: &str) -> String {
    format!(
        "name: t\nduration: 1s\nstorage:\n  data:\n    linear:\n      - type: gp3\n        \
         size: 10GiB\n        latency: {latency}\n\
         workload:\n  a: {{kind: ranread, on: data, file_size: 1GiB, processes: 1}}\n"
    )
}

/// A folder with the files of one test, and a scenario beside them.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn load(&self, latency: &str) -> Result<Loaded, Error> {
        let file = self.0.path().join("s.yaml");
        load(&scenario(latency), &file.display().to_string(), &[])
    }

    /// The error of a scenario, with the folder's name left out.
    fn error(&self, latency: &str) -> String {
        let error = self.load(latency).unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }

    fn spec(&self, latency: &str) -> LatencySpec {
        spec(&self.load(latency).unwrap())
    }
}

fn spec(loaded: &Loaded) -> LatencySpec {
    loaded.resolve().unwrap().storage.volumes[0].latency.clone()
}

fn in_flow(text: &str) -> String {
    format!("{{{}}}", text.trim_end().replace('\n', ", "))
}

#[test]
fn a_file_and_the_same_profile_inline_are_one() {
    let folder = Folder::new(&[("mine.yaml", FLAT)]);
    let read = folder.spec("./mine.yaml");
    assert_eq!(read, folder.spec(&in_flow(FLAT)));
    assert_eq!(
        read.read,
        [(0.0, 100_000), (0.5, 200_000), (1.0, 1_000_000)]
    );
    let per_kib = PerKib {
        read: 10,
        write: 200,
    };
    assert_eq!((read.per_kib, read.spread_permille), (per_kib, 125));
    assert_eq!(read.slow[1].multiplier_permille, 2500);
    assert_eq!(read.base_size, 4096);
}

#[test]
fn what_a_profile_leaves_out_is_that_of_its_like() {
    let folder = Folder::new(&[
        ("deep/base.yaml", FLAT),
        ("deep/fast.yaml", "like: ./base.yaml\nspread: 0%\n"),
        ("mine.yaml", "like: deep/fast.yaml\nper_kib: 1us\n"),
    ]);
    let base = folder.spec("deep/base.yaml");
    let mine = folder.spec("./mine.yaml");
    assert_eq!(mine.read, base.read);
    assert_eq!((mine.per_kib, mine.spread_permille), (1000.into(), 0));

    let usual = folder.spec("gp3");
    let like = folder.spec("{like: gp3, spread: 30%}");
    assert_eq!(like.spread_permille, 300);
    assert_eq!((like.read, like.write), (usual.read, usual.write));
}

#[test]
fn the_effective_scenario_needs_no_file() {
    let folder = Folder::new(&[
        (
            "mine.yaml",
            &format!("like: ./base.yaml\n{}", FLAT.lines().next().unwrap()),
        ),
        ("base.yaml", FLAT),
    ]);
    let loaded = folder.load("mine.yaml").unwrap();
    let effective = loaded.to_yaml().unwrap();
    assert!(
        !effective.contains("like") && !effective.contains("mine.yaml"),
        "{effective}"
    );
    assert!(effective.contains("mine-001"), "{effective}");
    let shown = loaded.show().unwrap();
    let place = format!("{}:2", folder.0.path().join("base.yaml").display());
    assert!(shown.contains(&place), "{shown}");
    drop(folder);
    for text in [effective, shown] {
        let again = load(&text, "elsewhere.yaml", &[]).unwrap();
        assert_eq!(again.scenario, loaded.scenario);
        assert_eq!(spec(&again), spec(&loaded));
    }
}

#[test]
fn a_set_names_a_file_from_where_it_is_typed() {
    let folder = Folder::new(&[("mine.yaml", FLAT)]);
    let path = folder.0.path().join("mine.yaml");
    let set = format!("storage.data.linear.0.latency={}", path.display());
    let loaded = load(&scenario("gp2"), "elsewhere/s.yaml", &[set]).unwrap();
    assert_eq!(spec(&loaded), folder.spec("mine.yaml"));
    assert!(Path::new("mine.yaml").canonicalize().is_err());
    let set = ["storage.data.linear.0.latency=./mine.yaml".to_owned()];
    let error = load(&scenario("gp2"), "elsewhere/s.yaml", &set).unwrap_err();
    assert!(error.to_string().starts_with("--set: "), "{error}");
}

#[test]
fn mistakes_in_a_file_name_the_file_and_the_path_in_it() {
    let edits = [
        (
            "p50: 200us",
            "p50: 2ms",
            "bad.yaml:1: read: max of `1ms` is below the 2ms of p50; expected rising",
        ),
        (
            "min: 100us, p50",
            "p60: 100us, p50",
            "bad.yaml:1: read: `p50` stands after `p60`; expected rising",
        ),
        (
            "min: 100us, ",
            "",
            "bad.yaml:1: read: expected quantiles from `min` to `max`",
        ),
        (
            "p50",
            "median",
            "bad.yaml:1: read: `median` is not a quantile; expected `min`, `p50`, `p99_9` or `max`",
        ),
        (
            "max: 2ms",
            "max: 200s",
            "bad.yaml:2: write.value: max of `200s` is too long; expected at most 100s",
        ),
        (
            "max: 1ms",
            "max: 1",
            "bad.yaml:1: read.max: `1` has no unit; expected a number with h, m, s, ms, us or ns, as in `30m`",
        ),
        (
            "base_size",
            "bas_size",
            "bad.yaml:3: bas_size: unknown key; did you mean `base_size`?",
        ),
        (
            "rows:",
            "row:",
            "bad.yaml:2: write.row: unknown key; did you mean `rows`?",
        ),
        (
            "measured",
            "guessed",
            "bad.yaml:2: write.basis: `guessed` is not known; known are `measured`, `published`, `fitted`, `assumed`",
        ),
        (
            "base_size: 4KiB\n",
            "",
            "bad.yaml:1: `base_size` is missing; give it, or with `like` a profile that has it",
        ),
        (
            "12.5%",
            "120%",
            "bad.yaml:5: spread: `120%` is too large for a percentage; expected at most 100%",
        ),
        (
            "read: 10ns",
            "red: 10ns",
            "bad.yaml:4: per_kib: `red`: unknown key; did you mean `read`?",
        ),
        (
            "read: 10ns",
            "read: 10ms",
            "bad.yaml:4: per_kib: `10ms` is too long for a KiB; expected at most 1ms",
        ),
        (
            "times: 2.5",
            "times: 0",
            "bad.yaml:6: slow.1.times: `0` is out of range; expected 0.001 to 1000",
        ),
        (
            "mean: 1s",
            "mean: 0s",
            "bad.yaml:6: slow.1.mean: `0s` is no stay; expected a time above 0",
        ),
        (
            FLAT,
            "[]",
            "bad.yaml:1: expected a map such as `name: …` at the top level, found a list",
        ),
        (
            "base_size",
            "like: ./bad.yaml\nbase_size",
            "bad.yaml:3: like: `bad.yaml` is, by way of `like`, like itself",
        ),
        (
            "base_size",
            "like: ./none.yaml\nbase_size",
            "bad.yaml:3: like: cannot read `none.yaml`: No such file or directory",
        ),
        (
            "base_size",
            "like: gp33\nbase_size",
            "bad.yaml:3: like: no latency profile is called `gp33`; did you mean `gp3`?",
        ),
    ];
    for (from, to, message) in edits {
        assert!(FLAT.contains(from), "{from}");
        let folder = Folder::new(&[("bad.yaml", &FLAT.replacen(from, to, 1))]);
        assert_eq!(folder.error("bad.yaml"), message);
    }
}

#[test]
fn mistakes_in_a_scenario_name_its_line() {
    let folder = Folder::new(&[
        ("a/a.yaml", "like: ../b.yaml"),
        ("b.yaml", "like: a/../a/a.yaml"),
    ]);
    let rows = [
        (
            "./none.yaml",
            "s.yaml:8: storage.data.linear.0.latency: cannot read `none.yaml`: No such file or directory",
        ),
        (
            "./a",
            "s.yaml:8: storage.data.linear.0.latency: cannot read `a`: it is no regular file",
        ),
        (
            "b.yaml",
            "a/../a/a.yaml:1: like: `a/../a/../b.yaml` is, by way of `like`, like itself",
        ),
        (
            "{like: gp33}",
            "s.yaml:8: storage.data.linear.0.latency.like: no latency profile is called `gp33`; did you mean `gp3`?",
        ),
        (
            "{like: b.yaml}",
            "a/../a/a.yaml:1: like: `a/../a/../b.yaml` is, by way of `like`, like itself",
        ),
        (
            "{spread: 10%}",
            "s.yaml:8: storage.data.linear.0.latency: `read` is missing; give it, or with `like` a profile that has it",
        ),
        (
            "{like: gp3, read: {min: 2ms, max: 1ms}}",
            "s.yaml:8: storage.data.linear.0.latency.read: max of `1ms` is below the 2ms of min; expected rising",
        ),
        (
            "{like: gp3, read: 2ms}",
            "s.yaml:8: storage.data.linear.0.latency.read: expected a map, found `2ms`",
        ),
    ];
    for (latency, message) in rows {
        assert_eq!(folder.error(latency), message);
    }
    let unknown = folder
        .load("gp33")
        .unwrap()
        .resolve()
        .unwrap_err()
        .to_string();
    assert!(
        unknown.ends_with("no latency profile is called `gp33`; did you mean `gp3`?"),
        "{unknown}"
    );
}

/// What the reads and the writes of `data` rest on.
fn standings(latency: &str) -> Vec<(Option<String>, Class, String)> {
    let folder = Folder::new(&[("flat.yaml", FLAT)]);
    let resolved = folder.load(latency).unwrap().resolve().unwrap();
    let [read, write] = <[RestsOn; 2]>::try_from(resolved.rests_on).unwrap();
    assert_eq!(
        (&*read.device, read.op, write.op),
        ("data", Direction::Read, Direction::Write)
    );
    [read, write]
        .map(|one| (one.profile, one.latencies, one.source))
        .to_vec()
}

#[test]
fn what_latencies_rest_on_is_known_of_each_profile() {
    use Class::{Assumed, Fitted, Measured, Yours};
    let classes = |latency: &str| {
        let [read, write] = <[_; 2]>::try_from(standings(latency)).unwrap();
        (read.0, read.1, write.1)
    };
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(classes("gp3"), (named("gp3"), Measured, Fitted));
    // Its sequential reads are fitted: the weaker of both counts.
    assert_eq!(classes("st1"), (named("st1"), Assumed, Assumed));
    // What says nothing is the user's own; what comes from elsewhere keeps what it rests on.
    assert_eq!(classes("flat.yaml"), (None, Yours, Measured));
    let own_reads = "{like: gp3, read: {min: 1ms, max: 2ms}}";
    assert_eq!(classes(own_reads), (None, Yours, Fitted));
    assert_eq!(classes("{like: st1, spread: 1%}"), (None, Assumed, Assumed));
    assert_eq!(classes("{like: flat.yaml}"), (None, Yours, Measured));

    assert_eq!(standings("flat.yaml")[1].2, "mine-001");
    let cited = standings("gp3")[0].2.clone();
    assert!(cited.ends_with(", nvmestat-001, longhorn-009, longhorn-010, diskplorer-001"));
    assert!(!cited.starts_with("IRIS22"), "a key, not a title: {cited}");
}
