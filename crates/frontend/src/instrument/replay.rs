//! Makes a module count its blocks and take other values at its points.
//!
//! Before: `store i32 %v, ptr %p`. After: `if (any flag of these points) { %v' = __wf_force(number, %v) }` and the store
//! of whichever it is. Counters and flags lie in a table at a fixed address, so that nothing has to be looked up; the
//! runtime answers for what is behind a flag.

use super::{is_head, replace_vfork, tables};
use crate::llvm::{Builder, Module, Opcode, Value};
use crate::plan::{Act, BlockPlan, Plan};
use std::collections::HashMap;
use wherefore_program::{BlockId, FunctionId, Point, Slot};

/// Where the table is mapped: a counter of 32 bits for each block, then a byte for each point.
const TABLE: u64 = 0x3100_0000_0000;

/// Gives the value of a point, as 64 bits.
const FORCE: &str = "__wf_force";

/// Gives the address of a point.
const MOVE: &str = "__wf_move";

/// Instruments all functions and adds the tables the runtime reads; says for each point whether a run can be given
/// another value there. `counted`: the blocks that are counted, by their numbers.
pub(crate) fn instrument_replay(
    module: &Module,
    plan: &Plan,
    points: &[Point],
    counted: &dyn Fn(u32) -> bool,
) -> Vec<bool> {
    let builder = Builder::new(module);
    // Tables first: they hold the program's own functions and not what is added here.
    tables::emit(&builder, plan);
    let blocks: u64 = plan.functions.iter().map(|f| f.blocks.len() as u64).sum();
    builder.table("__wf_block_count", builder.int(32, blocks));
    builder.table("__wf_point_count", builder.int(32, points.len() as u64));
    let numbers = points.iter().zip(0..).map(|(point, number)| (*point, number)).collect();
    let replay = Replay { builder: &builder, numbers, flags: TABLE + 4 * blocks, counted };
    let mut forceable = vec![false; points.len()];
    for (id, function) in plan.functions.iter().enumerate() {
        for (number, block) in function.blocks.iter().enumerate() {
            let place = (FunctionId(id as u32), BlockId(number as u32));
            for point in replay.block(place, block) {
                forceable[point as usize] = true;
            }
        }
    }
    replace_vfork(module, &builder);
    forceable
}

struct Replay<'m> {
    builder: &'m Builder<'m>,
    numbers: HashMap<Point, u32>,
    /// Address of the first point's flag.
    flags: u64,
    counted: &'m dyn Fn(u32) -> bool,
}

/// A value that can be another one.
struct Place {
    slot: Slot,
    operand: u32,
    point: u32,
}

impl Replay<'_> {
    /// Instruments a block; gives the points that can be forced in it.
    fn block(&self, place: (FunctionId, BlockId), plan: &BlockPlan) -> Vec<u32> {
        let instructions = plan.block.instructions();
        let start = instructions.iter().find(|i| !is_head(**i, place.1 == BlockId(0)));
        self.builder.before(*start.expect("a block ends with a jump"));
        if (self.counted)(plan.number) {
            self.builder.count(self.builder.address(TABLE + 4 * u64::from(plan.number)));
        }
        for call in instructions.iter().filter(|i| matches!(i.opcode(), Opcode::LLVMCall)) {
            // What it returns may be exchanged before it is returned further.
            call.clear_tail_call();
        }
        let mut found = vec![];
        for act in &plan.acts {
            let places = self.places(place, act);
            if !places.is_empty() {
                self.exchange(act.instruction, &places);
                found.extend(places.iter().map(|p| p.point));
            }
        }
        found
    }

    /// The points among the values of a command.
    fn places(&self, (function, block): (FunctionId, BlockId), act: &Act) -> Vec<Place> {
        let place = |(slot, operand): &(Slot, u32)| {
            let point = Point { function, block, command: act.command, slot: *slot };
            let point = *self.numbers.get(&point)?;
            Some(Place { slot: *slot, operand: *operand, point })
        };
        act.slots.iter().filter_map(place).collect()
    }

    fn exchange(&self, instruction: Value, places: &[Place]) {
        let builder = self.builder;
        builder.before(instruction);
        let wanted = self.any_flag(places);
        let word = builder.int_type(64);
        let ty = builder.function_type(word, &[builder.int_type(32), word]);
        let mut forced = vec![];
        let [before, inside] = builder.branch_if(wanted, instruction, || {
            for place in places {
                let value = instruction.operand(place.operand);
                let function = builder.function(if place.slot == Slot::Address { MOVE } else { FORCE }, ty);
                let point = builder.int(32, u64::from(place.point));
                let other = builder.call(function, &[point, builder.to_word(value)]);
                forced.push((place.operand, value, builder.of_word(other, value.ty())));
            }
        });
        for (operand, value, other) in forced {
            instruction.set_operand(operand, builder.phi([(value, before), (other, inside)]));
        }
    }

    /// Whether a flag of these points is set. Flags of neighbours may be seen too; the runtime looks again.
    fn any_flag(&self, places: &[Place]) -> Value {
        let builder = self.builder;
        let first = places.iter().map(|p| p.point).min().unwrap_or(0);
        let last = places.iter().map(|p| p.point).max().unwrap_or(first);
        // As many at a time as a word has; the runtime leaves room for a word after the last flag.
        let bytes = (last - first + 1).next_power_of_two().min(8);
        let flags = (first..=last).step_by(bytes as usize).map(|from| {
            let address = builder.address(self.flags + u64::from(from));
            builder.load_unaligned(builder.int_type(8 * bytes), address)
        });
        let all = flags.reduce(|a, b| builder.or(a, b)).expect("there is a place");
        builder.is_not_zero(all)
    }
}
