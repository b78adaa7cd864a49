//! Objects in memory and their cells.
//!
//! An address belongs to the object that is alive there. A cell is a range of an object that the run accesses as one;
//! the first typed access decides its extent. A narrower access reads or updates a part of the cell, a wider one several.

use std::collections::{BTreeMap, HashMap, btree_map};
use std::ops::Range;
use wherefore_formula::VarId;
use wherefore_program::{GlobalId, LocalId, Origin, TypeId};

/// Something in memory.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Number of steps before it was made.
    pub made: usize,
}

/// What an object is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A global.
    Global(GlobalId),
    /// A local whose address is used.
    Local {
        /// Activation.
        activation: u32,
        /// The local.
        local: LocalId,
        /// Its C type.
        ctype: Option<TypeId>,
    },
    /// Allocated by a call.
    Heap {
        /// Where.
        at: Option<Origin>,
        /// `free` was called.
        freed: bool,
    },
    /// What a pointer parameter of the entry function was given to point to.
    Given,
    /// All memory that is none of these.
    Foreign,
}

/// A cell of an object: offset and width in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    /// The variable.
    pub variable: VarId,
}

/// A piece of an access: which bytes of the access are which bytes of a cell, or a gap that has no cell yet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// `size` bytes from byte `from` of the cell.
    Cell { cell: Cell, from: u64, size: u64 },
    /// No cell covers these bytes of the object.
    Gap { offset: u64, size: u64 },
}

/// Index of the foreign object.
pub const FOREIGN: u32 = 0;

/// The memory of the run at one moment.
#[derive(Debug)]
pub struct Memory {
    /// Every object that ever lived.
    pub objects: Vec<Object>,
    live: BTreeMap<u64, u32>,
    /// The cells of each object.
    cells: Vec<Cells>,
}

/// The cells of one object. Most objects of a long run are locals with one cell, and a tree for each would be most of
/// what they take.
#[derive(Clone, Debug, Default)]
enum Cells {
    #[default]
    None,
    One(Cell),
    Many(BTreeMap<u64, Cell>),
}

impl Cells {
    fn insert(&mut self, cell: Cell) {
        match self {
            Cells::None => *self = Cells::One(cell),
            Cells::One(one) if one.offset == cell.offset => *one = cell,
            Cells::One(one) => *self = Cells::Many([*one, cell].map(|c| (c.offset, c)).into()),
            Cells::Many(many) => drop(many.insert(cell.offset, cell)),
        }
    }

    /// The cells that begin in a range, in order.
    fn within(&self, range: Range<u64>) -> CellsWithin<'_> {
        match self {
            Cells::None => CellsWithin::One(None),
            Cells::One(one) => CellsWithin::One(Some(*one).filter(|c| range.contains(&c.offset))),
            Cells::Many(many) => CellsWithin::Many(many.range(range)),
        }
    }

    /// Where the last cell begins that begins at an offset or before.
    fn last_at(&self, offset: u64) -> Option<u64> {
        match self {
            Cells::None => None,
            Cells::One(one) => Some(one.offset).filter(|start| *start <= offset),
            Cells::Many(many) => many.range(..=offset).next_back().map(|(start, _)| *start),
        }
    }

    fn all(&self) -> CellsWithin<'_> {
        match self {
            Cells::None => CellsWithin::One(None),
            Cells::One(one) => CellsWithin::One(Some(*one)),
            Cells::Many(many) => CellsWithin::Many(many.range(..)),
        }
    }
}

enum CellsWithin<'a> {
    One(Option<Cell>),
    Many(btree_map::Range<'a, u64, Cell>),
}

impl Iterator for CellsWithin<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        match self {
            CellsWithin::One(one) => one.take(),
            CellsWithin::Many(many) => many.next().map(|(_, cell)| *cell),
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        let foreign = Object { kind: ObjectKind::Foreign, base: 0, size: u64::MAX, made: 0 };
        Memory { objects: vec![foreign], live: BTreeMap::new(), cells: vec![] }
    }
}

impl Memory {
    /// A new object; whatever lived in its range is gone.
    pub fn allocate(&mut self, kind: ObjectKind, base: u64, size: u64) -> u32 {
        // It ends where memory does: nobody who calculates with its end need think of more.
        let base = base.min(u64::MAX - 1);
        let size = size.min(u64::MAX - base);
        for id in self.within(base..base + size.max(1)) {
            self.end(id);
        }
        let id = self.objects.len() as u32;
        self.objects.push(Object { kind, base, size, made: 0 });
        self.live.insert(base, id);
        id
    }

