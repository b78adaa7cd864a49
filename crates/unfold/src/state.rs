//! What is known at a point of the unfolded program, and the engine that carries it along.

use crate::address::Shapes;
use crate::bounds::Bounds;
use crate::guard::Guards;
use crate::memory::{Content, Kind, ObjectId, Rest, Undefined};
use crate::parts::{Console, Objects, Outcomes, Softening, Sources, Stack, Variables};
use crate::tables::Tables;
use crate::{Failure, Fault, Options, Source, StatementId};
use imbl::OrdMap;
use std::collections::BTreeSet;
use wherefore_formula::{Node, Sort, TermId, Terms, VarId};
use wherefore_program::{Flow, LocalId, Origin, Program, RegId};

/// One path, or several that were merged.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// When control is here.
    pub guard: TermId,
    /// Objects with addresses.
    pub memory: OrdMap<ObjectId, Content>,
    /// Locals of the running function that have none.
    pub locals: OrdMap<LocalId, Content>,
    /// Registers that are used outside their block.
    pub registers: OrdMap<RegId, TermId>,
    /// Whether the first test comes here.
    pub coming: Coming,
}

/// Whether a test comes to a place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Coming {
    /// It does not, or nobody knows.
    No,
    /// It would if it had come to the loop with this header, in so many nested calls. No test enters that loop.
    Supposed(usize, wherefore_program::BlockId),
    /// It does.
    Yes,
}

/// What a function needs on every visit, computed once.
pub(crate) struct Shape {
    pub flow: Flow,
    /// The block of each number of the reverse post-order.
    pub by_order: Vec<wherefore_program::BlockId>,
    /// Registers used in other blocks than the one that defines them.
    pub crossing: Vec<bool>,
    /// Locals that may be read before they are written.
    pub unset: Vec<bool>,
}

/// The engine: the formula so far, and what is kept while it grows.
pub(crate) struct Unfolder<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    pub terms: Terms,
    pub variables: Variables,
    pub guards: Guards,
    pub objects: Objects,
    /// What the shapes of terms show.
    pub shapes: Shapes,
    pub stack: Stack,
    pub softening: Softening,
    pub sources: Sources,
    pub console: Console,
    pub tables: Tables,
    pub bounds: Bounds,
    pub outcomes: Outcomes,
}

