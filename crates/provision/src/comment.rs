//! Text that is safe in what is written, whatever a scenario's name says.

/// Columns of a comment's text.
const WIDTH: usize = 97;

/// A text on one line, with only what can be printed: what a comment can have.
#[must_use]
pub fn plain(text: &str) -> String {
    let shown = |letter| if is_printable(letter) { letter } else { '?' };
    let shown: String = text.chars().map(shown).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Paragraphs as comment lines of at most 100 columns, each after `mark`; one with two blanks
/// first is kept as is.
#[must_use]
pub fn comment<P: AsRef<str>>(paragraphs: &[P], mark: &str) -> String {
    let paragraphs = paragraphs.iter().map(AsRef::as_ref);
    let lines = paragraphs.flat_map(|paragraph| {
        let text = plain(paragraph);
        if paragraph.starts_with("  ") {
            let indent = paragraph.len() - paragraph.trim_start_matches(' ').len();
            vec![format!("{:indent$}{text}", "")]
        } else {
            wrapped(&text)
        }
    });
    let lines = lines.map(|line| match line.as_str() {
        "" => format!("{mark}\n"),
        line => format!("{mark} {line}\n"),
    });
    lines.collect()
}

/// The lines of a text on one line, which is cut between words alone.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut columns = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if columns > 0 && columns + 1 + length > WIDTH {
            lines.push(std::mem::take(&mut line));
            columns = 0;
        }
        if columns > 0 {
            line.push(' ');
            columns += 1;
        }
        line += word;
        columns += length;
    }
    lines.push(line);
    lines
}

/// Whether a letter is seen, or is a blank.
pub(crate) fn is_printable(letter: char) -> bool {
    // The standard library knows what it escapes. Some marks it escapes only at a text's start.
    let escaped = format!("a{letter}").escape_debug().to_string();
    !letter.is_control() && !escaped.contains(r"\u{")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_printed_stands_in_a_comment() {
        assert_eq!(
            plain(" a\u{200b}b \n  e\u{301} 'é\\\u{a0}\u{e000} "),
            "a?b ? e\u{301} 'é\\??"
        );
    }

    #[test]
    fn paragraphs_are_cut_between_words() {
        let long = "x".repeat(120);
        let given = [
            format!("{}b", "a ".repeat(49)),
            String::new(),
            format!("a {long}"),
        ];
        let full = "a ".repeat(49);
        let lines = format!("# {}\n# b\n#\n# a\n# {long}\n", full.trim_end());
        assert_eq!(comment(&given, "#"), lines);
        assert_eq!(comment(&["  a  b"], ";"), ";   a b\n");
    }
}
