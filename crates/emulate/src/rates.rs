//! `steer set`: another rate for a limit while it is in force.

use blockyard_model::spec::Unit;
use blockyard_model::storage::{LimitId, Limits};
use blockyard_record::limit_names::OwnerNames;
use blockyard_scenario::hint;
use blockyard_scenario::units::{Rate, Throughput};

/// The limit `name`, with the rate of `text`: whole IOs a second
/// (`6000` or `6000/s`) or a throughput (`500MiB/s`).
///
/// # Errors
/// If there is no such limit, or that is no rate of it; in one line.
pub(crate) fn change(
    limits: &Limits,
    owners: OwnerNames<'_>,
    name: &str,
    text: &str,
) -> Result<(LimitId, u64), String> {
    let names = limits.iter().map(|(_, info)| owners.full_name(info));
    let Some((limit, info)) = limits
        .iter()
        .find(|(_, info)| owners.full_name(info) == name)
    else {
        let names: Vec<_> = names.collect();
        let hint = hint(name, names.iter().map(String::as_str));
        return Err(format!("`{name}` is not a limit in force{hint}"));
    };
    let rate = read(info.unit, text).map_err(|error| format!("{name}: {error}"))?;
    Ok((limit, rate))
}

fn read(unit: Unit, text: &str) -> Result<u64, String> {
    match unit {
        Unit::Byte => text.parse().map(Throughput::bytes_per_s),
        Unit::Io => {
            let bare = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let rate: Rate = match bare {
                true => format!("{text}/s").parse(),
                false => text.parse(),
            }?;
            match rate.per_s() {
                0 => Err(format!(
                    "`{text}` is zero; expected IOs a second, as in `6000`"
                )),
                rate => Ok(rate),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use blockyard_model::spec::{Applies, LimitSpec};

    use super::*;
    use crate::testing;

    fn limits() -> Limits {
        let limit = |name: &str, unit, credits| LimitSpec {
            name: name.into(),
            unit,
            applies: Applies::Both,
            rate: 3000,
            depth: 6000,
            level: 6000,
            credits,
            top_up: None,
        };
        let mut spec = testing::one("data.0", 4096, 0);
        spec.hosts[0].limits.push(limit("iops", Unit::Io, false));
        spec.volumes[0].limits = vec![
            limit("iops", Unit::Io, false),
            limit("throughput", Unit::Byte, false),
            limit("iops_credits", Unit::Io, true),
        ];
        Limits::new(&spec)
    }

    fn set(name: &str, text: &str) -> Result<(LimitId, u64), String> {
        let owners = OwnerNames {
            hosts: &["host".into()],
            volumes: &["data.0".into()],
        };
        change(&limits(), owners, name, text)
    }

    /// The same with the depth that the limit then has.
    fn with_depth(name: &str, text: &str) -> Result<(LimitId, u64, u64), String> {
        set(name, text).map(|(limit, rate)| (limit, rate, limits()[limit].depth_at(rate)))
    }

    fn limit(place: usize, rate: u64, depth: u64) -> Result<(LimitId, u64, u64), String> {
        let (limit, _) = limits().iter().nth(place).unwrap();
        Ok((limit, rate, depth))
    }

    #[test]
    fn a_limit_keeps_its_depth_in_seconds() {
        assert_eq!(with_depth("data.0.iops", "6000"), limit(1, 6000, 12_000));
        assert_eq!(with_depth("data.0.iops", "1500/s"), limit(1, 1500, 3000));
        assert_eq!(with_depth("host.iops", "1"), limit(0, 1, 2));
        let throughput = 500 << 20;
        assert_eq!(
            with_depth("data.0.throughput", "500MiB/s"),
            limit(2, throughput, 2 * throughput)
        );
    }

    #[test]
    fn a_bucket_of_credits_keeps_its_size() {
        assert_eq!(
            with_depth("data.0.iops_credits", "300"),
            limit(3, 300, 6000)
        );
    }

    #[test]
    fn wrong_rates_are_refused() {
        let wrong = |name, text| set(name, text).unwrap_err();
        assert_eq!(
            wrong("data.0.iop", "1"),
            "`data.0.iop` is not a limit in force; did you mean `data.0.iops`?"
        );
        assert_eq!(
            wrong("data.0.iops", "0"),
            "data.0.iops: `0` is zero; expected IOs a second, as in `6000`"
        );
        assert_eq!(
            wrong("data.0.iops", "-1"),
            "data.0.iops: `-1` is negative; expected a rate as in `100000/s`"
        );
        assert_eq!(
            wrong("data.0.throughput", "500MB/s"),
            "data.0.throughput: `500MB/s` is not a throughput; write `500MiB/s`"
        );
    }
}
