//! Makes a module record its run, or ([`replay`]) count its blocks and take other values.
//!
//! The recording is mapped at a fixed address; its cursor and limit are words of the mapping itself, so that what was
//! written survives any crash. Words are written inline. The cursor is kept in a value while no call intervenes and
//! stored back before anything that may not come back: a call, an access that may fail, a division, the block's end.

mod entry;
mod main_arguments;
mod replay;
mod room;
mod shapes;
mod sparse;
mod tables;
mod writer;

pub(crate) use entry::{check_entry, make_entry};
pub(crate) use main_arguments::ask_for_arguments;
pub(crate) use replay::instrument_replay;
pub(crate) use sparse::counted;

use crate::llvm::{Block, Builder, Module, Opcode, Value};
use crate::plan::{BLOCK, FunctionPlan, Plan, Probe};
use shapes::Shapes;
use std::collections::{HashMap, HashSet};
use wherefore_budget::{Budget, Stop};
use wherefore_clib::{self as clib, Callback};
use writer::Writer;

/// Called before a call that may start a thread.
const THREADS: &str = "__wf_threads";

/// Instruments all functions and adds the tables the runtime reads. `plainly`: no word is left out.
pub(crate) fn instrument(module: &Module, plan: &Plan, plainly: bool, budget: &Budget) -> Result<(), Stop> {
    let builder = Builder::new(module);
    // Tables first: they hold the program's own functions and not what is added here.
    tables::emit(&builder, plan);
    let writer = Writer::new(module, &builder, (!plainly).then(Shapes::default), plan.threads);
    for function in &plan.functions {
        budget.check()?;
        instrument_function(&writer, function);
    }
    if let Some(shapes) = &writer.shapes {
        shapes.emit(&builder);
    }
    replace_vfork(module, &builder);
    Ok(())
}

fn instrument_function(writer: &Writer, plan: &FunctionPlan) {
    let checks = room::checks(writer, plan);
    let may_end = |instruction| may_fail(instruction) && !plan.safe.contains(&instruction);
    let joined = match &writer.shapes {
        Some(_) => shapes::joined(plan, may_end, is_call),
        None => HashSet::new(),
    };
    // Asking for room splits blocks: where they jump is read off before.
    let jumps: Vec<Option<Block>> =
        plan.blocks.iter().map(|b| shapes::jump(b.block).filter(|next| joined.contains(next))).collect();
    let (mut all, mut of_joined) = (vec![], HashMap::new());
    for (number, block) in plan.blocks.iter().enumerate() {
        let probes: HashMap<Value, &Probe> = block.probes.iter().map(|p| (p.instruction, p)).collect();
        let instructions = block.block.instructions();
        let in_entry = number == 0;
        // Slots and phis stand before everything else; words about them are written right after the block's own.
        let start = instructions.iter().position(|i| !is_head(*i, in_entry)).expect("a block ends with a jump");
        let mut run = writer.start(instructions[start]);
        if checks[number].at_entry {
            run.check();
        }
        let is_joined = joined.contains(&block.block);
        run.begin(BLOCK | u64::from(block.number), in_entry, is_joined);
        if in_entry {
            plan.arguments.iter().for_each(|w| run.word(*w));
        }
        for instruction in &instructions[..start] {
            if checks[number].inside.contains(instruction) {
                run.check();
            }
            if let Some(probe) = probes.get(instruction) {
                probe.after.iter().for_each(|w| run.word(*w));
            }
        }
        for instruction in &instructions[start..] {
            run.before(*instruction);
            if checks[number].inside.contains(instruction) {
                run.check();
            }
            let probe = probes.get(instruction).copied();
            if let Some(probe) = probe {
                probe.before.iter().for_each(|w| run.word(*w));
            }
            if starts_thread(*instruction) {
                run.flush();
                writer.call(THREADS);
            }
            let calls = is_call(*instruction);
            if calls {
                instruction.clear_tail_call();
                run.leave();
            } else if may_end(*instruction) {
                run.risk();
            } else if is_end(*instruction) {
                run.flush();
            }
            if let (Some(probe), Some(next)) = (probe, instruction.next()) {
                run.before(next);
                probe.after.iter().for_each(|w| run.word(*w));
            }
        }
        let mut shapes = run.end(jumps[number]).into_iter();
        if is_joined {
            of_joined.extend(shapes.next().map(|first| (block.block, first)));
        }
        all.extend(shapes);
    }
    if let Some(shapes) = &writer.shapes {
        shapes.add(&all, &of_joined);
    }
}

/// Whether an instruction stays before the point where a block starts to record.
fn is_head(instruction: Value, in_entry: bool) -> bool {
    match instruction.opcode() {
        Opcode::LLVMPHI => true,
        Opcode::LLVMAlloca => in_entry && instruction.operand(0).is_constant_int(),
        _ => false,
    }
}

/// Whether other code may run, and write to the recording; intrinsics become instructions, or functions that do not.
fn is_call(instruction: Value) -> bool {
    matches!(instruction.opcode(), Opcode::LLVMCall) && !instruction.called().is_intrinsic()
}

fn is_end(instruction: Value) -> bool {
    instruction.next().is_none()
}

/// Whether an instruction may end the run.
fn may_fail(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Opcode::LLVMLoad
            | Opcode::LLVMStore
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMAtomicCmpXchg
            | Opcode::LLVMVAArg
            | Opcode::LLVMUDiv
            | Opcode::LLVMSDiv
            | Opcode::LLVMURem
            | Opcode::LLVMSRem
            | Opcode::LLVMCall
    )
}

fn starts_thread(instruction: Value) -> bool {
    matches!(instruction.opcode(), Opcode::LLVMCall)
        && clib::function(&instruction.called().name())
            .is_some_and(|f| matches!(f.calls_back, Some(Callback::Thread(_))))
}

/// The child of `vfork` shares its parent's memory, recording included.
fn replace_vfork(module: &Module, builder: &Builder) {
    if let Some(vfork) = module.named_function("vfork").filter(|f| f.is_declaration()) {
        vfork.replace_uses(builder.function("fork", vfork.value_type()));
    }
}
