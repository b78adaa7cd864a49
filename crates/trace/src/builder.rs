//! Builds the steps of a trace: variables, their versions, reads and writes of memory.
//!
//! A value that a register holds is a term over variables *as they were when they were read*. When a step uses it after
//! one of them was overwritten, the old value is saved in a variable of its own, by a step put where the overwriting was.

mod cells;
mod known;
mod late;
mod reading;
mod unseen;

use crate::memory::{FOREIGN, Memory, ObjectKind, Piece};
use crate::model::{Action, BranchId, Kind, Step, Storage, Variable};
pub use cells::part_type;
use late::Pending;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;
use std::rc::Rc;
use unseen::{SetBy, Unseen};
use wherefore_formula::{Sort, TermId, Terms, VarId};
use wherefore_meaning::replace_bits;
use wherefore_program::{Origin, Program, TypeId};

/// So many pointers are taken for names of one place.
const POINTERS: usize = 4;

/// What a value depends on besides its term.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The variables read, with their versions.
    pub reads: Vec<(VarId, u32)>,
    /// What C takes for granted.
    pub assumes: Vec<TermId>,
    /// What was fixed to how it was in the run: pointers, indices, what code outside was given.
    pub addresses: Vec<TermId>,
}

impl Facts {
    /// Add what another value depends on.
    pub fn merge(&mut self, other: &Facts) {
        add_new(&mut self.reads, &other.reads);
        add_new(&mut self.assumes, &other.assumes);
        add_new(&mut self.addresses, &other.addresses);
    }

    /// Whether a variable was read more than once, and set in between.
    pub fn has_versions(&self) -> bool {
        let others = |n: usize| self.reads[n + 1..].iter();
        self.reads.iter().enumerate().any(|(n, (var, _))| others(n).any(|(other, _)| other == var))
    }
}

fn add_new<T: Copy + PartialEq>(to: &mut Vec<T>, from: &[T]) {
    for x in from {
        if !to.contains(x) {
            to.push(*x);
        }
    }
}

/// A value: its term, its recorded bits, what it depends on.
#[derive(Clone, Debug)]
pub struct Value {
    /// The term.
    pub term: TermId,
    /// The bits in the run.
    pub concrete: u128,
    /// What it depends on.
    pub facts: Facts,
}

/// Where something happens.
#[derive(Copy, Clone, Debug)]
pub struct Here {
    /// Its place in the source.
    pub at: Option<Origin>,
    /// The activation.
    pub activation: u32,
    /// The innermost open branch.
    pub scope: Option<BranchId>,
}

/// A range of an object.
#[derive(Copy, Clone, Debug)]
pub struct Range {
    /// The object.
    pub object: u32,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

/// A call to code outside the program that may have written memory.
#[derive(Clone, Debug)]
pub struct Outside {
    /// Position in the steps right after the call.
    pub position: usize,
    /// Where.
    pub here: Here,
    /// What the call was given, fixed to how it was.
    pub given: Rc<Facts>,
    /// What of the writing is its own: a call that waits for threads, or starts them, mostly writes nothing itself.
    pub writes: Writes,
}

/// Who writes what is found changed after a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Writes {
    /// The call.
    Itself,
    /// Other threads.
    Threads,
}

/// The trace under construction.
pub struct Builder<'p> {
    pub program: &'p Program,
    pub terms: Terms,
    pub variables: Vec<Variable>,
    pub steps: Vec<Step>,
    pub memory: Memory,
    pub initial: Vec<Option<u128>>,
    /// Contents of globals when the run began.
    pub images: Vec<Option<Vec<u8>>>,
    inserts: Vec<(usize, Step)>,
    current: Vec<Option<u128>>,
    writes: Vec<Vec<(usize, Option<u128>)>>,
    seen: Vec<usize>,
    pending: FxHashMap<u32, Vec<Pending>>,
    saved: FxHashMap<(VarId, u32), VarId>,
    /// The last call outside, and the last one that was given a pointer into an object.
    pub last_outside: Option<Outside>,
    pub outside_of: FxHashMap<u32, Outside>,
    /// Whether other threads may write at any time.
    pub others: bool,
    /// Cells that code outside may have written since they were known.
    forgotten: FxHashMap<VarId, Outside>,
    /// What was copied, or given by code outside, before the run showed it.
    unseen: FxHashMap<(VarId, u32), Unseen>,
    /// Variables that go on to change without steps.
    left: FxHashSet<VarId>,
    /// Copies of copies whose source is being looked up.
    late: u32,
    /// How many fills and copies took effect later.
    copies: usize,
}

