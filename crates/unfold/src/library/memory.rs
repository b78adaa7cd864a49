//! Objects that a program makes and frees at run time, and functions that copy and fill them.

use super::{Call, Given};
use crate::memory::{Content, ObjectId, Rest};
use crate::state::{State, Unfolder};
use wherefore_formula::{BinaryOp, TermId};
use wherefore_program::Origin;

/// Bytes that an object of a size known at run time only may have more than the tests need.
const MORE_ROOM: u128 = 64;
/// Largest object made by `malloc` that is followed.
const LARGE_OBJECT: u128 = 1 << 20;

impl Unfolder<'_> {
    pub(super) fn memory_function(&mut self, state: &mut State, call: &Call) -> Option<Given> {
        let at = call.at;
        Some(Some(match (call.name, call.arguments) {
            ("malloc", [size]) => self.allocate(state, *size, Rest::Undefined),
            ("calloc", [count, size]) => {
                let size = self.terms.binary(BinaryOp::Mul, *count, *size);
                self.allocate(state, size, Rest::Zero)
            }
            ("realloc", [pointer, size]) => self.reallocate(state, *pointer, *size, at),
            ("free", [pointer]) => {
                self.free(state, *pointer, at);
                return Some(None);
            }
            ("memcpy" | "memmove", [to, from, length]) => {
                self.copy(state, *to, *from, *length, at);
                *to
            }
            ("mempcpy", [to, from, length]) => {
                self.copy(state, *to, *from, *length, at);
                self.terms.binary(BinaryOp::Add, *to, *length)
            }
            ("memset", [to, byte, length]) => {
                self.fill(state, *to, *byte, *length, at);
                *to
            }
            _ => return None,
        }))
    }

    fn allocate(&mut self, state: &mut State, size: TermId, rest: Rest) -> TermId {
        let object = self.sized_object(state, size, rest);
        self.pointer_to(object)
    }

    /// An object of a size that may be known at run time only.
    pub fn sized_object(&mut self, state: &mut State, size: TermId, rest: Rest) -> ObjectId {
        let fixed = self.terms.constant(size).filter(|size| *size <= LARGE_OBJECT);
        let object = match fixed {
            Some(size) => self.object(size as u64, rest, false),
            None => {
                // The sizes that the tests ask for, and some more.
                let mut most = 0;
                for run in self.bounds.runs() {
                    if run.reaches(&self.terms, state.guard) {
                        most = most.max(run.evaluation.value(&self.terms, size).unwrap_or(0));
                    }
                }
                let followed = (most + MORE_ROOM).min(LARGE_OBJECT);
                let largest = self.terms.bits(64, followed);
                let larger = self.terms.ugt(size, largest);
                self.cut_if(state, larger, "an object larger than the tests need is not followed", None);
                let object = self.object(followed as u64, rest, false);
                self.limit_object(object, size);
                object
            }
        };
        state.memory.insert(object, Content::new(&self.terms));
        object
    }

    /// Gives an object a size that is known at run time only.
    pub fn limit_object(&mut self, object: ObjectId, size: TermId) {
        let size = Some(size).filter(|size| self.terms.constant(*size).is_none());
        self.objects.limit(object, size);
    }

    fn reallocate(&mut self, state: &mut State, pointer: TermId, size: TermId, at: Option<Origin>) -> TermId {
        let truth = self.terms.truth(true);
        let ways = self.ways_or_cut(state, truth, pointer, at);
        let object = self.sized_object(state, size, Rest::Undefined);
        let address = self.pointer_to(object);
        let mut after: Option<State> = None;
        for way in ways {
            let mut taken = state.clone();
            taken.guard = self.extend(state.guard, way.condition);
            if self.is_dead(&taken) {
                continue;
            }
            let old = self.object_at(way.base).filter(|id| taken.memory.contains_key(id));
            if let Some(old) = old
                && way.base != 0
            {
                let (old, new) = (self.kind(old).clone(), self.kind(object).clone());
                let length = self.terms.bits(64, u128::from(old.size.min(new.size)));
                // The old size and the new one are limits of what is copied, not of what may be accessed.
                let limits = [old.limit, Some(size)].into_iter().flatten();
                let length = limits.fold(length, |least, limit| {
                    let less = self.terms.ult(limit, least);
                    self.terms.ite(less, limit, least)
                });
                let from = self.terms.bits(64, u128::from(way.base));
                self.copy(&mut taken, address, from, length, at);
            }
            let from = self.terms.bits(64, u128::from(way.base));
            let from = match way.index {
                Some(index) => self.terms.binary(BinaryOp::Add, from, index),
                None => from,
            };
            self.free(&mut taken, from, at);
            if !self.is_dead(&taken) {
                after = Some(match after {
                    Some(other) => self.merge(taken, other),
                    None => taken,
                });
            }
        }
        match after {
            Some(merged) => *state = merged,
            None => state.guard = self.terms.truth(false),
        }
        address
    }

    fn free(&mut self, state: &mut State, pointer: TermId, at: Option<Origin>) {
        let truth = self.terms.truth(true);
        let ways = self.ways_or_cut(state, truth, pointer, at);
        for way in ways {
            if way.base == 0 && way.index.is_none() {
                continue;
            }
            let object = self.object_at(way.base).filter(|id| state.memory.contains_key(id));
            match object {
                Some(object) if way.index.is_none() && self.kind(object).address == way.base => {
                    let mut content = state.memory[&object].clone();
                    let dead = self.terms.not(content.alive);
                    let twice = self.terms.and2(way.condition, dead);
                    self.fail_if(state, twice, "memory is freed twice", at);
                    let gone = self.terms.not(way.condition);
                    content.alive = self.terms.and2(content.alive, gone);
                    state.memory.insert(object, content);
                }
                _ => self.fail_if(state, way.condition, "an invalid pointer is freed", at),
            }
        }
    }
}
