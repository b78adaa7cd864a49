//! Types, and how their values lie in memory.
//!
//! `int` takes 64 bits, `bool` a byte, `bvN` the next power of two of bytes. A map is an object with a cell for every index
//! of a window that begins at 0: of one `int` 2^32 cells, of several fewer each (see [`Type::window`]). Such an object is
//! larger than any machine's memory; only what is used of it is ever there. An index outside of the window is an access
//! outside of the object, which whoever runs the program has to refuse.

use std::fmt;

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `bvN`.
    Bits(u32),
    /// `[A, B]C`.
    Map(Vec<Type>, Box<Type>),
}

/// Indices that all indices of a map together may be, as a power of two.
const INDICES: u32 = 40;
/// The same for one of them.
const INDEX: u32 = 32;

impl Type {
    /// Bits of a value; `None` for a map.
    pub fn bits(&self) -> Option<u32> {
        match self {
            Type::Bool => Some(1),
            Type::Int => Some(64),
            Type::Bits(width) => Some(*width),
            Type::Map(..) => None,
        }
    }

    /// Bits that a value takes in memory; `None` for a map.
    pub fn stored_bits(&self) -> Option<u32> {
        self.bits().map(|bits| bits.next_power_of_two().max(8))
    }

    /// The types of all indices of a map, those of maps in it included, and of what lies there in the end.
    pub fn flattened(&self) -> (Vec<&Type>, &Type) {
        let (mut indices, mut of) = (vec![], self);
        while let Type::Map(from, to) = of {
            indices.extend(from);
            of = to;
        }
        (indices, of)
    }

    /// How many values each index of a map may have.
    pub fn window(&self) -> Vec<u64> {
        let (indices, _) = self.flattened();
        let most = INDEX.min(INDICES / indices.len().max(1) as u32);
        indices.iter().map(|index| 1 << index.bits().unwrap_or(0).min(most)).collect()
    }

    /// Bytes that a variable of the type takes.
    pub fn size(&self) -> u64 {
        let (_, of) = self.flattened();
        let cell = u64::from(of.stored_bits().expect("what lies in a map in the end is none")) / 8;
        self.window().iter().product::<u64>() * cell
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Bits(width) => write!(f, "bv{width}"),
            Type::Map(from, to) => {
                let from: Vec<String> = from.iter().map(Type::to_string).collect();
                write!(f, "[{}]{to}", from.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_a_window() {
        let map = |from: Vec<Type>, to: Type| Type::Map(from, Box::new(to));
        assert_eq!(map(vec![Type::Int], Type::Int).size(), 1 << 35);
        assert_eq!(map(vec![Type::Bool], Type::Bool).size(), 2);
        assert_eq!(map(vec![Type::Bits(32)], Type::Bits(8)).size(), 1 << 32);
        let nested = map(vec![Type::Int], map(vec![Type::Bits(4)], Type::Bits(12)));
        assert_eq!((nested.window(), nested.size()), (vec![1 << 20, 16], 1 << 25));
        assert_eq!(nested.to_string(), "[int][bv4]bv12");
    }
}