impl<'p> Builder<'p> {
    pub fn new(program: &'p Program) -> Self {
        Builder {
            program,
            terms: Terms::new(),
            variables: vec![],
            steps: vec![],
            memory: Memory::default(),
            initial: vec![],
            images: vec![],
            inserts: vec![],
            current: vec![],
            writes: vec![],
            seen: vec![],
            pending: FxHashMap::default(),
            saved: FxHashMap::default(),
            last_outside: None,
            outside_of: FxHashMap::default(),
            others: false,
            forgotten: FxHashMap::default(),
            unseen: FxHashMap::default(),
            left: FxHashSet::default(),
            late: 0,
            copies: 0,
        }
    }

    pub fn variable(&mut self, storage: Storage, bits: u32, ctype: Option<TypeId>, address: Option<u64>) -> VarId {
        let id = VarId(self.variables.len() as u32);
        self.variables.push(Variable { storage, bits, ctype, address, paths: vec![], definition: None });
        self.initial.push(None);
        self.current.push(None);
        self.writes.push(vec![]);
        self.seen.push(0);
        id
    }

    pub fn var_term(&mut self, var: VarId) -> TermId {
        let bits = self.variables[var.0 as usize].bits;
        self.terms.var(var, Sort::Bits(bits))
    }

    pub fn constant(&mut self, bits: u32, value: u128) -> Value {
        Value { term: self.terms.bits(bits, value), concrete: mask(value, bits), facts: Facts::default() }
    }

    /// The current value of a variable, which the program reads.
    pub fn value_of(&mut self, var: VarId) -> Value {
        self.seen[var.0 as usize] = self.steps.len();
        self.peek(var)
    }

    /// The current value of a variable.
    pub fn peek(&mut self, var: VarId) -> Value {
        let concrete = self.current[var.0 as usize].unwrap_or(0);
        let version = self.version(var);
        Value { term: self.var_term(var), concrete, facts: Facts { reads: vec![(var, version)], ..Facts::default() } }
    }

    /// Variables in memory that point to an address, some of them.
    pub fn pointers_to(&mut self, address: u64) -> Vec<Value> {
        let in_memory = |storage: &Storage| {
            matches!(
                storage,
                Storage::Local { .. } | Storage::Global { .. } | Storage::Heap { .. } | Storage::Foreign { .. }
            )
        };
        let points = |index: &usize| {
            self.variables[*index].bits == 64
                && self.current[*index] == Some(u128::from(address))
                && in_memory(&self.variables[*index].storage)
        };
        let found: Vec<usize> = (0..self.variables.len()).filter(points).take(POINTERS).collect();
        found.into_iter().map(|index| self.peek(VarId(index as u32))).collect()
    }

    /// A range has a value before the run begins.
    pub fn begin_with(&mut self, range: Range, value: u128) {
        self.divide(range);
        for piece in self.memory.pieces(range.object, range.offset, range.size) {
            let (var, offset, size) = match piece {
                Piece::Gap { offset, size } => {
                    (self.new_cell(Range { object: range.object, offset, size }), offset, size)
                }
                Piece::Cell { cell, .. } => (cell.variable, cell.offset, cell.size),
            };
            self.set_initial(var, mask(value >> (8 * (offset - range.offset)), size as u32 * 8));
        }
    }

    /// What a variable holds now, when the run shows it.
    pub fn current_value(&self, var: VarId) -> Option<u128> {
        self.current[var.0 as usize]
    }

    /// A variable has a value before the run begins.
    pub fn set_initial(&mut self, var: VarId, value: u128) {
        self.initial[var.0 as usize] = Some(value);
        self.current[var.0 as usize] = Some(value);
    }

    /// Whether nothing is known yet about some byte of a range.
    pub fn is_unset(&self, range: Range) -> bool {
        self.memory.pieces(range.object, range.offset, range.size).iter().any(|p| match p {
            Piece::Gap { .. } => true,
            Piece::Cell { cell, .. } => self.writes[cell.variable.0 as usize].is_empty(),
        })
    }

    /// Whether a range is one variable that has been set by the steps, as far as these go.
    pub fn is_current(&self, range: Range) -> bool {
        self.memory.cell_at(range.object, range.offset).is_some_and(|cell| {
            let is_it = cell.offset == range.offset && cell.size == range.size;
            is_it && !self.writes[cell.variable.0 as usize].is_empty() && !self.left.contains(&cell.variable)
        })
    }

    /// From now on the variable at a range changes without steps.
    pub fn leave(&mut self, range: Range) {
        if let Some(cell) = self.memory.cell_at(range.object, range.offset) {
            self.left.insert(cell.variable);
        }
    }

