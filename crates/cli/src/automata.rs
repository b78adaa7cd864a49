//! A program as a graph of statements, and its error traces confirmed by runs.

use crate::boogie;
use crate::options::Run;
use crate::run::readable;
use crate::search::subject;
use std::collections::BTreeMap;
use wherefore_automata::{Outcome, Settings, Statement, Trace, explore};
use wherefore_budget::Budget;
use wherefore_case::{Given, Input, InputValue};
use wherefore_clib::Nondet;
use wherefore_flow::{Flow, Kind, Options, Pointer};
use wherefore_formula::Sort;
use wherefore_program::{GlobalId, Program};
use wherefore_search::{self as search, Chosen, Form, Limits, Runner, Source, Subject, Tried};
use wherefore_solver::Backend;
use wherefore_unfold::Image;

pub use wherefore_automata::{End, Next};

/// A program whose error traces are looked at.
pub struct Explored<'p> {
    subject: Subject<'p>,
    /// The program as a graph.
    pub flow: Flow,
    /// Why nothing is proved about it, if so.
    pub doubt: Option<String>,
    /// Runs that were made.
    pub runs: usize,
}

impl<'p> Explored<'p> {
    /// The graph of a program; one run says what its globals begin with.
    ///
    /// # Errors
    /// When an input is not understood or the program cannot be run.
    pub fn new(options: &Run, program: &'p Program, runner: Runner) -> anyhow::Result<Explored<'p>> {
        readable(options.stdin.as_deref())?;
        let subject = subject::subject(options, program)?;
        let given = given(&subject, vec![], vec![]);
        let outcome = runner(&given, 0)?;
        let mut flow_options =
            Options { open: subject.globals.clone(), status: subject.expected.status, ..Options::default() };
        if let Some(recording) = &outcome.recording {
            let image = |global: &wherefore_record::GlobalImage| Image {
                address: global.address,
                size: global.size,
                content: global.content.clone(),
            };
            let images: Vec<Image> = recording.globals.iter().map(image).collect();
            for (global, at, pointer) in wherefore_unfold::pointers(&images, &recording.functions) {
                let pointer = match pointer {
                    wherefore_unfold::Pointer::Global(to, offset) => Pointer::Global(to, offset),
                    wherefore_unfold::Pointer::Function(function) => Pointer::Function(function),
                };
                flow_options.pointers.push((global, at, pointer));
            }
            flow_options.images = images.into_iter().map(|image| image.content).collect();
        }
        let flow = Flow::new(program, subject.entry, &flow_options);
        let is_given = !subject.fixed.is_empty() || !subject.nondet.is_empty();
        let doubt = boogie::doubt(program)
            .or_else(|| search::doubt(program, subject.entry))
            .or_else(|| flow.notes.first().map(|note| note.message.clone()))
            .or_else(|| is_given.then(|| "inputs are given".to_string()))
            .or_else(|| subject.expected.stdout.as_ref().map(|_| "what is printed is not followed".to_string()));
        Ok(Explored { subject, flow, doubt, runs: 1 })
    }

    /// Looks at error traces until `found` says to stop. It is told of those that a run confirms; the others are left out.
    pub fn explore(
        &mut self,
        runner: Runner,
        budget: &Budget,
        found: &mut dyn FnMut(&Flow, &Trace, Tried) -> Next,
    ) -> anyhow::Result<(Outcome, usize)> {
        let settings = Settings::new(Backend::Cadical, budget.clone());
        let (subject, flow) = (&self.subject, &self.flow);
        let (mut made, mut unconfirmed, mut problem) = (0, 0, None);
        let outcome = explore(&flow.graph, &settings, &mut |trace| {
            made += 1;
            match confirmed(subject, flow, trace, runner, budget) {
                Ok(Some(tried)) => found(flow, trace, tried),
                Ok(None) => {
                    unconfirmed += 1;
                    Next::Rest
                }
                Err(error) => {
                    problem = Some(error);
                    Next::Stop
                }
            }
        });
        self.runs += made;
        match problem {
            Some(error) => Err(error),
            None => Ok((outcome, unconfirmed)),
        }
    }
}

fn given(subject: &Subject, nondet: Vec<u64>, more: Vec<Input>) -> Given {
    let inputs = subject.fixed.iter().cloned().chain(more).collect();
    Given { arguments: subject.arguments.clone(), stdin: None, nondet, inputs }
}

/// The inputs of an error trace: values in the order in which the program asks for them, and what it is given first.
fn inputs(subject: &Subject, flow: &Flow, trace: &Trace) -> (Vec<u64>, Vec<Input>, Vec<Chosen>) {
    let (mut nondet, mut inputs, mut chosen) = (vec![], vec![], vec![]);
    let entry = &subject.program.functions[subject.entry.index()];
    for (index, var) in (0..).zip(&flow.parameters).filter(|_| entry.name != "main") {
        let value = trace.execution.initial[var.0 as usize];
        let Sort::Bits(bits) = flow.graph.variables[var.0 as usize].sort else { continue };
        let local = entry.locals.iter().find(|local| local.param == Some(index));
        let form = local.and_then(|local| local.ctype).and_then(|ctype| search::form_of(subject.program, ctype));
        let form = form.unwrap_or(Form::Integer { bits, signed: true });
        let bytes = value.to_le_bytes()[..bits.div_ceil(8) as usize].to_vec();
        inputs.push(Input::Argument { index, value: InputValue::Bits(bytes) });
        chosen.push(Chosen { source: Source::Parameter(index), form, bits: value });
    }
    let mut globals: BTreeMap<GlobalId, Vec<u8>> = BTreeMap::new();
    for (id, offset, var) in &flow.open {
        let Sort::Bits(bits) = flow.graph.variables[var.0 as usize].sort else { continue };
        let form = flow.variable(*var).ctype.and_then(|ctype| search::form_of(subject.program, ctype));
        let form = form.unwrap_or(Form::Integer { bits, signed: true });
        let value = trace.execution.initial[var.0 as usize];
        let value = if form == Form::Truth { u128::from(value != 0) } else { value };
        let size = subject.program.globals[id.index()].size as usize;
        let (at, bytes) = (*offset as usize, bits.div_ceil(8) as usize);
        globals.entry(*id).or_insert_with(|| vec![0; size])[at..at + bytes]
            .copy_from_slice(&value.to_le_bytes()[..bytes]);
        chosen.push(Chosen { source: Source::Global { id: *id, offset: *offset }, form, bits: value });
    }
    inputs.extend(globals.into_iter().map(|(id, bytes)| Input::Global { id: id.0, value: InputValue::Bits(bytes) }));
    for (letter, value) in trace.word.iter().zip(&trace.execution.assigned) {
        let Kind::Nondet(kind) = flow.letter(*letter).kind else { continue };
        let Statement::Havoc { to } = flow.graph.letters[letter.index()] else { continue };
        let Sort::Bits(bits) = flow.graph.variables[to.0 as usize].sort else { continue };
        let form = match kind {
            Nondet::Truth => Form::Truth,
            Nondet::Integer { signed } | Nondet::Wide { signed } => Form::Integer { bits, signed },
            Nondet::Real | Nondet::Pointer | Nondet::Memory => Form::Integer { bits, signed: false },
        };
        chosen.push(Chosen { source: Source::Nondet(nondet.len() as u32), form, bits: *value });
        nondet.push(*value as u64);
    }
    (nondet, inputs, chosen)
}

/// A run with the inputs of an error trace, if it fails.
fn confirmed(
    subject: &Subject,
    flow: &Flow,
    trace: &Trace,
    runner: Runner,
    budget: &Budget,
) -> anyhow::Result<Option<Tried>> {
    let (nondet, more, chosen) = inputs(subject, flow, trace);
    let mut fixed = subject.clone();
    fixed.fixed.extend(more);
    // All of them have a value now.
    fixed.globals.clear();
    fixed.nondet.clone_from(&nondet);
    let limits = Limits { runs: Some(1), budget: budget.clone(), failing: Some(1), ..Limits::default() };
    let found = search::search(&fixed, runner, &limits, &mut |_| {})?;
    Ok(found.failing.into_iter().next().map(|tried| Tried { chosen, ..tried }))
}
