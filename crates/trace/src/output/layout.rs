//! Which part of a formatted text each piece of the format wrote.

use std::ops::Range;
use wherefore_clib::Length;
use wherefore_clib::print::{Conversion, Directive, Piece};
use wherefore_clib::writing::Writing;

/// A piece of a format and the bytes of the text that it wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Laid {
    /// The piece.
    pub piece: Piece,
    /// How it writes, for a directive.
    pub writing: Writing,
    /// Where its text stands.
    pub range: Range<usize>,
}

/// What is known of the arguments of a format.
pub trait Arguments {
    /// The bits of an argument.
    fn bits(&self, argument: usize) -> Option<u128>;
    /// The text that an argument points to, of at most so many bytes.
    fn string(&self, argument: usize, most: usize) -> Option<Vec<u8>>;
}

/// Why a text was not divided.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The format does not say enough.
    Open,
    /// The format does not write such a text.
    Otherwise,
}

/// A text of so many bytes as the pieces of a format write it, as far as that is known.
pub fn texts(pieces: Vec<Piece>, arguments: &dyn Arguments, count: usize) -> Option<Vec<Option<u8>>> {
    let parts = parts(pieces, arguments).ok()?;
    let known: usize = parts.iter().filter_map(|(.., written)| written.as_ref().map(Vec::len)).sum();
    let open = parts.iter().filter(|(.., written)| written.is_none()).count();
    let rest = count.checked_sub(known).filter(|rest| open == 1 || open == 0 && *rest == 0)?;
    let bytes = |written: Option<Vec<u8>>| match written {
        Some(text) => text.into_iter().map(Some).collect(),
        None => vec![None; rest],
    };
    Some(parts.into_iter().flat_map(|(.., written)| bytes(written)).collect())
}

/// Divides a text among the pieces of the format that wrote it.
pub fn divide(pieces: Vec<Piece>, arguments: &dyn Arguments, text: &[u8]) -> Result<Vec<Laid>, Unknown> {
    let parts = parts(pieces, arguments)?;
    let known: usize = parts.iter().filter_map(|(.., written)| written.as_ref().map(Vec::len)).sum();
    let open = parts.iter().filter(|(.., written)| written.is_none()).count();
    if open > 1 {
        return Err(Unknown::Open);
    }
    let rest = text.len().checked_sub(known).ok_or(Unknown::Otherwise)?;
    if open == 0 && rest > 0 {
        return Err(Unknown::Otherwise);
    }
    let mut at = 0;
    let mut laid = vec![];
    for (piece, writing, written) in parts {
        let range = at..at + written.as_ref().map_or(rest, Vec::len);
        at = range.end;
        if written.is_some_and(|written| written != text[range.clone()]) {
            return Err(Unknown::Otherwise);
        }
        laid.push(Laid { piece, writing, range });
    }
    Ok(laid)
}

/// A piece of a format, how it writes, and what, if that is known.
type Part = (Piece, Writing, Option<Vec<u8>>);

/// The pieces of a format, with how and what they write, if that is known.
fn parts(pieces: Vec<Piece>, arguments: &dyn Arguments) -> Result<Vec<Part>, Unknown> {
    let part = |piece: Piece| {
        let writing = match &piece {
            Piece::Text(_) => Writing::PLAIN,
            Piece::Directive(it) => {
                let mut fixed = |n| arguments.bits(n).map(|bits| i64::from(bits as u32 as i32));
                Writing::of(it, &mut fixed).ok_or(Unknown::Open)?
            }
        };
        let written = written(&piece, &writing, arguments);
        Ok((piece, writing, written))
    };
    pieces.into_iter().map(part).collect()
}

/// What a piece writes, if that is known.
fn written(piece: &Piece, writing: &Writing, arguments: &dyn Arguments) -> Option<Vec<u8>> {
    let directive = match piece {
        Piece::Text(text) => return Some(text.clone()),
        Piece::Directive(directive) => directive,
    };
    let Directive { conversion, argument, length, .. } = *directive;
    match conversion {
        Conversion::Signed | Conversion::Unsigned { .. } => {
            Some(writing.integer(arguments.bits(argument)?).into_bytes())
        }
        Conversion::Char => Some(padded(writing, &[arguments.bits(argument)? as u8])),
        Conversion::String => {
            let own = arguments.string(argument, writing.precision.unwrap_or(usize::MAX))?;
            Some(padded(writing, &own))
        }
        Conversion::Real { style: b'f' | b'e' | b'g', .. } if length != Length::LongDouble => {
            Some(writing.float(f64::from_bits(arguments.bits(argument)? as u64)).into_bytes())
        }
        Conversion::Count => Some(vec![]),
        Conversion::Real { .. } | Conversion::Pointer => None,
    }
}

fn padded(writing: &Writing, own: &[u8]) -> Vec<u8> {
    let (before, after) = writing.margins(own.len());
    [&b" ".repeat(before)[..], own, &b" ".repeat(after)].concat()
}
