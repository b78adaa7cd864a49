//! Reading memory: what the run read, held against what is known to be there.

use super::{Builder, Facts, Here, Outside, Range, Value, mask};
use crate::memory::{ObjectKind, Piece};
use crate::model::Kind;
use wherefore_formula::{BinaryOp, Node, TermId, VarId};

impl Builder<'_> {
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
    pub(super) fn constant_global(&self, object: u32) -> Option<usize> {
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
    pub(super) fn image(&self, global: usize, range: Range) -> Option<u128> {
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
    pub(super) fn add_path(&mut self, var: VarId, pointer: TermId) {
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
        if !self.others && self.current[index].is_none() && !self.writes[index].is_empty() {
            self.learn(var, logged << (8 * from));
        }
        let Some(known) = self.current[index] else {
            if self.others {
                let found = self.constant(width, logged << (8 * from));
                self.assign(var, &found, Kind::Thread, here);
            } else {
                self.set_initial(var, logged << (8 * from));
            }
            return;
        };
        if mask(known >> (8 * from), bits) == logged && forgotten.is_none() {
            return;
        }
        let hole = mask(u128::MAX, bits) << (8 * from);
        let mut value = self.constant(width, (known & !hole) | (logged << (8 * from)));
        // A call that was given the object may have written it, but other threads more likely have, at any time before now.
        if self.others && forgotten.is_none() {
            self.assign(var, &value, Kind::Thread, here);
            return;
        }
        let writer = forgotten
            .as_ref()
            .or(self.outside_of.get(&object))
            .or(self.last_outside.as_ref())
            .filter(|o| o.position >= self.seen[index])
            .cloned();
        match writer {
            Some(outside) => {
                value.facts.addresses.extend(self.given_to(&outside));
                self.assign_at(outside.position, var, value, Kind::Havoc, outside.here);
            }
            None => self.assign(var, &value, Kind::Havoc, here),
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
}
