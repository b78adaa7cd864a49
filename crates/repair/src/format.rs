//! Formats of `printf` and `scanf`, and what they should be where the expected output shows it.
//!
//! All texts here are those of C literals, between the quotes: `\n` is two characters.

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Text that is printed as it stands, still escaped.
    Text(String),
    /// A conversion such as `%5.2f`.
    Conversion(String),
}

fn pieces(format: &str) -> Vec<Piece> {
    let mut found = vec![];
    let mut text = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        if c == '%' && !rest.starts_with("%%") {
            let end =
                rest[1..].find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'l' | 'h' | 'z' | 'L' | 'j' | 't'));
            let Some(end) = end else {
                text.push_str(rest);
                break;
            };
            if !text.is_empty() {
                found.push(Piece::Text(std::mem::take(&mut text)));
            }
            let (conversion, after) = rest.split_at(end + 2);
            found.push(Piece::Conversion(conversion.to_string()));
            rest = after;
        } else if rest.starts_with("%%") {
            text.push_str("%%");
            rest = &rest[2..];
        } else if c == '\\' && rest.len() > 1 {
            let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            text.push_str(&rest[..length]);
            rest = &rest[length..];
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    found
}

fn joined(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|p| match p {
            Piece::Text(t) | Piece::Conversion(t) => t.as_str(),
        })
        .collect()
}

/// Formats with another conversion, and with a line end or blank more or less.
pub(crate) fn other_formats(format: &str) -> Vec<(String, u32)> {
    let all = pieces(format);
    let mut found = vec![];
    for (number, piece) in all.iter().enumerate() {
        let Piece::Conversion(conversion) = piece else { continue };
        for (other, price) in other_conversions(conversion) {
            let mut changed = all.clone();
            changed[number] = Piece::Conversion(other);
            found.push((joined(&changed), price));
        }
    }
    found.extend(ends(format));
    found
}

/// A line end or blank more or less at either end.
fn ends(format: &str) -> Vec<(String, u32)> {
    let mut found = vec![(format!("{format}\\n"), 2), (format!("{format} "), 3), (format!(" {format}"), 3)];
    for end in ["\\n", " "] {
        found.extend(format.strip_suffix(end).map(|rest| (rest.to_string(), 2)));
        found.extend(format.strip_prefix(end).map(|rest| (rest.to_string(), 3)));
    }
    found
}

fn other_conversions(conversion: &str) -> Vec<(String, u32)> {
    let letter = conversion.chars().last().unwrap_or('d');
    let front = &conversion[..conversion.len() - letter.len_utf8()];
    let mut found: Vec<(String, u32)> = vec![];
    let whole: &[&str] = match letter {
        'd' | 'i' => &["%u", "%ld", "%lld", "%c", "%x", "%o", "%2d", "%3d", "%02d", "%03d", "%f", "%.2f", "%.1f", "%d"],
        'u' => &["%d", "%lu", "%x"],
        'x' => &["%X", "%d", "%02x", "%o", "%08x"],
        'X' => &["%x", "%d", "%02X"],
        'o' => &["%d", "%x"],
        'c' => &["%d", "%s"],
        's' => &["%c", "%d", "%s"],
        'f' | 'g' | 'e' | 'F' => {
            &["%.0f", "%.1f", "%.2f", "%.3f", "%.4f", "%f", "%g", "%d", "%lf", "%5.2f", "%6.2f", "%e"]
        }
        _ => &[],
    };
    found.extend(whole.iter().filter(|w| **w != conversion).map(|w| (w.to_string(), 3)));
    // The same with another width, precision or side.
    let digits: String = front.chars().filter(char::is_ascii_digit).collect();
    if let Ok(width) = digits.parse::<u32>()
        && !front.contains('.')
    {
        for other in [width + 1, width.saturating_sub(1)] {
            found.push((format!("{}{letter}", front.replacen(&digits, &other.to_string(), 1)), 3));
        }
    }
    let turned = match front.strip_prefix("%-") {
        Some(rest) => format!("%{rest}{letter}"),
        None => format!("%-{}{letter}", &front[1..]),
    };
    found.push((turned, 3));
    found
}

