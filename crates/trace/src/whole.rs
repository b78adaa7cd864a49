//! The whole of a condition: also the parts of `a && b` that a run did not evaluate, since what it evaluated had decided.
//!
//! A run knows only what it evaluated. But a statement of the source that would change that alone may leave the decision
//! as it is, since the other parts decide the same.

use crate::decision::{Decisions, control};
use crate::model::{Branch, Storage, Trace};
use std::collections::HashMap;
use wherefore_formula::{Sort, TermId, Terms, VarId};
use wherefore_meaning as meaning;
use wherefore_program::{BlockId, Command, Flow, Function, Operand, Operation, Place, Program, RegId, Terminator};

/// Conditions of a program's decisions in the states of a run.
pub struct WholeConditions<'p> {
    program: &'p Program,
    flows: Vec<Flow>,
    decisions: Vec<Decisions>,
    variables: HashMap<Storage, VarId>,
    by_address: HashMap<u64, Vec<VarId>>,
}

/// A decision of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// In which activation.
    pub activation: u32,
    /// Its first block.
    pub head: BlockId,
    /// The block it led to.
    pub taken: BlockId,
}

/// A condition, and what it takes for granted: that pointers have the values they had in the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WholeCondition {
    /// Over the variables at the branch, true in the run.
    pub holds: TermId,
    /// True in the run.
    pub addresses: Vec<TermId>,
}

impl<'p> WholeConditions<'p> {
    /// Prepare for a program and a trace of it.
    pub fn new(program: &'p Program, trace: &Trace) -> Self {
        let (flows, decisions) = control(program, trace.calls);
        let (mut variables, mut by_address) = (HashMap::new(), HashMap::<u64, Vec<VarId>>::new());
        for (index, variable) in trace.variables.iter().enumerate() {
            let id = VarId(index as u32);
            variables.entry(variable.storage.clone()).or_insert(id);
            if let Some(address) = variable.address {
                by_address.entry(address).or_default().push(id);
            }
        }
        WholeConditions { program, flows, decisions, variables, by_address }
    }

    /// What a choice is on the side that a branch did not take, where that is a constant: 0 for `a && b` where `a` was true.
    pub fn other_choice(&self, trace: &Trace, branch: &Branch) -> Option<u128> {
        let function = trace.activations.get(branch.activation as usize)?.function.index();
        let blocks = &self.program.functions[function].blocks;
        let mut phis = blocks[branch.until?.index()].commands.iter().filter_map(|command| match &command.it {
            Command::Define { value: Operation::Phi(incoming), .. } => Some(incoming),
            _ => None,
        });
        let incoming = phis.next().filter(|_| phis.next().is_none())?;
        let (own, others): (Vec<_>, Vec<_>) = incoming.iter().partition(|(from, _)| *from == branch.taken);
        let mut values = others.iter().map(|(_, operand)| match operand {
            Operand::Constant { value, .. } => Some(*value),
            _ => None,
        });
        let first = values.next().flatten().filter(|_| own.len() == 1)?;
        values.all(|value| value == Some(first)).then_some(first)
    }

    /// How many parts a decision has, of which the run may not have evaluated all.
    pub fn parts(&self, trace: &Trace, decision: Decided) -> usize {
        let function =
            trace.activations.get(decision.activation as usize).map(|activation| activation.function.index());
        let heads = function.map_or(&[][..], |function| &self.decisions[function].head);
        heads.iter().filter(|head| **head == Some(decision.head)).count()
    }

    /// The whole condition of a decision, in terms that begin as the trace's; `values` are those at it. `None` where
    /// the run evaluated all of it, or where a part cannot be told.
    pub fn of(
        &self,
        trace: &Trace,
        terms: &mut Terms,
        decision: Decided,
        values: &[Option<u128>],
    ) -> Option<WholeCondition> {
        let Decided { activation, head, taken } = decision;
        let function = trace.activations.get(activation as usize)?.function.index();
        let (flow, decisions) = (&self.flows[function], &self.decisions[function]);
        let members = decisions.head.iter().filter(|of| **of == Some(head)).count();
        if members < 2 || !decisions.exits(flow, head).contains(&taken) {
            return None;
        }
        let mut reading = Reading {
            whole: self,
            trace,
            function: &self.program.functions[function],
            decisions,
            decision,
            values,
            terms,
            known: HashMap::new(),
            addresses: vec![],
        };
        let holds = reading.leads(head)?;
        let addresses = reading.addresses;
        let value = |var: VarId| values.get(var.0 as usize).copied().flatten();
        // What does not say what happened says nothing.
        let is_so = |t: TermId| terms.evaluate(t, &mut |var| value(var)).is_some_and(|v| v.raw() == 1);
        (is_so(holds) && addresses.iter().all(|address| is_so(*address))).then_some(WholeCondition { holds, addresses })
    }
}

