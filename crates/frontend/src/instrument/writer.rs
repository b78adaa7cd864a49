//! Writing words to the recording.

use crate::llvm::{Builder, Module, Type, TypeKind, Value};
use crate::plan::{Amount, Word};
use std::cell::RefCell;
use std::collections::HashMap;

/// Where the recording is mapped.
pub(super) const BASE: u64 = 0x3000_0000_0000;

/// The word that says where the next one goes.
const CURSOR: u64 = BASE + 8;

/// The word that says up to where a run of words may begin.
const LIMIT: u64 = BASE + 16;

/// Called when there is no room left.
const FULL: &str = "__wf_full";

/// Called to record bytes of memory; it makes the room that it takes.
const SEEN: &str = "__wf_seen";

/// What all functions share.
pub(super) struct Writer<'m> {
    module: &'m Module,
    builder: &'m Builder<'m>,
    cursor: Value,
    limit: Value,
    full: Value,
    /// A slot for each value that is recorded in parts.
    slots: RefCell<HashMap<Value, Value>>,
}

impl<'m> Writer<'m> {
    pub fn new(module: &'m Module, builder: &'m Builder<'m>) -> Writer<'m> {
        let full = builder.function(FULL, builder.function_type(builder.void_type(), &[]));
        let (cursor, limit) = (builder.address(CURSOR), builder.address(LIMIT));
        Writer { module, builder, cursor, limit, full, slots: RefCell::default() }
    }

    /// Starts to write before an instruction.
    pub fn start(&self, at: Value) -> Run<'_, 'm> {
        self.builder.before(at);
        Run { writer: self, at, base: None, pending: 0, visible: 0 }
    }

    /// Calls a function of the runtime that takes nothing.
    pub fn call(&self, name: &str) {
        let ty = self.builder.function_type(self.builder.void_type(), &[]);
        self.builder.call(self.builder.function(name, ty), &[]);
    }

    /// How many words of the recording something takes.
    pub fn words(&self, word: Word) -> u64 {
        match word {
            Word::Value(value) => self.module.width(value.ty()).div_ceil(64),
            Word::Element(value, index) => self.module.width(self.module.element(value.ty(), index).1).div_ceil(64),
            Word::Part(..) | Word::Offset(..) | Word::Constant(_) | Word::Size(..) => 1,
            Word::Seen(..) => 0,
        }
    }
}

/// A run of words with no call between them.
pub(super) struct Run<'w, 'm> {
    writer: &'w Writer<'m>,
    at: Value,
    /// The cursor as it was loaded.
    base: Option<Value>,
    /// Words written since.
    pending: u64,
    /// How many of them the stored cursor covers.
    visible: u64,
}

impl Run<'_, '_> {
    /// Continues before another instruction of the block.
    pub fn before(&mut self, at: Value) {
        self.at = at;
        self.writer.builder.before(at);
    }

    /// Makes sure that there is room; the runtime makes some, or ends the recording.
    pub fn check(&mut self) {
        self.flush();
        self.forget();
        let builder = self.writer.builder;
        let cursor = builder.load(builder.pointer_type(), self.writer.cursor);
        let limit = builder.load(builder.pointer_type(), self.writer.limit);
        let full = builder.above(cursor, limit);
        builder.call_if(full, self.writer.full, self.at);
    }

    /// Makes the words written so far part of the recording.
    pub fn flush(&mut self) {
        if let Some(base) = self.base
            && self.visible < self.pending
        {
            let builder = self.writer.builder;
            let cursor = builder.offset(base, 8 * self.pending);
            builder.store(cursor, self.writer.cursor);
            self.visible = self.pending;
        }
    }

    /// Others may have moved the cursor.
    pub fn forget(&mut self) {
        debug_assert_eq!(self.visible, self.pending, "words would be lost");
        self.base = None;
        self.pending = 0;
        self.visible = 0;
    }

    /// Writes a word, or as many as the value takes.
    pub fn word(&mut self, word: Word) {
        let builder = self.writer.builder;
        match word {
            Word::Value(value) => self.value(value),
            Word::Element(value, index) => self.value(builder.extract(value, index)),
            Word::Part(value, part) => {
                let slot = self.slot(value);
                let address = builder.offset(slot, 8 * u64::from(part));
                let part = builder.load(builder.int_type(64), address);
                self.put(part);
            }
            Word::Offset(value, bytes) => {
                let address = builder.offset(value, bytes);
                self.put(address);
            }
            Word::Constant(word) => self.put(builder.int(64, word)),
            Word::Size(count, each) => {
                let count = builder.resize(count, builder.int_type(64));
                let size = if each == 1 { count } else { builder.multiply(count, builder.int(64, each)) };
                self.put(size);
            }
            Word::Seen(place, amount, how) => {
                self.flush();
                self.forget();
                self.seen(place, amount, how);
            }
        }
    }

    /// Lets the runtime record bytes of memory.
    fn seen(&mut self, place: Value, amount: Amount, how: u64) {
        let builder = self.writer.builder;
        let word = builder.int_type(64);
        let size = match amount {
            Amount::Fixed(size) => builder.int(64, size),
            Amount::Of(value) => builder.resize(value, word),
            Amount::Times(count, each) => builder.multiply(builder.resize(count, word), builder.int(64, each)),
            Amount::Product(a, b) => builder.multiply(builder.resize(a, word), builder.resize(b, word)),
        };
        let ty = builder.function_type(builder.void_type(), &[builder.pointer_type(), word, word]);
        builder.call(builder.function(SEEN, ty), &[place, size, builder.int(64, how)]);
    }

    fn address(&mut self) -> Value {
        let builder = self.writer.builder;
        let cursor = self.writer.cursor;
        let base = *self.base.get_or_insert_with(|| builder.load(builder.pointer_type(), cursor));
        builder.offset(base, 8 * self.pending)
    }

    /// Writes a value of exactly 64 bits.
    fn put(&mut self, value: Value) {
        let address = self.address();
        self.writer.builder.store(value, address);
        self.pending += 1;
    }

    fn value(&mut self, value: Value) {
        let builder = self.writer.builder;
        let bits = self.writer.module.width(value.ty());
        match value.ty().kind() {
            TypeKind::LLVMPointerTypeKind | TypeKind::LLVMDoubleTypeKind => self.put(value),
            TypeKind::LLVMIntegerTypeKind if bits <= 64 => {
                let word = if bits == 64 { value } else { builder.resize(value, builder.int_type(64)) };
                self.put(word);
            }
            TypeKind::LLVMIntegerTypeKind => {
                let wide = builder.int_type(128);
                let value = if bits == 128 { value } else { builder.resize(value, wide) };
                let word = builder.int_type(64);
                self.put(builder.resize(value, word));
                self.put(builder.resize(builder.shift_right(value, 64), word));
            }
            // In memory order, over words of zeros.
            _ => {
                let address = self.address();
                for _ in 0..bits.div_ceil(64) {
                    self.put(builder.int(64, 0));
                }
                builder.store(value, address);
            }
        }
    }

    /// A slot in the frame that holds a value, to take it apart.
    fn slot(&mut self, value: Value) -> Value {
        let slot = *self.writer.slots.borrow_mut().entry(value).or_insert_with(|| self.new_slot(value.ty()));
        let builder = self.writer.builder;
        builder.before(self.at);
        builder.store(value, slot);
        slot
    }

    fn new_slot(&self, ty: Type) -> Value {
        let builder = self.writer.builder;
        builder.before(self.at.block().function_start());
        builder.alloca(ty)
    }
}