impl Unfolder<'_> {
    pub fn fresh(&mut self, sort: Sort) -> (VarId, TermId) {
        let var = self.variables.fresh();
        (var, self.terms.var(var, sort))
    }

    /// A value that nothing determines.
    pub fn unknown(&mut self, bits: u32) -> TermId {
        self.variables.undefined(&mut self.terms, bits)
    }

    /// The variable of an input, one for each source.
    pub fn input(&mut self, source: Source, bits: u32) -> TermId {
        if let Some(known) = self.sources.term(&source) {
            return known;
        }
        let (var, term) = self.fresh(Sort::Bits(bits));
        self.sources.add(source, var, Sort::Bits(bits), term);
        term
    }

    pub fn selector(&self, statement: StatementId) -> TermId {
        self.softening.selector(statement)
    }

    /// A new object; its content is in no state yet.
    pub fn object(&mut self, size: u64, rest: Rest, constant: bool) -> ObjectId {
        self.objects.add(size, rest, constant)
    }

    /// Lets the declaration of an array be at fault for its length.
    pub fn declare(&mut self, object: ObjectId, at: Option<Origin>, ctype: Option<wherefore_program::TypeId>) {
        let array = ctype.is_some_and(|t| matches!(self.program.types[t], wherefore_program::CType::Array { .. }));
        let statement = at.filter(|_| array).and_then(|at| self.options.statements.get(&at).copied());
        self.objects.declare(object, statement.map(|s| self.selector(s)));
    }

    pub fn kind(&self, object: ObjectId) -> &Kind {
        self.objects.kind(object)
    }

    /// The address of an object, as a value.
    pub fn pointer_to(&mut self, object: ObjectId) -> TermId {
        let address = self.kind(object).address;
        self.terms.bits(64, u128::from(address))
    }

    pub fn extend(&mut self, guard: TermId, condition: TermId) -> TermId {
        let extended = self.terms.and2(guard, condition);
        self.short(extended)
    }

    /// A condition, by its name if it is long.
    pub fn short(&mut self, condition: TermId) -> TermId {
        if !Guards::is_long(&self.terms, condition) {
            return condition;
        }
        if let Some(name) = self.guards.named(condition) {
            return name;
        }
        let var = self.variables.fresh();
        let (name, equality) = self.guards.name(&mut self.terms, var, condition);
        self.outcomes.demand(equality);
        for run in self.bounds.runs() {
            run.evaluation.name(var, condition);
        }
        name
    }

    /// Memory is misused here when `condition` holds; the state goes on where it does not.
    pub fn fail_if(&mut self, state: &mut State, condition: TermId, what: &str, at: Option<Origin>) {
        self.fail_as(state, condition, (Fault::Memory, what), at);
    }

    /// The program fails here when `condition` holds; the state goes on where it does not.
    pub fn fail_as(&mut self, state: &mut State, condition: TermId, (fault, what): (Fault, &str), at: Option<Origin>) {
        if self.terms.truth_value(condition) == Some(false) {
            return;
        }
        let guard = self.terms.and2(state.guard, condition);
        if self.terms.truth_value(guard) != Some(false) {
            self.outcomes.fail(Failure { guard, fault, what: what.into(), at });
        }
        let fine = self.terms.not(condition);
        state.guard = self.extend(state.guard, fine);
    }

    /// What happens where `condition` holds is not followed; the state goes on where it does not. It is worth a note
    /// if a test may do so.
    pub fn cut_if(&mut self, state: &mut State, condition: TermId, why: &str, at: Option<Origin>) {
        let guard = self.terms.and2(state.guard, condition);
        if self.terms.truth_value(guard) == Some(false) {
            return;
        }
        if self.bounds.may_reach(&self.terms, guard) {
            self.note(at, why);
        }
        self.outcomes.cut(guard);
        let fine = self.terms.not(condition);
        state.guard = self.extend(state.guard, fine);
    }

    /// The value of something that has to be fixed. Where a statement that is kept decides it, the value that it
    /// gives: others are not followed.
    pub fn fixed(&mut self, state: &mut State, value: TermId, at: Option<Origin>) -> Option<u128> {
        if let Some(known) = self.terms.constant(value) {
            return Some(known);
        }
        let mut inner = value;
        while let Node::Ite(condition, kept, _) = *self.terms.node(inner)
            && self.softening.is_selector(condition)
        {
            inner = kept;
        }
        let known = self.terms.constant(inner)?;
        let other = self.terms.ne(value, inner);
        self.cut_if(state, other, "another value here is not followed", at);
        Some(known)
    }

    pub fn note(&mut self, at: Option<Origin>, message: impl Into<String>) {
        self.outcomes.note(at, message.into());
    }

    pub fn is_dead(&self, state: &State) -> bool {
        self.terms.truth_value(state.guard) == Some(false)
    }

    /// One state for two of which one is real.
    pub fn merge(&mut self, mut a: State, b: State) -> State {
        let condition = self.guards.distinguish(&mut self.terms, a.guard, b.guard);
        let guard = self.guards.join(&mut self.terms, a.guard, b.guard);
        let shape = self.stack.shape();
        let Unfolder { terms, variables, objects, .. } = self;
        a.guard = guard;
        a.coming = if a.coming == Coming::No { b.coming } else { a.coming };
        if !a.memory.ptr_eq(&b.memory) {
            for (id, other) in b.memory.iter() {
                match a.memory.get(id) {
                    // Made on the other way only: nothing on this way speaks of it.
                    None => {
                        a.memory.insert(*id, other.clone());
                    }
                    Some(mine) if mine == other => {}
                    Some(mine) => {
                        let mut mine = mine.clone();
                        mine.merge(terms, objects.kind(*id), variables, condition, other.clone());
                        a.memory.insert(*id, mine);
                    }
                }
            }
        }
        if !a.locals.ptr_eq(&b.locals) {
            let is_unset = |id: &LocalId| shape.as_ref().is_some_and(|s| s.unset.get(id.index()) == Some(&true));
            let ids: BTreeSet<LocalId> = a.locals.keys().chain(b.locals.keys()).copied().collect();
            for id in ids {
                let (mine, other) = (a.locals.get(&id), b.locals.get(&id));
                let (mut mine, other) = match (mine, other) {
                    (Some(mine), Some(other)) if mine == other => continue,
                    (Some(mine), Some(other)) => (mine.clone(), other.clone()),
                    // Not written on one way, but read there all the same.
                    (mine, other) if is_unset(&id) => {
                        let or_new = |content: Option<&Content>| content.cloned().unwrap_or(Content::new(terms));
                        (or_new(mine), or_new(other))
                    }
                    (Some(_), None) | (None, None) => continue,
                    (None, Some(other)) => {
                        a.locals.insert(id, other.clone());
                        continue;
                    }
                };
                mine.merge(terms, &local_kind(), variables, condition, other);
                a.locals.insert(id, mine);
            }
        }
        if !a.registers.ptr_eq(&b.registers) {
            for (id, other) in b.registers.iter() {
                match a.registers.get(id).copied() {
                    Some(mine) if mine == *other => {}
                    Some(mine) => {
                        let value = terms.ite(condition, mine, *other);
                        a.registers.insert(*id, value);
                    }
                    None => {
                        a.registers.insert(*id, *other);
                    }
                }
            }
        }
        a
    }
}

/// A local without an address: only its size matters, and that is known to be enough.
pub(crate) fn local_kind() -> Kind {
    Kind { address: 0, front: 0, size: u64::MAX, limit: None, constant: false, declared: None, rest: Rest::Undefined }
}

#[cfg(test)]
mod tests;
