//! Points: where a statement can be set free.

use crate::address::FIRST_ADDRESS;
use crate::commands::{FIRST_FUNCTION, function_address};
use crate::function::Frame;
use crate::parts::Read;
use crate::state::{State, Unfolder};
use crate::{Instance, Source};
use wherefore_clib::{self as clib, Function, Gives};
use wherefore_formula::{Sort, TermId, VarId};
use wherefore_program::{BlockId, CType, Callee, Command, FunctionId, Operand, Origin, Place, Point, Slot, TypeId};

/// Objects that a pointer set free may point to, besides those it could point to anyway.
const OTHER_OBJECTS: usize = 24;

impl Unfolder<'_> {
    /// The value that the rest of the program sees at a point.
    pub fn soften(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (block, command): (BlockId, Option<u32>),
        slot: Slot,
        computed: TermId,
        at: Option<Origin>,
    ) -> TermId {
        let Some(statement) = at.and_then(|at| self.options.statements.get(&at).copied()) else { return computed };
        let point = Point { function: frame.function, block, command, slot };
        let Some(number) = self.softening.point(&point) else { return computed };
        // What a statement does nothing with but read it is what the test gives.
        let reads_here = self.sources.is_read_at(computed, statement);
        let argument = self.sources.source(computed).is_some();
        if reads_here && !argument {
            return computed;
        }
        let pointer = slot == Slot::Address || self.is_pointer(computed) || self.is_typed_pointer(&point, computed);
        let others = if reads_here { self.other_arguments(computed) } else { vec![] };
        let mut choices = vec![];
        let (var, free) = match (slot, pointer) {
            _ if !others.is_empty() => self.any_of(&others),
            (Slot::Address, _) => (None, self.elsewhere(state, &point, computed, &mut choices)),
            (_, true) => (None, self.any_pointer(state, computed, &mut choices)),
            _ => {
                let (var, free) = self.fresh(Sort::Bits(self.terms.width(computed)));
                (Some(var), free)
            }
        };
        let selector = self.selector(statement);
        let seen = self.terms.ite(selector, computed, free);
        let reads = self.reads(frame, state, statement);
        let floating = !pointer && self.is_floating(&point, computed);
        self.softening.add(Instance {
            point: Some(number),
            slot: Some(slot),
            global: None,
            statement,
            guard: state.guard,
            computed,
            seen,
            reads,
            pointer,
            floating,
            free: var,
            choices,
            others,
        });
        seen
    }

    /// Notes that a pointer given to the library is not set free, unless the statement may be changed otherwise: by writing
    /// another text, by taking another argument.
    pub fn note_kept(
        &mut self,
        frame: &Frame,
        (block, command): (BlockId, Option<u32>),
        argument: u32,
        callee: &Callee,
        at: Option<Origin>,
    ) {
        let Callee::External(symbol) = callee else { return };
        let point = Point { function: frame.function, block, command, slot: Slot::Argument(argument) };
        let soft =
            at.is_some_and(|at| self.options.statements.contains_key(&at)) && self.softening.point(&point).is_some();
        // A text that is written may be another one, and so may the text that a number is taken from.
        let free = |f: &Function| f.prints() || f.gives == Gives::Number || f.name == "atof";
        if soft && !clib::function(symbol).is_some_and(free) {
            self.note(None, format!("the pointers given to {symbol}() are kept as they are"));
        }
    }

    /// Whether a value is a pointer though it may not look like one, as far as C types tell: what is stored in a variable
    /// declared as a pointer, and elsewhere a null pointer rather than a zero.
    fn is_typed_pointer(&self, point: &Point, value: TermId) -> bool {
        if self.terms.width(value) != 64 {
            return false;
        }
        let zero = self.terms.constant(value) == Some(0);
        let program = self.program;
        let function = &program.functions[point.function.index()];
        let is_pointer = |ctype: Option<TypeId>| ctype.is_some_and(|t| matches!(program.types[t], CType::Pointer(_)));
        match (point.slot, self.command_at(point)) {
            (Slot::Result, _) => zero && is_pointer(function.result_type),
            (Slot::Value, Some(Command::Store { place, .. })) => match place {
                Place::Local(local, _) | Place::Memory(Operand::Local(local, _)) => {
                    let local = &function.locals[local.index()];
                    is_pointer(local.ctype) || zero && local.name.is_none() && is_pointer(function.result_type)
                }
                Place::Memory(Operand::Global(global, _)) => is_pointer(program.globals[global.index()].ctype),
                // A member reached through a pointer: more often a link than a long zero.
                Place::Memory(_) => zero,
            },
            (Slot::Argument(n), Some(Command::Call { callee: Callee::Function(callee), .. })) => {
                let callee = &program.functions[callee.index()];
                zero && callee.locals.iter().any(|l| l.param == Some(n) && is_pointer(l.ctype))
            }
            _ => false,
        }
    }

    pub fn command_at(&self, point: &Point) -> Option<&Command> {
        let block = &self.program.functions[point.function.index()].blocks[point.block.index()];
        point.command.map(|n| &block.commands[n as usize].it)
    }

    /// For a number taken straight from an argument: those that could be taken from the others by mistake.
    fn other_arguments(&mut self, value: TermId) -> Vec<TermId> {
        let source = self.sources.source(value).cloned();
        let Some(Source::ArgumentNumber(own, 0, number)) = source else { return vec![] };
        let count = self.objects.last_argument();
        (1..=count).filter(|n| *n != own).map(|n| self.argument_number(n, 0, number)).collect()
    }

    /// A variable that has one of these values: a number says which.
    fn any_of(&mut self, values: &[TermId]) -> (Option<VarId>, TermId) {
        let sort = Sort::Bits(self.terms.width(values[0]));
        let (var, free) = self.fresh(sort);
        let bits = u32::BITS - (values.len() as u32).leading_zeros();
        let (_, which) = self.fresh(Sort::Bits(bits));
        let mut chosen = values[0];
        for (n, value) in values.iter().enumerate().skip(1) {
            let number = self.terms.bits(bits, n as u128);
            let this = self.terms.eq(which, number);
            chosen = self.terms.ite(this, *value, chosen);
        }
        let chosen = self.terms.eq(free, chosen);
        self.outcomes.demand(chosen);
        (Some(var), free)
    }

    /// Any place in the objects that the address of a store may lie in, as what is stored is aligned.
    fn elsewhere(&mut self, state: &State, point: &Point, address: TermId, choices: &mut Vec<VarId>) -> TermId {
        let align = match self.command_at(point) {
            Some(Command::Store { bits, .. }) => u64::from(bits.div_ceil(8)).next_power_of_two().min(8),
            _ => 1,
        };
        let mut free = address;
        for object in self.objects_of(state, address) {
            let place = self.place_in(object, align);
            free = self.either(place, free, choices);
        }
        free
    }

    /// Any place in the objects that a pointer may point to, the start of any other, or null.
    fn any_pointer(&mut self, state: &State, pointer: TermId, choices: &mut Vec<VarId>) -> TermId {
        if let Some(function) = self.function_of(pointer) {
            return self.any_function(function, pointer, choices);
        }
        let own = self.objects_of(state, pointer);
        let mut others: Vec<_> = state.memory.keys().rev().copied().filter(|id| !own.contains(id)).collect();
        if others.len() > OTHER_OBJECTS {
            self.note(None, format!("a changed pointer is tried on the {OTHER_OBJECTS} latest objects only"));
            others.truncate(OTHER_OBJECTS);
        }
        let null = self.terms.bits(64, 0);
        let mut free = self.either(null, pointer, choices);
        for object in others {
            let place = self.pointer_to(object);
            free = self.either(place, free, choices);
        }
        for object in own {
            // As what is there is laid out.
            let cells = state.memory[&object].cells.iter();
            let align =
                cells.map(|(at, cell)| at | u64::from(cell.bytes)).map(|n| 1 << n.trailing_zeros().min(3)).min();
            let place = self.place_in(object, align.unwrap_or(1));
            free = self.either(place, free, choices);
        }
        free
    }

    /// One or the other, as a new variable chooses.
    fn either(&mut self, one: TermId, other: TermId, choices: &mut Vec<VarId>) -> TermId {
        let (var, choice) = self.fresh(Sort::Bool);
        choices.push(var);
        self.terms.ite(choice, one, other)
    }

    /// A function that a pointer may point to.
    fn function_of(&mut self, pointer: TermId) -> Option<FunctionId> {
        let count = self.program.functions.len() as u64;
        let ways = self.ways(pointer)?;
        let number =
            |way: &crate::address::Way| way.base.checked_sub(FIRST_FUNCTION).map(|n| n / 16).filter(|n| *n < count);
        ways.iter().find_map(number).map(|n| FunctionId(n as u32))
    }

    /// A function with parameters of the same widths whose address is taken, or null.
    fn any_function(&mut self, like: FunctionId, pointer: TermId, choices: &mut Vec<VarId>) -> TermId {
        let params = |function: FunctionId| {
            let function = &self.program.functions[function.index()];
            function.params.iter().map(|p| function.registers[p.index()]).collect::<Vec<u32>>()
        };
        let others: Vec<FunctionId> =
            self.softening.addressed().iter().copied().filter(|f| params(*f) == params(like)).collect();
        let null = self.terms.bits(64, 0);
        let mut free = self.either(null, pointer, choices);
        for function in others {
            let address = self.terms.bits(64, u128::from(function_address(function)));
            free = self.either(address, free, choices);
        }
        free
    }

    fn objects_of(&mut self, state: &State, address: TermId) -> Vec<crate::memory::ObjectId> {
        let mut objects = vec![];
        for way in self.ways(address).unwrap_or_default() {
            if way.base >= FIRST_ADDRESS
                && let Some(object) = self.object_at(way.base)
                && state.memory.contains_key(&object)
                && !objects.contains(&object)
            {
                objects.push(object);
            }
        }
        objects
    }

    /// The address of any place of an object that is a multiple of so many bytes from its start.
    fn place_in(&mut self, object: crate::memory::ObjectId, align: u64) -> TermId {
        let kind = self.kind(object).clone();
        let shift = align.trailing_zeros();
        let bits = 64 - (kind.size >> shift).leading_zeros().min(63);
        let (_, offset) = self.fresh(Sort::Bits(bits));
        let offset = self.terms.zero_extend(offset, 64);
        let step = self.terms.bits(64, u128::from(align));
        let offset = self.terms.binary(wherefore_formula::BinaryOp::Mul, offset, step);
        let base = self.terms.bits(64, u128::from(kind.address));
        self.terms.binary(wherefore_formula::BinaryOp::Add, base, offset)
    }

    /// What a statement reads, as far as it is in fixed places, with what the functions it calls gave.
    fn reads(&mut self, frame: &Frame, state: &State, statement: u32) -> Vec<TermId> {
        let mut reads = vec![];
        for read in self.softening.reads(statement, frame.function) {
            let found = match read {
                Read::Register(register) => state.registers.get(&register).copied(),
                Read::Place(Place::Local(local, offset), bits) => {
                    let content = state.locals.get(&local);
                    content.and_then(|c| c.cells.get(&offset)).filter(|c| c.bytes == bits.div_ceil(8)).map(|c| c.value)
                }
                Read::Place(Place::Memory(address), bits) => {
                    let (object, offset) = match address {
                        Operand::Global(global, offset) => (Some(self.objects.global(global)), offset),
                        Operand::Local(local, offset) => (frame.objects.get(&local).copied(), offset),
                        _ => (None, 0),
                    };
                    let content = object.and_then(|object| state.memory.get(&object).cloned());
                    content.and_then(|mut content| {
                        let object = object?;
                        let kind = self.kind(object).clone();
                        let bytes = bits.div_ceil(8);
                        let inside = offset >= 0 && offset as u64 + u64::from(bytes) <= kind.size;
                        let known = !matches!(kind.rest, crate::memory::Rest::Undefined)
                            || content.cells.contains_key(&(offset as u64));
                        (inside && known)
                            .then(|| content.read(&mut self.terms, &kind, &mut self.variables, offset as u64, bytes))
                    })
                }
            };
            reads.extend(found);
        }
        reads
    }
}

#[cfg(test)]
mod tests;
