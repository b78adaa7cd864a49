//! Which loads of variables may read something that was never assigned.
//!
//! A forward dataflow over the bytes of the locals that do not escape: a byte is assigned where it is on every way from
//! the entry. What it cannot show is taken as unassigned, and the load is recorded.

use wherefore_program::{Block, Command, Flow, Function, Place};

/// Beyond this many bits of state, nothing is shown and every load is recorded.
const LIMIT: usize = 1 << 28;

/// Sets `logged` on the loads of locals that may read an unassigned byte.
pub(super) fn mark_unassigned(function: &mut Function) {
    let mut first_bit = vec![];
    let mut bits = 0usize;
    for local in &function.locals {
        first_bit.push(bits);
        if !local.escapes {
            bits += local.size.unwrap_or(0) as usize;
        }
    }
    let words = bits.div_ceil(64);
    let known = words.saturating_mul(64).saturating_mul(function.blocks.len()) <= LIMIT;
    let range = |place: &Place, width: u32| match place {
        Place::Local(id, offset) => {
            let start = first_bit[id.index()] + *offset as usize;
            Some(start..start + width.div_ceil(8) as usize)
        }
        Place::Memory(_) => None,
    };
    let entry_states = if known { states(function, words, &range) } else { vec![None; function.blocks.len()] };
    let registers = &function.registers;
    for (block, state) in function.blocks.iter_mut().zip(entry_states) {
        let mut state = state.unwrap_or_else(|| vec![0; words]);
        for command in &mut block.commands {
            match &mut command.it {
                Command::Store { place, bits, .. } => {
                    if let Some(range) = range(place, *bits) {
                        set(&mut state, range);
                    }
                }
                Command::Load { target, place, logged, .. } => {
                    if let Some(range) = range(place, registers[target.index()]) {
                        *logged = !known || !all_set(&state, range);
                    }
                }
                _ => {}
            }
        }
    }
}

type Range = std::ops::Range<usize>;

/// For each block the bytes assigned at its beginning; `None` where control does not come.
fn states(function: &Function, words: usize, range: &impl Fn(&Place, u32) -> Option<Range>) -> Vec<Option<Vec<u64>>> {
    let flow = Flow::new(function);
    let assigned: Vec<Vec<u64>> = function.blocks.iter().map(|block| assigned_in(block, words, range)).collect();
    let mut order: Vec<usize> = (0..function.blocks.len()).filter(|b| flow.order[*b].is_some()).collect();
    order.sort_by_key(|b| flow.order[*b]);
    let mut at_entry: Vec<Option<Vec<u64>>> = vec![None; function.blocks.len()];
    if let Some(entry) = order.first() {
        at_entry[*entry] = Some(vec![0; words]);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order {
            let Some(mut state) = at_entry[block].clone() else {
                continue;
            };
            state.iter_mut().zip(&assigned[block]).for_each(|(s, a)| *s |= a);
            for next in &flow.successors[block] {
                match &mut at_entry[next.index()] {
                    empty @ None => {
                        *empty = Some(state.clone());
                        changed = true;
                    }
                    Some(old) => {
                        for (old, new) in old.iter_mut().zip(&state) {
                            changed |= *old & new != *old;
                            *old &= new;
                        }
                    }
                }
            }
        }
    }
    at_entry
}

fn assigned_in(block: &Block, words: usize, range: &impl Fn(&Place, u32) -> Option<Range>) -> Vec<u64> {
    let mut state = vec![0; words];
    for command in &block.commands {
        if let Command::Store { place, bits, .. } = &command.it
            && let Some(range) = range(place, *bits)
        {
            set(&mut state, range);
        }
    }
    state
}

fn set(state: &mut [u64], range: Range) {
    for bit in range {
        state[bit / 64] |= 1 << (bit % 64);
    }
}

fn all_set(state: &[u64], mut range: Range) -> bool {
    range.all(|bit| state[bit / 64] >> (bit % 64) & 1 == 1)
}
