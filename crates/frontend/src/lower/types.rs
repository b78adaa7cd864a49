//! C types from debug information, with typedefs and qualifiers resolved.

use crate::debug_info::{Description, Kind, Node};
use std::collections::HashMap;
use wherefore_program::{CType, Field, TypeId, Types};

/// DWARF's numbers.
mod dwarf {
    pub const ARRAY: u32 = 0x01;
    pub const ENUMERATION: u32 = 0x04;
    pub const MEMBER: u32 = 0x0d;
    pub const POINTER: u32 = 0x0f;
    pub const STRUCT: u32 = 0x13;
    pub const TYPEDEF: u32 = 0x16;
    pub const UNION: u32 = 0x17;
    pub const CONST: u32 = 0x26;
    pub const VOLATILE: u32 = 0x35;
    pub const RESTRICT: u32 = 0x37;
    pub const ATOMIC: u32 = 0x47;

    pub const BOOLEAN: u32 = 0x02;
    pub const COMPLEX: u32 = 0x03;
    pub const FLOAT: u32 = 0x04;
    pub const SIGNED: u32 = 0x05;
    pub const SIGNED_CHAR: u32 = 0x06;
}

/// The table of types under construction.
#[derive(Default)]
pub(crate) struct TypeTable {
    pub types: Types,
    by_node: HashMap<Option<Node>, TypeId>,
}

impl TypeTable {
    /// The id of a type; no node is `void`.
    pub fn get(&mut self, node: Option<Node>) -> TypeId {
        if let Some(id) = self.by_node.get(&node) {
            return *id;
        }
        let Some(inner) = node else {
            let id = self.push(CType::Void);
            self.by_node.insert(None, id);
            return id;
        };
        let description = inner.describe();
        // What stands for another type shares its id.
        if description.kind == Kind::Derived
            && let dwarf::TYPEDEF | dwarf::CONST | dwarf::VOLATILE | dwarf::RESTRICT | dwarf::ATOMIC = description.tag
        {
            let id = self.get(description.base);
            if description.tag == dwarf::TYPEDEF {
                self.name_by_typedef(id, &description.name);
            }
            self.by_node.insert(node, id);
            return id;
        }
        // Known before its parts are: a struct may point to itself.
        let id = self.push(CType::Void);
        self.by_node.insert(node, id);
        self.types.0[id.index()] = self.describe(inner, &description);
        id
    }

    fn push(&mut self, ctype: CType) -> TypeId {
        self.types.0.push(ctype);
        TypeId(self.types.0.len() as u32 - 1)
    }

    fn name_by_typedef(&mut self, id: TypeId, typedef: &str) {
        if let CType::Record { name, .. } | CType::Enum { name, .. } = &mut self.types.0[id.index()]
            && name.is_empty()
        {
            *name = typedef.to_string();
        }
    }

    fn describe(&mut self, node: Node, d: &Description) -> CType {
        match (d.kind, d.tag) {
            (Kind::Basic, _) => self.basic(d),
            (Kind::Subroutine, _) => CType::Function,
            (Kind::Derived, dwarf::POINTER) => CType::Pointer(self.get(d.base)),
            (Kind::Composite, dwarf::ARRAY) => self.array(node, d),
            (Kind::Composite, dwarf::ENUMERATION) => {
                let constants = node
                    .elements(d)
                    .into_iter()
                    .flatten()
                    .map(|e| {
                        let e = e.describe();
                        let value = e.value.unwrap_or(0);
                        let value = if e.is_unsigned { i128::from(value as u64) } else { i128::from(value) };
                        (e.name, value)
                    })
                    .collect();
                let base = self.get(d.base);
                let signed = self.types.signed(base);
                CType::Enum { name: d.name.clone(), bits: d.size as u32, signed, constants }
            }
            (Kind::Composite, dwarf::STRUCT | dwarf::UNION) => {
                let mut fields = vec![];
                for member in node.elements(d).into_iter().flatten() {
                    let m = member.describe();
                    if m.tag == dwarf::MEMBER {
                        let ctype = self.get(m.base);
                        fields.push(Field {
                            name: m.name,
                            offset: m.offset,
                            size: m.size,
                            bit_field: m.bit_field,
                            ctype,
                        });
                    }
                }
                CType::Record { name: d.name.clone(), union: d.tag == dwarf::UNION, size: d.size / 8, fields }
            }
            _ => CType::Void,
        }
    }

    fn basic(&mut self, d: &Description) -> CType {
        let bits = d.size as u32;
        match d.encoding {
            dwarf::BOOLEAN => CType::Bool,
            dwarf::FLOAT => CType::Float { bits },
            dwarf::COMPLEX => {
                let part = self.push(CType::Float { bits: bits / 2 });
                let half = d.size / 2;
                let field = |name: &str, offset| Field {
                    name: name.to_string(),
                    offset,
                    size: half,
                    bit_field: false,
                    ctype: part,
                };
                let fields = vec![field("real", 0), field("imaginary", half)];
                CType::Record { name: "_Complex".to_string(), union: false, size: d.size / 8, fields }
            }
            encoding => {
                let signed = matches!(encoding, dwarf::SIGNED | dwarf::SIGNED_CHAR);
                CType::Integer { name: d.name.clone(), bits, signed }
            }
        }
    }

    /// Several dimensions are arrays of arrays.
    fn array(&mut self, node: Node, d: &Description) -> CType {
        let counts: Vec<Option<u64>> =
            node.elements(d).into_iter().flatten().map(|s| s.describe().value.map(|v| v as u64)).collect();
        let mut element = self.get(d.base);
        let Some((first, inner)) = counts.split_first() else {
            return CType::Array { element, count: None };
        };
        for count in inner.iter().rev() {
            element = self.push(CType::Array { element, count: *count });
        }
        CType::Array { element, count: *first }
    }
}