struct Reading<'a, 'p> {
    whole: &'a WholeConditions<'p>,
    trace: &'a Trace,
    function: &'p Function,
    decisions: &'a Decisions,
    decision: Decided,
    values: &'a [Option<u128>],
    terms: &'a mut Terms,
    known: HashMap<RegId, TermId>,
    addresses: Vec<TermId>,
}

impl Reading<'_, '_> {
    /// That control that is at a block goes the way of the branch.
    fn leads(&mut self, block: BlockId) -> Option<TermId> {
        let Terminator::Branch { condition, then, otherwise } = &self.function.blocks[block.index()].terminator.it
        else {
            return None;
        };
        let condition = self.operand(condition)?;
        let condition = self.terms.bits_to_bool(condition);
        let mut side = |to: BlockId| match to {
            to if to == self.decision.taken => Some(self.terms.truth(true)),
            to if to != self.decision.head && self.decisions.is_member(self.decision.head, to) => self.leads(to),
            _ => Some(self.terms.truth(false)),
        };
        let (then, otherwise) = (side(*then)?, side(*otherwise)?);
        Some(self.terms.ite(condition, then, otherwise))
    }

    fn operand(&mut self, operand: &Operand) -> Option<TermId> {
        match operand {
            Operand::Constant { bits, value } => Some(self.terms.bits(*bits, *value)),
            Operand::Register(register) => self.register(*register),
            _ => None,
        }
    }

    /// What a register holds that a block of the decision defines.
    fn register(&mut self, register: RegId) -> Option<TermId> {
        if let Some(known) = self.known.get(&register) {
            return Some(*known);
        }
        let defines = |command: &Command| match command {
            Command::Define { target, .. } | Command::Load { target, .. } => *target == register,
            _ => false,
        };
        let blocks = self.decisions.head.iter().enumerate().filter(|(_, of)| **of == Some(self.decision.head));
        let mut places = blocks.flat_map(|(block, _)| {
            let commands = &self.function.blocks[block].commands;
            commands.iter().position(|command| defines(&command.it)).map(|at| (block, at))
        });
        let (block, at) = places.next()?;
        drop(places);
        let commands = &self.function.blocks[block].commands;
        let bits = self.function.registers[register.index()];
        let term = match &commands[at].it {
            Command::Define { value, .. } => {
                let operands: Vec<Operand> = value.operands().into_iter().cloned().collect();
                let read: Option<Vec<TermId>> = operands.iter().map(|operand| self.operand(operand)).collect();
                let read = read?;
                let place = |operand: &Operand| operands.iter().position(|own| own == operand).expect("all were read");
                meaning::term(self.terms, value, bits, |_, operand| read[place(operand)])?.0
            }
            Command::Load { place, volatile: false, .. } => {
                // What is written behind it is not what it read.
                let writes = |command: &Command| !matches!(command, Command::Define { .. } | Command::Load { .. });
                if commands[at..].iter().any(|command| writes(&command.it)) {
                    return None;
                }
                self.loaded(place, bits)?
            }
            _ => return None,
        };
        self.known.insert(register, term);
        Some(term)
    }

    fn loaded(&mut self, place: &Place, bits: u32) -> Option<TermId> {
        let activation = self.decision.activation;
        let local = |local: &_, offset: u64| Storage::Local { activation, local: *local, offset };
        let storage = match place {
            Place::Local(of, offset) => local(of, *offset),
            Place::Memory(Operand::Local(of, offset)) => local(of, u64::try_from(*offset).ok()?),
            Place::Memory(Operand::Global(global, offset)) => {
                Storage::Global { global: *global, offset: u64::try_from(*offset).ok()? }
            }
            Place::Memory(Operand::Register(pointer)) => return self.pointed(*pointer, bits),
            Place::Memory(_) => return None,
        };
        let variable = *self.whole.variables.get(&storage)?;
        self.variable(variable, bits)
    }

    /// What a pointer points to, as it was in the run.
    fn pointed(&mut self, pointer: RegId, bits: u32) -> Option<TermId> {
        let pointer = self.register(pointer)?;
        let values = self.values;
        let address = self.terms.evaluate(pointer, &mut |var| values.get(var.0 as usize).copied().flatten())?.raw();
        let there = self.whole.by_address.get(&u64::try_from(address).ok()?)?.clone();
        let variable = there.into_iter().find(|v| self.trace.variables[v.0 as usize].bits == bits)?;
        let same = self.terms.bits(self.terms.width(pointer), address);
        let same = self.terms.eq(pointer, same);
        if self.terms.truth_value(same).is_none() {
            self.addresses.push(same);
        }
        self.variable(variable, bits)
    }

    fn variable(&mut self, variable: VarId, bits: u32) -> Option<TermId> {
        let known = self.values.get(variable.0 as usize).copied().flatten();
        let fits = self.trace.variables[variable.0 as usize].bits == bits && known.is_some();
        fits.then(|| self.terms.var(variable, Sort::Bits(bits)))
    }
}
