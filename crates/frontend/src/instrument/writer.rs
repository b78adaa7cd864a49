//! Writing words to the recording.

use super::shapes::{LeftOut, Shape, Shapes, is_known};
use crate::llvm::{Block, Builder, Module, Type, TypeKind, Value};
use crate::plan::{Amount, RETURN, Word};
use std::cell::RefCell;
use std::collections::HashMap;

/// Where the recording is mapped.
pub(super) const BASE: u64 = 0x3000_0000_0000;

/// Where in the header it stands where the next word goes.
const CURSOR: u64 = 8;

/// Where in the header it stands up to where a run of words may begin.
const LIMIT: u64 = 16;

/// Where the header of the calling thread is, of a program in which several may run.
const OWN: &str = "__wf_own";

/// Says to the runtime that the program looks there.
const THREADED: &str = "__wf_threaded";

/// Called when there is no room left.
const FULL: &str = "__wf_full";

/// Called to record bytes of memory; it makes the room that it takes.
const SEEN: &str = "__wf_seen";

/// What all functions share.
pub(super) struct Writer<'m> {
    module: &'m Module,
    builder: &'m Builder<'m>,
    /// The thread's own variable that says where its header is; none where only one thread runs.
    own: Option<Value>,
    full: Value,
    /// Where nothing is left out: none.
    pub shapes: Option<Shapes>,
    /// A slot for each value that is recorded in parts.
    slots: RefCell<HashMap<Value, Value>>,
}

impl<'m> Writer<'m> {
    pub fn new(module: &'m Module, builder: &'m Builder<'m>, shapes: Option<Shapes>, threads: bool) -> Writer<'m> {
        let full = builder.function(FULL, builder.function_type(builder.void_type(), &[]));
        let own = threads.then(|| {
            builder.table(THREADED, builder.int(32, 1));
            builder.thread_local(OWN, builder.pointer_type())
        });
        Writer { module, builder, own, full, shapes, slots: RefCell::default() }
    }

    /// Starts to write before an instruction.
    pub fn start(&self, at: Value) -> Run<'_, 'm> {
        self.builder.before(at);
        Run {
            writer: self,
            at,
            header: None,
            base: None,
            pending: 0,
            visible: 0,
            shape: None,
            is_clean: true,
            done: vec![],
        }
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
    /// The header of the thread, as it was loaded.
    header: Option<Value>,
    /// The cursor as it was loaded.
    base: Option<Value>,
    /// Words written since.
    pending: u64,
    /// How many of them the stored cursor covers.
    visible: u64,
    /// What comes behind the last landmark; none after a call.
    shape: Option<Shape>,
    /// Whether nothing since the last word written may have ended the run.
    is_clean: bool,
    /// The shapes that are finished.
    done: Vec<Shape>,
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
        let (cursor, limit) = (self.in_header(CURSOR), self.in_header(LIMIT));
        let builder = self.writer.builder;
        let cursor = builder.load(builder.pointer_type(), cursor);
        let limit = builder.load(builder.pointer_type(), limit);
        let full = builder.above(cursor, limit);
        builder.call_if(full, self.writer.full, self.at);
        // The runtime may have given the thread its own header.
        self.header = None;
    }

    /// Makes the words written so far part of the recording.
    pub fn flush(&mut self) {
        if let Some(base) = self.base
            && self.visible < self.pending
        {
            let to = self.in_header(CURSOR);
            let builder = self.writer.builder;
            let cursor = builder.offset(base, 8 * self.pending);
            builder.store(cursor, to);
            self.visible = self.pending;
        }
    }

    /// Others may have moved the cursor.
    pub fn forget(&mut self) {
        debug_assert_eq!(self.visible, self.pending, "words would be lost");
        self.header = None;
        self.base = None;
        self.pending = 0;
        self.visible = 0;
    }

    /// A word of the header.
    fn in_header(&mut self, offset: u64) -> Value {
        let builder = self.writer.builder;
        let Some(own) = self.writer.own else { return builder.address(BASE + offset) };
        let header = *self.header.get_or_insert_with(|| builder.load(builder.pointer_type(), own));
        builder.offset(header, offset)
    }

    /// Begins a block, by its number where that is not left out.
    pub fn begin(&mut self, number: u64, is_entry: bool, is_joined: bool) {
        if is_joined {
            self.shape = Some(Shape::joined(number));
        } else {
            self.put(self.writer.builder.int(64, number));
            self.shape = Some(Shape::of_block(number, is_entry));
        }
        self.is_clean = true;
    }

    /// Ends a block; `then` is the block it jumps to, where the number of that is left out. Gives the block's shapes.
    pub fn end(mut self, then: Option<Block>) -> Vec<Shape> {
        debug_assert!(self.shape.is_some() || then.is_none(), "the number of the next block would be lost");
        self.done.extend(self.shape.take().map(|shape| shape.end(then)));
        self.done
    }

    /// What comes next may end the run.
    pub fn risk(&mut self) {
        self.flush();
        self.is_clean = false;
    }

    /// Other code may write words now.
    pub fn leave(&mut self) {
        self.risk();
        self.forget();
        self.done.extend(self.shape.take());
    }

    /// Writes a word, or as many as the value takes, or leaves it out.
    pub fn word(&mut self, word: Word) {
        let Some(shapes) = &self.writer.shapes else { return self.write(word) };
        let is_seen = matches!(word, Word::Seen(..));
        if self.shape.is_none() && !is_seen {
            let landmark = match word {
                Word::Constant(landmark) if landmark >> 48 == RETURN >> 48 => landmark,
                _ => shapes.continued(),
            };
            self.put(self.writer.builder.int(64, landmark));
            self.shape = Some(Shape::after_call(landmark));
            self.is_clean = true;
            if matches!(word, Word::Constant(own) if own == landmark) {
                return;
            }
        }
        match self.known(word).filter(|_| self.is_clean) {
            Some(known) => self.shape.as_mut().expect("there is a landmark").leave_out(known),
            None => self.write(word),
        }
    }

    /// A word that the program's text says.
    fn known(&self, word: Word) -> Option<LeftOut> {
        let is_word = |value: Value| matches!(self.writer.module.width(value.ty()), 1..=64);
        match word {
            Word::Constant(number) => Some(LeftOut::Number(number)),
            Word::Value(value) => (is_known(value) && is_word(value)).then_some(LeftOut::Constant(value)),
            Word::Offset(value, bytes) => {
                is_known(value).then(|| LeftOut::Constant(self.writer.builder.offset(value, bytes)))
            }
            _ => None,
        }
    }

    fn write(&mut self, word: Word) {
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
                self.leave();
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
        let base = match self.base {
            Some(base) => base,
            None => {
                let cursor = self.in_header(CURSOR);
                let base = builder.load(builder.pointer_type(), cursor);
                self.base = Some(base);
                base
            }
        };
        builder.offset(base, 8 * self.pending)
    }

    /// Writes a value of exactly 64 bits.
    fn put(&mut self, value: Value) {
        let address = self.address();
        self.writer.builder.store(value, address);
        self.pending += 1;
        self.is_clean = true;
        if let Some(shape) = &mut self.shape {
            shape.write();
        }
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
