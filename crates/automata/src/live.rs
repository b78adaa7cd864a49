//! Which variables still matter at a location: a predicate about others says nothing about the ways to an error.

use crate::graph::{Graph, LetterId, LocationId};
use wherefore_formula::{TermId, VarId};
use wherefore_relevance::Statement;

/// For each location and variable whether something that decides about an error may read what it holds.
pub(crate) struct Live {
    variables: usize,
    table: Vec<bool>,
}

impl Live {
    /// Analyses the useful edges of a graph: a value that is assigned counts as read only where it is read itself.
    pub fn new(graph: &Graph, out: &[Vec<(LetterId, LocationId)>]) -> Live {
        let variables = graph.variables.len();
        let mut live = Live { variables, table: vec![false; variables * out.len()] };
        let of = |term: TermId| graph.terms.variables(term).into_iter().collect::<Vec<VarId>>();
        let reads: Vec<Vec<VarId>> = graph
            .letters
            .iter()
            .map(|statement| match *statement {
                Statement::Assign { value, .. } => of(value),
                Statement::Havoc { .. } => vec![],
                Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => of(holds),
            })
            .collect();
        let mut before: Vec<Vec<u32>> = vec![vec![]; out.len()];
        for (from, edges) in out.iter().enumerate() {
            edges.iter().for_each(|(_, to)| before[to.index()].push(from as u32));
        }
        let mut work: Vec<u32> = (0..out.len() as u32).collect();
        let mut waiting = vec![true; out.len()];
        while let Some(at) = work.pop() {
            waiting[at as usize] = false;
            let mut changed = false;
            for (letter, to) in &out[at as usize] {
                let assigned = graph.letters[letter.index()].assigned();
                let is_read = assigned.is_none_or(|assigned| live.at(*to, assigned));
                for number in 0..variables {
                    let var = VarId(number as u32);
                    let passes = assigned != Some(var) && live.at(*to, var);
                    let here = at as usize * variables + number;
                    if passes && !live.table[here] {
                        live.table[here] = true;
                        changed = true;
                    }
                }
                for var in reads[letter.index()].iter().filter(|_| is_read) {
                    let here = at as usize * variables + var.0 as usize;
                    changed |= !std::mem::replace(&mut live.table[here], true);
                }
            }
            for from in before[at as usize].iter().filter(|_| changed) {
                if !std::mem::replace(&mut waiting[*from as usize], true) {
                    work.push(*from);
                }
            }
        }
        live
    }

    /// Whether a variable matters at a location.
    pub fn at(&self, location: LocationId, var: VarId) -> bool {
        self.table[location.index() * self.variables + var.0 as usize]
    }
}
