//! Where unfolding starts: globals, arguments, the entry function.

use crate::bounds::{Bounds, TestRun};
use crate::guard::Guards;
use crate::memory::{Content, Rest};
use crate::parts::{Console, Objects, Outcomes, Softening, Sources, Stack, Variables};
use crate::state::{Coming, State, Unfolder};
use crate::{Error, Instance, Options, Source, TestInput, Unfolding};
use wherefore_formula::{Sort, TermId, Terms};
use wherefore_program::{CType, GlobalId, Program, TypeId};

/// Tests that say how far loops go.
const GUIDES: usize = 32;
/// Longest argument that is modelled byte by byte.
const LONG_ARGUMENT: usize = 4096;

pub(crate) fn unfold(program: &Program, options: &Options, tests: &[TestInput]) -> Result<Unfolding, Error> {
    let mut terms = Terms::new();
    let mut variables = Variables::default();
    let texts = terms.var(variables.fresh(), Sort::Bool);
    let mut unfolder = Unfolder {
        program,
        options,
        terms,
        variables,
        guards: Guards::default(),
        objects: Objects::new(),
        shapes: Default::default(),
        stack: Stack::new(program),
        softening: Softening::new(program, options),
        sources: Sources::default(),
        console: Console::new(texts),
        tables: Default::default(),
        bounds: Bounds::default(),
        outcomes: Outcomes::default(),
    };
    for _ in 0..options.statement_count {
        let (_, selector) = unfolder.fresh(Sort::Bool);
        unfolder.softening.add_selector(selector);
    }
    let mut state = State {
        guard: unfolder.terms.truth(true),
        memory: imbl::OrdMap::new(),
        locals: imbl::OrdMap::new(),
        registers: imbl::OrdMap::new(),
        coming: Coming::Yes,
    };
    unfolder.declare_globals(&mut state, tests);
    let arguments = unfolder.declare_arguments(&mut state, tests);
    let runs = tests.iter().take(GUIDES).map(|test| unfolder.start_run(test)).collect();
    unfolder.bounds.start(runs);
    let entry = &program.functions[options.entry.index()];
    if let Some((after, value)) = unfolder.function(options.entry, &arguments, &state)? {
        // What `main` returns is the status; another entry ends with status 0.
        let status = match value {
            Some(value) if program.is_main(entry) && unfolder.terms.width(value) == 32 => value,
            _ => unfolder.terms.bits(32, 0),
        };
        unfolder.outcomes.exit(after.guard, status);
    }
    Ok(unfolder.finish())
}

