//! `sscanf`: what is read from a text, by its characters.

use super::Call;
use super::numerals::Numeral;
use crate::builder::{Facts, Value};
use crate::walk::Walker;
use wherefore_clib::scan::{self, Conversion, Directive, Piece, Set};
use wherefore_formula::TermId;

/// A text that is being read.
struct Reading {
    bytes: Vec<Value>,
    at: usize,
    /// What the bytes read so far are: true in the run.
    shape: Vec<TermId>,
    /// What is stored: where, and the bytes or the number.
    stored: Vec<(Value, Stored)>,
    /// Conversions that count.
    count: u64,
}

enum Stored {
    Bytes(Vec<Value>),
    Number(Value),
}

/// How reading goes on.
enum Next {
    More,
    /// The text does not fit the format.
    Stop,
}

impl Walker<'_> {
    pub(super) fn scanning(&mut self, call: &Call) -> Option<Value> {
        let ("sscanf", [text, format, places @ ..]) = (call.function.name, call.arguments) else { return None };
        let format_bytes = self.text(format, None, call.here)?;
        let pattern: Vec<u8> =
            format_bytes.iter().map(|byte| byte.concrete as u8).take_while(|byte| *byte != 0).collect();
        let pieces = scan::parse(&pattern).ok()?;
        let bytes = self.text(text, None, call.here)?;
        let mut reading = Reading { bytes, at: 0, shape: vec![], stored: vec![], count: 0 };
        for piece in &pieces {
            let next = match piece {
                Piece::Space => self.skip_space(&mut reading),
                Piece::Literal(byte) => self.literal(&mut reading, *byte),
                Piece::Directive(directive) => self.convert(&mut reading, directive, places)?,
            };
            if matches!(next, Next::Stop) {
                break;
            }
        }
        let returned = call.returned as u32;
        // The end of the text before anything was read is told by a number of its own.
        if call.bits > 0 && returned != reading.count as u32 && (returned != u32::MAX || reading.count > 0) {
            return None;
        }
        let looked = reading.bytes.len().min(reading.at + 1);
        let mut facts = self.facts_of(&reading.bytes[..looked], &[text, format]);
        let shape = self.build.terms.and(reading.shape.clone());
        self.hold(&mut facts, shape);
        for (place, stored) in reading.stored {
            match stored {
                Stored::Bytes(bytes) => {
                    let mut facts = facts.clone();
                    self.fix(&mut facts, &place);
                    self.put(&place, &bytes, &facts, call.here);
                }
                Stored::Number(mut number) => {
                    number.facts.merge(&facts);
                    self.put_number(&place, &number, call.here);
                }
            }
        }
        if call.bits == 0 {
            return Some(self.build.constant(1, 0));
        }
        let result = Value { facts, ..self.build.constant(call.bits, call.returned) };
        Some(self.under(shape, result, call))
    }

    fn skip_space(&mut self, reading: &mut Reading) -> Next {
        while let Some(byte) = reading.bytes.get(reading.at) {
            let (is_space, term) = (scan::is_space(byte.concrete as u8), byte.term);
            let space = self.is_space_term(term);
            reading.shape.push(if is_space { space } else { self.build.terms.not(space) });
            if !is_space {
                break;
            }
            reading.at += 1;
        }
        Next::More
    }

    fn literal(&mut self, reading: &mut Reading, wanted: u8) -> Next {
        let Some(byte) = reading.bytes.get(reading.at).cloned() else { return Next::Stop };
        let same = self.is_byte(&byte, wanted);
        if byte.concrete == u128::from(wanted) {
            reading.shape.push(same);
            reading.at += 1;
            return Next::More;
        }
        reading.shape.push(self.build.terms.not(same));
        Next::Stop
    }

    fn convert(&mut self, reading: &mut Reading, it: &Directive, places: &[Value]) -> Option<Next> {
        let place = it.argument.map(|number| places.get(number).cloned());
        let place = match place {
            Some(place) => Some(place?),
            None => None,
        };
        match &it.conversion {
            Conversion::Integer { base, .. } => {
                let rest: Vec<Value> = reading.bytes[reading.at..].to_vec();
                let numeral: Numeral = self.numeral_in(&rest, *base, it.width)?;
                reading.shape.push(numeral.shape);
                if !numeral.has_digits() {
                    return Some(Next::Stop);
                }
                let value = self.worth(&rest, &numeral, it.length.integer_bits()?.max(32), Facts::default());
                let bits = it.length.integer_bits()?;
                let value = self.resized(value, bits);
                reading.at += numeral.end;
                if let Some(place) = place {
                    reading.stored.push((place, Stored::Number(value)));
                    reading.count += 1;
                }
                Some(Next::More)
            }
            Conversion::Word => {
                self.skip_space(reading);
                let space = Set { negated: true, bytes: vec![9, 10, 11, 12, 13, 32] };
                Some(self.span(reading, &space, it.width, place))
            }
            Conversion::Set(set) => Some(self.span(reading, set, it.width, place)),
            Conversion::Char => {
                let width = it.width.unwrap_or(1);
                let bytes = reading.bytes.get(reading.at..reading.at + width)?.to_vec();
                if bytes.iter().any(|byte| byte.concrete == 0) {
                    return None;
                }
                for byte in &bytes {
                    let end = self.is_zero(byte);
                    reading.shape.push(self.build.terms.not(end));
                }
                reading.at += width;
                if let Some(place) = place {
                    reading.stored.push((place, Stored::Bytes(bytes)));
                    reading.count += 1;
                }
                Some(Next::More)
            }
            Conversion::Count => {
                let count = self.build.constant(it.length.integer_bits()?, reading.at as u128);
                reading.stored.extend(place.map(|place| (place, Stored::Number(count))));
                Some(Next::More)
            }
            Conversion::Real | Conversion::Pointer => None,
        }
    }

    /// Bytes of a set, one at least, with a zero behind them.
    fn span(&mut self, reading: &mut Reading, set: &Set, width: Option<usize>, place: Option<Value>) -> Next {
        let mut bytes = vec![];
        while width.is_none_or(|width| bytes.len() < width) {
            let Some(byte) = reading.bytes.get(reading.at).cloned() else { break };
            let value = byte.concrete as u8;
            let belongs = value != 0 && set.contains(value);
            let inside = self.belongs(&byte, set);
            reading.shape.push(if belongs { inside } else { self.build.terms.not(inside) });
            if !belongs {
                break;
            }
            bytes.push(byte);
            reading.at += 1;
        }
        if bytes.is_empty() {
            return Next::Stop;
        }
        if let Some(place) = place {
            bytes.push(self.build.constant(8, 0));
            reading.stored.push((place, Stored::Bytes(bytes)));
            reading.count += 1;
        }
        Next::More
    }

    /// Whether a byte is one of a set, and no zero.
    fn belongs(&mut self, byte: &Value, set: &Set) -> TermId {
        let mut any = vec![];
        for wanted in &set.bytes {
            any.push(self.is_byte(byte, *wanted));
        }
        let any = self.build.terms.or(any);
        let inside = if set.negated { self.build.terms.not(any) } else { any };
        let end = self.is_zero(byte);
        let goes_on = self.build.terms.not(end);
        self.build.terms.and2(goes_on, inside)
    }
}
