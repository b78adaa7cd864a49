//! Text as it is shown to a reader.

/// More of a text than this is not shown.
const LONGEST: usize = 40;

/// A text in quotes, as C writes it; the beginning of it where it is long.
pub fn quoted(text: &[u8]) -> String {
    let mut all = text.utf8_chunks().flat_map(|chunk| {
        let bytes = chunk.invalid().iter().map(|byte| format!("\\{byte:03o}"));
        chunk.valid().chars().map(escaped).chain(bytes)
    });
    let shown: String = all.by_ref().take(LONGEST).collect();
    let more = if all.next().is_some() { "..." } else { "" };
    format!("\"{shown}\"{more}")
}

fn escaped(character: char) -> String {
    match character {
        '\n' => "\\n".into(),
        '\t' => "\\t".into(),
        '\r' => "\\r".into(),
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        c if c.is_control() => format!("\\{:03o}", u32::from(c)),
        c => c.to_string(),
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

/// More bytes of a word are not shown before the one that matters.
const LONGEST_WORD: usize = 24;

/// Where the word begins that a position lies in, not before `first`; of a very long one its last bytes count.
pub fn word_start(text: &[u8], position: usize, first: usize) -> usize {
    let before = &text[..position.min(text.len())];
    let space = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    let start = space.max(first).min(position);
    if position - start <= LONGEST_WORD {
        return start;
    }
    // Not in the middle of a letter.
    let is_letter = |at: &usize| text.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
    (position - LONGEST_WORD..position).find(is_letter).unwrap_or(position)
}

#[cfg(test)]
mod tests {
    use super::{quoted, word_start};

    #[test]
    fn a_word_is_shown_from_its_beginning_unless_it_is_very_long() {
        assert_eq!(word_start(b"one two", 6, 0), 4);
        assert_eq!(word_start(b"one two", 6, 5), 5);
        assert_eq!(word_start(&[b'a'; 1000], 500, 0), 476);
        assert_eq!(word_start("é".repeat(100).as_bytes(), 101, 0), 78);
    }

    #[test]
    fn letters_of_any_language_are_shown() {
        assert_eq!(quoted("três\n".as_bytes()), r#""três\n""#);
        assert_eq!(quoted(b"a\x01\xff\"\\"), r#""a\001\377\"\\""#);
        assert_eq!(quoted("é".repeat(41).as_bytes()), format!("\"{}\"...", "é".repeat(40)));
    }
}