/// Formats of `scanf` with another conversion, a blank or a width.
pub(crate) fn other_scans(format: &str) -> Vec<(String, u32)> {
    let all = pieces(format);
    let mut found = vec![];
    for (number, piece) in all.iter().enumerate() {
        let Piece::Conversion(conversion) = piece else { continue };
        let others: &[&str] = match conversion.as_str() {
            "%d" => &["%u", "%ld", "%x", "%i", "%lf"],
            "%c" => &[" %c"],
            "%f" => &["%lf"],
            "%lf" => &["%f"],
            "%s" => &["%9s", "%19s", "%99s"],
            "%i" | "%u" | "%x" => &["%d"],
            _ => &[],
        };
        for other in others {
            let mut changed = all.clone();
            changed[number] = Piece::Conversion(other.to_string());
            // What reads another number than the text says is hardly written by mistake.
            found.push((joined(&changed), if matches!(*other, "%x" | "%i" | "%u") { 5 } else { 2 }));
        }
        let mut spaced = all.clone();
        spaced.insert(number, Piece::Text(" ".into()));
        found.push((joined(&spaced), 3));
    }
    for (number, piece) in all.iter().enumerate() {
        if matches!(piece, Piece::Text(_)) {
            for text in ["", " ", ",", ":", "/", "-"] {
                let mut changed = all.clone();
                changed[number] = Piece::Text(text.into());
                found.push((joined(&changed), 3));
            }
        }
    }
    found
}

/// How far beyond a text the expected output is looked at for where it goes on as before.
const FARTHEST: usize = 80;

/// What follows must be the same for so many bytes, the more the likelier; each with its price.
const ENOUGH: [(usize, u32); 3] = [(6, 2), (2, 3), (1, 4)];

/// Texts of one format that are changed together, at most.
const DEEPEST: usize = 3;

/// Formats that are tried for one, at most.
const MOST: usize = 60;

/// Formats with texts replaced by what the expected output has where they are printed; `is_format`: `%` is doubled.
pub(crate) fn as_expected(format: &str, outputs: &[(Vec<u8>, Vec<u8>)], is_format: bool) -> Vec<(String, u32)> {
    let all = if is_format { pieces(format) } else { vec![Piece::Text(format.to_string())] };
    let mut found: Vec<(String, u32)> = vec![];
    for (actual, expected) in outputs {
        let nearer = Nearer { expected, is_format };
        nearer.add(&all, actual, (2, DEEPEST), &mut found);
    }
    found.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    let mut seen = std::collections::HashSet::new();
    found.retain(|(text, _)| seen.insert(text.clone()));
    found.truncate(MOST);
    found
}

/// Brings a format nearer to the expected output.
struct Nearer<'a> {
    expected: &'a [u8],
    is_format: bool,
}

