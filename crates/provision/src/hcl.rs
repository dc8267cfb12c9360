//! The few forms of HCL that are written, as `terraform fmt` has them.

use crate::comment::is_printable;

/// A value that is known when the configuration is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Number(u64),
    Bool(bool),
}

/// A string that stands for exactly `text`: no template in it is carried out.
pub(crate) fn quoted(text: &str) -> String {
    let mut letters = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => letters += r"\\",
            '"' => letters += "\\\"",
            '\n' => letters += r"\n",
            '\r' => letters += r"\r",
            '\t' => letters += r"\t",
            _ if is_printable(letter) => letters.push(letter),
            _ => letters += &code(letter),
        }
    }
    // `$${` would stand for `${` too, but not after another `$`.
    for start in ['$', '%'] {
        letters = letters.replace(&format!("{start}{{"), &format!("{}{{", code(start)));
    }
    format!("\"{letters}\"")
}

fn code(letter: char) -> String {
    match u32::from(letter) {
        code @ ..=0xFFFF => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// A value in HCL.
pub(crate) fn value(of: Value<'_>) -> String {
    match of {
        Value::Text(text) => quoted(text),
        Value::Number(number) => number.to_string(),
        Value::Bool(is) => is.to_string(),
    }
}

/// A key of an object.
fn key(name: &str) -> String {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let is_next = |letter: char| is_first(letter) || letter.is_ascii_digit() || letter == '-';
    if name.starts_with(is_first) && name.chars().all(is_next) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// An object on one line.
pub(crate) fn inline(values: &[(&str, Value<'_>)]) -> String {
    let values = values
        .iter()
        .map(|(name, of)| format!("{} = {}", key(name), value(*of)));
    format!("{{ {} }}", values.collect::<Vec<_>>().join(", "))
}

/// Attributes, each on a line behind `indent` blanks, whose values are HCL already.
pub(crate) fn aligned<N: AsRef<str>, V: AsRef<str>>(values: &[(N, V)], indent: usize) -> String {
    let keys: Vec<_> = values.iter().map(|(name, _)| key(name.as_ref())).collect();
    let width = keys
        .iter()
        .map(|key| key.chars().count())
        .max()
        .unwrap_or(0);
    let lines = keys.iter().zip(values);
    let lines =
        lines.map(|(key, (_, of))| format!("{:indent$}{key:width$} = {}\n", "", of.as_ref()));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_template_in_a_string_is_carried_out() {
        assert_eq!(quoted("$${x} %{if} é"), r#""$\u0024{x} \u0025{if} é""#);
        assert_eq!(
            quoted("a\"\\\n\t\u{200b}\u{e0001}"),
            r#""a\"\\\n\t\u200b\U000e0001""#
        );
    }

    #[test]
    fn keys_that_are_no_words_are_quoted_and_values_aligned() {
        let values = [("a-1", "1"), ("2b", "2")];
        assert_eq!(aligned(&values, 2), "  a-1  = 1\n  \"2b\" = 2\n");
    }
}
