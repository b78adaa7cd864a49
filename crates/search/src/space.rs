//! The inputs as variables of one arena of terms, which all runs share.

use crate::chosen::Source;
use std::collections::HashMap;
use wherefore_formula::{Sort, TermId, Terms, VarId};

/// Width of the variables for inputs whose type depends on the path: what is used of them are their low bits.
const WIDE: u32 = 64;

/// The inputs as variables.
#[derive(Default)]
pub(crate) struct Space {
    /// The terms over them.
    pub terms: Terms,
    sources: Vec<Source>,
    known: HashMap<Source, VarId>,
    /// Numbers among the arguments of the program, by their index in `argv`.
    pub arguments: HashMap<u32, i64>,
}

impl Space {
    /// The variable of an input.
    pub fn variable(&mut self, source: Source) -> VarId {
        *self.known.entry(source).or_insert_with(|| {
            self.sources.push(source);
            VarId(self.sources.len() as u32 - 1)
        })
    }

    /// The input of a variable.
    pub fn source(&self, variable: VarId) -> Source {
        self.sources[variable.0 as usize]
    }

    /// An input of some width, cut out of its variable where the width is not always the same.
    pub fn term(&mut self, source: Source, bits: u32) -> TermId {
        let variable = self.variable(source);
        let width = match source {
            Source::Parameter(_) | Source::Pointed { .. } | Source::Global { .. } => bits,
            _ => WIDE,
        };
        let whole = self.terms.var(variable, Sort::Bits(width));
        self.terms.extract(whole, 0, bits)
    }

    /// Whether a value is another than the one an input has when it has none.
    pub fn is_told(&self, variable: VarId, value: u128) -> bool {
        if matches!(self.source(variable), Source::Pointer(_)) { value == 0 } else { value != 0 }
    }

    /// An input that is a truth value.
    pub fn truth(&mut self, source: Source) -> TermId {
        let variable = self.variable(source);
        self.terms.var(variable, Sort::Bool)
    }
}
