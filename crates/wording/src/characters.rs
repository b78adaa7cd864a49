//! Characters of one text, told together: `strcmp(s, "ab") == 0` rather than what each of them is.

use std::collections::BTreeMap;

/// Elements of one array that are named; where there are more, one of these places says how many.
const ELEMENTS_TOLD: usize = 3;
/// Names of a list that are told.
const NAMES_TOLD: usize = 6;

/// What a condition says of one character.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Says {
    /// It is this byte.
    Is(u8),
    /// It is not zero.
    GoesOn,
}

/// A condition: its text, and what it says of a character that has this name, if it does.
pub struct Condition {
    /// As it is told alone.
    pub text: String,
    /// Where it stands among others.
    pub order: u32,
    /// The name of a character and what is said of it.
    pub character: Option<(String, Says)>,
}

/// An element's name taken apart: `s[3]` is the fourth of `s`.
pub fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    // A cast or an operator in front belongs to the element, not to the array.
    let plain = !array.is_empty() && !array.starts_with(['*', '(', '&']);
    plain.then_some(())?;
    index.parse().ok().map(|index| (array, index))
}

/// Conditions with those about the characters of one text put together, each with its place among them.
pub fn together(conditions: Vec<Condition>) -> Vec<(u32, String)> {
    let mut texts: BTreeMap<String, BTreeMap<usize, (usize, Says)>> = BTreeMap::new();
    for (number, condition) in conditions.iter().enumerate() {
        if let Some((name, says)) = &condition.character
            && let Some((array, index)) = element(name)
        {
            texts.entry(array.to_string()).or_default().entry(index).or_insert((number, *says));
        }
    }
    let mut told: Vec<Option<(u32, String)>> = conditions.into_iter().map(|c| Some((c.order, c.text))).collect();
    for (array, characters) in texts {
        let Some((length, text)) = said(&array, &characters) else { continue };
        let used: Vec<usize> = (0..length).filter_map(|index| characters.get(&index)).map(|(n, _)| *n).collect();
        let order = used.iter().filter_map(|n| told[*n].as_ref()).map(|(order, _)| *order).min().unwrap_or(0);
        for number in &used {
            told[*number] = None;
        }
        if let Some(first) = used.first() {
            told[*first] = Some((order, text));
        }
    }
    told.into_iter().flatten().collect()
}

/// What conditions on the first characters of a text say together, and how many they are: at least two.
fn said(array: &str, characters: &BTreeMap<usize, (usize, Says)>) -> Option<(usize, String)> {
    let says = |index: usize| characters.get(&index).map(|(_, says)| *says);
    let ends = |index: usize| says(index) == Some(Says::Is(0));
    let known: Vec<u8> = (0..)
        .map_while(|index| match says(index) {
            Some(Says::Is(byte @ (b' '..=b'~' | b'\t' | b'\n'))) => Some(byte),
            _ => None,
        })
        .collect();
    if !known.is_empty() && ends(known.len()) {
        return Some((known.len() + 1, format!("strcmp({array}, {}) == 0", literal(&known))));
    }
    if known.len() > 1 {
        return Some((known.len(), format!("strncmp({array}, {}, {}) == 0", literal(&known), known.len())));
    }
    let length = (0..).take_while(|index| says(*index) == Some(Says::GoesOn)).count();
    match length {
        0 => None,
        _ if ends(length) => Some((length + 1, format!("strlen({array}) == {length}"))),
        1 => None,
        _ => Some((length, format!("strlen({array}) >= {length}"))),
    }
}

/// A string literal.
pub fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            b'\r' => text += "\\r",
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            // Three digits, so that a digit behind them is not taken for a fourth.
            _ => text += &format!("\\{byte:03o}"),
        }
    }
    text.push('"');
    text
}

