//! Elimination of defined variables: from `y == x - 42 && y < 0` to `x - 42 < 0`.
//!
//! Most questions of a localizer are about one assignment, so most of their conjuncts are definitions. Replacing them
//! lets the constructors of terms decide what would otherwise be bit-blasted.

use std::collections::HashMap;

use rustc_hash::FxHashSet;
use wherefore_formula::{Node, TermId, Terms, VarId};

/// Beyond this many conjuncts the solver's own preprocessing is the better one.
const MAX_CONJUNCTS: usize = 200;

/// A formula that is satisfiable if and only if the given one is, without the variables that its conjuncts define.
pub(crate) fn eliminate_definitions(terms: &mut Terms, formula: TermId) -> TermId {
    let mut formula = formula;
    loop {
        let conjuncts = terms.conjuncts(formula);
        if conjuncts.len() > MAX_CONJUNCTS {
            return formula;
        }
        let mut definitions: HashMap<VarId, TermId> = HashMap::new();
        let mut used: FxHashSet<VarId> = FxHashSet::default();
        let mut rest = Vec::new();
        for conjunct in conjuncts {
            match definition(terms, conjunct) {
                // All definitions of one round are put in at once, so none may speak of what another defines.
                Some((var, term))
                    if !used.contains(&var)
                        && !definitions.contains_key(&var)
                        && definitions.keys().all(|&other| !terms.mentions(term, other)) =>
                {
                    used.extend(terms.variables(term));
                    definitions.insert(var, term);
                }
                _ => rest.push(conjunct),
            }
        }
        if definitions.is_empty() {
            return formula;
        }
        let rest = terms.and(rest);
        formula = terms.substitute(rest, &definitions);
    }
}

/// The conjunct as a definition of a variable by a term without it.
fn definition(terms: &Terms, conjunct: TermId) -> Option<(VarId, TermId)> {
    match *terms.node(conjunct) {
        Node::Var(var, _) => Some((var, terms.truth(true))),
        Node::Not(inner) => match *terms.node(inner) {
            Node::Var(var, _) => Some((var, terms.truth(false))),
            _ => None,
        },
        Node::Eq(a, b) => [(a, b), (b, a)].into_iter().find_map(|(x, term)| match *terms.node(x) {
            Node::Var(var, _) if !terms.mentions(term, var) => Some((var, term)),
            _ => None,
        }),
        _ => None,
    }
}
