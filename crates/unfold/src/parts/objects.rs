//! The objects of the program and their addresses, which are the same on all paths.

use crate::address::FIRST_ADDRESS;
use crate::memory::{Kind, ObjectId, Rest};
use rustc_hash::FxHashMap;
use wherefore_formula::TermId;
use wherefore_program::GlobalId;

/// All objects.
pub(crate) struct Objects {
    kinds: Vec<Kind>,
    next_address: u64,
    /// Objects of globals, by their ids.
    globals: Vec<ObjectId>,
    /// Objects that hold an argument of the program, and which.
    arguments: FxHashMap<ObjectId, u32>,
}

impl Objects {
    pub fn new() -> Objects {
        Objects { kinds: vec![], next_address: FIRST_ADDRESS, globals: vec![], arguments: FxHashMap::default() }
    }

    /// A new object; its content is in no state yet.
    pub fn add(&mut self, size: u64, rest: Rest, constant: bool) -> ObjectId {
        let id = ObjectId(self.kinds.len() as u32);
        // Gaps keep an index that is somewhat wrong from meeting a neighbour, and an address in front of the object
        // that an index is added to belongs to it.
        let front = size.clamp(64, 4096).next_multiple_of(16);
        let address = self.next_address + front;
        self.next_address = address + (size.max(16) * 2 + 64).next_multiple_of(16);
        self.kinds.push(Kind { address, front, size, limit: None, constant, declared: None, rest });
        id
    }

    pub fn kind(&self, object: ObjectId) -> &Kind {
        &self.kinds[object.0 as usize]
    }

    /// The object of the next global.
    pub fn add_global(&mut self, object: ObjectId) {
        self.globals.push(object);
    }

    pub fn global(&self, global: GlobalId) -> ObjectId {
        self.globals[global.index()]
    }

    /// An object holds an argument of the program.
    pub fn hold_argument(&mut self, object: ObjectId, argument: u32) {
        self.arguments.insert(object, argument);
    }

    /// The argument that an object holds.
    pub fn argument(&self, object: ObjectId) -> Option<u32> {
        self.arguments.get(&object).copied()
    }

    /// The number of the last argument; 0 when there is none but the name of the program.
    pub fn last_argument(&self) -> u32 {
        self.arguments.values().max().copied().unwrap_or(0)
    }

    /// Gives an object a size that is known at run time only.
    pub fn limit(&mut self, object: ObjectId, size: Option<TermId>) {
        self.kinds[object.0 as usize].limit = size;
    }

    /// Lets a declaration be at fault for the length of an object: its selector.
    pub fn declare(&mut self, object: ObjectId, selector: Option<TermId>) {
        self.kinds[object.0 as usize].declared = selector;
    }

    /// The object an address lies in, just behind or just in front: an index added to it may lead into the object.
    pub fn at(&self, address: u64) -> Option<ObjectId> {
        if address < FIRST_ADDRESS {
            return None;
        }
        let after = self.kinds.partition_point(|kind| kind.address - kind.front <= address);
        after.checked_sub(1).map(|id| ObjectId(id as u32))
    }
}
