//! Programs whose formula shows everything they do. Only of those a failure that is not foreseen is one that cannot be:
//! what is not listed here costs the proof.

use std::collections::HashSet;
use wherefore_clib as clib;
use wherefore_program::{
    BinaryOp, Block, Callee, Command, Flow, Function, FunctionId, Operand, Operation, Program, Terminator,
};

/// Bytes of stack that are surely there.
const STACK: u64 = 1 << 20;
/// Bytes of a call beside the locals it has.
const CALL: u64 = 256;
/// Nested calls of a recursion that are surely possible.
const DEPTH: u64 = 256;
/// The widest access that needs no alignment.
const WORD: u32 = 64;

/// Why the formula of a program may not show all it does; nothing if it does.
pub fn doubt(program: &Program, entry: FunctionId) -> Option<String> {
    if let Some(what) = program.beyond.first() {
        return Some(what.clone());
    }
    if let Some(note) = program.notes.first() {
        return Some(note.message.clone());
    }
    let start = &program.functions[entry.index()];
    if program.is_main(start) && !start.params.is_empty() {
        return Some("what main() is given belongs to the system".into());
    }
    if program.globals.iter().any(|global| global.external) {
        return Some("a variable of a library is used".into());
    }
    if let Some(what) =
        program.functions.iter().flat_map(|f| reached(f).map(move |b| (f, b))).find_map(|it| in_block(program, it))
    {
        return Some(what);
    }
    (stack(program, entry) > STACK).then(|| "the stack may be too small".into())
}

/// The blocks to which a way leads.
fn reached(function: &Function) -> impl Iterator<Item = &Block> {
    let flow = Flow::new(function);
    function.blocks.iter().enumerate().filter_map(move |(number, block)| flow.order[number].map(|_| block))
}

fn in_block(program: &Program, (function, block): (&Function, &Block)) -> Option<String> {
    if let Some(what) = block.commands.iter().find_map(|command| in_command(program, function, &command.it)) {
        return Some(what);
    }
    let ends = match block.commands.last().map(|command| &command.it) {
        Some(Command::Call { callee: Callee::External(name), .. }) => clib::ending(name).is_some(),
        _ => false,
    };
    let falls_off = matches!(block.terminator.it, Terminator::Unreachable) && !ends;
    falls_off.then(|| format!("{}() may go where it must not", function.name))
}

fn in_command(program: &Program, function: &Function, command: &Command) -> Option<String> {
    let is_fixed = |operand: &Operand| matches!(operand, Operand::Constant { .. });
    let bits = |command: &Command| match command {
        Command::Load { target, .. } => function.registers[target.index()],
        Command::Store { bits, .. } => *bits,
        _ => 0,
    };
    let what: String = match command {
        _ if command.operands().iter().any(|o| matches!(o, Operand::Undefined { .. } | Operand::External(_))) => {
            "something that C leaves open is used".into()
        }
        Command::Define { value, .. } => return in_operation(function, value),
        Command::Load { volatile: true, .. } => "a volatile variable is read".into(),
        Command::Load { .. } | Command::Store { .. } if bits(command) > WORD => "a wide value is accessed".into(),
        Command::Allocate { local, .. } if function.locals[local.index()].size.is_none() => {
            "an array has a length that is not fixed".into()
        }
        Command::Copy { length, .. } | Command::Fill { length, .. } if !is_fixed(length) => {
            "a stretch of memory has a length that is not fixed".into()
        }
        Command::Call { callee, target, .. } => match callee {
            Callee::Function(_) => return None,
            Callee::External(name) if clib::nondet(program.stand_in(name)).is_some() && target.is_some() => {
                return None;
            }
            // They do nothing but what the formula has.
            Callee::External(name) if clib::ending(name).is_some() || clib::judge(name).is_some() => return None,
            Callee::External(name) => format!("not all that {name}() may do is a part of the formula"),
            Callee::Pointer(_) => "a function is called through a pointer".into(),
            Callee::Assembly => "there is assembly code".into(),
        },
        Command::Load { .. } | Command::Store { .. } | Command::Allocate { .. } => return None,
        Command::Copy { .. } | Command::Fill { .. } => return None,
    };
    Some(what)
}

fn in_operation(function: &Function, operation: &Operation) -> Option<String> {
    let width = |operand: &Operand| match operand {
        Operand::Register(register) => function.registers[register.index()],
        Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
        Operand::Global(..) | Operand::Local(..) | Operand::Function(_) | Operand::External(_) => WORD,
    };
    match operation {
        Operation::Binary { op: BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, left, right, .. } => {
            let is_plain = matches!(width(left), 32 | 64) || matches!(right, Operand::Constant { .. });
            (!is_plain).then(|| "a number of unusual width is shifted".into())
        }
        Operation::Copy(_)
        | Operation::Binary { .. }
        | Operation::Compare(..)
        | Operation::Cast(..)
        | Operation::Select(..)
        | Operation::Extract { .. }
        | Operation::Insert { .. }
        | Operation::Phi(_) => None,
        Operation::Opaque { what, .. } => Some(format!("{what} is not followed")),
        Operation::FloatBinary(..)
        | Operation::FloatCompare(..)
        | Operation::FloatCast(..)
        | Operation::FloatNegate(_)
        | Operation::FloatAbs(_)
        | Operation::FloatSqrt(_) => Some("there is floating point".into()),
    }
}

/// The most stack that calls can take.
fn stack(program: &Program, entry: FunctionId) -> u64 {
    let frame = |function: &Function| {
        let locals: u64 = function.locals.iter().map(|local| local.size.unwrap_or(0)).sum();
        // At -O0 registers have places, too.
        locals.saturating_add(CALL).saturating_add(16 * function.registers.len() as u64)
    };
    let mut seen = HashSet::new();
    let mut work = vec![entry];
    let mut all = 0u64;
    let mut recursive = false;
    // All frames once are enough where nothing is called again; a function that calls an earlier one may be a circle.
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        all = all.saturating_add(frame(&program.functions[id.index()]));
        let commands = program.functions[id.index()].blocks.iter().flat_map(|b| &b.commands);
        work.extend(commands.filter_map(|command| match &command.it {
            Command::Call { callee: Callee::Function(callee), .. } => Some(*callee),
            _ => None,
        }));
    }
    for id in &seen {
        recursive |= reaches(program, *id);
    }
    if recursive { all.saturating_mul(DEPTH) } else { all }
}

/// Whether a function may call itself.
fn reaches(program: &Program, start: FunctionId) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for command in program.functions[id.index()].blocks.iter().flat_map(|b| &b.commands) {
            let Command::Call { callee: Callee::Function(callee), .. } = &command.it else { continue };
            if *callee == start {
                return true;
            }
            if seen.insert(*callee) {
                work.push(*callee);
            }
        }
    }
    false
}
