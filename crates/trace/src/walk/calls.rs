//! Calls: into the program, out of it, back into it, through pointers and by `longjmp`.

use super::following::Returned;
use super::{Frame, Pause, WalkError, Walker, return_site};
use crate::builder::{Facts, Here, Outside, Range, Value, Writes, is_foreign};
use crate::library::Call;
use crate::memory::ObjectKind;
use crate::model::{Assumed, Kind, Storage};
use wherefore_clib::{self as clib, Access, Callback, Extent, Function, Judge};
use wherefore_program::{Callee, Command, Operand, Operation, Origin, RegId};

/// So many cells of an object that a library function reads are taken into account.
const SEEN_CELLS: usize = 64;

impl Walker<'_> {
    /// What a call assumes is a condition of the way; where it does not hold, the run is over.
    fn assumed(&mut self, name: &str, arguments: &[Operand], at: Option<Origin>) {
        let (Some(Judge::Assumes), [argument, ..]) = (clib::judge(name), arguments) else { return };
        let value = self.operand(argument);
        if value.concrete == 0 {
            return;
        }
        let value = self.build.refresh(&value);
        let terms = &mut self.build.terms;
        let zero = terms.bits(terms.width(value.term), 0);
        let condition = terms.ne(value.term, zero);
        let Facts { assumes, addresses, .. } = value.facts;
        let (activation, position) = (self.frame().activation, self.build.steps.len());
        self.assumed.push(Assumed { at, activation, position, condition, assumes, addresses });
    }

    /// The function of the library behind a pointer that is called, where what it does is known from its arguments and what
    /// it gives: an allocator is often chosen that way.
    fn called_through(&mut self, callee: &Callee) -> Option<Callee> {
        let Callee::Pointer(pointer) = callee else { return None };
        if self.allocators.is_empty() || self.is_observed() {
            return None;
        }
        let address = self.operand(pointer).concrete as u64;
        self.allocators.get(&address).map(|name| Callee::External((*name).into()))
    }

    /// Execute a call; `None` when it is over.
    pub(super) fn call(
        &mut self,
        target: Option<RegId>,
        callee: &Callee,
        arguments: &[Operand],
        site: u32,
        at: Option<Origin>,
        kept: bool,
    ) -> Result<Option<Pause>, WalkError> {
        if let Callee::Function(id) = callee {
            if let Some(returned) = self.frame().returned.take() {
                if let Some(target) = target {
                    self.set_returned(target, returned);
                }
                self.watch_result(target);
                return Ok(None);
            }
            let (values, numbers) = self.handed_over(arguments, *id, kept);
            let shadows = self.shadows(arguments);
            self.frame().calls = true;
            let entered = self.enter(*id, values, numbers, at, false)?;
            self.watch_entry(shadows);
            return Ok(Some(if entered { Pause::Switched } else { Pause::End }));
        }
        let through = self.called_through(callee);
        let callee = through.as_ref().unwrap_or(callee);
        // What a call outside does to memory is followed in any case, unless nothing is.
        let is_followed = kept || self.following.is_slice();
        self.meet(callee, arguments, at);
        if let Callee::External(name) = callee {
            self.observe_call(name, arguments, at);
            if is_followed {
                self.assumed(name, arguments, at);
                let activation = self.frame().activation;
                self.before_sorting(name, arguments, activation);
            }
            if !self.watch_call(name, arguments, at) {
                return Ok(Some(Pause::End));
            }
        }
        let Some(&word) = self.recorded.words.get(self.at) else { return Ok(Some(Pause::End)) };
        if let Some(function) = self.entry_of(word) {
            self.meet_nobody();
            let through = if let Callee::Pointer(pointer) = callee { Some(pointer) } else { None };
            let (values, numbers) =
                if through.is_some() { self.handed_over(arguments, function, kept) } else { (vec![], vec![]) };
            if let Some(pointer) = through.filter(|_| kept) {
                let pointer = self.operand(pointer);
                self.observe_callee(&pointer, at);
                self.open_indirect(&pointer, at);
            }
            if through.is_none() {
                self.called_by_unseen();
            }
            let shadows = if through.is_some() { self.shadows(arguments) } else { vec![] };
            self.frame().calls = true;
            let entered = self.enter(function, values, numbers, at, through.is_none())?;
            self.watch_entry(shadows);
            return Ok(Some(if entered { Pause::Switched } else { Pause::End }));
        }
        let Some(returned_to) = return_site(word) else {
            return Err(self.out_of_step("a call neither returns nor enters a function"));
        };
        self.at += 1;
        if returned_to != site {
            self.meet_nobody();
            self.long_jump(returned_to)?;
            return Ok(Some(Pause::Switched));
        }
        let bits = target.map(|t| {
            let function = self.frames.last().expect("an activation is on the stack").function;
            self.program.functions[function.index()].registers[t.index()]
        });
        let value = match bits {
            Some(bits) => match self.value_words(bits) {
                Some(value) => Some((bits, value)),
                None => return Ok(Some(Pause::End)),
            },
            None => None,
        };
        self.met(value.map_or(0, |(_, value)| value as u64));
        // What is called through a pointer was not known when the program was instrumented.
        if let Callee::External(name) = callee
            && through.is_none()
            && clib::function(name).is_some_and(Function::is_seen)
        {
            match self.memory_words()? {
                Some(chunks) => {
                    self.memory_shows(&chunks);
                    self.chunks = chunks;
                }
                None => return Ok(Some(Pause::End)),
            }
        }
        if let Some(branch) = self.frame().indirect.take() {
            // Unless the callee left something open inside of it.
            if self.frame().scope == Some(branch) {
                let parent = self.branches[branch.index()].parent;
                self.close_to(parent);
            }
        }
        let inside = self.frame().returned.take();
        let is_outside = inside.is_none();
        if is_outside {
            self.build.others |= self.may_start_threads(callee);
        }
        self.watch_seen();
        if is_outside {
            self.note_given(arguments);
        }
        let result = match (value, inside) {
            (Some((bits, _)), Some(Returned::Number(number))) => Some(self.build.constant(bits, number)),
            (Some(_), Some(Returned::Value(inside))) => Some(inside),
            (Some((bits, value)), None) if is_followed => Some(self.outside_call(callee, arguments, bits, value, at)),
            (Some((bits, value)), None) => Some(self.outside_plainly(callee, arguments, bits, value, at)),
            (None, inside) => {
                if inside.is_none() && is_followed {
                    self.outside_call(callee, arguments, 0, 0, at);
                } else if inside.is_none() {
                    self.outside_plainly(callee, arguments, 0, 0, at);
                }
                None
            }
        };
        if is_outside {
            let goes_on = self.watch_return(callee, arguments, target, result.as_ref(), at);
            if !goes_on {
                return Ok(Some(Pause::End));
            }
        } else {
            self.watch_result(target);
        }
        if let (Some(target), Some(result)) = (target, result) {
            self.set(target, result);
        }
        Ok(None)
    }

    /// Whether other threads may run from this call on: it starts one, or nothing is known of it and there were some.
    pub(super) fn may_start_threads(&self, callee: &Callee) -> bool {
        match callee {
            Callee::External(name) => clib::function(name).map_or(self.recorded.threads.is_some(), starts_thread),
            Callee::Pointer(_) => self.recorded.threads.is_some(),
            Callee::Assembly | Callee::Function(_) => false,
        }
    }

    /// A call through a pointer decides which function runs, as a `switch` over the pointer would.
    pub(super) fn open_indirect(&mut self, pointer: &Value, at: Option<Origin>) {
        let pointer = self.build.refresh(pointer);
        let target = self.build.terms.bits(64, pointer.concrete);
        let condition = self.build.terms.eq(pointer.term, target);
        if self.build.terms.truth_value(condition).is_some() {
            return;
        }
        let block = self.frame().block;
        let id = self.push_branch(None, block, vec![(condition, at)], pointer.facts, at);
        self.frame().indirect = Some(id);
    }

    /// Control came back to another call than the one under way: `longjmp`.
    pub(super) fn long_jump(&mut self, site: u32) -> Result<(), WalkError> {
        let Some(&(function, block, command)) = self.sites.get(&site) else {
            return Err(self.out_of_step("a call returns to an unknown place"));
        };
        let (given, activation) = self.jump_under_way();
        // The innermost activation, where it is not known which one has called `setjmp`.
        let is_it = |f: &Frame| f.function == function && activation.is_none_or(|a| f.activation == a);
        let activation = activation.filter(|_| self.frames.iter().any(is_it));
        let is_it = |f: &Frame| f.function == function && activation.is_none_or(|a| f.activation == a);
        // What follows depends on all the conditions that led to the jump.
        self.following.jumps();
        while self.frames.last().is_some_and(|f| !is_it(f)) {
            let Some(left) = self.pop_frame() else { break };
            self.count_exits([left.function]);
            if let Some(below) = self.frames.last_mut() {
                below.scope = left.scope;
                left.open.all().into_iter().for_each(|o| below.open.push(o));
            }
        }
        if self.frames.is_empty() {
            return Err(self.out_of_step("a long jump goes to a function that is not active"));
        }
        let Command::Call { target, .. } =
            &self.program.functions[function.index()].blocks[block.index()].commands[command].it
        else {
            unreachable!("a site is a call");
        };
        let at = self.program.functions[function.index()].blocks[block.index()].commands[command].at;
        let frame = self.frame();
        (frame.block, frame.command) = (block, command + 1);
        frame.returned = None;
        frame.calls = false;
        frame.indirect = None;
        frame.evaluated.clear();
        if let Some(target) = target {
            let bits = self.program.functions[function.index()].registers[target.index()];
            let Some(value) = self.value_words(bits) else { return Ok(()) };
            let value = match given {
                Some(given) if given.concrete == value => given,
                _ => {
                    let here = self.here(at);
                    self.external_result("longjmp", bits, value, Facts::default(), here)
                }
            };
            self.set(*target, value);
        }
        Ok(())
    }

    /// What the `longjmp` under way gives, and the activation that it goes back to: the last that has called `setjmp` on
    /// the same object.
    fn jump_under_way(&mut self) -> (Option<Value>, Option<u32>) {
        let Some(frame) = self.frames.last() else { return (None, None) };
        let block = &self.program.functions[frame.function.index()].blocks[frame.block.index()];
        let command = block.commands.get(frame.command).map(|c| &c.it);
        let Some(Command::Call { callee: Callee::External(name), arguments, .. }) = command else {
            return (None, None);
        };
        let [buffer, given] = &arguments[..] else { return (None, None) };
        if !clib::function(name).is_some_and(|f| f.jumps) {
            return (None, None);
        }
        let (buffer, given) = (self.operand(buffer), self.operand(given));
        (Some(given), self.jumps.get(&(buffer.concrete as u64)).copied())
    }

    /// A call to code outside the program has returned.
    pub(super) fn outside_call(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        bits: u32,
        value: u128,
        at: Option<Origin>,
    ) -> Value {
        let here = self.here(at);
        let name = match callee {
            Callee::External(name) => name.as_str(),
            Callee::Assembly => "asm",
            Callee::Pointer(_) | Callee::Function(_) => "a function pointer",
        };
        let values: Vec<Value> = arguments.iter().map(|a| self.operand(a)).collect();
        self.observe_return(name, &values, value, at);
        self.answer(name, &values, at);
        self.round_calls(name, &values, bits, value);
        self.follow_output(callee, &values, (bits, value), at);
        let known = clib::function(name);
        if let ([buffer, ..], Some("setjmp")) = (&values[..], known.map(|f| f.name)) {
            self.jumps.insert(buffer.concrete as u64, here.activation);
        }
        if let ([list, ..], "va_start") = (&values[..], name) {
            self.variadic.start(list.concrete as u64, here.activation);
        }
        let chunks = std::mem::take(&mut self.chunks);
        let called = known.filter(|_| !self.is_observed());
        let now: Vec<Value> = values.iter().map(|value| self.build.refresh(value)).collect();
        let called = called.map(|function| Call {
            function,
            written: name,
            arguments: &now,
            bits,
            returned: value,
            chunks: &chunks,
            here,
        });
        if let Some(result) = called.as_ref().and_then(|call| self.library(call)) {
            return result;
        }
        let mut given = Facts::default();
        // A new object may lie anywhere: its address is a name.
        if known.is_none_or(|f| f.allocates.is_none()) && !self.is_observed() {
            self.fix_given(&mut given, known, &values);
        }
        self.forget_what_is_read(name, &values, here);
        if bits > 0 && matches!(known.map(|f| f.name), Some("abs" | "labs" | "llabs")) {
            return self.absolute(&values[0], bits, at);
        }
        if let Some(result) = called.as_ref().and_then(|call| self.function_of_arguments(call)) {
            return result;
        }
        match known {
            Some(function) if function.allocates.is_some() || function.frees.is_some() => {
                self.outside_object(function, &values, value as u64, here);
            }
            Some(function) if function.only_reads() => {}
            _ => {
                let given = self.build.refresh_facts(&given);
                let is_waiting = self.build.others && known.is_none_or(starts_thread);
                let writes = if is_waiting { Writes::Threads } else { Writes::Itself };
                let outside = Outside { position: self.build.steps.len(), here, given: given.into(), writes };
                self.build.last_outside = Some(outside.clone());
                for v in &values {
                    let (object, _) = self.build.memory.find(v.concrete as u64);
                    if !is_foreign(object) {
                        self.build.outside_of.insert(object, outside.clone());
                    }
                }
            }
        }
        if let Some(call) = &called {
            self.forget_written(call);
            self.show(call);
        }
        if bits == 0 {
            return self.build.constant(1, 0);
        }
        let result = self.external_result(name, bits, value, given, here);
        self.observe_result(&result);
        result
    }

    /// A function of the library has made an object, or freed one; where it has done both the content was kept.
    pub(super) fn outside_object(&mut self, function: &Function, values: &[Value], address: u64, here: Here) {
        let argument = |i: usize| values.get(i).map_or(0, |v| v.concrete as u64);
        let Some(made) = function.allocates else {
            let freed = function.frees.expect("it makes an object or frees one");
            self.build.memory.free(argument(freed));
            return;
        };
        if address == 0 {
            return;
        }
        let old = function.frees.and_then(|i| self.build.memory.at_base(argument(i)));
        let old = old.map(|object| (object, self.build.memory.objects[object as usize].size));
        let size = match made.size {
            Extent::Argument(i) => argument(i),
            Extent::Product(a, b) => argument(a).saturating_mul(argument(b)),
            Extent::Fixed(size) => size,
            // The length is not recorded: the object reaches to the end of what is read of it later.
            Extent::String | Extent::StringOf(_) | Extent::StringUpTo(_) | Extent::Formatted(_) | Extent::Open => {
                1 << 16
            }
        };
        let heap = ObjectKind::Heap { at: here.at, freed: false };
        let object = self.build.allocate(heap, address, size);
        let whole = Range { object, offset: 0, size };
        if made.zeroed && size > 0 {
            let zero = self.build.constant(8, 0);
            self.build.fill(whole, &zero, Kind::Havoc, None, here);
        }
        if let Some((old, size)) = old.map(|(old, kept)| (old, kept.min(size))).filter(|(_, size)| *size > 0) {
            let from = Range { object: old, offset: 0, size };
            self.build.copy(Range { size, ..whole }, from, Kind::Assign, &Facts::default(), None, here);
        }
    }

    pub(super) fn absolute(&mut self, x: &Value, bits: u32, at: Option<Origin>) -> Value {
        let zero = Operand::Constant { bits, value: 0 };
        let sub = Operation::Binary {
            op: wherefore_program::BinaryOp::Sub,
            left: zero.clone(),
            right: zero.clone(),
            no_signed_wrap: true,
            no_unsigned_wrap: false,
        };
        let zero_value = self.build.constant(bits, 0);
        let negated = self.compute(&sub, bits, &[zero_value.clone(), x.clone()], at);
        let less = Operation::Compare(wherefore_program::CompareOp::SLt, zero.clone(), zero.clone());
        let negative = self.compute(&less, 1, &[x.clone(), zero_value], at);
        let select = Operation::Select(zero.clone(), zero.clone(), zero);
        self.compute(&select, bits, &[negative, negated, x.clone()], at)
    }

    /// What a call outside depends on is fixed: the arguments, and what they point to as far as the program knows it.
    fn fix_given(&mut self, facts: &mut Facts, known: Option<&Function>, values: &[Value]) {
        let reads = |index: usize| match known {
            Some(function) => {
                let written = function.accesses.iter().any(|a| matches!(a, Access::Writes(..)) && a.through() == index);
                !written && function.scanned_from().is_none_or(|first| index < first)
            }
            // Where others write, they mostly do so through their first argument.
            None => index > 0,
        };
        for (index, value) in values.iter().enumerate() {
            self.fix(facts, value);
            let (object, _) = self.build.memory.find(value.concrete as u64);
            if self.build.terms.width(value.term) == 64 && reads(index) && !is_foreign(object) {
                for variable in self.build.memory.first_cells(object, SEEN_CELLS) {
                    if self.build.current_value(variable).is_some() {
                        let cell = self.build.peek(variable);
                        self.fix(facts, &cell);
                    }
                }
            }
        }
    }

    /// What code outside returned, depending on some facts.
    pub(crate) fn external_result(&mut self, callee: &str, bits: u32, value: u128, facts: Facts, here: Here) -> Value {
        let storage = Storage::External { callee: callee.to_string(), at: here.at };
        let var = self.build.variable(storage, bits, None, None);
        let value = Value { facts, ..self.build.constant(bits, value) };
        self.build.assign(var, &value, Kind::Havoc, here);
        self.build.value_of(var)
    }
}

fn starts_thread(function: &Function) -> bool {
    matches!(function.calls_back, Some(Callback::Thread(_)))
}