impl Nearer<'_> {
    /// Changes the text that is printed where the outputs part, then those that are printed further on.
    fn add(&self, all: &[Piece], actual: &[u8], (price, deeper): (u32, usize), found: &mut Vec<(String, u32)>) {
        if deeper == 0 || found.len() > 8 * MOST {
            return;
        }
        let same = actual.iter().zip(self.expected).take_while(|(a, b)| a == b).count();
        let mut go_on = |changed: Vec<Piece>, at: usize, length: usize, with: &[u8], price: u32| {
            let new = [&actual[..at], with, &actual[at + length..]].concat();
            found.push((joined(&changed), price));
            self.add(&changed, &new, (price + 1, deeper - 1), found);
        };
        for (number, piece) in all.iter().enumerate() {
            let Piece::Text(text) = piece else { continue };
            let printed = unescape(text, self.is_format);
            let first = (same + 1).saturating_sub(printed.len() + 1);
            for at in (first..=same).filter(|at| actual.get(*at..at + printed.len()) == Some(&printed[..])) {
                for (other, more) in self.instead(at, printed.len(), actual) {
                    let mut changed = all.to_vec();
                    changed[number] = Piece::Text(escape(&other, self.is_format));
                    go_on(changed, at, printed.len(), &other, price + more - 2);
                }
            }
        }
        // A text may be missing between two conversions, or before the first or after the last.
        if self.is_format {
            for (missing, more) in self.instead(same, 0, actual) {
                for at in 0..=all.len() {
                    let mut changed = all.to_vec();
                    changed.insert(at, Piece::Text(escape(&missing, true)));
                    go_on(changed, same, 0, &missing, price + more - 1);
                }
            }
        }
    }

    /// What the expected output has at a place until it goes on as the actual one does after so many bytes.
    fn instead(&self, at: usize, length: usize, actual: &[u8]) -> Vec<(Vec<u8>, u32)> {
        let after = actual.get(at + length..).unwrap_or_default();
        let rest = self.expected.get(at..).unwrap_or_default();
        let mut found: Vec<(Vec<u8>, u32)> = vec![];
        for (enough, price) in ENOUGH {
            let wanted = &after[..after.len().min(enough)];
            let goes_on = |n: &usize| match after.is_empty() {
                true => *n == rest.len(),
                false => rest[*n..].starts_with(wanted),
            };
            for n in (0..=rest.len().min(FARTHEST)).filter(goes_on).take(2) {
                let text = rest[..n].to_vec();
                if text != actual[at..at + length] && !found.iter().any(|(known, _)| *known == text) {
                    found.push((text, price));
                }
            }
        }
        found
    }
}

fn unescape(text: &str, is_format: bool) -> Vec<u8> {
    let mut found = vec![];
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => found.push(match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(b'0') => 0,
                Some(other) => other,
                None => b'\\',
            }),
            b'%' if is_format && bytes.peek() == Some(&b'%') => {
                bytes.next();
                found.push(b'%');
            }
            _ => found.push(byte),
        }
    }
    found
}

fn escape(text: &[u8], is_format: bool) -> String {
    let mut found = String::new();
    for byte in text {
        match byte {
            b'\n' => found.push_str("\\n"),
            b'\t' => found.push_str("\\t"),
            b'\r' => found.push_str("\\r"),
            b'"' => found.push_str("\\\""),
            b'\\' => found.push_str("\\\\"),
            b'%' if is_format => found.push_str("%%"),
            0x20..=0x7e => found.push(*byte as char),
            _ => found.push_str(&format!("\\{byte:03o}")),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_taken_apart() {
        let all = pieces("Sum: %5.2lf%% of %-3ld\\n");
        let texts: Vec<String> = all.iter().map(|p| joined(std::slice::from_ref(p))).collect();
        assert_eq!(texts, ["Sum: ", "%5.2lf", "%% of ", "%-3ld", "\\n"]);
        assert_eq!(joined(&all), "Sum: %5.2lf%% of %-3ld\\n");
    }

    #[test]
    fn the_expected_output_shows_the_text() {
        let outputs = [(b"Total:5\n".to_vec(), b"Total: 5\n".to_vec())];
        let found = as_expected("Total:%d\\n", &outputs, true);
        assert!(found.contains(&("Total: %d\\n".to_string(), 2)), "{found:?}");
        let outputs = [(b"yes".to_vec(), b"yes\n".to_vec())];
        assert!(as_expected("yes", &outputs, true).contains(&("yes\\n".to_string(), 2)));
        let outputs = [(b"a=1 b=2\n".to_vec(), b"a=1, b=2\n".to_vec())];
        assert!(as_expected("a=%d b=%d\\n", &outputs, true).iter().any(|f| f.0 == "a=%d, b=%d\\n"));
        let outputs = [(b"Hello Ada!".to_vec(), b"Hello, Ada!\n".to_vec())];
        assert!(as_expected("Hello %s!", &outputs, true).iter().any(|f| f.0 == "Hello, %s!\\n"), "both texts");
        let outputs = [(b"3 2 1 go\n".to_vec(), b"3\n2\n1\ngo\n".to_vec())];
        assert!(as_expected("%d ", &outputs, true).iter().any(|f| f.0 == "%d\\n"), "in every round");
    }
}
