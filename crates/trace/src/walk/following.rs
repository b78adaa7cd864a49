//! Which commands of a run become steps and terms, and where numbers are kept for those that do not.

use crate::builder::Value;
use crate::slice::{Bits, Log, Pages};
use std::sync::Arc;
use wherefore_formula::Terms;
use wherefore_program::{FunctionId, LocalId, Program};

/// Which commands become steps and terms.
pub enum Following<'p> {
    /// All of them.
    Everything,
    /// None; what finding a slice takes is written down.
    Nothing(Box<Log<'p>>),
    /// Those of a slice.
    Slice(Box<Kept>),
}

/// The commands of a slice, in the order of the run.
pub struct Kept {
    pub bits: Bits,
    /// Those that are facts of the run.
    pub facts: Option<Bits>,
    pub at: usize,
    pub pages: Pages,
    pub layout: Arc<Layout>,
    pub scratch: Terms,
}

/// Where the locals without an address of each function lie in its bytes, and how many these are.
pub struct Layout {
    places: Vec<Vec<u32>>,
    sizes: Vec<u32>,
}

impl Layout {
    pub fn new(program: &Program) -> Layout {
        let (mut places, mut sizes) = (vec![], vec![]);
        for function in &program.functions {
            let mut size = 0u32;
            let mut of = vec![];
            for local in &function.locals {
                of.push(size);
                if !local.escapes {
                    size = size.saturating_add((local.size.unwrap_or(0) as u32).next_multiple_of(8));
                }
            }
            places.push(of);
            sizes.push(size);
        }
        Layout { places, sizes }
    }

    /// Where a part of a local lies.
    pub fn place(&self, function: FunctionId, local: LocalId, offset: u64) -> u64 {
        u64::from(self.places[function.index()][local.index()]) + offset
    }
}

/// What a function with a body returned.
pub enum Returned {
    Value(Value),
    Number(u128),
}

impl Following<'_> {
    /// Whether there are commands that become nothing.
    pub fn is_partial(&self) -> bool {
        !matches!(self, Following::Everything)
    }

    pub fn is_nothing(&self) -> bool {
        matches!(self, Following::Nothing(_))
    }

    pub fn is_slice(&self) -> bool {
        matches!(self, Following::Slice(_))
    }

    /// Whether the next command becomes something.
    pub fn next(&mut self) -> bool {
        match self {
            Following::Everything => true,
            Following::Nothing(log) => {
                log.commands += 1;
                false
            }
            Following::Slice(kept) => {
                kept.at += 1;
                kept.bits.has(kept.at - 1)
            }
        }
    }

    /// Whether all is asked for that the command under way shows: where rounds are facts, only if it is in the slice.
    pub fn asks_for_all(&self) -> bool {
        match self {
            Following::Everything => true,
            Following::Nothing(_) => false,
            Following::Slice(kept) => {
                kept.facts.is_none() || kept.at.checked_sub(1).is_some_and(|at| kept.bits.has(at))
            }
        }
    }

    /// Whether what the command under way sets is a fact of the run.
    pub fn gives_this(&self) -> bool {
        let Following::Slice(kept) = self else { return false };
        kept.facts.as_ref().zip(kept.at.checked_sub(1)).is_some_and(|(facts, at)| facts.has(at))
    }

    /// How many commands have been executed before the one under way, where they are counted.
    pub fn ordinal(&self) -> usize {
        match self {
            Following::Everything => 0,
            Following::Nothing(log) => log.commands.saturating_sub(1),
            Following::Slice(kept) => kept.at.saturating_sub(1),
        }
    }

    /// Whether the command so many behind the next one does.
    pub fn keeps_after(&self, index: usize) -> bool {
        match self {
            Following::Everything => true,
            Following::Nothing(_) => false,
            Following::Slice(kept) => kept.bits.has(kept.at + index),
        }
    }

    /// Control leaves activations by a jump.
    pub fn jumps(&mut self) {
        if let Following::Nothing(log) = self {
            log.jumps = true;
        }
    }

    pub fn layout(&self) -> Option<&Layout> {
        match self {
            Following::Everything => None,
            Following::Nothing(log) => Some(&log.layout),
            Following::Slice(kept) => Some(&kept.layout),
        }
    }

    pub fn room_of_locals(&self, function: FunctionId) -> Vec<u8> {
        self.layout().map_or(vec![], |layout| vec![0; layout.sizes[function.index()] as usize])
    }
}
