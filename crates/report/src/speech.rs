//! Names in words.
//!
//! In formulas that programs read, `f@10::x` is the `x` of the call of `f` in line 10, `f#3::x` that of its third call,
//! `x@6` the `x` declared in line 6, `::x` the one at file scope, `f#3()` what the third call returned. A person is told
//! so: `x of f() in line 10`.

use crate::layout::clean;
use crate::words::ordinal;

/// A text of the report for people.
pub(crate) fn say(text: &str) -> String {
    clean(&without_casts(&in_words(text)))
}

/// A formula for people.
pub(crate) fn say_formula(text: &str) -> String {
    let said = say(text);
    let unset = facts(&said, "unset(", " is unset", " is set");
    facts(&unset, "freed(", " is freed", " is not freed")
}

/// A sentence about the program for people, in which a name needs no parentheses.
pub(crate) fn say_plainly(text: &str) -> String {
    clean(&with_names(text, |words, _, _| words))
}

/// The text with `what(x)` as words about `x`, and `!what(x)` as other words.
fn facts(text: &str, what: &str, holds: &str, does_not: &str) -> String {
    let Some(at) = text.find(what).filter(|at| !text[..*at].ends_with(is_word)) else { return text.into() };
    let inner = &text[at + what.len()..];
    let mut open = 1;
    let end = inner.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    });
    let Some(end) = end.filter(|end| *end > 0) else { return text.into() };
    let (before, words) = match text[..at].strip_suffix('!') {
        Some(before) => (before, does_not),
        None => (&text[..at], holds),
    };
    format!("{before}{}{words}{}", &inner[..end], facts(&inner[end + 1..], what, holds, does_not))
}

/// The text without casts of what a library function gives: programs read them, people know what `strlen()` is.
fn without_casts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("(unsigned long)") {
        let after = &rest[at + "(unsigned long)".len()..];
        let callee = after.find(|c| !is_word(c)).unwrap_or(after.len());
        let result = callee > 0 && after[callee..].starts_with("()");
        out.push_str(&rest[..if result { at } else { rest.len() - after.len() }]);
        rest = after;
    }
    out + rest
}

/// Whether a formula speaks of memory by its address, which says nothing to anybody.
pub(crate) fn has_address(text: &str) -> bool {
    text.match_indices("0x").any(|(at, _)| text[at + 2..].chars().take_while(char::is_ascii_hexdigit).count() > 5)
}

/// The text with every name that needs it in words.
fn in_words(text: &str) -> String {
    with_names(text, |words, before, after| {
        // Alone it needs no parentheses, and neither where it has some.
        let bare = before.is_empty() && (after.is_empty() || after.starts_with(" is "))
            || before.ends_with('(') && after.starts_with(')');
        if bare { words } else { format!("({words})") }
    })
}

