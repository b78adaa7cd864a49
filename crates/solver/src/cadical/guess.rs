//! Floats by trying: where a model is wrong about floats, another value of one of them often makes it right, and a plain
//! number will do. That is seen by evaluation, a thousand times faster than by circuits.

use rustc_hash::{FxHashMap, FxHashSet};
use wherefore_formula::{FloatOp, Node, TermId, Terms, Value, VarId};

/// How many terms may be evaluated in all: less than circuits cost.
const MOST_WORK: usize = 500_000;
/// How many variables are tried one by one.
const MOST_VARIABLES: usize = 8;
/// How many constants of the formulas are tried.
const MOST_CONSTANTS: usize = 8;
/// What is tried always.
const PLAIN: [f64; 12] = [0.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, -100.0, 1000.0, 1e6, -1e6, 0.1];

/// Values of all variables that make the formulas true, near a model that does not; `None` means nothing. What is fixed
/// keeps its value.
pub(super) fn guess(
    terms: &Terms,
    formulas: &[TermId],
    is_fixed: impl Fn(VarId) -> bool,
    model: impl Fn(VarId) -> Option<u128>,
) -> Option<FxHashMap<VarId, u128>> {
    let parts = terms.reachable(formulas);
    let known: FxHashMap<VarId, u128> = parts
        .iter()
        .filter_map(|&part| match *terms.node(part) {
            Node::Var(var, _) => Some((var, model(var)?)),
            _ => None,
        })
        .collect();
    let (mut variables, constants) = floats(terms, &parts);
    variables.retain(|&(var, _)| !is_fixed(var));
    let values = PLAIN.into_iter().chain(constants.iter().flat_map(|&c| [c, c + 1.0, c - 1.0, 2.0 * c, c / 2.0]));
    let values: Vec<f64> = values.collect();
    let every = (variables.len() > 1).then_some(&variables[..]);
    let groups = every.into_iter().chain(variables.chunks(1).take(MOST_VARIABLES));
    let tries = groups.flat_map(|group| values.iter().map(move |&value| (group, value)));
    for (group, value) in tries.take(MOST_WORK / parts.len().max(1)) {
        let mut assigned = known.clone();
        assigned.extend(group.iter().map(|&(var, width)| (var, pattern(width, value))));
        let found = terms.evaluate_all(formulas, &mut |var| assigned.get(&var).copied());
        if found.iter().all(|&value| value == Some(Value::Bool(true))) {
            return Some(assigned);
        }
    }
    None
}

fn pattern(width: u32, value: f64) -> u128 {
    match width {
        32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    }
}

/// The variables and the constants that are read as floats, directly or where something chooses between them.
fn floats(terms: &Terms, parts: &[TermId]) -> (Vec<(VarId, u32)>, Vec<f64>) {
    let mut work: Vec<TermId> = vec![];
    for &part in parts {
        if let Node::Float(op, args) = terms.node(part)
            && !matches!(op, FloatOp::FromSigned { .. } | FloatOp::FromUnsigned { .. })
        {
            work.extend(args.iter().rev());
        }
    }
    let (mut variables, mut constants) = (vec![], vec![]);
    let mut seen = FxHashSet::default();
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        match *terms.node(term) {
            Node::Var(var, _) => variables.push((var, terms.width(term))),
            Node::Const { width: 32, value } => constants.push(f64::from(f32::from_bits(value as u32))),
            Node::Const { value, .. } => constants.push(f64::from_bits(value as u64)),
            Node::Ite(_, a, b) => work.extend([b, a]),
            _ => {}
        }
    }
    constants.truncate(MOST_CONSTANTS);
    (variables, constants)
}