impl Unfolder<'_> {
    fn finish(self) -> Unfolding {
        let mut unfolding = Unfolding::new(self.terms, self.guards, self.console.texts());
        self.variables.finish(&mut unfolding);
        self.softening.finish(&mut unfolding);
        self.sources.finish(&mut unfolding);
        self.console.finish(&mut unfolding);
        self.outcomes.finish(&mut unfolding);
        unfolding
    }

    /// A test with its inputs set and every statement kept.
    fn start_run(&self, test: &TestInput) -> TestRun {
        let mut run = TestRun::new(test.clone());
        for selector in self.softening.selectors() {
            if let wherefore_formula::Node::Var(var, _) = self.terms.node(*selector) {
                run.evaluation.set(*var, 1);
            }
        }
        for (var, source) in self.sources.iter() {
            run.evaluation.set(var, source.value(test));
        }
        run
    }

    fn declare_globals(&mut self, state: &mut State, tests: &[TestInput]) {
        let program = self.program;
        for (number, global) in program.globals.iter().enumerate() {
            let image = self.options.images.get(number).cloned().flatten();
            let rest = match image {
                Some(image) if image.iter().any(|b| *b != 0) => Rest::Image(image.into()),
                Some(_) => Rest::Zero,
                None if global.external => Rest::Undefined,
                None => Rest::Zero,
            };
            let object = self.object(global.size, rest, global.constant);
            self.objects.add_global(object);
            self.declare(object, global.origin, global.ctype);
            let mut content = Content::new(&self.terms);
            if let Some(name) = ["stdin", "stdout", "stderr"].into_iter().find(|n| *n == global.symbol)
                && global.external
            {
                let object = self.object(1, Rest::Undefined, false);
                let file = self.pointer_to(object);
                self.console.add_file(file, name);
                content.write(&mut self.terms, 0, file);
            }
            state.memory.insert(object, content);
        }
        self.relocate_pointers(state);
        for number in 0..program.globals.len() {
            let id = GlobalId(number as u32);
            let given = tests.iter().flat_map(|t| &t.globals).find(|(g, _)| *g == id).map(|(_, bytes)| bytes.len());
            if let Some(bytes) = given {
                self.give_global(state, id, bytes as u64);
            } else if let Some(statement) = self.options.globals.get(number).copied().flatten() {
                self.soften_global(state, id, statement);
            }
        }
    }

    /// Pointers in the images of globals are addresses of the run they were taken from.
    fn relocate_pointers(&mut self, state: &mut State) {
        for (global, offset, value) in self.options.pointers.clone() {
            let object = self.objects.global(global);
            let target = match value {
                crate::Pointer::Global(to, at) => {
                    let base = self.kind(self.objects.global(to)).address;
                    base.wrapping_add_signed(at)
                }
                crate::Pointer::Function(function) => crate::commands::function_address(function),
            };
            let mut content = state.memory[&object].clone();
            let value = self.terms.bits(64, u128::from(target));
            content.write(&mut self.terms, offset, value);
            state.memory.insert(object, content);
        }
    }

    fn give_global(&mut self, state: &mut State, global: GlobalId, bytes: u64) {
        let object = self.objects.global(global);
        let size = self.kind(object).size.min(bytes);
        let mut content = state.memory[&object].clone();
        let ctype = self.program.globals[global.index()].ctype;
        for (offset, width) in self.scalars(ctype, size) {
            let value = self.input(Source::Global(global, offset, width), width * 8);
            content.write(&mut self.terms, offset, value);
        }
        state.memory.insert(object, content);
    }

    /// Lets a declaration set free the numbers a global starts with.
    fn soften_global(&mut self, state: &mut State, global: GlobalId, statement: u32) {
        let object = self.objects.global(global);
        let size = self.kind(object).size;
        let ctype = self.program.globals[global.index()].ctype;
        let mut content = state.memory[&object].clone();
        for (offset, width) in self.scalars(ctype, size) {
            let kind = self.kind(object).clone();
            let computed = content.read(&mut self.terms, &kind, &mut self.variables, offset, width);
            if self.is_pointer(computed) {
                continue;
            }
            let (var, free) = self.fresh(Sort::Bits(width * 8));
            let selector = self.selector(statement);
            let floating = self.global_holds_floating(global, offset, width * 8);
            let seen = self.terms.ite(selector, computed, free);
            content.write(&mut self.terms, offset, seen);
            self.softening.add(Instance {
                point: None,
                slot: None,
                global: Some((global, offset)),
                statement,
                guard: state.guard,
                computed,
                seen,
                reads: vec![],
                pointer: false,
                floating,
                free: Some(var),
                choices: vec![],
                others: vec![],
            });
        }
        state.memory.insert(object, content);
    }

    /// The numbers an object of a type is made of: offset and bytes.
    fn scalars(&self, ctype: Option<TypeId>, size: u64) -> Vec<(u64, u32)> {
        let mut found = vec![];
        match ctype {
            Some(ctype) => self.collect_scalars(ctype, 0, &mut found),
            None => found.extend((0..size).map(|n| (n, 1))),
        }
        found.retain(|(offset, width)| offset + u64::from(*width) <= size);
        found.sort_unstable();
        found.dedup_by(|b, a| a.0 + u64::from(a.1) > b.0);
        found
    }

    fn collect_scalars(&self, ctype: TypeId, at: u64, found: &mut Vec<(u64, u32)>) {
        let types = &self.program.types;
        match &types[ctype] {
            CType::Array { element, count } => {
                let size = types.size(*element).unwrap_or(1);
                for n in 0..count.unwrap_or(0) {
                    self.collect_scalars(*element, at + n * size, found);
                }
            }
            CType::Record { fields, .. } => {
                for field in fields {
                    match field.bit_field {
                        true => found.push((at + field.offset / 8, 1)),
                        false => self.collect_scalars(field.ctype, at + field.offset / 8, found),
                    }
                }
            }
            _ => {
                if let Some(size) = types.size(ctype).filter(|s| (1..=8).contains(s)) {
                    found.push((at, size as u32));
                }
            }
        }
    }

    /// The arguments of the entry function.
    fn declare_arguments(&mut self, state: &mut State, tests: &[TestInput]) -> Vec<TermId> {
        let entry = &self.program.functions[self.options.entry.index()];
        let widths: Vec<u32> = entry.params.iter().map(|p| entry.registers[p.index()]).collect();
        if !self.program.is_main(entry) {
            return (0u32..).zip(widths).map(|(n, bits)| self.declare_parameter(state, tests, n, bits)).collect();
        }
        let (count, vector) = self.declare_argv(state, tests);
        let empty = self.terms.bits(64, 0);
        let all = [count, vector, empty];
        (0..widths.len())
            .map(|n| if n < 3 && widths[n] == self.terms.width(all[n]) { all[n] } else { self.unknown(widths[n]) })
            .collect()
    }

    /// A parameter of the entry function: a number, or a pointer to an object of its own where a test gives one.
    fn declare_parameter(&mut self, state: &mut State, tests: &[TestInput], n: u32, bits: u32) -> TermId {
        let value = self.input(Source::Parameter(n), bits);
        let objects = tests.iter().flat_map(|t| &t.objects).filter(|(number, _)| *number == n);
        let Some(size) = objects.map(|(_, bytes)| bytes.len() as u64).max() else { return value };
        let object = self.object(size, Rest::Zero, false);
        let mut content = Content::new(&self.terms);
        for (offset, width) in self.scalars_behind(n, size) {
            let part = self.input(Source::Object(n, offset, width), width * 8);
            content.write(&mut self.terms, offset, part);
        }
        state.memory.insert(object, content);
        let zero = self.terms.bits(bits, 0);
        let is_null = self.terms.eq(value, zero);
        let address = self.pointer_to(object);
        self.terms.ite(is_null, zero, address)
    }

    /// The numbers that so many bytes consist of which a parameter points to.
    fn scalars_behind(&self, n: u32, size: u64) -> Vec<(u64, u32)> {
        let entry = &self.program.functions[self.options.entry.index()];
        let ctype = entry.locals.iter().find(|l| l.param == Some(n)).and_then(|l| l.ctype);
        let element = match ctype.map(|t| &self.program.types[t]) {
            Some(CType::Pointer(to)) => self.program.types.size(*to).filter(|s| *s > 0).map(|s| (*to, s)),
            _ => None,
        };
        let Some((element, step)) = element else { return self.scalars(None, size) };
        let mut found = vec![];
        for at in (0..size).step_by(step as usize) {
            found.extend(self.scalars(Some(element), step).into_iter().map(|(offset, width)| (at + offset, width)));
        }
        found.retain(|(offset, width)| offset + u64::from(*width) <= size);
        found
    }

    /// `argc` and `argv`.
    fn declare_argv(&mut self, state: &mut State, tests: &[TestInput]) -> (TermId, TermId) {
        let count = self.input(Source::ArgumentCount, 32);
        let most = tests.iter().map(|t| t.arguments.len()).max().unwrap_or(0);
        let least = tests.iter().map(|t| t.arguments.len()).min().unwrap_or(0);
        let vector = self.object(8 * (most as u64 + 1), Rest::Zero, false);
        let mut pointers = Content::new(&self.terms);
        for n in 0..most {
            let longest = tests.iter().filter_map(|t| t.arguments.get(n)).map(Vec::len).max().unwrap_or(0);
            let size = longest.min(LONG_ARGUMENT) as u64 + 1;
            let string = self.object(size, Rest::Zero, false);
            self.objects.hold_argument(string, n as u32);
            let mut content = Content::new(&self.terms);
            for byte in 0..size - 1 {
                let value = self.input(Source::ArgumentByte(n as u32, byte as u32), 8);
                content.write(&mut self.terms, byte, value);
            }
            state.memory.insert(string, content);
            let address = u128::from(self.kind(string).address);
            let address = self.terms.bits(64, address);
            let pointer = if n < least {
                address
            } else {
                let number = self.terms.bits(32, n as u128);
                let given = self.terms.sgt(count, number);
                let null = self.terms.bits(64, 0);
                self.terms.ite(given, address, null)
            };
            pointers.write(&mut self.terms, 8 * n as u64, pointer);
        }
        state.memory.insert(vector, pointers);
        (count, self.pointer_to(vector))
    }
}

