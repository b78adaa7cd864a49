//! Builds the steps of a trace: variables, their versions, reads and writes of memory.
//!
//! A value that a register holds is a term over variables *as they were when they were read*. When a step uses it after
//! one of them was overwritten, the old value is saved in a variable of its own, by a step put where the overwriting was.

mod known;

use crate::memory::{Cell, FOREIGN, Memory, ObjectKind, Piece};
use crate::model::{Action, BranchId, Kind, Step, Storage, Variable};
use std::collections::HashMap;
use std::ops::Range as Stretch;
use std::rc::Rc;
use wherefore_formula::{BinaryOp, Node, Sort, TermId, Terms, VarId};
use wherefore_meaning::replace_bits;
use wherefore_program::{CType, Origin, Program, TypeId};

/// Copies of more bytes than this are not divided by type in advance.
const LARGE: u64 = 1 << 16;

/// Copies of copies of memory nobody looked at, that are followed back.
const LATE: u32 = 100;

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

/// A fill or copy of bytes that had no cells then; it takes effect for cells found in the range later.
#[derive(Clone, Debug)]
struct Pending {
    offset: u64,
    size: u64,
    position: usize,
    /// Its number among all of them: several may stand at one position.
    number: usize,
    here: Here,
    kind: Kind,
    source: Source,
    /// What it depends on, as it was then.
    facts: Facts,
}

impl Pending {
    fn overlaps(&self, range: Range) -> bool {
        self.offset < range.offset + range.size && range.offset < self.offset + self.size
    }

    fn covers(&self, range: Range) -> bool {
        self.offset <= range.offset && range.offset + range.size <= self.offset + self.size
    }
}

#[derive(Clone, Debug)]
enum Source {
    Byte(Value),
    Copy { object: u32, offset: u64 },
}

/// A call to code outside the program that may have written memory.
#[derive(Clone, Debug)]
pub struct Outside {
    /// Position in the steps right after the call.
    pub position: usize,
    /// Where.
    pub here: Here,
    /// What the call was given, fixed to how it was.
    pub given: Rc<[TermId]>,
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
    pending: HashMap<u32, Vec<Pending>>,
    saved: HashMap<(VarId, u32), VarId>,
    /// The last call outside, and the last one that was given a pointer into an object.
    pub last_outside: Option<Outside>,
    pub outside_of: HashMap<u32, Outside>,
    /// Cells that code outside may have written since they were known.
    forgotten: HashMap<VarId, Outside>,
    /// Copies of copies whose source is being looked up.
    late: u32,
    /// How many fills and copies are pending.
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
            pending: HashMap::new(),
            saved: HashMap::new(),
            last_outside: None,
            outside_of: HashMap::new(),
            forgotten: HashMap::new(),
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
        self.current[index] = Some(value.concrete);
        self.writes[index].push((position, before));
        self.seen[index] = position;
        Step {
            action: Action::Assign {
                to,
                value: value.term,
                assumes: value.facts.assumes,
                addresses: value.facts.addresses,
                through,
                before,
                after: value.concrete,
            },
            kind,
            at: here.at,
            activation: here.activation,
            scope: here.scope,
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
        let value = Value { term, concrete: value.unwrap_or(0), facts: Facts::default() };
        self.assign_at(position, saved, value, Kind::Internal, here);
        saved
    }

