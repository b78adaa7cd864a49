//! The table of types: nothing refers outside it, nothing contains itself other than through a pointer, and sizes are
//! such that one can calculate with them.

use crate::{CType, TypeId, Types};

/// Nothing that C describes is larger, in bytes.
pub(super) const LARGEST: u64 = 1 << 48;
/// How deep types may contain each other: those who walk them may recurse.
const DEEPEST: u32 = 200;
/// How many members a type may have, with those of its members: those who walk them may visit all.
const MOST_MEMBERS: u64 = 1 << 20;

/// The types that are wrong, and how.
pub(super) fn bad_types(types: &Types) -> Vec<(usize, &'static str)> {
    let all = &types.0;
    let mut bad: Vec<(usize, &'static str)> =
        all.iter().enumerate().filter_map(|(id, ctype)| Some((id, in_itself(all, ctype)?))).collect();
    if bad.is_empty() {
        bad.extend(in_others(all));
    }
    bad
}

/// What is wrong with a type whatever those are that it consists of.
fn in_itself(all: &[CType], ctype: &CType) -> Option<&'static str> {
    if parts(ctype).iter().chain(&target(ctype)).any(|part| part.index() >= all.len()) {
        return Some("refers to a type that does not exist");
    }
    match ctype {
        CType::Integer { bits, .. } | CType::Enum { bits, .. } | CType::Float { bits } if !(8..=128).contains(bits) => {
            Some("has a width that no number has")
        }
        CType::Record { size, .. } if *size > LARGEST => Some("is larger than memory"),
        CType::Record { fields, size, .. } => {
            let end = |f: &crate::Field| f.offset.checked_add(f.size);
            let is_outside = fields.iter().any(|f| end(f).is_none_or(|end| end > size * 8));
            is_outside.then_some("has a member outside it")
        }
        _ => None,
    }
}

/// What is known of a type once all its parts are known.
#[derive(Copy, Clone)]
struct Measure {
    size: Option<u64>,
    depth: u32,
    members: u64,
}

/// What is wrong with types because of those they consist of.
fn in_others(all: &[CType]) -> Option<(usize, &'static str)> {
    let mut known: Vec<Option<Measure>> = vec![None; all.len()];
    let mut is_open = vec![false; all.len()];
    for start in 0..all.len() {
        let mut work = vec![start];
        while let Some(&id) = work.last() {
            let unknown: Vec<usize> =
                parts(&all[id]).iter().map(|p| p.index()).filter(|p| known[*p].is_none()).collect();
            if known[id].is_some() {
                work.pop();
            } else if unknown.is_empty() {
                let of = |part: &TypeId| known[part.index()].expect("it is known");
                let measures: Vec<Measure> = parts(&all[id]).iter().map(of).collect();
                let measure = Measure {
                    size: match &all[id] {
                        CType::Array { element, count } => match (of(element).size, count) {
                            (Some(size), Some(count)) => Some(size.saturating_mul(*count)),
                            _ => None,
                        },
                        CType::Record { size, .. } => Some(*size),
                        CType::Void | CType::Function => None,
                        _ => Some(16),
                    },
                    depth: measures.iter().map(|m| m.depth + 1).max().unwrap_or(0),
                    members: measures.iter().fold(1, |sum, m| m.members.saturating_add(sum)),
                };
                if measure.size.is_some_and(|size| size > LARGEST) {
                    return Some((id, "is larger than memory"));
                }
                if measure.depth > DEEPEST || measure.members > MOST_MEMBERS {
                    return Some((id, "consists of too many types within each other"));
                }
                known[id] = Some(measure);
                work.pop();
            } else if std::mem::replace(&mut is_open[id], true) {
                return Some((id, "contains itself"));
            } else {
                work.extend(unknown);
            }
        }
    }
    None
}

/// The types a type consists of.
fn parts(ctype: &CType) -> Vec<TypeId> {
    match ctype {
        CType::Array { element, .. } => vec![*element],
        CType::Record { fields, .. } => fields.iter().map(|f| f.ctype).collect(),
        _ => vec![],
    }
}

/// The type a pointer points to.
fn target(ctype: &CType) -> Option<TypeId> {
    if let CType::Pointer(to) = ctype { Some(*to) } else { None }
}