impl Source {
    /// What a test gives.
    pub fn value(&self, test: &TestInput) -> u128 {
        match self {
            Source::ArgumentCount => test.arguments.len() as u128,
            Source::ArgumentByte(n, byte) => {
                test.arguments.get(*n as usize).and_then(|a| a.get(*byte as usize)).map_or(0, |b| u128::from(*b))
            }
            Source::ArgumentNumber(n, byte, number) => {
                let text = test.arguments.get(*n as usize).and_then(|a| a.get(*byte as usize..)).unwrap_or(&[]);
                number.read(text)
            }
            Source::Parameter(n) => test.parameters.get(*n as usize).copied().unwrap_or(0),
            Source::Object(n, offset, width) => {
                let bytes = test.objects.iter().find(|(number, _)| number == n).map_or(&[][..], |(_, bytes)| bytes);
                number_in(bytes, *offset, *width)
            }
            Source::Global(global, offset, width) => {
                let bytes = test.globals.iter().find(|(g, _)| g == global).map_or(&[][..], |(_, bytes)| bytes);
                number_in(bytes, *offset, *width)
            }
        }
    }
}

/// The number that bytes hold somewhere; behind them are zeros.
fn number_in(bytes: &[u8], offset: u64, width: u32) -> u128 {
    let byte = |n: u64| bytes.get((offset + n) as usize).copied().unwrap_or(0);
    (0..u64::from(width)).rev().fold(0, |value, n| value << 8 | u128::from(byte(n)))
}
