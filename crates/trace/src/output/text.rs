//! Text as it is shown to a reader.

/// More of a text than this is not shown.
const LONGEST: usize = 40;

/// A text in quotes, as C writes it; the middle of it where it is long.
pub fn quoted(text: &[u8]) -> String {
    let shown: String = text.iter().take(LONGEST).map(|byte| escaped(*byte)).collect();
    let more = if text.len() > LONGEST { "..." } else { "" };
    format!("\"{shown}\"{more}")
}

fn escaped(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".into(),
        b'\t' => "\\t".into(),
        b'\r' => "\\r".into(),
        b'"' => "\\\"".into(),
        b'\\' => "\\\\".into(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// The rest of the line that begins at a position; its end where nothing else is left of it.
pub fn rest_of_line(text: &[u8], from: usize) -> &[u8] {
    let rest = text.get(from..).unwrap_or_default();
    match rest.iter().position(|b| *b == b'\n') {
        Some(0) => &rest[..1],
        Some(end) => &rest[..end],
        None => rest,
    }
}

/// Where the word begins that a position lies in, not before `first`.
pub fn word_start(text: &[u8], position: usize, first: usize) -> usize {
    let before = &text[..position.min(text.len())];
    let space = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    space.max(first).min(position)
}
