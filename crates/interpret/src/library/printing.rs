//! Output.

use crate::machine::Machine;
use crate::operation::mask;
use crate::stop::{Going, give_up};
use wherefore_clib::print::{Conversion, Piece, parse};
use wherefore_clib::writing::Writing;
use wherefore_program::Operand;

const LONGEST: u64 = 1 << 20;

impl Machine<'_> {
    pub(super) fn printing(&mut self, name: &str, arguments: &[Operand], values: &[u128]) -> Going<Option<u128>> {
        Ok(Some(match name {
            "putchar" => {
                self.stdout.push(values[0] as u8);
                values[0] & 0xff
            }
            "puts" => {
                let text = self.memory.text(values[0] as u64, LONGEST)?;
                self.stdout.extend(&text);
                self.stdout.push(b'\n');
                text.len() as u128 + 1
            }
            "printf" => {
                let text = self.formatted(values[0] as u64, &arguments[1..], &values[1..])?;
                self.stdout.extend(&text);
                text.len() as u128
            }
            "sprintf" => {
                let mut text = self.formatted(values[1] as u64, &arguments[2..], &values[2..])?;
                let length = text.len();
                text.push(0);
                self.memory.write(values[0] as u64, &text)?;
                length as u128
            }
            "snprintf" => {
                let mut text = self.formatted(values[2] as u64, &arguments[3..], &values[3..])?;
                let length = text.len();
                if values[1] > 0 {
                    text.truncate(values[1] as usize - 1);
                    text.push(0);
                    self.memory.write(values[0] as u64, &text)?;
                }
                length as u128
            }
            _ => return Ok(None),
        }))
    }

    /// What `printf` writes.
    fn formatted(&mut self, format: u64, arguments: &[Operand], values: &[u128]) -> Going<Vec<u8>> {
        let format = self.memory.text(format, LONGEST)?;
        let Ok(pieces) = parse(&format) else { return give_up("a format of printf() that is not known") };
        let mut all = vec![];
        for piece in pieces {
            let it = match piece {
                Piece::Text(text) => {
                    all.extend(text);
                    continue;
                }
                Piece::Directive(it) => it,
            };
            let mut number = |argument: usize| values.get(argument).map(|value| i64::from(*value as i32));
            let (Some(writing), Some(&value)) = (Writing::of(&it, &mut number), values.get(it.argument)) else {
                return give_up("a format of printf() that does not fit its arguments");
            };
            let text: Vec<u8> = match it.conversion {
                Conversion::Signed | Conversion::Unsigned { .. } => {
                    writing.integer(mask(value, writing.bits)).into_bytes()
                }
                Conversion::Real { style: b'a', .. } | Conversion::Pointer | Conversion::Count => {
                    return give_up("a format of printf() that is not known");
                }
                Conversion::Real { .. } => {
                    if self.width(&arguments[it.argument]) != 64 {
                        return give_up("a `long double` is printed");
                    }
                    writing.float(f64::from_bits(value as u64)).into_bytes()
                }
                Conversion::Char => padded(&writing, vec![value as u8]),
                Conversion::String => {
                    let most = writing.precision.map_or(LONGEST, |most| most as u64);
                    padded(&writing, self.memory.text(value as u64, most)?)
                }
            };
            all.extend(text);
        }
        Ok(all)
    }
}

/// A text of the width that is asked for.
fn padded(writing: &Writing, text: Vec<u8>) -> Vec<u8> {
    let (before, after) = writing.margins(text.len());
    [vec![b' '; before], text, vec![b' '; after]].concat()
}
