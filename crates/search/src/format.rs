//! Formats of `scanf`.

use crate::form::Form;
use crate::stdin::Item;

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Directive {
    /// Any white space.
    Space,
    /// This byte.
    Literal(u8),
    /// A word of at most so many bytes.
    Word {
        /// How many.
        most: u64,
        /// Whether it is stored.
        stored: bool,
    },
    /// A value.
    Convert {
        /// What is read.
        item: Item,
        /// Whether white space before it is skipped.
        skips: bool,
        /// Whether it is stored.
        stored: bool,
    },
}

/// The parts of a format; `None` for what is not searched: sets, numbers of a given width.
pub(crate) fn directives(format: &[u8]) -> Option<Vec<Directive>> {
    let mut all = vec![];
    let mut rest = format;
    while let [first, more @ ..] = rest {
        rest = more;
        match first {
            b'%' if more.first() == Some(&b'%') => {
                rest = &more[1..];
                all.push(Directive::Literal(b'%'));
            }
            b'%' => {
                let stored = rest.first() != Some(&b'*');
                if !stored {
                    rest = &rest[1..];
                }
                let (directive, left) = conversion(rest, stored)?;
                rest = left;
                all.push(directive);
            }
            b' ' | 9..=13 => all.push(Directive::Space),
            byte => all.push(Directive::Literal(*byte)),
        }
    }
    Some(all)
}

fn conversion(text: &[u8], stored: bool) -> Option<(Directive, &[u8])> {
    let digits = text.iter().position(|c| !c.is_ascii_digit())?;
    if text[digits] == b's' {
        let most = if digits == 0 { u64::MAX } else { std::str::from_utf8(&text[..digits]).ok()?.parse().ok()? };
        return Some((Directive::Word { most, stored }, &text[digits + 1..]));
    }
    let length = text.iter().position(|c| !b"hlLqjzt".contains(c))?;
    let (modifier, rest) = text.split_at(length);
    let (kind, rest) = rest.split_first()?;
    let bits = match modifier {
        b"hh" => 8,
        b"h" => 16,
        b"" => 32,
        b"l" | b"ll" | b"q" | b"j" | b"z" | b"t" => 64,
        _ => return None,
    };
    let integer = |signed, radix| Item { before: vec![], form: Form::Integer { bits, signed }, radix };
    let item = match kind {
        b'd' | b'i' => integer(true, 10),
        b'u' => integer(false, 10),
        b'x' | b'X' => integer(false, 16),
        b'o' => integer(false, 8),
        b'c' if modifier.is_empty() => Item::byte(),
        b'f' | b'e' | b'g' | b'a' if modifier.is_empty() => Item { form: Form::Real { bits: 32 }, ..integer(true, 10) },
        b'f' | b'e' | b'g' | b'a' if modifier == b"l" => Item { form: Form::Real { bits: 64 }, ..integer(true, 10) },
        _ => return None,
    };
    Some((Directive::Convert { item, skips: *kind != b'c', stored }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read() {
        let all = directives(b"%d,%*hhu %c").expect("a format");
        let forms: Vec<Option<(Form, bool)>> = all
            .iter()
            .map(|d| match d {
                Directive::Convert { item, stored, .. } => Some((item.form, *stored)),
                _ => None,
            })
            .collect();
        let int = Form::Integer { bits: 32, signed: true };
        let byte = Form::Integer { bits: 8, signed: false };
        assert_eq!(forms, [Some((int, true)), None, Some((byte, false)), None, Some((Form::Byte, true))]);
        assert_eq!(all[1], Directive::Literal(b','));
        let word = Directive::Word { most: 9, stored: true };
        assert_eq!(directives(b"%9s%%"), Some(vec![word, Directive::Literal(b'%')]));
        assert_eq!(directives(b"%5d"), None);
        assert_eq!(directives(b"%"), None);
    }
}
