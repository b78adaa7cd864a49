//! What a statement does, as the program writes it.

/// The operands of a sum or product in the order in which the program writes them, which formulas do not keep; nothing
/// where that cannot be told.
pub fn as_written(names: &str, values: &str, assigned: &str, quote: &str) -> Option<String> {
    let operator = [" + ", " * "].into_iter().find(|operator| names.contains(operator));
    let Some(operator) = operator else { return Some(values.to_string()) };
    let (names, values): (Vec<&str>, Vec<&str>) = (names.split(operator).collect(), values.split(operator).collect());
    if names.len() != values.len() {
        return None;
    }
    let (left, right) = quote.split_once('=').unwrap_or((quote, ""));
    let (counts, compound) = (quote.contains("++"), left.ends_with(['+', '*']));
    let right = without_indices(right);
    let place = |name: &str| match name == assigned {
        true if counts || compound => Some(0),
        _ if counts => Some(1),
        _ => Some(1 + word(&right, &without_indices(name))?),
    };
    let mut placed = names.iter().zip(&values).map(|(n, v)| Some((place(n)?, *v))).collect::<Option<Vec<_>>>()?;
    placed.sort_by_key(|(place, _)| *place);
    // Two elements of one array are not told apart.
    if placed.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    Some(placed.into_iter().map(|(_, value)| value).collect::<Vec<_>>().join(operator))
}

/// Where a name or number stands in a text, as a word of its own.
fn word(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '>');
    let alone = |at: &usize| {
        let after = text[at + name.len()..].chars().next();
        !text[..*at].ends_with(is_part) && !after.is_some_and(|c| is_part(c) || c == '[')
    };
    text.match_indices(name).map(|(at, _)| at).find(alone)
}

/// `a[i].n` and `a[3].n` are both `a[].n`.
fn without_indices(text: &str) -> String {
    let mut depth = 0u32;
    let mut out = String::new();
    for c in text.chars() {
        depth -= u32::from(c == ']' && depth > 0);
        if depth == 0 {
            out.push(c);
        }
        depth += u32::from(c == '[');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_stand_as_the_program_writes_them() {
        assert_eq!(as_written("r + v", "3 + 4", "v", "v += r").as_deref(), Some("4 + 3"));
        assert_eq!(as_written("argc * 3", "1 * 3", "r", "r = 3 * argc").as_deref(), Some("3 * 1"));
        assert_eq!(
            as_written("qty + s->items[0].qty", "5 + 0", "s->items[0].qty", "s->items[i].qty += qty").as_deref(),
            Some("0 + 5")
        );
        assert_eq!(as_written("a[1] + a[2]", "7 + 8", "x", "x = a[i] + b"), None);
        assert_eq!(as_written("1 + n", "1 + 6", "n", "n++").as_deref(), Some("6 + 1"));
        assert_eq!(as_written("a - b", "7 - 8", "x", "x = a - b").as_deref(), Some("7 - 8"));
        assert_eq!(as_written("n + total", "1 + 2", "total", "total = total + n").as_deref(), Some("2 + 1"));
    }
}
