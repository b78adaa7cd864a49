//! Formats of `scanf`.

use crate::format::{Length, Reader, Unsupported};

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Any white space, also none.
    Space,
    /// This byte.
    Literal(u8),
    /// Something is converted.
    Directive(Directive),
}

/// What stands at a `%`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    /// The argument that says where to store what is read, by its number among those after the format; `None` where
    /// `*` says that nothing is stored.
    pub argument: Option<usize>,
    /// The most bytes that are read.
    pub width: Option<usize>,
    /// How long the place is.
    pub length: Length,
    /// What is read.
    pub conversion: Conversion,
}

/// What is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// `d`, `i`, `u`, `x`, `X`, `o`.
    Integer {
        /// Stored with a sign.
        signed: bool,
        /// 8, 10 or 16; 0 for `i`, where the text says it as in C.
        base: u32,
    },
    /// `f`, `e`, `g`, `a` and their capitals.
    Real,
    /// `c`: bytes, white space among them; one if there is no width.
    Char,
    /// `s`: bytes up to white space.
    Word,
    /// `[...]`: bytes of a set.
    Set(Set),
    /// `p`.
    Pointer,
    /// `n`: the number of bytes read so far is stored. It is no conversion that counts.
    Count,
}

/// A set of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    /// `^`: all bytes but these.
    pub negated: bool,
    /// In their order, each once.
    pub bytes: Vec<u8>,
}

impl Set {
    /// Whether a byte belongs to it.
    pub fn contains(&self, byte: u8) -> bool {
        self.bytes.binary_search(&byte).is_ok() != self.negated
    }
}

impl Directive {
    /// Whether white space before it is skipped.
    pub fn skips_space(&self) -> bool {
        !matches!(self.conversion, Conversion::Char | Conversion::Set(_) | Conversion::Count)
    }
}

/// Whether a byte is white space.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The pieces of a format.
pub fn parse(format: &[u8]) -> Result<Vec<Piece>, Unsupported> {
    let mut reader = Reader { rest: format };
    let mut pieces = vec![];
    let mut used = 0;
    while let Some(byte) = reader.next() {
        if is_space(byte) {
            pieces.push(Piece::Space);
        } else if byte != b'%' {
            pieces.push(Piece::Literal(byte));
        } else if reader.take(b'%') {
            // It skips white space, as conversions do.
            pieces.extend([Piece::Space, Piece::Literal(b'%')]);
        } else {
            pieces.push(Piece::Directive(directive(&mut reader, &mut used)?));
        }
    }
    Ok(pieces)
}

/// A directive behind its `%`; `used` arguments are used before it.
fn directive(reader: &mut Reader, used: &mut usize) -> Result<Directive, Unsupported> {
    let stores = !reader.take(b'*');
    let width = reader.number()?;
    if width == Some(0) {
        return Err(Unsupported::Number);
    }
    let length = reader.length();
    let integer = |signed, base| Conversion::Integer { signed, base };
    let conversion = match reader.next().ok_or(Unsupported::Unfinished)? {
        b'd' => integer(true, 10),
        b'i' => integer(true, 0),
        b'u' => integer(false, 10),
        b'x' | b'X' => integer(false, 16),
        b'o' => integer(false, 8),
        b'f' | b'e' | b'g' | b'a' | b'F' | b'E' | b'G' | b'A' => Conversion::Real,
        b'c' => Conversion::Char,
        b's' => Conversion::Word,
        b'[' => Conversion::Set(set(reader)?),
        b'p' => Conversion::Pointer,
        b'n' => Conversion::Count,
        other => return Err(Unsupported::Conversion(other)),
    };
    let fits = match conversion {
        Conversion::Integer { .. } | Conversion::Count => length.integer_bits().is_some(),
        Conversion::Real => length.is_of_real(),
        Conversion::Char | Conversion::Word | Conversion::Set(_) => length.is_of_text(),
        Conversion::Pointer => length == Length::Plain,
    };
    if !fits {
        return Err(Unsupported::Length);
    }
    let argument = stores.then_some(*used);
    *used += usize::from(stores);
    Ok(Directive { argument, width, length, conversion })
}

/// A set behind its `[`. A `]` that comes first belongs to it, and so does a `-` that comes first or last.
fn set(reader: &mut Reader) -> Result<Set, Unsupported> {
    let negated = reader.take(b'^');
    let mut bytes = vec![];
    loop {
        let byte = reader.next().ok_or(Unsupported::Unfinished)?;
        match (byte, bytes.last().copied(), reader.rest.first().copied()) {
            (b']', Some(_), _) => break,
            (b'-', Some(from), Some(to)) if to != b']' && from <= to => bytes.extend(from..=to),
            _ => bytes.push(byte),
        }
    }
    bytes.sort_unstable();
    bytes.dedup();
    Ok(Set { negated, bytes })
}
