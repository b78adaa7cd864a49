//! Names of the parts of an object: `p + 8` is `p->next` when `p` points to a struct with `next` at offset 8.

use wherefore_program::{CType, TypeId, Types};

/// The name of a bit-field in an object of a type, as a suffix.
pub fn bit_field(types: &Types, ctype: TypeId, offset: u64, bits: u64) -> Option<String> {
    match &types[ctype] {
        CType::Array { element, .. } => {
            let size = types.size(*element).filter(|s| *s > 0)? * 8;
            Some(format!("[{}]{}", offset / size, bit_field(types, *element, offset % size, bits)?))
        }
        CType::Record { fields, .. } => fields.iter().find_map(|f| {
            if f.bit_field {
                return (f.offset == offset && f.size == bits).then(|| format!(".{}", f.name));
            }
            let inside = f.offset <= offset && offset + bits <= f.offset + f.size;
            let rest = inside.then(|| bit_field(types, f.ctype, offset - f.offset, bits)).flatten()?;
            Some(if f.name.is_empty() { rest } else { format!(".{}{rest}", f.name) })
        }),
        _ => None,
    }
}

/// The name of the part of an object of a type at a bit offset, as `.member` and `[index]` suffixes, and its type.
pub fn part(types: &Types, ctype: TypeId, offset: u64, bits: u64) -> Option<(String, TypeId)> {
    match &types[ctype] {
        CType::Array { element, .. } => {
            let size = types.size(*element).filter(|s| *s > 0)? * 8;
            let (rest, inner) = part(types, *element, offset % size, bits)?;
            Some((format!("[{}]{rest}", offset / size), inner))
        }
        CType::Record { fields, .. } => fields
            .iter()
            .filter(|f| !f.bit_field && f.offset <= offset)
            .filter(|f| offset + bits <= f.offset + f.size || types.is_flexible(f))
            .find_map(|f| {
                let (rest, inner) = part(types, f.ctype, offset - f.offset, bits)?;
                let name = if f.name.is_empty() { String::new() } else { format!(".{}", f.name) };
                Some((format!("{name}{rest}"), inner))
            }),
        _ => (offset == 0 && types.size(ctype).map(|s| s * 8) == Some(bits)).then(|| (String::new(), ctype)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{ARRAY, Fixture, INT, PAIR};

    #[test]
    fn members_and_elements_are_suffixes() {
        let types = Fixture::new().program.types;
        assert_eq!(part(&types, PAIR, 32, 32), Some((".hi".into(), INT)));
        assert_eq!(part(&types, ARRAY, 64, 32), Some(("[2]".into(), INT)));
        assert_eq!(part(&types, PAIR, 16, 32), None, "half of one member and half of another");
        assert_eq!(part(&types, INT, 0, 32), Some((String::new(), INT)));
    }

    #[test]
    fn bit_fields_are_found_by_their_bits() {
        let mut types = Fixture::new().program.types;
        if let CType::Record { fields, .. } = &mut types.0[PAIR.index()] {
            (fields[1].bit_field, fields[1].offset, fields[1].size) = (true, 35, 5);
        }
        assert_eq!(bit_field(&types, PAIR, 35, 5), Some(".hi".into()));
        assert_eq!(bit_field(&types, PAIR, 35, 6), None);
    }
}
