//! Pointers through which a side that was not taken would set something: what they are computed from, and what they were in
//! the run when the decision was made.

use crate::builder::mask;
use crate::walk::Recorded;
use rustc_hash::FxHashMap;
use wherefore_program::{LocalId, Operation};

/// Bytes of a page.
const PAGE: u64 = 4096;

/// A number computed from the state at a decision.
#[derive(Clone, Debug)]
pub enum Number<'p> {
    /// So many bits with a value.
    Constant(u32, u128),
    /// What a local without an address holds: where it lies among those of its activation.
    Local(u64, u32),
    /// The address of a local.
    Place(LocalId, i64),
    /// What memory holds at an address.
    Loaded(Box<Number<'p>>, u32),
    /// What an operation gives.
    Computed(&'p Operation, u32, Vec<Number<'p>>),
}

/// What may be set through a pointer.
#[derive(Clone, Debug)]
pub struct Pointer<'p> {
    pub to: Number<'p>,
    /// How many bytes; otherwise the object.
    pub size: Option<Number<'p>>,
}

/// The state of the run at a decision.
pub trait State {
    fn local(&mut self, place: u64, bits: u32) -> u128;
    fn place(&mut self, local: LocalId) -> Option<u64>;
    fn memory(&mut self, address: u64, bits: u32) -> Option<u128>;
}

impl Number<'_> {
    fn bits(&self) -> u32 {
        match self {
            Number::Constant(bits, _) | Number::Local(_, bits) | Number::Loaded(_, bits) => *bits,
            Number::Computed(_, bits, _) => *bits,
            Number::Place(..) => 64,
        }
    }

    /// Its value in a state, if that is known.
    pub fn value(&self, state: &mut dyn State) -> Option<u128> {
        match self {
            Number::Constant(bits, value) => Some(mask(*value, *bits)),
            Number::Local(place, bits) => Some(state.local(*place, *bits)),
            Number::Place(local, offset) => Some(u128::from(state.place(*local)?.wrapping_add_signed(*offset))),
            Number::Loaded(address, bits) => {
                let address = address.value(state)? as u64;
                state.memory(address, *bits)
            }
            Number::Computed(operation, bits, operands) => {
                let mut given = Vec::with_capacity(operands.len());
                for operand in operands {
                    given.push((operand.bits(), operand.value(state)?));
                }
                wherefore_meaning::number(operation, *bits, &given).map(|(value, _)| value)
            }
        }
    }

    /// The parts of locals without an address that it is computed from: where they lie, and their sizes.
    pub fn locals(&self, found: &mut Vec<(u64, u64)>) {
        match self {
            Number::Local(place, bits) => found.push((*place, u64::from(bits.div_ceil(8)))),
            Number::Loaded(address, _) => address.locals(found),
            Number::Computed(_, _, operands) => operands.iter().for_each(|o| o.locals(found)),
            Number::Constant(..) | Number::Place(..) => {}
        }
    }

    /// How much there is to compute.
    pub fn size(&self) -> usize {
        1 + match self {
            Number::Loaded(address, _) => address.size(),
            Number::Computed(_, _, operands) => operands.iter().map(Number::size).sum(),
            _ => 0,
        }
    }
}

/// What memory holds, as far as the run has shown it.
#[derive(Default)]
pub struct Pages {
    pages: FxHashMap<u64, Box<[u8; PAGE as usize]>>,
    /// Contents of globals from the start, by address.
    globals: Vec<(u64, Vec<u8>)>,
}

impl Pages {
    pub fn new(recorded: &Recorded) -> Pages {
        let with_content = recorded.globals.iter().filter_map(|g| Some((g.address, g.content.clone()?)));
        let mut globals: Vec<_> = with_content.filter(|(address, _)| *address != 0).collect();
        globals.sort_unstable_by_key(|(address, _)| *address);
        Pages { pages: FxHashMap::default(), globals }
    }

    fn page(&mut self, number: u64) -> &mut [u8; PAGE as usize] {
        let globals = &self.globals;
        self.pages.entry(number).or_insert_with(|| {
            let mut page = Box::new([0; PAGE as usize]);
            let start = number * PAGE;
            let after = globals.partition_point(|(address, _)| *address < start.saturating_add(PAGE));
            for (address, content) in globals[..after].iter().rev().take(PAGE as usize) {
                for (index, byte) in page.iter_mut().enumerate() {
                    let offset = (start + index as u64).checked_sub(*address);
                    if let Some(known) = offset.and_then(|offset| content.get(offset as usize)) {
                        *byte = *known;
                    }
                }
                if address + (content.len() as u64) < start && content.len() as u64 > PAGE {
                    break;
                }
            }
            page
        })
    }

    /// Memory holds a value of so many bytes.
    pub fn set(&mut self, address: u64, size: u64, value: u128) {
        let (number, offset) = (address / PAGE, (address % PAGE) as usize);
        let size = size.min(16) as usize;
        let bytes = value.to_le_bytes();
        if offset + size <= PAGE as usize {
            self.page(number)[offset..offset + size].copy_from_slice(&bytes[..size]);
        } else {
            for (index, byte) in bytes[..size].iter().enumerate() {
                let at = address.wrapping_add(index as u64);
                self.page(at / PAGE)[(at % PAGE) as usize] = *byte;
            }
        }
    }

    /// What memory holds; `None` where nothing of it has been seen.
    pub fn get(&mut self, address: u64, bits: u32) -> Option<u128> {
        let size = u64::from(bits.div_ceil(8)).min(16);
        let mut bytes = [0; 16];
        for (index, byte) in bytes[..size as usize].iter_mut().enumerate() {
            let at = address.checked_add(index as u64)?;
            if !self.pages.contains_key(&(at / PAGE)) {
                let after = self.globals.partition_point(|(start, _)| *start <= at);
                let (start, content) = self.globals.get(after.checked_sub(1)?)?;
                content.get((at - start) as usize)?;
            }
            *byte = self.page(at / PAGE)[(at % PAGE) as usize];
        }
        Some(mask(u128::from_le_bytes(bytes), bits))
    }

    /// The byte at an address, as far as the run has shown it.
    pub fn byte(&self, address: u64) -> Option<u8> {
        if let Some(page) = self.pages.get(&(address / PAGE)) {
            return Some(page[(address % PAGE) as usize]);
        }
        let after = self.globals.partition_point(|(start, _)| *start <= address);
        let (start, content) = self.globals.get(after.checked_sub(1)?)?;
        content.get((address - start) as usize).copied()
    }

    /// Memory is copied.
    pub fn copy(&mut self, to: u64, from: u64, size: u64) {
        let bytes: Vec<u8> = (0..size).map(|i| self.get(from.wrapping_add(i), 8).unwrap_or(0) as u8).collect();
        for (index, byte) in bytes.into_iter().enumerate() {
            self.set(to.wrapping_add(index as u64), 1, u128::from(byte));
        }
    }

    /// Memory is filled with a byte.
    pub fn fill(&mut self, to: u64, size: u64, byte: u128) {
        (0..size).for_each(|i| self.set(to.wrapping_add(i), 1, byte));
    }
}
