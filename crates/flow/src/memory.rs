//! Objects, and what addresses mean.

use crate::builder::{Builder, Cell, Here};
use crate::{Kind, Named, Pointer};
use wherefore_automata::Statement;
use wherefore_formula::{BinaryOp, Node, TermId, VarId};
use wherefore_program::{CType, FunctionId, GlobalId, LocalId, TypeId};

/// Where functions and objects have their addresses; far from numbers that programs compute with.
pub(crate) const FIRST_FUNCTION: u64 = 0x5a5a_0000_0000;
const FIRST_OBJECT: u64 = 0x5a5c_0000_0000;
/// What lies between objects: no index of an int leads from one into another, so that it is seen to lead outside.
const GAP: u64 = 1 << 40;

/// Scalars of one object.
const SCALARS: usize = 1024;
/// Cells among which one access may choose: where the object is known, and where it is not.
const CHOICES: usize = 256;
const OBJECTS: usize = 64;

/// Objects with addresses.
#[derive(Default)]
pub(crate) struct Memory {
    objects: Vec<Object>,
    next: u64,
}

pub(crate) struct Object {
    base: u64,
    size: u64,
    /// Its scalars: offset, bytes and type; none where they are not known.
    scalars: Vec<(u64, u64, Option<TypeId>)>,
    name: String,
    constant: bool,
    /// The call that it was a local of has returned.
    gone: bool,
    global: Option<GlobalId>,
    local: Option<(FunctionId, LocalId)>,
}

impl Memory {
    /// The global that an object is.
    pub fn global(&self, object: u32) -> Option<GlobalId> {
        self.objects[object as usize].global
    }
}

