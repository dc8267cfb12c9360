//! Scalars without a unit: whole numbers, decimals, booleans.

use super::{Node, Value, shorten};

/// A whole number from `min` to `max`.
pub(super) fn whole(node: &Node, min: i128, max: i128) -> Result<i128, String> {
    let text = plain(node, "a whole number")?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!(
            "`{}` is not a whole number; expected digits only, as in `16000`",
            shorten(text)
        ));
    }
    let number = text.parse().ok();
    number
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| {
            let text = shorten(text);
            if text.starts_with('-') && min == 0 {
                format!("`{text}` is negative; expected a whole number from 0")
            } else {
                format!("`{text}` is out of range; expected a whole number from {min} to {max}")
            }
        })
}

/// A decimal number such as `0.25`.
pub(super) fn decimal(node: &Node) -> Result<f64, String> {
    let text = plain(node, "a number")?;
    let decimal = text
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    text.parse()
        .ok()
        .filter(|number: &f64| decimal && number.is_finite())
        .ok_or_else(|| {
            format!(
                "`{}` is not a number; expected one as in `0.25`",
                shorten(text)
            )
        })
}

/// `true` or `false`.
pub(super) fn boolean(node: &Node) -> Result<bool, String> {
    match plain(node, "true or false")? {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(format!(
            "expected true or false, found `{}`",
            shorten(other)
        )),
    }
}

/// The text of an unquoted scalar.
fn plain<'a>(node: &'a Node, expected: &str) -> Result<&'a str, String> {
    match &node.value {
        Value::Scalar {
            text,
            quoted: false,
        } => Ok(text),
        Value::Scalar { text, .. } => Err(format!(
            "\"{}\" is text; expected {expected} without quotes",
            shorten(text)
        )),
        other => Err(format!("expected {expected}, found {}", other.describe())),
    }
}
