//! Whole numbers in as few bytes as they need: HdrHistogram's form of LEB128,
//! whose ninth byte has eight bits, so that no number takes a tenth.

/// Appends `value`.
pub(crate) fn push(bytes: &mut Vec<u8>, mut value: u64) {
    for _ in 0..8 {
        if value < 0x80 {
            break;
        }
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes a number off the front; none if `bytes` end before it does.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for place in 0..8 {
        let byte = u64::from(next(bytes)?);
        value |= (byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Some(value);
        }
    }
    Some(value | u64::from(next(bytes)?) << 56)
}

fn next(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in prop::collection::vec(0_u64..=u64::MAX, 1..20), shift in 0..64) {
            let mut bytes = Vec::new();
            values.iter().for_each(|value| push(&mut bytes, value >> shift));
            let mut rest = bytes.as_slice();
            for value in &values {
                prop_assert_eq!(take(&mut rest), Some(value >> shift));
            }
            prop_assert_eq!(take(&mut rest), None);
        }
    }
}
