//! Formats of `printf`.

use crate::format::{Length, Reader, Unsupported};

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Written as it is; `%%` is a part of it.
    Text(Vec<u8>),
    /// An argument is written.
    Directive(Directive),
}

/// What stands at a `%`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    /// `-`.
    pub left: bool,
    /// `0`.
    pub zeros: bool,
    /// `+`.
    pub plus: bool,
    /// A space in place of `+`.
    pub space: bool,
    /// `#`.
    pub alternate: bool,
    /// Least number of characters.
    pub width: Option<Amount>,
    /// Digits: at least so many, or after the point; characters: at most so many.
    pub precision: Option<Amount>,
    /// How long the argument is.
    pub length: Length,
    /// What it is.
    pub conversion: Conversion,
    /// Its number among those after the format.
    pub argument: usize,
}

/// A width or a precision.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many.
    Fixed(usize),
    /// `*`: as an argument says, an `int`. A negative width means `-`, a negative precision none.
    Argument(usize),
}

/// What an argument is, and how it is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// `d`, `i`.
    Signed,
    /// `u`, `x`, `X`, `o`.
    Unsigned {
        /// 8, 10 or 16.
        base: u32,
        /// `X`.
        upper: bool,
    },
    /// `c`.
    Char,
    /// `s`.
    String,
    /// `f`, `e`, `g`, `a`.
    Real {
        /// The small letter.
        style: u8,
        /// `F`, `E`, `G`, `A`.
        upper: bool,
    },
    /// `p`.
    Pointer,
    /// `n`: the number of characters so far is stored.
    Count,
}

/// The pieces of a format.
pub fn parse(format: &[u8]) -> Result<Vec<Piece>, Unsupported> {
    let mut reader = Reader { rest: format };
    let mut pieces = vec![];
    let mut text = vec![];
    let mut used = 0;
    while let Some(byte) = reader.next() {
        if byte != b'%' || reader.take(b'%') {
            text.push(byte);
            continue;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Directive(directive(&mut reader, &mut used)?));
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// A directive behind its `%`; `used` arguments are used before it.
fn directive(reader: &mut Reader, used: &mut usize) -> Result<Directive, Unsupported> {
    let mut it = Directive {
        left: false,
        zeros: false,
        plus: false,
        space: false,
        alternate: false,
        width: None,
        precision: None,
        length: Length::Plain,
        conversion: Conversion::Signed,
        argument: 0,
    };
    loop {
        let flag = match reader.rest.first() {
            Some(b'-') => &mut it.left,
            Some(b'0') => &mut it.zeros,
            Some(b'+') => &mut it.plus,
            Some(b' ') => &mut it.space,
            Some(b'#') => &mut it.alternate,
            _ => break,
        };
        *flag = true;
        reader.next();
    }
    it.width = amount(reader, used)?;
    if reader.take(b'.') {
        // A point alone is a precision of zero.
        it.precision = Some(amount(reader, used)?.unwrap_or(Amount::Fixed(0)));
    }
    it.length = reader.length();
    let letter = reader.next().ok_or(Unsupported::Unfinished)?;
    it.conversion = conversion(letter)?;
    let fits = match it.conversion {
        Conversion::Signed | Conversion::Unsigned { .. } | Conversion::Count => it.length.integer_bits().is_some(),
        Conversion::Char | Conversion::String => it.length.is_of_text(),
        Conversion::Real { .. } => it.length.is_of_real(),
        Conversion::Pointer => it.length == Length::Plain,
    };
    if !fits {
        return Err(Unsupported::Length);
    }
    it.argument = *used;
    *used += 1;
    Ok(it)
}

fn conversion(letter: u8) -> Result<Conversion, Unsupported> {
    Ok(match letter {
        b'd' | b'i' => Conversion::Signed,
        b'u' => Conversion::Unsigned { base: 10, upper: false },
        b'x' | b'X' => Conversion::Unsigned { base: 16, upper: letter == b'X' },
        b'o' => Conversion::Unsigned { base: 8, upper: false },
        b'c' => Conversion::Char,
        b's' => Conversion::String,
        b'f' | b'e' | b'g' | b'a' | b'F' | b'E' | b'G' | b'A' => {
            Conversion::Real { style: letter.to_ascii_lowercase(), upper: letter.is_ascii_uppercase() }
        }
        b'p' => Conversion::Pointer,
        b'n' => Conversion::Count,
        other => return Err(Unsupported::Conversion(other)),
    })
}

fn amount(reader: &mut Reader, used: &mut usize) -> Result<Option<Amount>, Unsupported> {
    if reader.take(b'*') {
        // `*1$` is an argument by its number.
        if reader.number()?.is_some() {
            return Err(Unsupported::Conversion(b'*'));
        }
        *used += 1;
        return Ok(Some(Amount::Argument(*used - 1)));
    }
    Ok(reader.number()?.map(Amount::Fixed))
}
