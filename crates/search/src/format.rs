//! What a format of `scanf` asks standard input for.

use crate::form::Form;
use crate::stdin::Item;
use wherefore_clib::Length;
use wherefore_clib::scan::{self, Conversion, Piece};

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
    let pieces = scan::parse(format).ok()?;
    let directive = |piece| match piece {
        Piece::Space => Some(Directive::Space),
        Piece::Literal(byte) => Some(Directive::Literal(byte)),
        Piece::Directive(it) => conversion(&it),
    };
    pieces.into_iter().map(directive).collect()
}

fn conversion(it: &scan::Directive) -> Option<Directive> {
    let stored = it.argument.is_some();
    let form = match (&it.conversion, it.length) {
        (Conversion::Word, Length::Plain) => {
            let most = it.width.map_or(u64::MAX, |width| width as u64);
            return Some(Directive::Word { most, stored });
        }
        _ if it.width.is_some() => return None,
        (Conversion::Integer { signed, .. }, length) => Form::Integer { bits: length.integer_bits()?, signed: *signed },
        (Conversion::Char, Length::Plain) => Form::Byte,
        (Conversion::Real, Length::Plain) => Form::Real { bits: 32 },
        (Conversion::Real, Length::Long) => Form::Real { bits: 64 },
        _ => return None,
    };
    let radix = match it.conversion {
        Conversion::Integer { base: base @ (8 | 16), .. } => base,
        _ => 10,
    };
    Some(Directive::Convert { item: Item { before: vec![], form, radix }, skips: it.skips_space(), stored })
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
        assert_eq!(directives(b"%9s%%"), Some(vec![word, Directive::Space, Directive::Literal(b'%')]));
        assert_eq!(directives(b"%5d"), None);
        assert_eq!(directives(b"%"), None);
    }
}
