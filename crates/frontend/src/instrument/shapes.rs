//! Words that a recording leaves out, since the text of the program says them: addresses of globals, sizes, and the number
//! of a block that comes behind a jump without a condition.
//!
//! What is written falls into runs of words, each behind a *landmark*: a word that says where control is, at the entry
//! of a block and after each call that words follow. A landmark's *shape* says how many words are written behind it and
//! what is to be put between them. It is local on purpose: whatever a program does to its memory or its control, the
//! next landmark says anew where it is. The runtime copies the table of all shapes into the recording, and who reads
//! that puts the words back (`record`'s `shapes`).
//!
//! A word is left out only where nothing between it and the last one written may end the run: then a recording that ends
//! with that one ends behind the word that is left out, too.

use crate::llvm::{Block, Builder, Opcode, Value};
use crate::plan::{BlockPlan, FunctionPlan};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// Tag of the landmark after a call; no word stands for it in the end.
const CONTINUED: u64 = 0xC047 << 48;

/// The landmark is the entry of a function: one may come where another shape is not at its end, from a handler of a signal.
const ENTRY: u64 = 1 << 62;
/// No word stands for the landmark.
const SILENT: u64 = 1 << 63;

/// The shapes of a program.
#[derive(Default)]
pub(super) struct Shapes {
    /// As the runtime has them: the landmark, how many words are written behind it, with flags, how many are put between
    /// them, and for each of those how many written ones come before it, and the word.
    table: RefCell<Vec<Entry>>,
    continued: Cell<u64>,
}

/// A word of the table.
enum Entry {
    Number(u64),
    Constant(Value),
}

/// What comes behind a landmark, or behind the jump to a block without one.
pub(super) struct Shape {
    /// `None` for a block whose number is left out.
    landmark: Option<u64>,
    flags: u64,
    written: u64,
    /// Each with the number of words written before it.
    left_out: Vec<(u64, LeftOut)>,
    /// The block whose number is left out, to which it ends with a jump.
    then: Option<Block>,
}

#[derive(Copy, Clone)]
pub(super) enum LeftOut {
    Number(u64),
    Constant(Value),
}

impl Shape {
    pub fn of_block(number: u64, is_entry: bool) -> Shape {
        let flags = if is_entry { ENTRY } else { 0 };
        Shape { landmark: Some(number), flags, written: 0, left_out: vec![], then: None }
    }

    /// Of a block whose number is left out.
    pub fn joined(number: u64) -> Shape {
        let left_out = vec![(0, LeftOut::Number(number))];
        Shape { landmark: None, flags: 0, written: 0, left_out, then: None }
    }

    pub fn after_call(landmark: u64) -> Shape {
        let flags = if landmark >> 48 == CONTINUED >> 48 { SILENT } else { 0 };
        Shape { landmark: Some(landmark), flags, written: 0, left_out: vec![], then: None }
    }

    pub fn write(&mut self) {
        self.written += 1;
    }

    pub fn leave_out(&mut self, word: LeftOut) {
        self.left_out.push((self.written, word));
    }

    pub fn end(mut self, then: Option<Block>) -> Shape {
        self.then = then;
        self
    }
}

impl Shapes {
    /// A landmark for what follows a call that writes none itself.
    pub fn continued(&self) -> u64 {
        let number = self.continued.get();
        self.continued.set(number + 1);
        CONTINUED | number
    }

    /// Takes over the shapes of a function; `joined` are those of its blocks without a landmark.
    pub fn add(&self, shapes: &[Shape], joined: &HashMap<Block, Shape>) {
        let mut table = self.table.borrow_mut();
        for shape in shapes {
            let landmark = shape.landmark.expect("only blocks that are joined have none");
            let (mut written, mut left_out) = (0, vec![]);
            let mut next = Some(shape);
            while let Some(part) = next {
                left_out.extend(part.left_out.iter().map(|(before, word)| (written + before, *word)));
                written += part.written;
                next = part.then.and_then(|block| joined.get(&block));
            }
            table.extend([landmark, written | shape.flags, left_out.len() as u64].map(Entry::Number));
            for (before, word) in left_out {
                table.push(Entry::Number(before));
                table.push(match word {
                    LeftOut::Number(number) => Entry::Number(number),
                    LeftOut::Constant(value) => Entry::Constant(value),
                });
            }
        }
    }

    /// Emits `__wf_shapes` with its count.
    pub fn emit(&self, builder: &Builder) {
        let words: Vec<Value> = self
            .table
            .borrow()
            .iter()
            .map(|entry| match entry {
                Entry::Number(number) => builder.int(64, *number),
                Entry::Constant(value) => builder.constant_word(*value),
            })
            .collect();
        builder.table("__wf_shapes", builder.array_constant(builder.int_type(64), &words));
        builder.table("__wf_shape_count", builder.int(32, words.len() as u64));
    }
}

/// Whether a value is known when the program is linked, as the address of a global is.
pub(super) fn is_known(value: Value) -> bool {
    if value.is_undefined() {
        return false;
    }
    value.is_constant_int()
        || value.is_variable() && !value.is_thread_local()
        || value.is_constant_expression()
            && matches!(value.constant_opcode(), Opcode::LLVMGetElementPtr)
            && value.operands().into_iter().all(is_known)
}

/// The blocks whose number is left out: control comes there by jumps without a condition only, each behind a word with
/// nothing between that may end the run.
pub(super) fn joined(
    plan: &FunctionPlan,
    may_end: impl Fn(Value) -> bool,
    is_call: fn(Value) -> bool,
) -> HashSet<Block> {
    let mut ways: HashMap<Block, Vec<&BlockPlan>> = HashMap::new();
    for block in &plan.blocks {
        for next in block.block.terminator().successors() {
            ways.entry(next).or_default().push(block);
        }
    }
    let is_clean = |block: &BlockPlan| {
        let mut is_clean = true;
        let probes: HashMap<Value, _> = block.probes.iter().map(|p| (p.instruction, p)).collect();
        for instruction in block.block.instructions() {
            let probe = probes.get(&instruction);
            is_clean |= probe.is_some_and(|p| !p.before.is_empty());
            is_clean &= !(may_end(instruction) || is_call(instruction));
            is_clean |= probe.is_some_and(|p| !p.after.is_empty());
        }
        is_clean
    };
    let mut joined: HashSet<Block> = plan.blocks[1..]
        .iter()
        .map(|block| block.block)
        .filter(|block| ways.get(block).is_some_and(|ways| ways.iter().all(|w| jump(w.block).is_some() && is_clean(w))))
        .collect();
    // A round of such blocks alone would have no landmark at all.
    for block in &plan.blocks {
        let (mut at, mut steps) = (block.block, 0);
        while joined.contains(&at) && steps <= plan.blocks.len() {
            let Some(next) = jump(at) else { break };
            if next == block.block {
                joined.remove(&next);
            }
            (at, steps) = (next, steps + 1);
        }
    }
    joined
}

/// Where a block jumps without a condition.
pub(super) fn jump(block: Block) -> Option<Block> {
    let end = block.terminator();
    (matches!(end.opcode(), Opcode::LLVMBr) && !end.is_conditional()).then(|| end.successors()[0])
}
