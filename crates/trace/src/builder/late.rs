//! Fills and copies of memory that nobody has looked at yet: they take effect for the cells that are found there later.

use super::unseen::SetBy;
use super::{Builder, Facts, Here, Outside, Range, Value, Writes};
use crate::memory::{ObjectKind, Piece};
use crate::model::Kind;
use wherefore_formula::VarId;

/// Copies of copies of memory nobody looked at, that are followed back.
const LATE: u32 = 100;

/// A fill or copy of bytes that had no cells then; it takes effect for cells found in the range later.
#[derive(Clone, Debug)]
pub(super) struct Pending {
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

impl Builder<'_> {
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
                    let open = (!self.is_shown(&value)).then(|| self.parts_of(source, skip as u32 * 8));
                    value.facts.merge(facts);
                    writes.push((Range { object: to.object, offset, size }, cell, value, open));
                }
                Piece::Gap { offset, size } => {
                    let source = Source::Copy { object: from.object, offset: from.offset + (offset - to.offset) };
                    let pending = self.pending_now(offset, size, kind, source, facts, here);
                    self.pending.entry(to.object).or_default().push(pending);
                }
            }
        }
        for (range, cell, value, open) in writes {
            let before = self.whole((cell.variable, self.version(cell.variable)));
            self.write(range, &value, kind, pointer.filter(|_| range.offset == to.offset), here);
            if let Some(mut parts) = open {
                if range.size < cell.size {
                    parts.insert(0, before);
                }
                self.not_shown(cell.variable, SetBy::Step(self.steps.len() - 1), parts);
            }
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

    /// A cell for bytes that are read now but were never accessed before: find out where their value comes from.
    pub(super) fn materialise(&mut self, range: Range, hint: Option<u128>) -> VarId {
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
        // What was copied before the call is not what the call gave.
        let may_give = |call: &&Outside| call.writes == Writes::Itself && (hint.is_some() || self.late == 0);
        if let Some(outside) = self.outside_of.get(&range.object).filter(may_give).cloned() {
            // The call that was given the object is where its content comes from.
            let mut value = self.constant(bits, hint.unwrap_or(0));
            value.facts.addresses.extend(self.given_to(&outside));
            self.assign_at(outside.position, var, value, Kind::Havoc, outside.here);
            if hint.is_none() {
                self.not_shown(var, SetBy::Inserted(self.inserts.len() - 1), vec![]);
            }
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
            let mut value = self.read(source, bits, None, None, p.here);
            self.late -= 1;
            let open = (!self.is_shown(&value)).then(|| self.parts_of(source, 0));
            value.facts.merge(&p.facts);
            self.assign_at(p.position, var, value, p.kind, p.here);
            if let Some(parts) = open {
                self.not_shown(var, SetBy::Inserted(self.inserts.len() - 1), parts);
                hint.into_iter().for_each(|hint| self.learn(var, hint));
            }
        } else if let Some(hint) = hint {
            let value = self.constant(bits, hint);
            self.assign_at(p.position, var, value, Kind::Havoc, p.here);
        }
    }
}
