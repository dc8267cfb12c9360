//! `result.json` read back.

use serde::Deserialize;

use super::{RunResult, SCHEMA};
use crate::limit_names::LimitKind;

/// As much as tells a result from other JSON.
#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

impl RunResult {
    /// Reads the text of a `result.json`.
    ///
    /// # Errors
    /// In one line, with the place and what was expected: text that is not
    /// JSON (a file that ends early, say), JSON that is no result, a result of
    /// another schema, and one that does not keep to its schema or names a
    /// limit that there is not.
    pub fn read(text: &str) -> Result<Self, String> {
        let head: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("not whole JSON: {error}"))?;
        match Head::deserialize(&head) {
            Ok(Head { schema: Some(name) }) if name == SCHEMA => {}
            Ok(Head { schema: Some(name) }) => {
                return Err(format!(
                    "its schema is `{name}`; this blockyard reads {SCHEMA}"
                ));
            }
            _ => return Err(format!("no result: expected `\"schema\": \"{SCHEMA}\"`")),
        }
        let result = Self::of_json(head)?;
        result.check_limits()?;
        result.check_seeds()?;
        Ok(result)
    }

    /// A result from its JSON, which is only taken to have the fields of one.
    ///
    /// # Errors
    /// In one line, the place and what was expected.
    pub fn of_json(json: serde_json::Value) -> Result<Self, String> {
        serde_path_to_error::deserialize(json)
            .map_err(|error| format!("{}: {}", error.path(), error.inner()))
    }

    fn check_seeds(&self) -> Result<(), String> {
        match &self.by_seed {
            Some(by_seed) if by_seed.goals_met.len() != self.goals.len() => Err(format!(
                "by_seed.goals_met: {} counts; expected one for each of {} goals",
                by_seed.goals_met.len(),
                self.goals.len()
            )),
            _ => Ok(()),
        }
    }

    fn check_limits(&self) -> Result<(), String> {
        let resolved = self.resolved.iter().enumerate();
        // What is not published is no limit.
        let resolved = resolved
            .filter(|(_, limit)| limit.value.is_some())
            .map(|(index, limit)| ("resolved", index, &limit.limit));
        let accounts = self.limits.iter().enumerate();
        let accounts = accounts.map(|(index, account)| ("limits", index, &account.limit));
        for (list, index, name) in resolved.chain(accounts) {
            if LimitKind::named(name).is_none() {
                return Err(format!(
                    "{list}[{index}].limit: `{name}`; expected a limit, as `iops` or \
                     `throughput_credits`"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = r#"{
        "schema": "blockyard/result/1", "mode": "simulate",
        "tool": {"name": "blockyard", "version": "0.1.0"},
        "scenario": "s", "seed": 1, "random": "r", "duration_s": 1.0,
        "status": "complete", "reason": null, "machine": null, "resolved": [],
        "totals": [], "steps": [], "cycles": [], "open_loop": [], "volumes": [],
        "hosts": [], "limits": [], "goals": []
    }"#;

    fn refusal(text: &str) -> String {
        RunResult::read(text).expect_err("no result")
    }

    #[test]
    fn an_empty_result_is_one() {
        assert_eq!(RunResult::read(EMPTY).unwrap().scenario, "s");
    }

    #[test]
    fn what_is_no_result_is_said() {
        assert!(refusal(&EMPTY[..200]).starts_with("not whole JSON: EOF"));
        assert!(refusal("[]").starts_with("no result: expected `\"schema\""));
        assert!(refusal("{}").starts_with("no result: expected `\"schema\""));
    }

    #[test]
    fn a_word_that_does_not_exist_is_named() {
        let limit = r#"{"owner": "data", "limit": "iops", "value": 1.0, "unit": "MiB/h",
            "depth": 1.0, "source": "", "assumed": false, "note": ""}"#;
        let text = EMPTY.replace(r#""resolved": []"#, &format!(r#""resolved": [{limit}]"#));
        assert_eq!(
            refusal(&text),
            "resolved[0].unit: `MiB/h`; expected IOPS, MiB/s or MB/s"
        );
        assert!(RunResult::read(&text.replace("MiB/h", "MiB/s")).is_ok());
    }

    #[test]
    fn another_schema_is_named() {
        let text = EMPTY.replace("result/1", "result/2");
        assert_eq!(
            refusal(&text),
            "its schema is `blockyard/result/2`; this blockyard reads blockyard/result/1"
        );
    }

    #[test]
    fn what_is_no_limit_is_named() {
        let limit = |name: &str| {
            let account = format!(
                r#""limits": [{{"owner": "data", "limit": "{name}", "throttled_ios": 1,
                    "throttled_s": 1.0, "share": 1.0, "jobs": []}}]"#
            );
            EMPTY.replace(r#""limits": []"#, &account)
        };
        assert!(RunResult::read(&limit("iops_credits")).is_ok());
        assert!(refusal(&limit("iops credits")).starts_with("limits[0].limit: `iops credits`"));
        assert!(refusal(&limit("speed")).starts_with("limits[0].limit: `speed`; expected"));
    }

    #[test]
    fn counts_of_goals_that_are_not_there_are_refused() {
        let by_seed = r#""goals": [], "by_seed": {"seeds": 8, "totals": [], "goals_met": [1]}"#;
        assert_eq!(
            refusal(&EMPTY.replace(r#""goals": []"#, by_seed)),
            "by_seed.goals_met: 1 counts; expected one for each of 0 goals"
        );
    }

    #[test]
    fn a_wrong_field_is_named_by_its_path() {
        let text = EMPTY.replace(r#""version": "0.1.0""#, r#""version": 1"#);
        assert!(refusal(&text).starts_with("tool.version: invalid type"));
        let text = EMPTY.replace(r#""seed": 1"#, r#""sead": 1"#);
        assert!(refusal(&text).contains("unknown field `sead`"));
    }
}
