//! Events: see [`crate::observed`]. Nothing here happens while a run is only to be explained.

use super::printing::Printing;
use super::{Analysis, Recorded, Stopped, Walker, is_memory_fault};
use crate::builder::{Facts, Here, Outside, Range, Value, Writes};
use crate::failure;
use crate::memory::{FOREIGN, Object, Piece};
use crate::model::{Kind, Storage};
use crate::observed::{Argument, Called, Ended, Event, Fixed, Followed, Read, Turn, Why};
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_clib::{self as clib, Ending, Extent, Judge};
use wherefore_formula::{BinaryOp, Node, TermId, VarId};
use wherefore_program::{BlockId, FunctionId, Operand, Operation, Origin, Program, Terminator};

/// The events of a run under way.
pub struct Observer {
    marker: VarId,
    events: Vec<Event>,
    /// How many activations each function has on the stack.
    active: Vec<u32>,
}

/// Follow a run and its events. What cannot be followed to the end is followed up to there.
pub fn follow(
    program: &Program,
    analysis: &Analysis,
    recorded: &Recorded,
    stopped: Stopped,
    expected: &Expected,
    budget: &Budget,
) -> Followed {
    let mut walker = Walker::new(program, analysis, recorded, budget);
    let marker = walker.build.variable(Storage::Choice { at: None }, 32, None, None);
    walker.observer = Some(Observer { marker, events: vec![], active: vec![0; program.functions.len()] });
    walker.memory_fault = is_memory_fault(stopped);
    walker.printing = Printing::new(recorded.stdout, expected.stdout.as_deref(), stopped);
    let lost = walker.run().err();
    let active = walker.frames.iter().map(|f| f.function).collect();
    let events = walker.observer.as_mut().map(|o| std::mem::take(&mut o.events)).unwrap_or_default();
    let cells = walker.build.memory.all_cells();
    let stopped = if lost.is_some() { Stopped::Limit } else { stopped };
    Followed { trace: failure::finish(walker, stopped, expected), marker, events, cells, active, lost }
}

