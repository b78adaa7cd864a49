//! What of a long run can matter to its failure: a backward slice over the words of the recording, before any term is built.
//!
//! The run is first followed without terms ([`crate::walk::Slicing`]), which says where it fails and leaves a [`Log`] by
//! which the words can be gone through backwards. `backwards` does this and keeps what is *live*: registers, bytes of locals
//! and of memory that what fails depends on. A command that sets something live is in the slice and makes its operands live;
//! so is a decision that something in the slice lies under, and one whose other side would have set something live. What is
//! only followed as a pointer (addresses being as they were) has to be *named*: the commands that give it are kept, with
//! their values as constants, and what these come from is not looked for. The same is done with conditions that are further
//! away than some depth, where the slice would be too large otherwise.
//!
//! The slice is one bit for each executed command. What cannot be decided is in it.

mod backwards;
mod calls;
mod commands;
mod elsewhere;
mod live;
mod marks;
mod pointers;

pub use backwards::{Criterion, Slice, slice};
pub use elsewhere::Sides;
pub use live::Level;
pub use pointers::{Pages, State};

use crate::walk::Layout;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wherefore_formula::Terms;
use wherefore_program::{FileId, LocalId};

/// One bit for each of many things.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// So many bits, none of them set.
    pub fn new(count: usize) -> Bits {
        Bits { words: vec![0; count.div_ceil(64)] }
    }

    /// Set a bit.
    pub fn set(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Whether a bit is set.
    pub fn has(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}

/// Commands of one block of one activation that were executed one after the other: control did not go elsewhere in between.
/// A call ends a piece, and so does its return.
#[derive(Copy, Clone, Debug)]
pub struct Piece {
    /// Recording number of the block.
    pub block: u32,
    /// The first command.
    pub command: u32,
    /// The activation.
    pub activation: u32,
    /// Where its words begin.
    pub at: u32,
    /// How many commands of the run come before it.
    pub first: u64,
    /// It is the first one of its activation.
    pub enters: bool,
    /// Its first command is a call that was entered before.
    pub resumes: bool,
    /// Control came to it by `longjmp`.
    pub jumped: bool,
}

/// What is written down of a run when it is followed without terms.
pub struct Log<'p> {
    /// Commands executed so far.
    pub commands: usize,
    pub pieces: Vec<Piece>,
    /// Arguments of the calls that returned from outside the program, in order.
    pub given: Vec<u64>,
    /// Where the locals with an address lie, by activation.
    pub places: FxHashMap<(u32, LocalId), u64>,
    /// The commands that made and freed an object of the heap.
    pub made: FxHashMap<u32, Vec<usize>>,
    /// Activations so far.
    pub activations: u32,
    /// Statements executed so far, and the one under way.
    pub statements: usize,
    pub statement: Option<(FileId, u32, u32, u8)>,
    /// A jump out of activations is under way.
    pub jumps: bool,
    /// Of each decision whose other side sets something through pointers: where these pointed to with how many bytes, and,
    /// with their number behind them, the addresses that were read to find that.
    pub elsewhere: Vec<u64>,
    pub sides: Sides<'p>,
    /// What memory holds.
    pub pages: Pages,
    pub layout: Arc<Layout>,
    pub scratch: Terms,
}

impl<'p> Log<'p> {
    /// Nothing is written down yet.
    pub fn new(sides: Sides<'p>, pages: Pages, layout: Arc<Layout>) -> Log<'p> {
        Log {
            commands: 0,
            pieces: vec![],
            given: vec![],
            places: FxHashMap::default(),
            made: FxHashMap::default(),
            activations: 0,
            statements: 0,
            statement: None,
            jumps: false,
            elsewhere: vec![],
            sides,
            pages,
            layout,
            scratch: Terms::new(),
        }
    }
}
