//! Contents of globals that were taken from a run.

use crate::Pointer;
use wherefore_program::{FunctionId, GlobalId};

/// A global as a run had it.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its address in that run.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its content when the run began, if that is known.
    pub content: Option<Vec<u8>>,
}

/// The pointers in the contents of globals: in which one, where, and what they point to. Addresses are those of the run.
pub fn pointers(globals: &[Image], functions: &[u64]) -> Vec<(GlobalId, u64, Pointer)> {
    let mut found = vec![];
    for (number, global) in globals.iter().enumerate() {
        for (word, bytes) in global.content.as_deref().unwrap_or(&[]).chunks_exact(8).enumerate() {
            let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            let inside = |g: &Image| (g.address..g.address + g.size).contains(&value);
            let behind = |g: &Image| g.size > 0 && g.address + g.size == value;
            let function = functions.iter().position(|f| *f == value && value != 0);
            // What starts where another global ends is meant rather than the end.
            let target = globals.iter().position(inside).or_else(|| globals.iter().position(behind));
            let pointer = match (function, target) {
                (Some(function), _) => Pointer::Function(FunctionId(function as u32)),
                (None, Some(to)) => {
                    Pointer::Global(GlobalId(to as u32), value.wrapping_sub(globals[to].address) as i64)
                }
                (None, None) => continue,
            };
            found.push((GlobalId(number as u32), 8 * word as u64, pointer));
        }
    }
    found
}

#[cfg(test)]
mod tests;