impl Builder<'_> {
    pub fn declare_globals(&mut self) {
        for (number, global) in self.program.globals.iter().enumerate() {
            let name = global.name.clone().unwrap_or_default();
            let object = self.object(global.size, global.ctype, name);
            let id = GlobalId(number as u32);
            self.memory.objects[object as usize].global = Some(id);
            self.memory.objects[object as usize].constant = global.constant;
        }
    }

    /// A new object.
    pub fn object(&mut self, size: u64, ctype: Option<TypeId>, name: String) -> u32 {
        let types = &self.program.types;
        let found = ctype.and_then(|ctype| types.scalars(ctype, SCALARS));
        let scalar = |(at, ctype): (u64, TypeId)| Some((at, types.size(ctype)?, Some(ctype)));
        let mut scalars: Vec<_> = found.unwrap_or_default().into_iter().filter_map(scalar).collect();
        if scalars.is_empty() && size <= 16 {
            scalars.push((0, size, ctype));
        }
        // Text without a type is bytes.
        if scalars.is_empty() && ctype.is_none() && size <= SCALARS as u64 {
            scalars.extend((0..size).map(|at| (at, 1, None)));
        }
        let base = FIRST_OBJECT + self.memory.next;
        self.memory.next += size.next_multiple_of(32) + GAP;
        let (constant, gone, global, local) = (false, false, None, None);
        self.memory.objects.push(Object { base, size, scalars, name, constant, gone, global, local });
        self.memory.objects.len() as u32 - 1
    }

    pub fn base(&self, object: u32) -> u64 {
        self.memory.objects[object as usize].base
    }

    pub fn set_local(&mut self, object: u32, function: FunctionId, local: LocalId) {
        self.memory.objects[object as usize].local = Some((function, local));
    }

    /// The locals of a call that returns. What follows is not built before, so nothing reaches them any more.
    pub fn end_of(&mut self, objects: impl Iterator<Item = u32>) {
        for object in objects {
            self.memory.objects[object as usize].gone = true;
        }
    }

    /// The cell at an offset of an object that has so many bytes.
    fn cell(&mut self, object: u32, offset: u64, bytes: u64) -> Option<VarId> {
        let known = &self.memory.objects[object as usize];
        let (_, _, ctype) = *known.scalars.iter().find(|(at, size, _)| (*at, *size) == (offset, bytes))?;
        let name = match known.scalars.len() {
            1 => known.name.clone(),
            _ => format!("{}{}", known.name, self.part(object, offset)),
        };
        let (global, local) = (known.global, known.local);
        let initial = global
            .filter(|global| !self.options.open.contains(global))
            .map(|global| self.initial(global, offset, bytes));
        let named = Named { name, ctype, local };
        Some(self.variable(Cell::Object(object, offset), bytes as u32 * 8, initial, named))
    }

    /// The part of an object at an offset, in C.
    fn part(&self, object: u32, offset: u64) -> String {
        let known = &self.memory.objects[object as usize];
        let ctype = match (known.global, known.local) {
            (Some(global), _) => self.program.globals[global.index()].ctype,
            (None, Some((function, local))) => self.program.functions[function.index()].locals[local.index()].ctype,
            _ => None,
        };
        ctype.map_or(String::new(), |ctype| self.part_of(ctype, offset))
    }

    /// The part of a type at an offset, in C.
    pub fn part_of(&self, ctype: TypeId, offset: u64) -> String {
        let types = &self.program.types;
        match &types[ctype] {
            CType::Array { element, .. } => match types.size(*element) {
                Some(size) if size > 0 => {
                    format!("[{}]{}", offset / size, self.part_of(*element, offset % size))
                }
                _ => String::new(),
            },
            CType::Record { fields, .. } => {
                let within = |field: &&wherefore_program::Field| {
                    (field.offset / 8..(field.offset + field.size).div_ceil(8)).contains(&offset)
                };
                fields.iter().find(within).map_or(String::new(), |field| {
                    format!(".{}{}", field.name, self.part_of(field.ctype, offset - field.offset / 8))
                })
            }
            _ => String::new(),
        }
    }

    /// What a part of a global begins with.
    fn initial(&self, global: GlobalId, offset: u64, bytes: u64) -> u128 {
        let pointer = self.options.pointers.iter().find(|(id, at, _)| (*id, *at) == (global, offset) && bytes == 8);
        match pointer {
            Some((_, _, Pointer::Global(to, at))) => u128::from(self.base(to.0).wrapping_add_signed(*at)),
            Some((_, _, Pointer::Function(function))) => u128::from(FIRST_FUNCTION + 16 * u64::from(function.0)),
            None => {
                let image = self.options.images.get(global.index()).and_then(|image| image.as_deref()).unwrap_or(&[]);
                let byte = |n: u64| image.get((offset + n) as usize).copied().unwrap_or(0);
                (0..bytes).rev().fold(0, |value, n| value << 8 | u128::from(byte(n)))
            }
        }
    }

    /// The cells that an address may mean to one who reads, or writes: the condition and the cell. `None` where nobody knows,
    /// or there are too many.
    fn meant(&mut self, address: TermId, bytes: u64, writes: bool) -> Option<Vec<(TermId, VarId)>> {
        let is_there = |object: &Object| !(object.gone || writes && object.constant);
        if let Some(value) = self.graph.terms.constant(address) {
            let object = self.object_at(value as u64)?;
            if !is_there(&self.memory.objects[object as usize]) {
                return Some(vec![]);
            }
            let offset = value as u64 - self.base(object);
            let cell = self.cell(object, offset, bytes)?;
            return Some(vec![(self.graph.terms.truth(true), cell)]);
        }
        let based = self.based(address);
        let (objects, most): (Vec<u32>, usize) = match based {
            Some(object) => (vec![object], CHOICES),
            None => ((0..self.memory.objects.len() as u32).collect(), OBJECTS),
        };
        let mut found = vec![];
        for object in objects.into_iter().filter(|object| is_there(&self.memory.objects[*object as usize])) {
            let scalars = self.memory.objects[object as usize].scalars.clone();
            for (offset, _, _) in scalars.iter().filter(|(_, size, _)| *size == bytes) {
                found.push((object, *offset));
            }
            if found.len() > most {
                return None;
            }
        }
        let mut meant = vec![];
        for (object, offset) in found {
            let at = u128::from(self.base(object) + offset);
            let at = self.graph.terms.bits(64, at);
            let is_it = self.graph.terms.eq(address, at);
            let cell = self.cell(object, offset, bytes)?;
            if self.graph.terms.truth_value(is_it) != Some(false) {
                meant.push((is_it, cell));
            }
        }
        Some(meant)
    }

    fn object_at(&self, address: u64) -> Option<u32> {
        let inside = |object: &Object| (object.base..object.base + object.size.max(1)).contains(&address);
        self.memory.objects.iter().position(inside).map(|number| number as u32)
    }

    /// The object that an address is computed from by adding to it.
    fn based(&self, address: TermId) -> Option<u32> {
        match *self.graph.terms.node(address) {
            Node::Const { value, .. } => self.object_at(value as u64),
            Node::Binary(BinaryOp::Add, a, b) => self.based(a).or_else(|| self.based(b)),
            Node::Binary(BinaryOp::Sub, a, _) => self.based(a),
            _ => None,
        }
    }

    /// Reads memory.
    pub fn load(&mut self, here: &mut Here, address: TermId, bits: u32) -> Option<TermId> {
        let meant = self.meant(address, u64::from(bits.div_ceil(8)), false)?;
        self.outside(here, &meant);
        let mut value = None;
        for (condition, cell) in meant.into_iter().rev() {
            let held = self.value_of(cell);
            let held = self.graph.terms.extract(held, 0, bits);
            value = Some(match value {
                None => held,
                Some(other) => self.graph.terms.ite(condition, held, other),
            });
        }
        value
    }

    /// An address that means no object is an error.
    fn outside(&mut self, here: &mut Here, meant: &[(TermId, VarId)]) {
        let some = self.graph.terms.or(meant.iter().map(|(condition, _)| *condition));
        let none = self.graph.terms.not(some);
        self.crash_if(here, none);
    }

    /// The cells that a store may go to, each with its condition; an error elsewhere.
    pub fn targets(&mut self, here: &mut Here, address: TermId, bits: u32) -> Option<Vec<(TermId, VarId)>> {
        let meant = self.meant(address, u64::from(bits.div_ceil(8)), true)?;
        self.outside(here, &meant);
        Some(meant)
    }

    /// The cells of a stretch of memory that begins at a constant address and lies in one object, with their offsets in it.
    pub fn stretch(&mut self, address: TermId, bytes: u64, writes: bool) -> Option<Vec<(u64, u64, VarId)>> {
        let start = self.graph.terms.constant(address)? as u64;
        let object = self.object_at(start)?;
        let begin = start - self.base(object);
        let known = &self.memory.objects[object as usize];
        if known.gone || writes && known.constant || begin + bytes > known.size {
            return None;
        }
        let scalars = known.scalars.clone();
        let mut found = vec![];
        for (offset, size, _) in scalars {
            if offset >= begin && offset + size <= begin + bytes {
                found.push((offset - begin, size, self.cell(object, offset, size)?));
            } else if offset < begin + bytes && offset + size > begin {
                return None;
            }
        }
        Some(found)
    }

    /// Whether an address is that of a function.
    pub fn function_at(&self, address: u128) -> Option<FunctionId> {
        let number = (address as u64).checked_sub(FIRST_FUNCTION)? / 16;
        (number < self.program.functions.len() as u64).then_some(FunctionId(number as u32))
    }

    /// A condition of the way.
    pub fn assume(&mut self, here: &mut Here, condition: TermId, kind: Kind) {
        if self.graph.terms.truth_value(condition) != Some(true) {
            self.step(here, Statement::Assume(condition), kind);
        }
    }
}