    /// Read `bits` bits; `logged` is what the run read there, when it is recorded.
    pub fn read(&mut self, range: Range, bits: u32, logged: Option<u128>, path: Option<TermId>, here: Here) -> Value {
        if let Some(value) = self.constant_content(range) {
            return self.constant(bits, logged.unwrap_or(value));
        }
        self.divide(range);
        let mut facts = Facts::default();
        let mut term: Option<TermId> = None;
        let mut concrete = 0u128;
        let mut done = 0u64;
        for piece in self.memory.pieces(range.object, range.offset, range.size) {
            let (var, from, size) = match piece {
                Piece::Cell { cell, from, size } => (cell.variable, from, size),
                Piece::Gap { offset, size } => {
                    let hint = logged.map(|v| mask(v >> (8 * done), size as u32 * 8));
                    let gap = Range { object: range.object, offset, size };
                    (self.materialise(gap, hint), 0, size)
                }
            };
            let part_bits = size as u32 * 8;
            if let Some(logged) = logged {
                self.agree(range.object, var, from, mask(logged >> (8 * done), part_bits), part_bits, here);
            }
            if let Some(path) = path
                && range.size == u64::from(self.variables[var.0 as usize].bits / 8)
            {
                self.add_path(var, path);
            }
            let whole = self.value_of(var);
            facts.merge(&whole.facts);
            let part = self.terms.extract(whole.term, from as u32 * 8, part_bits);
            concrete |= mask(whole.concrete >> (8 * from), part_bits) << (8 * done);
            term = Some(match term {
                None => part,
                Some(low) => self.terms.concat(part, low),
            });
            done += size;
        }
        let term = term.expect("an access has at least one byte");
        if self.is_stream(range.object) {
            return self.constant(bits, concrete);
        }
        let term = self.terms.extract(term, 0, bits);
        Value { term, concrete: mask(concrete, bits), facts }
    }

    /// What a part of a global without a name holds that the program cannot write: a string literal, an initialiser's
    /// image. What has a name is a variable, so that a story can say where its value stands.
    fn constant_content(&self, range: Range) -> Option<u128> {
        let global = self.constant_global(range.object).filter(|_| range.size <= 16)?;
        self.program.globals[global].name.is_none().then(|| self.image(global, range)).flatten()
    }

    /// The global that an object is, where nobody can write it.
    fn constant_global(&self, object: u32) -> Option<usize> {
        let ObjectKind::Global(global) = self.memory.objects[object as usize].kind else { return None };
        self.program.globals[global.index()].constant.then_some(global.index())
    }

    /// Whether an object is one of the standard streams: where those lie says nothing about the program.
    fn is_stream(&self, object: u32) -> bool {
        let ObjectKind::Global(global) = self.memory.objects[object as usize].kind else { return false };
        let global = &self.program.globals[global.index()];
        global.external && matches!(global.symbol.as_str(), "stdin" | "stdout" | "stderr")
    }

    /// The initial content of a part of a global.
    fn image(&self, global: usize, range: Range) -> Option<u128> {
        let image = self.images.get(global).and_then(Option::as_ref)?;
        let bytes = image.get(range.offset as usize..(range.offset + range.size) as usize)?;
        Some(bytes.iter().rev().fold(0u128, |w, b| w << 8 | u128::from(*b)))
    }