    fn version(&self, var: VarId) -> u32 {
        self.writes[var.0 as usize].len() as u32
    }

    /// `to := value` as the next step.
    pub fn assign(&mut self, to: VarId, value: &Value, kind: Kind, here: Here) {
        let position = self.steps.len();
        let value = self.refresh(value);
        let step = self.assignment(to, value, None, position, kind, here);
        self.steps.push(step);
    }

    /// `to := value` at an earlier position; `to` was not touched since.
    pub fn assign_at(&mut self, position: usize, to: VarId, value: Value, kind: Kind, here: Here) {
        let step = self.assignment(to, value, None, position, kind, here);
        self.inserts.push((position, step));
    }

    fn assignment(
        &mut self,
        to: VarId,
        value: Value,
        through: Option<(TermId, u64)>,
        position: usize,
        kind: Kind,
        here: Here,
    ) -> Step {
        let index = to.0 as usize;
        let before = self.current[index];
        self.forgotten.remove(&to);
        self.left.remove(&to);
        self.current[index] = Some(value.concrete);
        // Most variables of a long run are written once.
        if self.writes[index].is_empty() {
            self.writes[index].reserve_exact(1);
        }
        self.writes[index].push((position, before));
        self.seen[index] = position;
        Step {
            action: Action::Assign {
                to,
                value: value.term,
                assumes: value.facts.assumes.into(),
                addresses: value.facts.addresses.into(),
                through,
                before,
                after: value.concrete,
            },
            kind,
            at: here.at,
            activation: here.activation,
            scope: here.scope,
            is_misplaced: false,
            is_given: false,
        }
    }

    /// The value over variables as they are now: what was overwritten since is saved.
    pub fn refresh(&mut self, value: &Value) -> Value {
        let mut value = value.clone();
        let stale: Vec<(VarId, u32)> =
            value.facts.reads.iter().copied().filter(|(v, version)| self.version(*v) != *version).collect();
        if stale.is_empty() {
            return value;
        }
        let mut map = HashMap::new();
        for (var, version) in stale {
            let saved = self.save(var, version);
            map.insert(var, self.var_term(saved));
            value.facts.reads.retain(|r| *r != (var, version));
            let saved_version = self.version(saved);
            value.facts.reads.push((saved, saved_version));
        }
        value.term = self.terms.substitute(value.term, &map);
        for t in value.facts.assumes.iter_mut().chain(&mut value.facts.addresses) {
            *t = self.terms.substitute(*t, &map);
        }
        value
    }

    /// Facts over variables as they are now.
    pub fn refresh_facts(&mut self, facts: &Facts) -> Facts {
        let value = Value { facts: facts.clone(), ..self.constant(1, 0) };
        self.refresh(&value).facts
    }

    /// What a call outside was given, for what it has written: over the variables as they were before it wrote any.
    fn given_to(&mut self, outside: &Outside) -> Vec<TermId> {
        let mut map = HashMap::new();
        for (var, version) in &outside.given.reads {
            let overwritten = self.writes[var.0 as usize].get(*version as usize);
            if overwritten.is_some_and(|(position, _)| *position == outside.position) {
                let saved = self.save(*var, *version);
                map.insert(*var, self.var_term(saved));
            }
        }
        let given = outside.given.addresses.iter();
        given.map(|fact| if map.is_empty() { *fact } else { self.terms.substitute(*fact, &map) }).collect()
    }

    fn save(&mut self, var: VarId, version: u32) -> VarId {
        if let Some(saved) = self.saved.get(&(var, version)) {
            return *saved;
        }
        let (position, value) = self.writes[var.0 as usize][version as usize];
        let Variable { bits, ctype, .. } = self.variables[var.0 as usize];
        let saved = self.variable(Storage::Saved { of: var }, bits, ctype, None);
        self.saved.insert((var, version), saved);
        let term = self.var_term(var);
        let here = self.steps.get(position).map_or(Here { at: None, activation: 0, scope: None }, |s| Here {
            at: s.at,
            activation: s.activation,
            scope: s.scope,
        });
        let is_shown = value.is_some();
        let value = Value { term, concrete: value.unwrap_or(0), facts: Facts::default() };
        self.assign_at(position, saved, value, Kind::Internal, here);
        if !is_shown {
            let whole = self.whole((var, version));
            self.not_shown(saved, SetBy::Inserted(self.inserts.len() - 1), vec![whole]);
        }
        saved
    }

