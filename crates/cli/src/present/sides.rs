//! A comparison is told with its sides as the program writes them: `n >= limit`, not `limit <= n`.

use super::Presenter;
use wherefore_program::Origin;

/// Comparisons and what they are with the sides exchanged; longer ones first.
const MIRRORED: [(&str, &str); 6] = [("<=", ">="), (">=", "<="), ("==", "=="), ("!=", "!="), ("<", ">"), (">", "<")];

impl Presenter<'_> {
    /// A condition, and what it is with values, with the sides as the text at its place has them.
    pub fn as_written(&self, at: Option<Origin>, text: String, values: Option<String>) -> (String, Option<String>) {
        let written = at.and_then(|o| {
            let source = self.sources.text(o.file)?;
            Some(source.text(source.operand_at(o.line, o.column)?))
        });
        match written.filter(|written| is_mirrored(&text, written)) {
            Some(_) => (mirrored(&text).unwrap_or(text), values.map(|v| mirrored(&v).unwrap_or(v))),
            None => (text, values),
        }
    }
}

/// Whether two comparisons speak of the same two things, one the other way round.
fn is_mirrored(text: &str, written: &str) -> bool {
    let (Some((left, _, right)), Some((first, _, second))) = (sides(text), sides(written)) else { return false };
    let names = [left, right, second, first].map(name);
    names[0].is_some() && names[1].is_some() && names[0] != names[1] && names[..2] == names[2..]
}

fn mirrored(text: &str) -> Option<String> {
    let (left, operator, right) = sides(text)?;
    let (_, mirror) = MIRRORED.iter().find(|(own, _)| *own == operator)?;
    Some(format!("{right} {mirror} {left}"))
}

/// The two sides of a text that is one comparison and nothing else.
fn sides(text: &str) -> Option<(&str, &str, &str)> {
    let plain = text.replace("->", "  ");
    let is_one = !["&&", "||", "?", "\"", "'", "<<", ">>"].iter().any(|other| plain.contains(other));
    let (operator, at) = MIRRORED.iter().find_map(|(operator, _)| Some((*operator, plain.find(operator)?)))?;
    let (left, right) = (&text[..at], &text[at + operator.len()..]);
    let rest = plain[at + operator.len()..].contains(['<', '>', '=']) || plain[..at].contains(['<', '>', '=', '!']);
    (is_one && !rest).then(|| (left.trim(), operator, right.trim()))
}

/// The first name in a text.
fn name(text: &str) -> Option<&str> {
    let start = text.find(|c: char| c.is_alphabetic() || c == '_')?;
    text[start..].split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_exchanged_where_the_program_has_them_so() {
        assert!(is_mirrored("t[5].value <= n", "n >= t[i].value"));
        assert!(is_mirrored("p->size < n", "n>p->size"), "an arrow is no comparison");
        assert!(!is_mirrored("n >= t[5].value", "n >= t[i].value"));
        assert!(!is_mirrored("a[1] < a[2]", "a[j] < a[i]"), "which is which cannot be seen");
        assert!(!is_mirrored("a < b && c", "b > a"));
        assert_eq!(mirrored("50 <= 94"), Some("94 >= 50".into()));
        assert_eq!(mirrored("p->n != q->n"), Some("q->n != p->n".into()));
    }
}