    /// The text at an address, where it is a constant of the program.
    pub fn constant_text(&self, address: u64) -> Option<String> {
        let (object, offset) = self.memory.find(address);
        let ObjectKind::Global(global) = self.memory.objects[object as usize].kind else { return None };
        let image =
            self.images.get(global.index())?.as_ref().filter(|_| self.program.globals[global.index()].constant)?;
        let text = image.get(offset as usize..)?.split(|b| *b == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// Remember the pointer by which a cell is reached, with the distance it had then: an index may change, and the
    /// pointer still leads there.
    fn add_path(&mut self, var: VarId, pointer: TermId) {
        let Some(address) = self.variables[var.0 as usize].address else { return };
        let mut base: Option<(VarId, u64)> = None;
        let mut work = vec![pointer];
        while let Some(part) = work.pop() {
            match *self.terms.node(part) {
                Node::Binary(BinaryOp::Add, a, b) => work.extend([a, b]),
                Node::Var(v, _) => {
                    let value = self.current[v.0 as usize].map(|x| x as u64).filter(|x| *x <= address && *x > 0);
                    base = base.into_iter().chain(value.map(|x| (v, x))).max_by_key(|(_, x)| *x);
                }
                _ => {}
            }
        }
        let Some((base, value)) = base else { return };
        let base = self.var_term(base);
        let distance = self.terms.bits(64, u128::from(address - value));
        let path = self.terms.binary(BinaryOp::Add, base, distance);
        let paths = &mut self.variables[var.0 as usize].paths;
        if paths.len() < 8 && !paths.contains(&path) {
            paths.push(path);
        }
    }

    /// What the run read is what the trace knows; otherwise code outside the program wrote it: a new input.
    fn agree(&mut self, object: u32, var: VarId, from: u64, logged: u128, bits: u32, here: Here) {
        let index = var.0 as usize;
        let width = self.variables[index].bits;
        let forgotten = self.forgotten.remove(&var);
        let Some(known) = self.current[index] else {
            self.set_initial(var, logged << (8 * from));
            return;
        };
        if mask(known >> (8 * from), bits) == logged && forgotten.is_none() {
            return;
        }
        let hole = mask(u128::MAX, bits) << (8 * from);
        let mut value = self.constant(width, (known & !hole) | (logged << (8 * from)));
        let writer = forgotten
            .as_ref()
            .or(self.outside_of.get(&object))
            .or(self.last_outside.as_ref())
            .filter(|o| o.position >= self.seen[index])
            .cloned();
        match writer {
            Some(Outside { position, here, given }) => {
                value.facts.addresses.extend(given.iter());
                self.assign_at(position, var, value, Kind::Havoc, here);
            }
            None => self.assign(var, &value, Kind::Havoc, here),
        }
    }

    /// Give what was filled in a range its cells, each of a size.
    pub fn cells_of_fills(&mut self, object: u32, offset: u64, size: u64, each: u64) {
        for offset in (offset..offset + size).step_by(each.max(1) as usize) {
            let range = Range { object, offset, size: each };
            let is_gap = matches!(self.memory.pieces(object, offset, each)[..], [Piece::Gap { .. }]);
            if is_gap && self.may_be(object, offset, each) && self.filled(range).is_some() {
                self.materialise(range, None);
            }
        }
    }

    /// What is known of a range is not known any more: code outside may have written it.
    pub fn forget(&mut self, object: u32, offset: u64, size: u64, outside: &Outside) {
        if self.constant_global(object).is_some() {
            return;
        }
        for piece in self.memory.pieces(object, offset, size) {
            if let Piece::Cell { cell, .. } = piece {
                self.forgotten.insert(cell.variable, outside.clone());
            }
        }
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

    /// Fill a range with a byte, through a pointer if there is one.
    pub fn fill(&mut self, range: Range, byte: &Value, kind: Kind, pointer: Option<&Value>, here: Here) {
        let byte = &self.refresh(byte);
        for piece in self.memory.pieces(range.object, range.offset, range.size) {
            match piece {
                Piece::Cell { cell, from, size } => {
                    let mut term = byte.term;
                    let mut concrete = byte.concrete;
                    for i in 1..size {
                        term = self.terms.concat(term, byte.term);
                        concrete |= byte.concrete << (8 * i);
                    }
                    let value = Value { term, concrete, facts: byte.facts.clone() };
                    let part = Range { object: range.object, offset: cell.offset + from, size };
                    self.write(part, &value, kind, pointer.filter(|_| part.offset == range.offset), here);
                }
                Piece::Gap { offset, size } => {
                    let pending = self.pending_now(offset, size, kind, Source::Byte(byte.clone()), &byte.facts, here);
                    self.pending.entry(range.object).or_default().push(pending);
                }
            }
        }
    }

    fn pending_now(
        &mut self,
        offset: u64,
        size: u64,
        kind: Kind,
        source: Source,
        facts: &Facts,
        here: Here,
    ) -> Pending {
        let number = self.copies;
        self.copies += 1;
        Pending { offset, size, position: self.steps.len(), number, here, kind, source, facts: facts.clone() }
    }

    /// Copy `size` bytes, depending on some facts, through a pointer if there is one.
    pub fn copy(&mut self, to: Range, from: Range, kind: Kind, facts: &Facts, pointer: Option<&Value>, here: Here) {
        self.cells_by_type(to);
        let facts = &self.refresh_facts(facts);
        for piece in self.memory.pieces(from.object, from.offset, from.size) {
            let Piece::Cell { cell, from: 0, size } = piece else { continue };
            if size == cell.size {
                let offset = to.offset + (cell.offset - from.offset);
                let there = self.memory.pieces(to.object, offset, size);
                if matches!(there[..], [Piece::Gap { .. }]) {
                    self.new_cell(Range { object: to.object, offset, size });
                }
            }
        }
        let mut writes = vec![];
        for piece in self.memory.pieces(to.object, to.offset, to.size) {
            match piece {
                Piece::Cell { cell, from: skip, size } => {
                    let offset = cell.offset + skip;
                    let source = Range { object: from.object, offset: from.offset + (offset - to.offset), size };
                    let mut value = self.read(source, size as u32 * 8, None, None, here);
                    value.facts.merge(facts);
                    writes.push((Range { object: to.object, offset, size }, value));
                }
                Piece::Gap { offset, size } => {
                    let source = Source::Copy { object: from.object, offset: from.offset + (offset - to.offset) };
                    let pending = self.pending_now(offset, size, kind, source, facts, here);
                    self.pending.entry(to.object).or_default().push(pending);
                }
            }
        }
        for (range, value) in writes {
            self.write(range, &value, kind, pointer.filter(|_| range.offset == to.offset), here);
        }
    }

    fn declared_type(&self, object: u32) -> Option<TypeId> {
        match self.memory.objects[object as usize].kind {
            ObjectKind::Global(g) => self.program.globals[g.index()].ctype,
            ObjectKind::Local { ctype, .. } => ctype,
            _ => None,
        }
    }

    /// Whether the type of an object, if it has one, says that there is something of a size.
    pub fn may_be(&self, object: u32, offset: u64, size: u64) -> bool {
        self.declared_type(object).is_none_or(|t| part_type(self.program, t, offset * 8, size * 8).is_some())
    }

    /// A struct that is accessed as one number, as it is passed in a register, has the cells of its members.
    fn divide(&mut self, range: Range) {
        let types = &self.program.types;
        let Some(ctype) = self.declared_type(range.object) else { return };
        let element = |t: &TypeId| match types[*t] {
            CType::Array { element, .. } => Some(element),
            _ => None,
        };
        let innermost = std::iter::successors(Some(ctype), element).last();
        let is_struct = innermost.is_some_and(|t| matches!(types[t], CType::Record { union: false, .. }));
        if is_struct && part_type(self.program, ctype, range.offset * 8, range.size * 8).is_none() {
            self.cells_by_type(range);
        }
    }

    /// Give a range that has no cells yet those of the object's type, so that a copied array has elements.
    pub fn cells_by_type(&mut self, range: Range) {
        let Some(ctype) = self.declared_type(range.object).filter(|_| range.size <= LARGE) else { return };
        let mut leaves = vec![];
        scalar_leaves(self.program, ctype, 0, range.offset..range.offset + range.size, &mut leaves);
        for (offset, size) in leaves {
            if matches!(self.memory.pieces(range.object, offset, size)[..], [Piece::Gap { .. }]) {
                self.new_cell(Range { object: range.object, offset, size });
            }
        }
    }

    /// A cell for bytes that are written now.
    pub fn new_cell(&mut self, range: Range) -> VarId {
        let object = &self.memory.objects[range.object as usize];
        let (storage, ctype, address) = match &object.kind {
            ObjectKind::Global(global) => {
                let ctype = self.program.globals[global.index()].ctype;
                (Storage::Global { global: *global, offset: range.offset }, ctype, Some(object.base + range.offset))
            }
            ObjectKind::Local { activation, local, ctype } => {
                let storage = Storage::Local { activation: *activation, local: *local, offset: range.offset };
                let address = (object.base != 0).then(|| object.base + range.offset);
                (storage, *ctype, address)
            }
            ObjectKind::Heap { .. } => {
                let storage = Storage::Heap { object: range.object, offset: range.offset };
                (storage, None, Some(object.base + range.offset))
            }
            ObjectKind::Given => {
                let address = object.base + range.offset;
                (Storage::Foreign { address }, None, Some(address))
            }
            ObjectKind::Foreign => (Storage::Foreign { address: range.offset }, None, Some(range.offset)),
        };
        let ctype = ctype.and_then(|t| part_type(self.program, t, range.offset * 8, range.size * 8));
        let var = self.variable(storage, range.size as u32 * 8, ctype, address);
        self.memory.add_cell(range.object, Cell { offset: range.offset, size: range.size, variable: var });
        var
    }

    /// A cell for bytes that are read now but were never accessed before: find out where their value comes from.
    fn materialise(&mut self, range: Range, hint: Option<u128>) -> VarId {
        let var = self.new_cell(range);
        if let Some(global) = self.constant_global(range.object)
            && self.begins(global, range, var)
        {
            return var;
        }
        let bits = range.size as u32 * 8;
        if let Some((value, fill)) = self.filled(range) {
            // Over the variables as they were there, where the step is put.
            self.assign_at(fill.position, var, value, fill.kind, fill.here);
            return var;
        }
        if let Some(p) = self.latest_pending(range) {
            let written_since = self.outside_of.get(&range.object).is_some_and(|o| o.position >= p.position);
            match (&p.source, hint) {
                (Source::Copy { object, offset }, _) if p.covers(range) => {
                    let offset = offset + (range.offset - p.offset);
                    let source = Range { object: *object, offset, size: range.size };
                    self.copy_late(var, source, bits, hint, &p);
                    return var;
                }
                // Bytes of several fills and copies: what was read is all that is known.
                (_, Some(hint)) if !written_since => {
                    let value = self.constant(bits, hint);
                    self.assign_at(p.position, var, value, Kind::Havoc, p.here);
                    return var;
                }
                _ => {}
            }
        }
        if let Some(outside) = self.outside_of.get(&range.object).cloned()
            && let Some(hint) = hint
        {
            // The call that was given the object is where its content comes from.
            let mut value = self.constant(bits, hint);
            value.facts.addresses.extend(outside.given.iter());
            self.assign_at(outside.position, var, value, Kind::Havoc, outside.here);
            return var;
        }
        if let ObjectKind::Global(global) = self.memory.objects[range.object as usize].kind {
            self.begins(global.index(), range, var);
        }
        var
    }

    /// A part of a global has its value from the start; whether that is known.
    fn begins(&mut self, global: usize, range: Range, var: VarId) -> bool {
        let Some(word) = self.image(global, range) else { return false };
        let value = self.constant(range.size as u32 * 8, word);
        let here = Here { at: self.program.globals[global].origin, activation: 0, scope: None };
        self.assign_at(0, var, value, Kind::Initial, here);
        true
    }

    /// The fill or copy that was the last to touch a range without cells.
    fn latest_pending(&self, range: Range) -> Option<Pending> {
        self.pending.get(&range.object)?.iter().rev().find(|p| p.overlaps(range)).cloned()
    }

    /// The value of a range of which each byte was filled last, and the last of these fills. Bytes of several fills are
    /// put together only where they are constants: others may have changed between the fills.
    fn filled(&mut self, range: Range) -> Option<(Value, Pending)> {
        let byte = |i: u64| self.latest_pending(Range { offset: range.offset + i, size: 1, ..range });
        let fills: Vec<Pending> = (0..range.size).map(byte).collect::<Option<_>>()?;
        let last = fills.iter().max_by_key(|fill| fill.position)?.clone();
        let mut value: Option<Value> = None;
        for (i, fill) in fills.iter().enumerate() {
            let Source::Byte(byte) = &fill.source else { return None };
            if fill.position != last.position && self.terms.constant(byte.term).is_none() {
                return None;
            }
            value = Some(match value {
                None => byte.clone(),
                Some(mut low) => {
                    low.term = self.terms.concat(byte.term, low.term);
                    low.concrete |= byte.concrete << (8 * i);
                    low.facts.merge(&byte.facts);
                    low
                }
            });
        }
        value.map(|value| (value, last))
    }

    /// A copy whose source and target had no cells when it happened.
    fn copy_late(&mut self, var: VarId, source: Range, bits: u32, hint: Option<u128>, p: &Pending) {
        // What was copied or filled there since, by this very copy too, is not what was copied.
        let is_later = |other: &Pending| {
            let overlaps = other.offset < source.offset + source.size && source.offset < other.offset + other.size;
            other.number >= p.number && overlaps
        };
        let is_overwritten = self.pending.get(&source.object).is_some_and(|all| all.iter().any(is_later));
        let pieces = self.memory.pieces(source.object, source.offset, source.size);
        let is_known = !is_overwritten && self.late < LATE;
        let unchanged = is_known
            && pieces.iter().all(|piece| match piece {
                Piece::Gap { .. } => true,
                Piece::Cell { cell, .. } => {
                    self.writes[cell.variable.0 as usize].last().is_none_or(|(position, _)| *position < p.position)
                }
            });
        if unchanged {
            self.late += 1;
            let value = self.read(source, bits, None, None, p.here);
            self.late -= 1;
            let known = value.facts.reads.iter().all(|(v, _)| self.current[v.0 as usize].is_some());
            if !known && let [(v, _)] = value.facts.reads[..] {
                let hint = hint.unwrap_or(0);
                if self.variables[v.0 as usize].bits == bits {
                    self.set_initial(v, hint);
                }
            }
            let mut value = Value { concrete: hint.filter(|_| !known).unwrap_or(value.concrete), ..value };
            value.facts.merge(&p.facts);
            self.assign_at(p.position, var, value, p.kind, p.here);
        } else if let Some(hint) = hint {
            let value = self.constant(bits, hint);
            self.assign_at(p.position, var, value, Kind::Havoc, p.here);
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
        let mut inserts = std::mem::take(&mut self.inserts);
        inserts.retain(|(position, _)| *position <= length);
        // A saved value comes before whatever else was put at the same place: it saves what that overwrites.
        inserts.sort_by_key(|(position, step)| (*position, step.kind != Kind::Internal));
        for object in &mut self.memory.objects {
            object.made += inserts.partition_point(|(position, _)| *position < object.made);
        }
        let mut steps = Vec::with_capacity(self.steps.len() + inserts.len());
        let mut inserts = inserts.into_iter().peekable();
        for (position, step) in std::mem::take(&mut self.steps).into_iter().enumerate() {
            while let Some((_, inserted)) = inserts.next_if(|(p, _)| *p <= position) {
                steps.push(inserted);
            }
            steps.push(step);
        }
        steps.extend(inserts.map(|(_, step)| step));
        steps
    }
}

/// The low bits of a value.
pub fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Offsets and sizes in bytes of the scalars of an object of a type that lie within a stretch of it.
fn scalar_leaves(program: &Program, ctype: TypeId, base: u64, within: Stretch<u64>, leaves: &mut Vec<(u64, u64)>) {
    let types = &program.types;
    match &types[ctype] {
        CType::Array { element, count } => {
            let Some(size) = types.size(*element).filter(|size| *size > 0) else { return };
            let first = within.start.saturating_sub(base) / size;
            let after = within.end.saturating_sub(base).div_ceil(size).min(count.unwrap_or(0));
            for i in first..after {
                scalar_leaves(program, *element, base + i * size, within.clone(), leaves);
            }
        }
        CType::Record { union: true, .. } => {}
        CType::Record { fields, .. } => {
            for f in fields.iter().filter(|f| !f.bit_field) {
                scalar_leaves(program, f.ctype, base + f.offset / 8, within.clone(), leaves);
            }
        }
        _ => {
            let size = types.size(ctype).filter(|s| (1..=16).contains(s));
            leaves.extend(size.filter(|s| within.start <= base && base + s <= within.end).map(|s| (base, s)));
        }
    }
}

/// The type of the part of an object at a bit offset with a size in bits.
pub fn part_type(program: &Program, ctype: TypeId, offset: u64, size: u64) -> Option<TypeId> {
    let types = &program.types;
    match &types[ctype] {
        CType::Array { element, .. } => {
            let element_bits = types.size(*element)? * 8;
            let within = offset.checked_rem(element_bits)?;
            part_type(program, *element, within, size)
        }
        CType::Record { fields, .. } => fields
            .iter()
            .filter(|f| !f.bit_field && f.offset <= offset)
            .filter(|f| offset + size <= f.offset + f.size || types.is_flexible(f))
            .find_map(|f| part_type(program, f.ctype, offset - f.offset, size)),
        _ => (offset == 0 && types.size(ctype).map(|s| s * 8) == Some(size)).then_some(ctype),
    }
}

/// Whether an object is memory that the program did not allocate.
pub fn is_foreign(object: u32) -> bool {
    object == FOREIGN
}

#[cfg(test)]
mod tests;
