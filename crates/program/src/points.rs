//! Points: the values by which a statement of the source acts on the rest of the program.
//!
//! If a statement were another one, it would act by other values: store another value, or elsewhere, decide otherwise,
//! pass or return something else. Those are the places where a diagnosis may set a statement free, and where a run can
//! be given other values to see whether that repairs it. The list of a program is in a fixed order, so that a point has
//! one number for all who look at the same program.

use crate::{
    BlockId, CType, Command, Function, FunctionId, Located, Operand, Operation, Place, Program, RegId, Terminator,
    TypeId,
};
use serde::{Deserialize, Serialize};

/// One value of a command or of the end of a block.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The command's index in its block; `None` is the block's terminator.
    pub command: Option<u32>,
    /// Which of its values.
    pub slot: Slot,
}

/// Which value of a command.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Slot {
    /// What a store writes.
    Value,
    /// Where a store writes, when that is computed.
    Address,
    /// An argument of a call, by its index.
    Argument(u32),
    /// What a branch or switch decides on.
    Condition,
    /// What a function returns.
    Result,
}

/// Widest value of a point.
pub const POINT_BITS: u32 = 64;

/// All points of a program: by function, block and command, the terminator last. What has no place in the source (the
/// spilling of parameters, the slot of a result) is no statement and has no points.
pub fn points(program: &Program) -> Vec<Point> {
    let mut all = vec![];
    for (index, function) in program.functions.iter().enumerate() {
        let id = FunctionId(index as u32);
        let definitions = Definitions::new(function);
        for (number, block) in function.blocks.iter().enumerate() {
            let place = |command, slot| Point { function: id, block: BlockId(number as u32), command, slot };
            for (n, command) in block.commands.iter().enumerate() {
                if command.at.is_some() {
                    all.extend(
                        of_command(program, &definitions, command).into_iter().map(|slot| place(Some(n as u32), slot)),
                    );
                }
            }
            if block.terminator.at.is_some() {
                all.extend(of_terminator(&definitions, &block.terminator.it).map(|slot| place(None, slot)));
            }
        }
    }
    all
}

fn of_command(program: &Program, definitions: &Definitions, command: &Located<Command>) -> Vec<Slot> {
    match &command.it {
        Command::Store { place, bits, .. } if *bits <= POINT_BITS => {
            let computed = match place {
                Place::Memory(Operand::Register(register)) => definitions.is_computed(*register),
                Place::Memory(Operand::Global(global, _)) => is_array(program, program.globals[global.index()].ctype),
                Place::Memory(Operand::Local(local, _)) => {
                    is_array(program, definitions.function.locals[local.index()].ctype)
                }
                _ => false,
            };
            [Some(Slot::Value), computed.then_some(Slot::Address)].into_iter().flatten().collect()
        }
        Command::Call { arguments, .. } => (0..arguments.len())
            .filter(|n| definitions.is_free(&arguments[*n]))
            .map(|n| Slot::Argument(n as u32))
            .collect(),
        _ => vec![],
    }
}

/// Whether a variable has elements, of which a constant index may name the wrong one.
fn is_array(program: &Program, ctype: Option<TypeId>) -> bool {
    ctype.is_some_and(|t| matches!(program.types[t], CType::Array { .. }))
}

fn of_terminator(definitions: &Definitions, terminator: &Terminator) -> Option<Slot> {
    match terminator {
        Terminator::Branch { .. } => Some(Slot::Condition),
        Terminator::Switch(switch) => definitions.is_free(&switch.value).then_some(Slot::Condition),
        Terminator::Return(Some(value)) => {
            // `return e` with several returns stores into a nameless slot, which is a point already.
            let from_slot = matches!(value, Operand::Register(r) if definitions.is_slot_of_result(*r));
            (definitions.is_free(value) && !from_slot).then_some(Slot::Result)
        }
        _ => None,
    }
}

/// Where a function defines its registers.
struct Definitions<'a> {
    function: &'a Function,
    of: Vec<Option<&'a Command>>,
}

impl Definitions<'_> {
    fn new(function: &Function) -> Definitions<'_> {
        let mut of = vec![None; function.registers.len()];
        for command in function.blocks.iter().flat_map(|b| &b.commands) {
            if let Command::Define { target, .. } | Command::Load { target, .. } = &command.it {
                of[target.index()] = Some(&command.it);
            }
        }
        Definitions { function, of }
    }

    /// Whether an operand is a value that could be another one: narrow enough, and not the address of something fixed.
    fn is_free(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Register(register) => self.function.registers[register.index()] <= POINT_BITS,
            Operand::Constant { bits, .. } => *bits <= POINT_BITS,
            _ => false,
        }
    }

    fn is_slot_of_result(&self, register: RegId) -> bool {
        match self.of[register.index()] {
            Some(Command::Load { place: Place::Local(local, 0), .. }) => {
                self.function.locals[local.index()].name.is_none()
            }
            _ => false,
        }
    }

    /// Whether an address has a part that is computed, an index: then the statement may be wrong about where it writes.
    fn is_computed(&self, register: RegId) -> bool {
        match self.of[register.index()] {
            Some(Command::Define { value: Operation::Binary { left, right, .. }, .. }) => {
                let fixed = |operand: &Operand| !matches!(operand, Operand::Register(_));
                match (left, right) {
                    (base, step) if fixed(base) && fixed(step) => false,
                    // A member of what a pointer points to.
                    (Operand::Register(base), step) if fixed(step) => self.is_computed(*base),
                    _ => true,
                }
            }
            _ => false,
        }
    }
}
