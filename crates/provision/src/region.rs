//! The region that a zone is of.

/// The region of a zone of AWS, of local zones such as us-west-2-lax-1a too; none of a zone that is
/// only a name of the scenario.
pub(crate) fn region_of(zone: &str) -> Option<&str> {
    let (before, last) = zone.rsplit_once('-')?;
    let is_zone = matches!(last.as_bytes(), [b'0'..=b'9', b'a'..=b'z']);
    let local = before.rsplit_once('-');
    let local = local.filter(|(region, place)| is_word(place) && is_region(region));
    let region = match local {
        Some((region, _)) => region,
        None => zone.get(..zone.len() - 1)?,
    };
    (is_zone && is_region(region)).then_some(region)
}

/// Whether it is like `us-gov-west-1`.
fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    match parts.as_slice() {
        [country, words @ .., number] => {
            country.len() == 2
                && is_word(country)
                && !words.is_empty()
                && words.iter().all(|word| is_word(word))
                && matches!(number.as_bytes(), [b'0'..=b'9'])
        }
        _ => false,
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_of_aws_have_regions() {
        for (zone, region) in [
            ("us-east-1a", "us-east-1"),
            ("us-gov-west-1b", "us-gov-west-1"),
            ("us-west-2-lax-1a", "us-west-2"),
        ] {
            assert_eq!(region_of(zone), Some(region), "{zone}");
        }
    }

    #[test]
    fn names_of_a_scenario_have_none() {
        let names = [
            "",
            "a",
            "east",
            "us-1a",
            "us-east-1",
            "us-east-1A",
            "us-east-12a",
            "usa-east-1a",
            "us-east-1-1a",
            "us-east-1-a",
            "us--1a",
            "us-east-1é",
        ];
        for zone in names {
            assert_eq!(region_of(zone), None, "{zone}");
        }
    }
}