    /// Write a value, through a pointer if there is one.
    pub fn write(&mut self, range: Range, value: &Value, kind: Kind, pointer: Option<&Value>, here: Here) {
        let value = self.refresh(value);
        self.divide(range);
        let path = pointer.map(|p| self.refresh(p).term);
        let through = path.filter(|p| self.terms.constant(*p).is_none()).map(|p| (p, range.size));
        let mut done = 0u64;
        let width = self.terms.width(value.term);
        let padded = if u64::from(width) < range.size * 8 {
            self.terms.zero_extend(value.term, range.size as u32 * 8)
        } else {
            value.term
        };
        for piece in self.memory.pieces(range.object, range.offset, range.size) {
            let (var, from, size) = match piece {
                Piece::Cell { cell, from, size } => (cell.variable, from, size),
                Piece::Gap { offset, size } => (self.new_cell(Range { object: range.object, offset, size }), 0, size),
            };
            let part_bits = size as u32 * 8;
            let cell_bits = self.variables[var.0 as usize].bits;
            let part = self.terms.extract(padded, done as u32 * 8, part_bits);
            let bits = mask(value.concrete >> (8 * done), part_bits);
            let mut new = Value { term: part, concrete: bits, facts: value.facts.clone() };
            if part_bits < cell_bits {
                let whole = self.value_of(var);
                new.term = replace_bits(&mut self.terms, whole.term, part, from as u32 * 8);
                let hole = mask(u128::MAX, part_bits) << (8 * from);
                new.concrete = (whole.concrete & !hole) | (bits << (8 * from));
                new.facts.merge(&whole.facts);
            } else if let Some(path) = path
                && range.size * 8 == u64::from(cell_bits)
            {
                self.add_path(var, path);
            }
            let new = self.refresh(&new);
            let step = self.assignment(var, new, through, self.steps.len(), kind, here);
            self.steps.push(step);
            done += size;
        }
    }

    /// Where a position is once the inserted steps are in their places: before and after those that stand there.
    pub fn placed_at(&self, position: usize) -> (usize, usize) {
        let before = self.inserts.iter().filter(|(p, _)| *p < position).count();
        let there = self.inserts.iter().filter(|(p, _)| *p == position).count();
        (position + before, position + before + there)
    }

    /// Positions in order become those of the same steps once the inserted ones are in their places.
    pub fn place_all<'a>(&self, positions: impl Iterator<Item = &'a mut usize>) {
        let mut inserted: Vec<usize> = self.inserts.iter().map(|(p, _)| *p).collect();
        inserted.sort_unstable();
        positions.for_each(|position| *position += inserted.partition_point(|p| *p <= *position));
    }

    /// A new object, made now.
    pub fn allocate(&mut self, kind: ObjectKind, base: u64, size: u64) -> u32 {
        let object = self.memory.allocate(kind, base, size);
        self.memory.objects[object as usize].made = self.steps.len();
        object
    }

    /// The first `length` steps, with the inserted ones in their places.
    pub fn finish_steps(&mut self, length: usize) -> Vec<Step> {
        self.steps.truncate(length);
        // Nothing is saved any more.
        self.writes = vec![];
        let mut inserts = std::mem::take(&mut self.inserts);
        inserts.retain(|(position, _)| *position <= length);
        // A saved value comes before whatever else was put at the same place, for it saves what that overwrites; an initial
        // value overwrites nothing, and may be what is saved.
        let order = |kind: Kind| match kind {
            Kind::Initial => 0,
            Kind::Internal => 1,
            _ => 2,
        };
        inserts.sort_by_key(|(position, step)| (*position, order(step.kind)));
        for object in &mut self.memory.objects {
            object.made += inserts.partition_point(|(position, _)| *position < object.made);
        }
        // In place, from the end: a second copy of the steps would be most of what a long run takes.
        let mut steps = std::mem::take(&mut self.steps);
        let mut from = steps.len();
        let mut to = from + inserts.len();
        let gap = || Step {
            action: Action::EndIf(BranchId(0)),
            kind: Kind::Control,
            at: None,
            activation: 0,
            scope: None,
            is_misplaced: false,
            is_given: false,
        };
        steps.reserve_exact(inserts.len());
        steps.resize_with(to, gap);
        for (position, step) in inserts.into_iter().rev() {
            while from > position {
                from -= 1;
                to -= 1;
                steps.swap(from, to);
            }
            to -= 1;
            steps[to] = step;
        }
        steps
    }
}

/// The low bits of a value.
pub fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Whether an object is memory that the program did not allocate.
pub fn is_foreign(object: u32) -> bool {
    object == FOREIGN
}

#[cfg(test)]
mod tests;