impl Walker<'_> {
    pub(super) fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    fn event(&mut self, event: Event, at: Option<Origin>) {
        let Some(observer) = &mut self.observer else { return };
        let (marker, number) = (observer.marker, observer.events.len());
        observer.events.push(event);
        let number = self.build.constant(32, number as u128);
        let here = self.here(at);
        self.build.assign(marker, &number, Kind::Internal, here);
    }

    /// A condition, true in the run, over values read up to now.
    fn turn(&mut self, condition: TermId, facts: &Facts, why: Why, at: Option<Origin>, rounds: u32) {
        self.turn_by_distance(condition, None, facts, why, at, rounds);
    }

    fn turn_by_distance(
        &mut self,
        condition: TermId,
        distance: Option<TermId>,
        facts: &Facts,
        why: Why,
        at: Option<Origin>,
        rounds: u32,
    ) {
        if self.build.terms.truth_value(condition).is_some() {
            return;
        }
        let bit = self.build.terms.bool_to_bits(condition, 1);
        let mut now = |term| self.build.refresh(&Value { term, concrete: 1, facts: facts.clone() }).term;
        let (bit, distance) = (now(bit), distance.map(&mut now));
        let condition = self.build.terms.bits_to_bool(bit);
        let function = self.frames.last().expect("an activation is on the stack").function;
        self.event(Event::Turn(Turn { condition, why, distance, at, function, rounds }), at);
    }

    /// Control leaves a block by a condition.
    pub(super) fn observe_way(&mut self, terminator: &Terminator, from: BlockId, to: BlockId, at: Option<Origin>) {
        if !self.is_observed() {
            return;
        }
        let (condition, facts) = match terminator {
            Terminator::Branch { condition, then, otherwise } if then != otherwise => {
                let value = self.operand(condition);
                let holds = self.build.terms.bits_to_bool(value.term);
                (if to == *then { holds } else { self.build.terms.not(holds) }, value.facts)
            }
            Terminator::Switch(switch) => {
                let value = self.operand(&switch.value);
                let terms = &mut self.build.terms;
                let width = terms.width(value.term);
                let by_default = switch.default == to;
                let mut cases = vec![];
                for (k, _) in switch.cases.iter().filter(|(_, block)| (*block == to) != by_default) {
                    let k = terms.bits(width, *k);
                    let equal = terms.eq(value.term, k);
                    cases.push(equal);
                }
                let one_of = terms.or(cases);
                (if by_default { terms.not(one_of) } else { one_of }, value.facts)
            }
            _ => return,
        };
        let rounds = self.rounds_of_another_way(from, to);
        self.turn(condition, &facts, Why::Way { from, to }, at, rounds);
    }

    /// A function is called through a pointer.
    pub(super) fn observe_callee(&mut self, pointer: &Value, at: Option<Origin>) {
        self.turn_to_be_recorded(pointer, Why::Callee, at);
    }

    /// The value is what it was in the run.
    fn turn_to_be_recorded(&mut self, value: &Value, why: Why, at: Option<Origin>) {
        if !self.is_observed() {
            return;
        }
        let width = self.build.terms.width(value.term);
        let recorded = self.build.terms.bits(width, value.concrete);
        let same = self.build.terms.eq(value.term, recorded);
        let rounds = self.rounds_here();
        self.turn(same, &value.facts, why, at, rounds);
    }

    /// Memory is accessed through a pointer.
    pub(super) fn observe_access(&mut self, pointer: &Value, size: u64, at: Option<Origin>) {
        if self.observe_inside(pointer, size, at) != Some(false) {
            self.turn_to_be_recorded(pointer, Why::Address, at);
        }
    }

    /// An address is a sum: the access should stay in the object that its first part points into, whether the other parts
    /// depend on inputs or not.
    pub(super) fn observe_stray(&mut self, pointer: &Operand, address: u64, size: u64, at: Option<Origin>) {
        let Operand::Register(register) = pointer else { return };
        if !self.is_observed() {
            return;
        }
        let function = self.frames.last().expect("an activation is on the stack").function;
        let bases = &self.bases[function.index()];
        let Some(mut base) = bases[register.index()].clone() else { return };
        while let Operand::Register(register) = base {
            match &bases[register.index()] {
                Some(further) => base = further.clone(),
                None => break,
            }
        }
        let base = self.operand(&base).concrete as u64;
        let (object, _) = self.build.memory.find(base);
        let Object { base, size: length, .. } = self.build.memory.objects[object as usize];
        if object != FOREIGN && (address < base || address - base > length.saturating_sub(size)) {
            self.event(Event::Strayed(at), at);
        }
    }

    /// Memory is about to be read through a pointer; whether [`Walker::observe_read`] is to follow.
    pub(super) fn observe_reading(&mut self, pointer: &Value, size: u64, at: Option<Origin>) -> bool {
        match self.observe_inside(pointer, size, at) {
            Some(true) if self.is_known(pointer.concrete as u64) => true,
            Some(false) => false,
            _ => {
                self.turn_to_be_recorded(pointer, Why::Address, at);
                false
            }
        }
    }

    /// Whether nobody but the program can have written the object at an address.
    fn is_known(&self, address: u64) -> bool {
        let (object, _) = self.build.memory.find(address);
        object != FOREIGN && !self.build.outside_of.contains_key(&object)
    }

    /// A value was read through a pointer that stays in its object: it may have been another one of its values.
    pub(super) fn observe_read(&mut self, pointer: &Value, size: u64, value: &Value, at: Option<Origin>) -> Value {
        let address = pointer.concrete as u64;
        let pointer = self.build.refresh(pointer).term;
        let bits = self.build.terms.width(value.term);
        let result = self.build.variable(Storage::Choice { at }, bits, None, None);
        let (object, _) = self.build.memory.find(address);
        let function = self.frames.last().expect("an activation is on the stack").function;
        let rounds = self.rounds_here();
        self.event(Event::Read(Read { pointer, address, object, size, result, at, function, rounds }), at);
        let here = self.here(at);
        self.build.assign(result, value, Kind::Internal, here);
        self.build.value_of(result)
    }

    /// Whether an access stays within its object; `None` when that is not known, or nobody asks.
    fn observe_inside(&mut self, pointer: &Value, size: u64, at: Option<Origin>) -> Option<bool> {
        if !self.is_observed() || self.build.terms.constant(pointer.term).is_some() || size == 0 {
            return None;
        }
        if let Some((base, length)) = self.extent_of_object(pointer)
            && length >= size
        {
            let terms = &mut self.build.terms;
            let start = terms.bits(64, u128::from(base));
            let distance = terms.binary(BinaryOp::Sub, pointer.term, start);
            let most = terms.bits(64, u128::from(length - size));
            let inside = terms.ule(distance, most);
            let rounds = self.rounds_here();
            if (pointer.concrete as u64).wrapping_sub(base) <= length - size {
                self.turn_by_distance(inside, Some(distance), &pointer.facts, Why::Inside, at, rounds);
            } else {
                let outside = self.build.terms.not(inside);
                self.turn(outside, &pointer.facts, Why::Outside, at, rounds);
                return Some(false);
            }
            return Some(true);
        }
        None
    }

    /// First address and size of the object that a pointer is computed from: the part of a sum that points into one.
    fn extent_of_object(&self, pointer: &Value) -> Option<(u64, u64)> {
        let mut work = vec![pointer.term];
        while let Some(part) = work.pop() {
            if let Node::Binary(BinaryOp::Add, a, b) = self.build.terms.node(part) {
                work.extend([*a, *b]);
                continue;
            }
            let value = self.build.terms.evaluate(part, &mut |v| self.build.current_value(v));
            let object = value.map_or(FOREIGN, |v| self.build.memory.find(v.raw() as u64).0);
            if object != FOREIGN {
                let object = &self.build.memory.objects[object as usize];
                return Some((object.base, object.size));
            }
        }
        None
    }

    /// Bytes are copied or set: from where, to where and how many.
    pub(super) fn observe_bytes(&mut self, pointers: &[&Operand], length: &Operand, at: Option<Origin>) {
        if !self.is_observed() {
            return;
        }
        let length = self.operand(length);
        self.turn_to_be_recorded(&length, Why::Length, at);
        for pointer in pointers {
            let pointer = self.operand(pointer);
            self.observe_access(&pointer, length.concrete as u64, at);
        }
    }

    /// Memory is filled with a byte: what is filled as a whole may be read at any index.
    pub(super) fn observe_fill(&mut self, to: Range, byte: &Value, at: Option<Origin>) {
        if !self.is_observed() {
            return;
        }
        self.build.cells_by_type(to);
        let pieces = self.build.memory.pieces(to.object, to.offset, to.size);
        if pieces.iter().any(|piece| matches!(piece, Piece::Gap { .. })) {
            self.observe_fixed("the byte that memory is filled with".into(), std::slice::from_ref(byte), at);
        }
    }

    /// An operation is executed: a division may stop the program.
    pub(super) fn observe_operation(&mut self, operation: &Operation, bits: u32, values: &[Value], at: Option<Origin>) {
        use wherefore_program::BinaryOp::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};
        let (Operation::Binary { op, .. }, [a, b]) = (operation, values) else { return };
        if !self.is_observed() {
            return;
        }
        let rounds = self.rounds_here();
        let terms = &mut self.build.terms;
        match op {
            UDiv | URem | SDiv | SRem => {
                let zero = terms.bits(bits, 0);
                if b.concrete == 0 {
                    let is_zero = terms.eq(b.term, zero);
                    self.turn(is_zero, &b.facts, Why::Zero, at, rounds);
                    return;
                }
                let not_zero = terms.ne(b.term, zero);
                self.turn(not_zero, &b.facts, Why::Divisor, at, rounds);
                if matches!(op, SDiv | SRem) {
                    self.observe_quotient(a, b, bits, at);
                }
            }
            Shl | LShr | AShr if terms.constant(b.term).is_none() => {
                let limit = terms.bits(bits, u128::from(bits));
                if b.concrete < u128::from(bits) {
                    let defined = terms.ult(b.term, limit);
                    self.turn(defined, &b.facts, Why::Defined, at, rounds);
                } else {
                    let undefined = terms.uge(b.term, limit);
                    self.turn(undefined, &b.facts, Why::Undefined, at, rounds);
                }
            }
            _ => {}
        }
    }

    /// The smallest number divided by -1 stops the program.
    fn observe_quotient(&mut self, a: &Value, b: &Value, bits: u32, at: Option<Origin>) {
        let rounds = self.rounds_here();
        let terms = &mut self.build.terms;
        let (smallest, minus_one) = (terms.bits(bits, 1 << (bits - 1)), terms.bits(bits, u128::MAX));
        let (x, y) = (terms.eq(a.term, smallest), terms.eq(b.term, minus_one));
        let misfit = terms.and2(x, y);
        let mut facts = a.facts.clone();
        facts.merge(&b.facts);
        if terms.bits(bits, a.concrete) == smallest && terms.bits(bits, b.concrete) == minus_one {
            self.turn(misfit, &facts, Why::Misfit, at, rounds);
        } else {
            let fits = terms.not(misfit);
            self.turn(fits, &facts, Why::Quotient, at, rounds);
        }
    }

    /// A value is taken as recorded although it depends on others.
    pub(super) fn observe_fixed(&mut self, what: String, on: &[Value], at: Option<Origin>) {
        if self.is_observed() {
            let on = on.iter().map(|value| self.build.refresh(value).term).collect();
            self.event(Event::Fixed(Fixed { what, on, at }), at);
        }
    }

    /// A function outside the program is about to be called; it may not come back.
    pub(super) fn observe_call(&mut self, name: &str, arguments: &[Operand], at: Option<Origin>) {
        if let Some(Ending::Status(number)) = clib::ending(name)
            && let Some(status) = arguments.get(number)
        {
            let status = self.operand(status);
            self.observe_end(&status, at);
        }
        let (holds, fails) = match clib::judge(name) {
            Some(Judge::Asserts) => (Why::Asserted, Why::Violated),
            Some(Judge::Assumes) => (Why::Assumed, Why::Refused),
            None => return,
        };
        let [argument, ..] = arguments else { return };
        if !self.is_observed() {
            return;
        }
        let value = self.operand(argument);
        let terms = &mut self.build.terms;
        let width = terms.width(value.term);
        let zero = terms.bits(width, 0);
        let rounds = self.rounds_here();
        if value.concrete == 0 {
            let condition = self.build.terms.eq(value.term, zero);
            self.turn(condition, &value.facts, fails, at, rounds);
        } else {
            let condition = self.build.terms.ne(value.term, zero);
            self.turn(condition, &value.facts, holds, at, rounds);
        }
    }

    /// The program ends with a status.
    pub(super) fn observe_end(&mut self, status: &Value, at: Option<Origin>) {
        if self.is_observed() {
            let status = self.build.refresh(status).term;
            let function = self.frames.last().expect("an activation is on the stack").function;
            self.event(Event::Ended(Ended { status, at, function }), at);
        }
    }

    /// A call outside has come back.
    pub(super) fn observe_return(&mut self, name: &str, values: &[Value], returned: u128, at: Option<Origin>) {
        if !self.is_observed() {
            return;
        }
        let mut arguments = vec![];
        for value in values {
            let value = self.build.refresh(value);
            let variable = match *self.build.terms.node(value.term) {
                Node::Var(variable, _) => Some(variable),
                _ => None,
            };
            arguments.push(Argument { term: value.term, value: value.concrete, variable });
        }
        let function = self.frames.last().expect("an activation is on the stack").function;
        let rounds = self.rounds_here();
        let called = Called { callee: name.to_string(), arguments, result: None, returned, at, function, rounds };
        self.event(Event::Called(called), at);
    }

    /// The result of the call that has just come back is in a variable.
    pub(super) fn observe_result(&mut self, result: &Value) {
        let Some(observer) = &mut self.observer else { return };
        if let (Some(Event::Called(called)), [(variable, _)]) = (observer.events.last_mut(), &result.facts.reads[..]) {
            called.result = Some(*variable);
        }
    }

    /// What a reading function was given to write to is new: what was known of that memory is not known any more, also
    /// where the value happens to be the same.
    pub(super) fn forget_what_is_read(&mut self, name: &str, values: &[Value], here: Here) {
        let Some(function) = clib::function(name).filter(|_| self.is_observed()) else { return };
        let outside =
            Outside { position: self.build.steps.len(), here, given: Default::default(), writes: Writes::Itself };
        let scanned = function.scanned_from().unwrap_or(values.len())..values.len();
        let places = function.input_places().chain(scanned.map(|argument| (argument, Extent::Fixed(1))));
        for (argument, extent) in places {
            let Some(value) = values.get(argument) else { continue };
            let (object, offset) = self.build.memory.find(value.concrete as u64);
            if object != FOREIGN {
                let rest = self.build.memory.objects[object as usize].size.saturating_sub(offset);
                let size = if let Extent::Fixed(size) = extent { size.min(rest) } else { rest };
                self.build.forget(object, offset, size, &outside);
            }
        }
    }

    /// How many rounds have been completed of the loops a block lies in, in this activation.
    fn completed(&self, head: BlockId) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        frame.rounds.iter().find(|(h, _)| *h == head).map_or(0, |(_, n)| *n)
    }

    fn rounds_here(&self) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        let loops = &self.flows[frame.function.index()].loops[frame.block.index()];
        loops.iter().map(|head| self.completed(*head) + 1).max().unwrap_or(0).max(frame.outer_rounds)
    }

    /// A loop that another way leaves has the rounds it has; one in which it stays has begun one more.
    fn rounds_of_another_way(&self, from: BlockId, to: BlockId) -> u32 {
        let frame = self.frames.last().expect("an activation is on the stack");
        let flow = &self.flows[frame.function.index()];
        let stays = |head: &BlockId| {
            flow.successors[from.index()].iter().any(|b| *b != to && flow.loops[b.index()].contains(head))
        };
        let rounds = |head: &BlockId| self.completed(*head) + u32::from(stays(head));
        flow.loops[from.index()].iter().map(rounds).max().unwrap_or(0).max(frame.outer_rounds)
    }

    /// Control goes along an edge: a round may be over, or a loop begin.
    pub(super) fn count_round(&mut self, from: BlockId, to: BlockId) {
        if !self.is_observed() {
            return;
        }
        let frame = self.frames.last_mut().expect("an activation is on the stack");
        let flow = &self.flows[frame.function.index()];
        if flow.is_back_edge(from, to) {
            match frame.rounds.iter_mut().find(|(head, _)| *head == to) {
                Some((_, rounds)) => *rounds += 1,
                None => frame.rounds.push((to, 1)),
            }
        } else {
            frame.rounds.retain(|(head, _)| *head != to);
        }
    }

    /// The rounds that code in a new activation of a function counts with: those of the call, and nested calls.
    pub(super) fn count_entry(&mut self, function: FunctionId) -> u32 {
        if !self.is_observed() {
            return 0;
        }
        let outer = if self.frames.is_empty() { 0 } else { self.rounds_here() };
        let Some(observer) = &mut self.observer else { return 0 };
        let active = &mut observer.active[function.index()];
        *active += 1;
        outer.max(*active - 1)
    }

    /// Activations have ended.
    pub(super) fn count_exits(&mut self, functions: impl IntoIterator<Item = FunctionId>) {
        let Some(observer) = &mut self.observer else { return };
        for function in functions {
            observer.active[function.index()] = observer.active[function.index()].saturating_sub(1);
        }
    }
}
