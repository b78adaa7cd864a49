//! The words of a text.

use crate::places::{Found, Span};

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name or keyword.
    Word(String),
    /// A number.
    Number(u128),
    /// `5bv8`: value and width.
    Bits(u128, u32),
    /// `"..."`.
    Text(String),
    /// Punctuation.
    Mark(&'static str),
}

/// A word and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lexeme {
    pub token: Token,
    pub span: Span,
}

/// Punctuation; what begins with another comes before it.
const MARKS: &[&str] = &[
    "<==>", "==>", "<==", ":=", "::", "==", "!=", "<=", ">=", "<:", "&&", "||", "++", "**", "{:", "|{", "}|", "=", "(",
    ")", "[", "]", "{", "}", ",", ";", ":", "<", ">", "+", "-", "*", "/", "!", "|",
];

/// Cuts a text into words; what is none is a problem, and left out.
pub fn tokens(text: &str) -> (Vec<Lexeme>, Vec<Found>) {
    let (mut all, mut problems) = (vec![], vec![]);
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at = match comment_end(text, at) {
                Some(end) => end,
                None => {
                    problems.push(Found::new(&(at..at + 2), "this comment does not end"));
                    text.len()
                }
            };
        } else {
            let (token, length) = match word(rest) {
                Ok(found) => found,
                Err((message, length)) => {
                    let span = at..at + length;
                    problems.push(Found::new(&span, message));
                    // So that nothing else is said about it.
                    if first.is_ascii_digit() {
                        all.push(Lexeme { token: Token::Number(0), span });
                    }
                    at += length;
                    continue;
                }
            };
            all.push(Lexeme { token, span: at..at + length });
            at += length;
        }
    }
    (all, problems)
}

/// The end of a comment; comments may lie in comments.
fn comment_end(text: &str, start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match (rest.starts_with(b"/*"), rest.starts_with(b"*/")) {
            (true, _) => (at, depth) = (at + 2, depth + 1),
            (_, true) => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The word that a text begins with, and its length.
fn word(text: &str) -> Result<(Token, usize), (String, usize)> {
    let first = text.chars().next().expect("there is a character");
    if first.is_ascii_digit() {
        return number(text);
    }
    if first == '"' {
        return match text[1..].find(['"', '\n']) {
            Some(end) if text[1 + end..].starts_with('"') => Ok((Token::Text(text[1..=end].into()), end + 2)),
            _ => Err(("this text does not end on its line".into(), text.find('\n').unwrap_or(text.len()))),
        };
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "'~#$^_.?`\\".contains(c);
    if is_part(first) {
        let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
        return Ok((Token::Word(text[..length].into()), length));
    }
    match MARKS.iter().find(|mark| text.starts_with(**mark)) {
        Some(mark) => Ok((Token::Mark(mark), mark.len())),
        None => Err((format!("`{first}` means nothing here"), first.len_utf8())),
    }
}

fn number(text: &str) -> Result<(Token, usize), (String, usize)> {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len());
    // `1..` is no number; nothing in Boogie has two points.
    let whole = text[..length].trim_end_matches('.');
    let length = whole.len();
    if let Some((value, width)) = whole.split_once("bv") {
        let parts = value.parse::<u128>().ok().zip(width.parse::<u32>().ok());
        return match parts {
            Some((value, width)) if (1..=128).contains(&width) && (width == 128 || value >> width == 0) => {
                Ok((Token::Bits(value, width), length))
            }
            Some((_, width)) if (1..=128).contains(&width) => {
                Err((format!("`{whole}` does not fit {width} bits"), length))
            }
            _ => Err((format!("`{whole}` is not supported: bit vectors have 1 to 128 bits"), length)),
        };
    }
    if whole.contains('.') || whole.contains('e') && !whole.starts_with("0x") {
        return Err((format!("real numbers (`{whole}`) are not supported"), length));
    }
    let value = match whole.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16),
        None => whole.parse(),
    };
    match value {
        Ok(value) => Ok((Token::Number(value), length)),
        Err(_) if whole.chars().all(|c| c.is_ascii_digit()) => {
            Err((format!("`{whole}` leaves the range of 64 bits"), length))
        }
        Err(_) => Err((format!("`{whole}` is not a number"), length)),
    }
}

#[cfg(test)]
mod tests;