    /// The live objects that have bytes in a range.
    pub fn within(&self, range: Range<u64>) -> Vec<u32> {
        let first = self.live.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let reaches = |(start, id): &(&u64, &u32)| **start + self.objects[**id as usize].size.max(1) > range.start;
        self.live.range(first..range.end.max(first)).filter(reaches).map(|(_, id)| *id).collect()
    }

    /// An object is gone: what is at its addresses from now on is not it.
    pub fn end(&mut self, id: u32) {
        let base = self.objects[id as usize].base;
        if self.live.get(&base) == Some(&id) {
            self.live.remove(&base);
        }
    }

    /// The object at its first address ends (it stays known: a later use is a use after free).
    pub fn free(&mut self, base: u64) {
        if let Some(&id) = self.live.get(&base)
            && let ObjectKind::Heap { freed, .. } = &mut self.objects[id as usize].kind
        {
            *freed = true;
        }
    }

    /// The object at an address and the offset in it.
    pub fn find(&self, address: u64) -> (u32, u64) {
        if let Some((start, &id)) = self.live.range(..=address).next_back()
            && address - start < self.objects[id as usize].size.max(1)
        {
            return (id, address - start);
        }
        (FOREIGN, address)
    }

    /// The live object that begins at an address.
    pub fn at_base(&self, base: u64) -> Option<u32> {
        self.live.get(&base).copied()
    }

    /// An object without an address: a local that does not escape.
    pub fn unaddressed(&mut self, kind: ObjectKind, size: u64) -> u32 {
        let id = self.objects.len() as u32;
        self.objects.push(Object { kind, base: 0, size, made: 0 });
        id
    }

    /// How an access decomposes into cells and gaps, in order of offset.
    pub fn pieces(&self, object: u32, offset: u64, size: u64) -> Vec<Piece> {
        let mut pieces = vec![];
        let end = offset.saturating_add(size);
        let mut at = offset;
        if let Some(cells) = self.cells.get(object as usize) {
            let first = cells.last_at(offset).unwrap_or(offset);
            for cell in cells.within(first..end) {
                if cell.offset + cell.size <= at {
                    continue;
                }
                if cell.offset > at {
                    pieces.push(Piece::Gap { offset: at, size: cell.offset - at });
                    at = cell.offset;
                }
                let stop = end.min(cell.offset + cell.size);
                pieces.push(Piece::Cell { cell, from: at - cell.offset, size: stop - at });
                at = stop;
            }
        }
        if at < end {
            pieces.push(Piece::Gap { offset: at, size: end - at });
        }
        pieces
    }

    /// The cells of every object: offset, size, variable.
    pub fn all_cells(&self) -> HashMap<u32, Vec<(u64, u64, VarId)>> {
        let of = |cells: &Cells| cells.all().map(|c| (c.offset, c.size, c.variable)).collect();
        let some = (0..).zip(&self.cells).filter(|(_, cells)| !matches!(cells, Cells::None));
        some.map(|(object, cells)| (object, of(cells))).collect()
    }

    /// The cells of an object that begin in a range.
    pub fn cells_within(&self, object: u32, range: Range<u64>) -> impl Iterator<Item = Cell> {
        self.cells.get(object as usize).into_iter().flat_map(move |cells| cells.within(range.clone()))
    }

    /// The cell that begins at an offset.
    pub fn cell_at(&self, object: u32, offset: u64) -> Option<Cell> {
        self.cells_within(object, offset..offset.saturating_add(1)).next()
    }

    /// The cells of an object.
    pub fn cells_of(&self, object: u32) -> impl Iterator<Item = Cell> {
        self.cells.get(object as usize).into_iter().flat_map(Cells::all)
    }

    /// The variables of the first cells of an object.
    pub fn first_cells(&self, object: u32, count: usize) -> Vec<VarId> {
        self.cells_of(object).take(count).map(|c| c.variable).collect()
    }

    /// Make a gap a cell.
    pub fn add_cell(&mut self, object: u32, cell: Cell) {
        let index = object as usize;
        if self.cells.len() <= index {
            self.cells.resize(index + 1, Cells::None);
        }
        self.cells[index].insert(cell);
    }
}

#[cfg(test)]
mod tests;