/// Names, of many elements of one array only how many: never the array's name alone, which speaks of all of them.
pub fn few_of_each(names: Vec<String>) -> Vec<String> {
    let of = |name: &String| element(name).map(|(array, _)| array.to_string());
    let mut told: Vec<String> = vec![];
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for name in &names {
        let Some(array) = of(name) else {
            told.push(name.clone());
            continue;
        };
        let all = names.iter().filter(|other| of(other).as_ref() == Some(&array)).count();
        let number = seen.entry(array.clone()).or_default();
        *number += 1;
        match (all > ELEMENTS_TOLD, *number) {
            (true, 1) => told.push(format!("{all} elements of {array}")),
            (true, _) => {}
            _ => told.push(name.clone()),
        }
    }
    if told.len() > NAMES_TOLD {
        told.truncate(NAMES_TOLD - 1);
        told.push("others".into());
    }
    told
}

/// What characters are set to, by name: runs of them as one text.
pub fn set_together(set: Vec<(String, Option<u8>, String)>) -> Vec<String> {
    let mut told: Vec<String> = vec![];
    let mut at = 0;
    while at < set.len() {
        let mut bytes = vec![];
        let start = element(&set[at].0);
        if let Some((array, first)) = start {
            while let Some((name, Some(byte), _)) = set.get(at + bytes.len()) {
                if element(name) != Some((array, first + bytes.len())) || *byte == 0 && bytes.is_empty() {
                    break;
                }
                bytes.push(*byte);
            }
        }
        match start {
            Some((array, first)) if bytes.len() > 1 => {
                // Where its end is not among what matters, there may be more of it.
                let text = bytes.strip_suffix(&[0]).map_or_else(|| format!("{}...", literal(&bytes)), literal);
                let from = if first == 0 { array.to_string() } else { format!("{array}[{first}] on") };
                told.push(format!("{from} = {text}"));
                at += bytes.len();
            }
            _ => {
                told.push(set[at].2.clone());
                at += 1;
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(name: &str, says: Says, order: u32) -> Condition {
        Condition { text: format!("about {name}"), order, character: Some((name.into(), says)) }
    }

    fn texts(conditions: Vec<Condition>) -> Vec<String> {
        together(conditions).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_text_is_told_as_a_whole() {
        let word = [(0, Says::Is(b'a')), (1, Says::Is(b'"')), (2, Says::Is(0))];
        let all = word.into_iter().map(|(n, says)| condition(&format!("t.s[{n}]"), says, n)).collect();
        assert_eq!(texts(all), [r#"strcmp(t.s, "a\"") == 0"#]);
        let start = vec![condition("s[1]", Says::Is(b'b'), 3), condition("s[0]", Says::Is(b'a'), 2)];
        assert_eq!(texts(start), [r#"strncmp(s, "ab", 2) == 0"#]);
        let long = vec![condition("s[0]", Says::GoesOn, 0), condition("s[1]", Says::GoesOn, 1)];
        assert_eq!(texts(long), ["strlen(s) >= 2"]);
        let short = vec![condition("s[0]", Says::GoesOn, 0), condition("s[1]", Says::Is(0), 1)];
        assert_eq!(texts(short), ["strlen(s) == 1"]);
    }

    #[test]
    fn what_does_not_begin_a_text_is_told_alone() {
        let all = vec![condition("s[1]", Says::Is(b'a'), 0), condition("s[2]", Says::Is(b'b'), 1)];
        assert_eq!(texts(all), ["about s[1]", "about s[2]"]);
        let one = vec![condition("s[0]", Says::Is(b'a'), 0), condition("u[0]", Says::Is(0), 1)];
        assert_eq!(texts(one), ["about s[0]", "about u[0]"]);
        assert_eq!(element("*(char *)p[1]"), None);
    }

    #[test]
    fn of_many_elements_few_are_named() {
        let names = ["n", "s[0]", "s[1]", "t[3]"].map(String::from).to_vec();
        assert_eq!(few_of_each(names.clone()), names);
        let many = ["n", "s[0]", "s[1]", "s[2]", "s[3]", "s[4]"].map(String::from).to_vec();
        assert_eq!(few_of_each(many), ["n", "5 elements of s"]);
        let set = [("s[0]", Some(b'h')), ("s[1]", Some(b'i')), ("s[2]", Some(0)), ("n", None)];
        let set = set.map(|(name, byte)| (name.to_string(), byte, format!("{name} = 2"))).to_vec();
        assert_eq!(set_together(set), [r#"s = "hi""#, "n = 2"]);
    }
}
