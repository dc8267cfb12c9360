//! Numbers as prose writes them.

/// A number with its thousands separated by commas.
///
/// ```
/// assert_eq!(blockyard_text::grouped(16_000), "16,000");
/// ```
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
