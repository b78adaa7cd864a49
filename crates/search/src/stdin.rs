//! Standard input as a sequence of items: bytes and numbers, as the program asks for them.
//!
//! A search begins with nothing to read. Where the program asks for more, another path is one on which there is one more
//! item, of the kind it asked for.

use crate::form::Form;

/// What one request of the program reads.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Item {
    /// What stands before it: white space, or what the format of a `scanf` demands.
    pub before: Vec<u8>,
    /// How it is read.
    pub form: Form,
    /// Base of the digits of an integer.
    pub radix: u32,
}

impl Item {
    /// A single byte.
    pub fn byte() -> Item {
        Item { before: vec![], form: Form::Byte, radix: 10 }
    }

    /// Its value when none was asked for.
    pub fn default_bits(&self) -> u128 {
        if self.form == Form::Byte { u128::from(b'a') } else { 0 }
    }

    fn text(&self, value: u128) -> Vec<u8> {
        match self.form {
            Form::Byte | Form::Character => vec![value as u8],
            Form::Real { bits: 32 } => f32::from_bits(value as u32).to_string().into_bytes(),
            Form::Real { .. } => f64::from_bits(value as u64).to_string().into_bytes(),
            Form::Integer { bits, signed } => {
                let unused = 64 - bits;
                let low = (value as u64) << unused;
                match self.radix {
                    16 => format!("{:x}", low >> unused),
                    8 => format!("{:o}", low >> unused),
                    _ if signed => ((low as i64) >> unused).to_string(),
                    _ => (low >> unused).to_string(),
                }
                .into_bytes()
            }
            Form::Truth | Form::Enumeration { .. } => vec![],
        }
    }
}

/// The text of some items.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where each item begins, with what stands before it, where its own text begins, and where it ends.
    pub places: Vec<(usize, usize, usize)>,
}

/// The text of items with their values.
pub(crate) fn render(items: &[Item], mut value: impl FnMut(usize) -> u128) -> Content {
    let mut content = Content::default();
    for (number, item) in items.iter().enumerate() {
        let start = content.bytes.len();
        content.bytes.extend(&item.before);
        let own = content.bytes.len();
        content.bytes.extend(item.text(value(number)));
        content.places.push((start, own, content.bytes.len()));
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_written_as_scanf_reads_them() {
        let int =
            |before: &[u8]| Item { before: before.to_vec(), form: Form::Integer { bits: 32, signed: true }, radix: 10 };
        let hex = Item { radix: 16, ..int(b" ") };
        let real = Item { before: b" ".to_vec(), form: Form::Real { bits: 64 }, radix: 10 };
        let values = [0xffff_fffe, 7, u128::from(b'x'), 255, u128::from(1.5f64.to_bits())];
        let content = render(&[int(b""), int(b","), Item::byte(), hex, real], |k| values[k]);
        assert_eq!(String::from_utf8(content.bytes).unwrap(), "-2,7x ff 1.5");
        assert_eq!(content.places[..2], [(0, 0, 2), (2, 3, 4)]);
    }
}
