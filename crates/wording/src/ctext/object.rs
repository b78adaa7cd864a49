//! The size of an object in words: C has none for it.

use super::strength::ORDER;
use super::{Printer, Text};
use wherefore_formula::{Node, TermId};
use wherefore_trace::Storage;

impl Printer<'_, '_> {
    /// A comparison of an object's size with a number: `p has at most 10 bytes`.
    pub(super) fn size_compared(&self, size: TermId, operator: &str, number: u128) -> Option<Text> {
        let Node::Var(v, _) = *self.node(size) else { return None };
        let Storage::Size { object } = self.names.trace.variables[v.0 as usize].storage else { return None };
        let bound = match operator {
            "<=" => "at most ",
            "<" => "less than ",
            ">=" => "at least ",
            ">" => "more than ",
            "==" => "",
            _ => return None,
        };
        let bytes = if number == 1 { "byte" } else { "bytes" };
        Some((format!("{} has {bound}{number} {bytes}", self.names.object(object, self.position)), ORDER))
    }
}
