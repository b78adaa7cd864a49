//! C types, with typedefs and qualifiers resolved: enough to name a part of an object and to print a value.

use crate::TypeId;
use serde::{Deserialize, Serialize};

/// The table of types.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Types(pub Vec<CType>);

impl std::ops::Index<TypeId> for Types {
    type Output = CType;
    fn index(&self, id: TypeId) -> &CType {
        &self.0[id.index()]
    }
}

/// A C type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum CType {
    /// `void`, or a type the compiler does not describe.
    Void,
    /// `_Bool`.
    Bool,
    /// Integers, `char` included.
    Integer {
        /// As in C: `unsigned int`.
        name: String,
        /// Width.
        bits: u32,
        /// Signedness.
        signed: bool,
    },
    /// `float`, `double`, `long double`.
    Float {
        /// Width.
        bits: u32,
    },
    /// An enumeration.
    Enum {
        /// Its tag, or "".
        name: String,
        /// Width.
        bits: u32,
        /// Signedness.
        signed: bool,
        /// Constants.
        constants: Vec<(String, i128)>,
    },
    /// A pointer.
    Pointer(TypeId),
    /// A function (only behind pointers).
    Function,
    /// An array.
    Array {
        /// Element type.
        element: TypeId,
        /// Number of elements; `None` when unknown.
        count: Option<u64>,
    },
    /// A struct or union.
    Record {
        /// Its tag (or the typedef's name), or "".
        name: String,
        /// A union.
        union: bool,
        /// Size in bytes.
        size: u64,
        /// Members.
        fields: Vec<Field>,
    },
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Its name; "" for an anonymous struct or union.
    pub name: String,
    /// Offset in bits.
    pub offset: u64,
    /// Size in bits.
    pub size: u64,
    /// Whether it is a bit-field.
    pub bit_field: bool,
    /// Its type.
    pub ctype: TypeId,
}

impl Types {
    /// Size in bytes; `None` when unknown.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match &self[id] {
            CType::Void | CType::Function => None,
            CType::Bool => Some(1),
            CType::Integer { bits, .. } | CType::Enum { bits, .. } => Some(u64::from(*bits) / 8),
            CType::Float { bits } => Some(u64::from(*bits) / 8),
            CType::Pointer(_) => Some(8),
            CType::Array { element, count } => Some(self.size(*element)? * (*count)?),
            CType::Record { size, .. } => Some(*size),
        }
    }

    /// Whether a member has no end of its own: `int data[]` at the end of a struct.
    pub fn is_flexible(&self, field: &Field) -> bool {
        matches!(self[field.ctype], CType::Array { count: None | Some(0), .. })
    }

    /// Whether an object of a type may be longer than the type: a struct that ends with such a member.
    pub fn is_open_ended(&self, id: TypeId) -> bool {
        matches!(&self[id], CType::Record { fields, .. } if fields.last().is_some_and(|f| self.is_flexible(f)))
    }

    /// The scalars that an object of a type consists of, in order: offset in bytes and type. `None` where some are not
    /// bytes of their own (unions, bit-fields), where a size is not known, or where there are more than `most`.
    pub fn scalars(&self, id: TypeId, most: usize) -> Option<Vec<(u64, TypeId)>> {
        let mut scalars = vec![];
        self.collect_scalars(id, 0, most, &mut scalars)?;
        Some(scalars)
    }

    fn collect_scalars(&self, id: TypeId, at: u64, most: usize, found: &mut Vec<(u64, TypeId)>) -> Option<()> {
        match &self[id] {
            CType::Array { element, count } => {
                let (size, count) = (self.size(*element)?, (*count)?);
                if count > most as u64 {
                    return None;
                }
                (0..count).try_for_each(|n| self.collect_scalars(*element, at + n * size, most, found))
            }
            CType::Record { union: true, .. } => None,
            CType::Record { fields, .. } if fields.iter().any(|f| f.bit_field) => None,
            CType::Record { fields, .. } => {
                fields.iter().try_for_each(|f| self.collect_scalars(f.ctype, at + f.offset / 8, most, found))
            }
            _ => {
                self.size(id)?;
                found.push((at, id));
                (found.len() <= most).then_some(())
            }
        }
    }

    /// Whether values of the type are compared as signed numbers.
    pub fn signed(&self, id: TypeId) -> bool {
        matches!(&self[id], CType::Integer { signed: true, .. } | CType::Enum { signed: true, .. })
    }
}