/// The text with every name that needs it as `told` has its words between what comes before and after.
fn with_names(text: &str, told: impl Fn(String, &str, &str) -> String) -> String {
    if !["::", "@", "#"].iter().any(|mark| text.contains(mark)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '"' | '\'' => quoted(rest),
            c if is_word(c) || rest.starts_with("::") => match name(rest) {
                Some((words, length)) => {
                    rest = &rest[length..];
                    let told = told(words, &out, rest);
                    out.push_str(&told);
                    continue;
                }
                None if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                None => 2,
            },
            c => c.len_utf8(),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

/// The length of a literal in quotes.
fn quoted(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A name that says more than C does, in words, and its length in the text.
fn name(text: &str) -> Option<(String, usize)> {
    let first = Marked::read(text);
    let after = &text[first.length..];
    if let Some(member) = after.strip_prefix("::") {
        let inner = Marked::read(member);
        if inner.word.is_empty() {
            return None;
        }
        let suffix = suffix(&member[inner.length..]);
        let length = first.length + 2 + inner.length + suffix.len();
        let object = format!("{}{suffix}{}", inner.word, inner.place());
        let owner = match () {
            () if first.word.is_empty() => " at file scope".into(),
            () if first.word.contains('.') => format!(" of {}", first.word),
            () => format!(" of {}", first.call()),
        };
        return Some((format!("{object}{owner}"), length));
    }
    if first.line.is_none() && first.number.is_none() || first.word.is_empty() {
        return None;
    }
    match after.strip_prefix("()") {
        Some(_) => Some((first.call(), first.length + 2)),
        None if first.word == "memory" => {
            let which = first.number.map_or(String::new(), |n| format!("{} ", ordinal(n)));
            Some((format!("the {which}object{}", first.place()), first.length))
        }
        None => {
            let suffix = suffix(after);
            let which = first.number.map_or(String::new(), |n| format!(" ({})", ordinal(n)));
            Some((format!("{}{suffix}{}{which}", first.word, first.place()), first.length + suffix.len()))
        }
    }
}

/// A word with what may follow it: `@10` or `@10:5`, a line, and `#3`, a number.
struct Marked<'t> {
    word: &'t str,
    line: Option<&'t str>,
    number: Option<u64>,
    length: usize,
}

impl<'t> Marked<'t> {
    fn read(text: &'t str) -> Marked<'t> {
        let end = |text: &str, more: &dyn Fn(char) -> bool| text.find(|c| !more(c)).unwrap_or(text.len());
        let mut length = end(text, &is_word);
        // The name of a file before `::`.
        let file = end(text, &|c| is_word(c) || matches!(c, '.' | '-'));
        if text[file..].starts_with("::") {
            length = file;
        }
        let word = &text[..length];
        let digits = |text: &'t str| &text[..end(text, &|c| c.is_ascii_digit())];
        let mut line = None;
        if let Some(rest) = text[length..].strip_prefix('@') {
            let number = digits(rest);
            line = Some(number).filter(|n| !n.is_empty());
            length += line.map_or(0, |n| n.len() + 1);
            if let Some(column) = text[length..].strip_prefix(':').map(digits).filter(|c| !c.is_empty()) {
                length += column.len() + 1;
            }
        }
        let number = text[length..].strip_prefix('#').map(digits).filter(|n| !n.is_empty());
        length += number.map_or(0, |n| n.len() + 1);
        Marked { word, line, number: number.and_then(|n| n.parse().ok()), length }
    }

    /// ` of line 6`.
    fn place(&self) -> String {
        self.line.map_or(String::new(), |line| format!(" of line {line}"))
    }

    /// `the 2nd f() in line 10`.
    fn call(&self) -> String {
        let which = self.number.map_or(String::new(), |n| format!("the {} ", ordinal(n)));
        let line = self.line.map_or(String::new(), |line| format!(" in line {line}"));
        format!("{which}{}(){line}", self.word)
    }
}

/// What C writes after a name to reach a part of it: `.member`, `->member`, `[index]`.
fn suffix(text: &str) -> &str {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let word = |rest: &str| rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let more = if let Some(member) = rest.strip_prefix("->") {
            2 + word(member)
        } else if let Some(member) = rest.strip_prefix('.') {
            1 + word(member)
        } else if rest.starts_with('[') {
            rest.find(']').map_or(0, |end| end + 1)
        } else {
            0
        };
        if more == 0 {
            return &text[..length];
        }
        length += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_calls() {
        assert_eq!(in_words("main::b.count"), "b.count of main()");
        assert_eq!(in_words("main::b.count <= i"), "(b.count of main()) <= i");
        assert_eq!(in_words("*swap#1::y < *swap#2::y"), "*(y of the 1st swap()) < *(y of the 2nd swap())");
        assert_eq!(in_words("(*insert#3::p)->value == 9"), "(*(p of the 3rd insert()))->value == 9");
        assert_eq!(in_words("expr@78::n >= 10 && n <= 4"), "(n of expr() in line 78) >= 10 && n <= 4");
        assert_eq!(in_words("::n + x.c::n"), "(n at file scope) + (n of x.c)");
    }

    #[test]
    fn variables_that_hide_each_other() {
        assert_eq!(in_words("x@4 <= 1 && x@7[0] >= 5"), "(x of line 4) <= 1 && (x[0] of line 7) >= 5");
        assert_eq!(in_words("x@4:9 <= 1"), "(x of line 4) <= 1");
        assert_eq!(in_words("f@12::x@14 > 0"), "(x of line 14 of f() in line 12) > 0");
    }

    #[test]
    fn results_and_objects() {
        assert_eq!(in_words("f@10() + f#3()"), "(f() in line 10) + (the 3rd f())");
        assert_eq!(in_words("getchar@7#2() > 0"), "(the 2nd getchar() in line 7) > 0");
        assert_eq!(in_words("*(int *)(memory@5#12 + 4)"), "*(int *)((the 12th object of line 5) + 4)");
        assert_eq!(in_words("*(int *)memory@5"), "*(int *)(the object of line 5)");
    }

    #[test]
    fn what_is_plain_c_stays() {
        for text in ["a[i] == '#' && s[0] != ':'", "x ? y : z", "\"a@7::b\"", "n == 0"] {
            assert_eq!(in_words(text), text);
        }
    }

    #[test]
    fn casts_of_library_results() {
        assert_eq!(say("(unsigned long)strlen() < 16"), "strlen() < 16");
        assert_eq!(say("(unsigned long)x < 16 && y"), "(unsigned long)x < 16 && y");
    }

    #[test]
    fn facts_about_memory() {
        assert_eq!(say_formula("n > 0 && unset(f::m.price)"), "n > 0 && m.price of f() is unset");
        assert_eq!(say_formula("!unset(a[0]) && unset(p)"), "a[0] is set && p is unset");
        assert_eq!(say_formula("freed(memory@5)"), "the object of line 5 is freed");
        assert_eq!(say_formula("is_unset(x) && unset()"), "is_unset(x) && unset()");
        assert_eq!(say_plainly("decides on f::m.price, which"), "decides on m.price of f(), which");
    }

    #[test]
    fn addresses() {
        assert!(has_address("*(char *)0x7fffffffeaa6 == 0") && has_address("p == 0x50c2a0"));
        assert!(!has_address("(x & 0xff) != 0x1fff"));
    }
}
