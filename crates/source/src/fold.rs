//! C text on one line.

/// Replaces each run of white space, line continuations and comments by one space, outside of literals.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut gap = false;
    while let Some(first) = rest.chars().next() {
        let skipped = blank_prefix(rest);
        if skipped > 0 {
            gap = true;
            rest = &rest[skipped..];
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        let token = if first == '"' || first == '\'' { literal_prefix(rest, first) } else { first.len_utf8() };
        out.push_str(&rest[..token]);
        rest = &rest[token..];
    }
    out
}

/// The length of the white space, comment or continued line end at the start of the text, 0 when there is none.
fn blank_prefix(text: &str) -> usize {
    if let Some(comment) = text.strip_prefix("/*") {
        return comment.find("*/").map_or(text.len(), |end| end + 4);
    }
    if text.starts_with("//") {
        return text.find(['\n', '\r']).unwrap_or(text.len());
    }
    if let Some(after) = text.strip_prefix('\\') {
        return if after.starts_with("\r\n") { 3 } else { 2 * usize::from(after.starts_with(['\n', '\r'])) };
    }
    text.len() - text.trim_start().len()
}

/// The length of the string or character literal at the start of the text; it ends with the line at the latest.
fn literal_prefix(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' | '\r' => return at,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
