//! Objects and their contents: cells of terms at byte offsets.

use imbl::OrdMap;
use wherefore_formula::{TermId, Terms};

/// Number of an object; unique in an unfolding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId(pub u32);

/// What an object is, for all states alike.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub address: u64,
    /// Bytes in front of it that belong to no other object.
    pub front: u64,
    pub size: u64,
    /// For a size known at run time only: the size (64 bits); `size` is the largest that is followed.
    pub limit: Option<TermId>,
    /// Whether writing it is a failure.
    pub constant: bool,
    /// Of an array: the selector of its declaration. Set free, it is twice as long.
    pub declared: Option<TermId>,
    /// What the bytes are that nobody has written.
    pub rest: Rest,
}

/// Bytes that nobody has written.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    /// Given values.
    Image(std::rc::Rc<[u8]>),
    /// Zero.
    Zero,
    /// Anything.
    Undefined,
}

/// A piece of an object's content.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub bytes: u32,
    pub value: TermId,
}

/// The content of an object in one state. Cells do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub cells: OrdMap<u64, Cell>,
    /// Whether the object is there: it may have been freed.
    pub alive: TermId,
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.alive == other.alive && (self.cells.ptr_eq(&other.cells) || self.cells == other.cells)
    }
}

/// Makes the values of bytes nobody has written.
pub(crate) trait Undefined {
    fn undefined(&mut self, terms: &mut Terms, bits: u32) -> TermId;
}

impl Content {
    pub fn new(terms: &Terms) -> Content {
        Content { cells: OrdMap::new(), alive: terms.truth(true) }
    }

    /// The cells that overlap a range.
    fn overlapping(&self, offset: u64, bytes: u64) -> Vec<(u64, Cell)> {
        // A cell is at most 16 bytes wide.
        let start = offset.saturating_sub(15);
        let overlaps = |at: u64, cell: &Cell| at < offset + bytes && at + u64::from(cell.bytes) > offset;
        let range = self.cells.range(start..offset + bytes);
        range.filter(|(at, cell)| overlaps(**at, cell)).map(|(at, cell)| (*at, *cell)).collect()
    }

    /// The cell that a range is a part of.
    pub fn around(&self, offset: u64, bytes: u32) -> Option<(u64, Cell)> {
        let (start, cell) = self.cells.range(..=offset).next_back()?;
        (start + u64::from(cell.bytes) >= offset + u64::from(bytes)).then_some((*start, *cell))
    }

    /// Reads `bytes` at a fixed offset inside the object.
    pub fn read(
        &mut self,
        terms: &mut Terms,
        kind: &Kind,
        other: &mut dyn Undefined,
        offset: u64,
        bytes: u32,
    ) -> TermId {
        if let Some(cell) = self.cells.get(&offset)
            && cell.bytes == bytes
        {
            return cell.value;
        }
        let found = self.overlapping(offset, u64::from(bytes));
        if found.is_empty() {
            return self.unwritten(terms, kind, other, offset, bytes);
        }
        // Pieces from the lowest byte up.
        let end = offset + u64::from(bytes);
        let mut at = offset;
        let mut value: Option<TermId> = None;
        let mut cells = found.into_iter().peekable();
        while at < end {
            let piece = match cells.peek() {
                Some(&(start, cell)) if start <= at => {
                    cells.next();
                    let stop = (start + u64::from(cell.bytes)).min(end);
                    let piece = terms.extract(cell.value, (at - start) as u32 * 8, (stop - at) as u32 * 8);
                    at = stop;
                    piece
                }
                next => {
                    let stop = next.map_or(end, |(start, _)| *start);
                    let piece = self.unwritten(terms, kind, other, at, (stop - at) as u32);
                    at = stop;
                    piece
                }
            };
            value = Some(match value {
                Some(low) => terms.concat(piece, low),
                None => piece,
            });
        }
        value.expect("at least one byte")
    }

    fn unwritten(
        &mut self,
        terms: &mut Terms,
        kind: &Kind,
        other: &mut dyn Undefined,
        offset: u64,
        bytes: u32,
    ) -> TermId {
        match &kind.rest {
            Rest::Zero => terms.bits(bytes * 8, 0),
            Rest::Image(image) => {
                let value = (0..u64::from(bytes)).rev().fold(0u128, |value, n| {
                    value << 8 | u128::from(image.get((offset + n) as usize).copied().unwrap_or(0))
                });
                terms.bits(bytes * 8, value)
            }
            Rest::Undefined => {
                let value = other.undefined(terms, bytes * 8);
                self.cells.insert(offset, Cell { bytes, value });
                value
            }
        }
    }

    /// Writes a value at a fixed offset inside the object.
    pub fn write(&mut self, terms: &mut Terms, offset: u64, value: TermId) {
        let bytes = terms.width(value) / 8;
        if self.cells.get(&offset).is_none_or(|cell| cell.bytes != bytes) {
            let end = offset + u64::from(bytes);
            for (at, cell) in self.overlapping(offset, u64::from(bytes)) {
                self.cells.remove(&at);
                let stop = at + u64::from(cell.bytes);
                if at < offset {
                    let left = (offset - at) as u32;
                    let value = terms.extract(cell.value, 0, left * 8);
                    self.cells.insert(at, Cell { bytes: left, value });
                }
                if stop > end {
                    let right = (stop - end) as u32;
                    let value = terms.extract(cell.value, (end - at) as u32 * 8, right * 8);
                    self.cells.insert(end, Cell { bytes: right, value });
                }
            }
        }
        self.cells.insert(offset, Cell { bytes, value });
    }

    /// The content where `condition` holds this one, else `other`.
    pub fn merge(
        &mut self,
        terms: &mut Terms,
        kind: &Kind,
        undefined: &mut dyn Undefined,
        condition: TermId,
        mut other: Content,
    ) {
        if *self == other {
            return;
        }
        self.alive = terms.ite(condition, self.alive, other.alive);
        if self.cells.ptr_eq(&other.cells) {
            return;
        }
        use imbl::ordmap::DiffItem;
        let mut changed: Vec<(u64, u32)> = vec![];
        for item in self.cells.clone().diff(&other.cells) {
            match item {
                DiffItem::Add(at, cell) | DiffItem::Remove(at, cell) => changed.push((*at, cell.bytes)),
                DiffItem::Update { old, new } => {
                    changed.push((*old.0, old.1.bytes));
                    changed.push((*new.0, new.1.bytes));
                }
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for (at, bytes) in pieces(changed) {
            let a = self.read(terms, kind, undefined, at, bytes);
            let b = other.read(terms, kind, undefined, at, bytes);
            let value = terms.ite(condition, a, b);
            self.write(terms, at, value);
        }
    }
}

/// Overlapping ranges cut so that none overlap.
fn pieces(ranges: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    let overlap = ranges.windows(2).any(|w| w[0].0 + u64::from(w[0].1) > w[1].0);
    if !overlap {
        return ranges;
    }
    let mut borders: Vec<u64> = ranges.iter().flat_map(|(at, bytes)| [*at, at + u64::from(*bytes)]).collect();
    borders.sort_unstable();
    borders.dedup();
    let covered = |at: u64| ranges.iter().any(|(start, bytes)| *start <= at && at < start + u64::from(*bytes));
    borders.windows(2).filter(|w| covered(w[0])).map(|w| (w[0], (w[1] - w[0]) as u32)).collect()
}

#[cfg(test)]
mod tests;
