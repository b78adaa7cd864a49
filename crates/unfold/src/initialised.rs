//! Which locals may be read before they are written. Of the others nothing is ever seen but what was written last, so
//! that ways on which they were not written yet need not be told apart.

use wherefore_program::{Command, Function, Place};

/// For each local whether some way through the function reads it before all of it is written.
pub(crate) fn read_before_written(function: &Function) -> Vec<bool> {
    let locals = function.locals.len();
    let mut reads = vec![];
    let mut writes = vec![];
    for block in &function.blocks {
        let (mut read, mut written) = (vec![false; locals], vec![false; locals]);
        for command in &block.commands {
            match &command.it {
                Command::Load { place: Place::Local(local, _), .. } => {
                    read[local.index()] |= !written[local.index()];
                }
                Command::Store { place: Place::Local(local, 0), bits, .. } => {
                    let size = function.locals[local.index()].size;
                    written[local.index()] |= size.is_some_and(|size| 8 * size <= u64::from(*bits).next_multiple_of(8));
                }
                _ => {}
            }
        }
        reads.push(read);
        writes.push(written);
    }
    // Backwards until nothing changes: a block hands on what its successors need and it does not write.
    let mut needed = reads;
    let mut changed = true;
    while changed {
        changed = false;
        for (number, block) in function.blocks.iter().enumerate().rev() {
            for next in block.terminator.it.successors() {
                for local in 0..locals {
                    let missing = needed[next.index()][local] && !writes[number][local] && !needed[number][local];
                    needed[number][local] |= missing;
                    changed |= missing;
                }
            }
        }
    }
    needed.into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
