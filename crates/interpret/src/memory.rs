//! Memory: objects anywhere in 64 bits, of which only the pages that were written are there.

use crate::stop::{Going, SIGSEGV, Stop, give_up};
use std::collections::{BTreeMap, HashMap};

const PAGE: u64 = 4096;
/// Below this nothing lies.
const NULL_PAGE: u64 = 4096;
/// Objects do not touch.
const GAP: u64 = 64;

/// Objects and what they hold.
#[derive(Default)]
pub struct Memory {
    pages: HashMap<u64, Box<[u8; PAGE as usize]>>,
    /// Sizes by address.
    objects: BTreeMap<u64, u64>,
}

impl Memory {
    /// An object at an address.
    pub fn put(&mut self, address: u64, size: u64) {
        self.objects.insert(address, size);
    }

    /// An object at the first free address from one on; gives its address.
    pub fn allocate(&mut self, next: &mut u64, size: u64) -> Going<u64> {
        let address = next.next_multiple_of(16);
        let Some(end) = address.checked_add(size).and_then(|end| end.checked_add(GAP)).filter(|end| *end < 1 << 62)
        else {
            return give_up("there is no room for so large an object");
        };
        *next = end;
        self.objects.insert(address, size);
        Ok(address)
    }

    /// The object at an address is gone.
    pub fn release(&mut self, address: u64) -> Option<u64> {
        let size = self.objects.remove(&address)?;
        // What is made here later begins with zeros.
        let range = address / PAGE..(address + size).div_ceil(PAGE);
        let written: Vec<u64> = self.pages.keys().copied().filter(|page| range.contains(page)).collect();
        for page in written {
            let part = (page * PAGE).max(address)..((page + 1) * PAGE).min(address + size);
            part.for_each(|byte| self.set(byte, 0));
        }
        Some(size)
    }

    /// The size of the object that begins at an address.
    pub fn size(&self, address: u64) -> Option<u64> {
        self.objects.get(&address).copied()
    }

    /// The object around an address: where it begins and its size.
    pub fn object(&self, address: u64) -> Option<(u64, u64)> {
        let (base, size) = self.objects.range(..=address).next_back()?;
        (address - base < *size).then_some((*base, *size))
    }

    /// Whether bytes belong to one object.
    pub fn check(&self, address: u64, bytes: u64) -> Going<()> {
        if bytes == 0 || self.object(address).is_some_and(|(base, size)| size - (address - base) >= bytes) {
            return Ok(());
        }
        match address < NULL_PAGE {
            true => Err(Stop::Signal(SIGSEGV)),
            false => give_up("memory outside of every object is accessed"),
        }
    }

    fn get(&self, address: u64) -> u8 {
        self.pages.get(&(address / PAGE)).map_or(0, |page| page[(address % PAGE) as usize])
    }

    fn set(&mut self, address: u64, byte: u8) {
        let page = self.pages.entry(address / PAGE).or_insert_with(|| Box::new([0; PAGE as usize]));
        page[(address % PAGE) as usize] = byte;
    }

    /// Bytes of an object.
    pub fn read(&self, address: u64, bytes: u64) -> Going<Vec<u8>> {
        self.check(address, bytes)?;
        Ok((address..address + bytes).map(|at| self.get(at)).collect())
    }

    /// Sets bytes of an object.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Going<()> {
        self.check(address, bytes.len() as u64)?;
        (address..).zip(bytes).for_each(|(at, byte)| self.set(at, *byte));
        Ok(())
    }

    /// A value of some bits.
    pub fn load(&self, address: u64, bits: u32) -> Going<u128> {
        let bytes = u64::from(bits.div_ceil(8));
        self.check(address, bytes)?;
        let value = (0..bytes).fold(0u128, |value, n| value | u128::from(self.get(address + n)) << (8 * n));
        Ok(value & (u128::MAX >> (128 - bits)))
    }

    /// Sets a value of some bits, whole bytes.
    pub fn store(&mut self, address: u64, bits: u32, value: u128) -> Going<()> {
        let bytes = bits.div_ceil(8) as usize;
        self.write(address, &value.to_le_bytes()[..bytes])
    }

    /// The bytes of a text up to its end, at most so many.
    pub fn text(&self, address: u64, most: u64) -> Going<Vec<u8>> {
        let mut text = vec![];
        while (text.len() as u64) < most {
            self.check(address + text.len() as u64, 1)?;
            match self.get(address + text.len() as u64) {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    /// As many of some bytes as belong to the object.
    pub fn there(&self, address: u64, most: u64) -> Vec<u8> {
        let left = self.object(address).map_or(0, |(base, size)| size - (address - base));
        (address..address + most.min(left)).map(|at| self.get(at)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_may_be_larger_than_any_memory() {
        let mut memory = Memory::default();
        let mut next = 1 << 40;
        let map = memory.allocate(&mut next, 1 << 44).expect("there is room");
        memory.store(map + (1 << 43), 64, 7).expect("it lies inside");
        assert_eq!(memory.load(map + (1 << 43), 64).expect("it lies inside"), 7);
        assert_eq!(memory.load(map, 64).expect("nobody set it"), 0);
        assert!(matches!(memory.load(map + (1 << 44), 8), Err(Stop::GaveUp(_))));
        assert!(matches!(memory.load(map + (1 << 44) - 4, 64), Err(Stop::GaveUp(_))));
        assert!(matches!(memory.load(8, 64), Err(Stop::Signal(SIGSEGV))));
    }

    #[test]
    fn what_is_gone_is_not_there_and_leaves_nothing() {
        let mut memory = Memory::default();
        memory.put(5000, 10);
        memory.write(5000, b"0123456789").expect("it fits");
        assert_eq!(memory.release(5000), Some(10));
        assert!(memory.read(5000, 1).is_err());
        memory.put(5004, 10);
        assert_eq!(memory.read(5004, 10).expect("it fits"), [0; 10]);
    }
}
