//! Variables that are read before they are set.

use crate::core::Procedure;
use std::collections::BTreeSet;
use wherefore_program::{Command, Function, Place};

/// The locals of a procedure, parameters apart, that some way reads before it sets them.
pub fn read_before_set(function: &Function, procedure: &Procedure) -> BTreeSet<usize> {
    // What is live at the beginning of each block, from behind.
    let mut live: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); function.blocks.len()];
    loop {
        let mut changed = false;
        for (number, block) in function.blocks.iter().enumerate().rev() {
            let mut now = BTreeSet::new();
            for next in block.terminator.it.successors() {
                now.extend(live[next.index()].iter().copied());
            }
            for command in block.commands.iter().rev() {
                match &command.it {
                    Command::Load { place: Place::Local(local, _), .. } => {
                        now.insert(local.index());
                    }
                    Command::Store { place: Place::Local(local, _), .. } => {
                        now.remove(&local.index());
                    }
                    _ => {}
                }
            }
            changed |= now != live[number];
            live[number] = now;
        }
        if !changed {
            break;
        }
    }
    let declared = procedure.parameters..procedure.locals.len();
    live.first().map_or_else(BTreeSet::new, |live| live.iter().copied().filter(|l| declared.contains(l)).collect())
}
