//! Rules that every file must follow.

use blockyard_tidy::{Faults, text_files};

/// A longer file contains more than one idea.
const MOST_LINES: usize = 600;

/// The width to which the formatter wraps code.
const MOST_COLUMNS: usize = 100;

const CODE: [&str; 7] = [".rs", ".py", ".pyi", ".sh", ".ts", ".mjs", ".css"];
const PROSE_AND_DATA: [&str; 7] = [".toml", ".yaml", ".md", ".csv", ".json", ".html", ".ci/run"];

#[test]
fn no_code_file_is_too_long() {
    let mut faults = Faults::default();
    for file in text_files()
        .unwrap()
        .iter()
        .filter(|file| file.ends_in(&CODE))
    {
        let lines = file.lines().count();
        if lines > MOST_LINES {
            faults.add(
                file,
                lines,
                &format!("the most are {MOST_LINES} lines; split it by idea"),
            );
        }
    }
    faults.expect_none();
}

#[test]
fn no_comment_is_wider_than_code() {
    let mut faults = Faults::default();
    for file in text_files()
        .unwrap()
        .iter()
        .filter(|it| it.ends_in(&[".rs"]))
    {
        for (number, line) in file.lines() {
            // The formatter wraps code, but leaves comments and the tables in them alone.
            let is_comment = line.trim_start().starts_with("//");
            if is_comment && line.chars().count() > MOST_COLUMNS {
                faults.add(
                    file,
                    number,
                    &format!("the most are {MOST_COLUMNS} columns"),
                );
            }
        }
    }
    faults.expect_none();
}

#[test]
fn no_marker_of_unfinished_work_is_left() {
    // Spelt in two so that this file does not find itself.
    let markers = [
        concat!("FIX", "ME"),
        concat!("TO", "DO"),
        concat!("XX", "X"),
        concat!("HA", "CK"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("dbg", "!("),
        concat!("breakpoint", "()"),
    ];
    let mut faults = Faults::default();
    for file in text_files()
        .unwrap()
        .iter()
        .filter(|file| file.ends_in(&CODE))
    {
        for (number, line) in file.lines() {
            for marker in markers.iter().filter(|marker| line.contains(**marker)) {
                faults.add(
                    file,
                    number,
                    &format!("`{marker}`: finish it or leave it out"),
                );
            }
        }
    }
    faults.expect_none();
}

#[test]
fn no_tab_and_no_trailing_blank() {
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        if !file.ends_in(&CODE) && !file.ends_in(&PROSE_AND_DATA) {
            continue;
        }
        for (number, line) in file.lines() {
            if line.contains('\t') {
                faults.add(file, number, "a tab");
            }
            if line.ends_with(' ') {
                faults.add(file, number, "a blank at the end");
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            faults.add(file, file.lines().count(), "the last line has no end");
        }
    }
    faults.expect_none();
}

#[test]
fn every_scenario_has_a_name() {
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        let scenario = file.path.starts_with("scenarios/") && file.ends_in(&[".yaml"]);
        if scenario && !file.lines().any(|(_, line)| line.starts_with("name: ")) {
            faults.add(file, 1, "a scenario needs a `name`");
        }
    }
    faults.expect_none();
}

#[test]
fn the_model_has_no_clock_and_no_system() {
    let banned = ["Instant", "SystemTime", "std::"];
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        if !file.path.starts_with("crates/model/src/") {
            continue;
        }
        for (number, line) in file.lines() {
            for word in banned.iter().filter(|word| line.contains(**word)) {
                faults.add(file, number, &format!("`{word}`: the model is pure"));
            }
        }
    }
    faults.expect_none();
}

#[test]
fn rooms_of_the_model_know_only_those_below() {
    let below = [
        (
            "network",
            &["engine", "job", "replication", "storage", "workload"][..],
        ),
        ("engine", &["job", "replication", "storage", "workload"]),
        (
            "workload",
            &["engine", "job", "network", "replication", "storage"],
        ),
        ("replication", &["job", "storage"]),
    ];
    let mut faults = Faults::default();
    for file in &text_files().unwrap() {
        let path = file.path.strip_prefix("crates/model/src/");
        let room = |(room, _): &&(&str, _)| path.is_some_and(|it| it.starts_with(room));
        let Some((room, above)) = below.iter().find(room) else {
            continue;
        };
        if file.path.contains("/tests") {
            continue;
        }
        for (number, line) in file.lines() {
            let line = line.trim_start();
            let names = |it: &&&str| line.contains(&format!("crate::{it}::"));
            let is_code = !line.starts_with("//");
            for used in above.iter().filter(|it| is_code && names(it)) {
                faults.add(file, number, &format!("`{room}` is below `{used}`"));
            }
        }
    }
    faults.expect_none();
}

#[test]
fn the_model_alone_knows_the_kinds_of_job() {
    // Spelt in two so that this file does not find itself.
    let variant = concat!("JobSpec", "::");
    let builds_them = "crates/scenario/src/resolve/workload";
    let mut faults = Faults::default();
    for file in text_files().unwrap() {
        let is_source = file.path.contains("/src/") && file.ends_in(&[".rs"]);
        let may = file.path.starts_with("crates/model/") || file.path.starts_with(builds_them);
        if !is_source || may || file.ends_in(&["/tests.rs", "/testing.rs"]) {
            continue;
        }
        let before_tests = file.lines().take_while(|(_, line)| *line != "#[cfg(test)]");
        for (number, line) in before_tests {
            let mut named = line.split(variant).skip(1);
            if named.any(|rest| rest.starts_with(char::is_uppercase)) {
                faults.add(
                    &file,
                    number,
                    "ask the job itself: crates/model/src/workload/spec.rs",
                );
            }
        }
    }
    faults.expect_none();
}
