//! The ways out of a block: conditions, and what depends on the way that was gone.

use crate::Kind;
use crate::builder::{Builder, Cell, Here};
use crate::function::{Frame, phis};
use rustc_hash::FxHashSet;
use wherefore_automata::Statement;
use wherefore_formula::TermId;
use wherefore_program::{
    BinaryOp, BlockId, Command, Flow as ControlFlow, Function, Operand, Operation, Place, RegId, Terminator,
};

impl Builder<'_> {
    pub fn terminator(&mut self, frame: &mut Frame, here: Here, function: &Function, id: BlockId, it: &Terminator) {
        match it {
            Terminator::Goto(next) => self.follow(frame, here, function, id, *next),
            Terminator::Branch { .. } => {
                let mut here = here;
                let always = self.graph.terms.truth(true);
                let mut ways = vec![];
                self.decide(frame, &mut here, function, id, always, &mut ways);
                // Ways to one block are one, unless something there depends on the way.
                let mut joined: Vec<(BlockId, BlockId, Vec<TermId>)> = vec![];
                for (from, next, holds) in ways {
                    let is_same = |one: &&mut (BlockId, BlockId, Vec<TermId>)| {
                        one.1 == next && phis(function, from, next).is_empty()
                    };
                    match joined.iter_mut().find(is_same) {
                        Some((_, _, all)) => all.push(holds),
                        None => joined.push((from, next, vec![holds])),
                    }
                }
                for (from, next, all) in joined {
                    let holds = self.graph.terms.or(all);
                    self.branch(frame, here, function, from, holds, next);
                }
            }
            Terminator::Switch(switch) => {
                let value = self.operand(frame, &switch.value);
                let width = self.graph.terms.width(value);
                let mut all = vec![];
                let mut ways: Vec<(BlockId, Vec<TermId>)> = vec![];
                for (constant, next) in &switch.cases {
                    let constant = self.graph.terms.bits(width, *constant);
                    let is_it = self.graph.terms.eq(value, constant);
                    all.push(is_it);
                    match ways.iter_mut().find(|(to, _)| to == next) {
                        Some((_, conditions)) => conditions.push(is_it),
                        None => ways.push((*next, vec![is_it])),
                    }
                }
                let some = self.graph.terms.or(all);
                let none = self.graph.terms.not(some);
                for (next, conditions) in ways {
                    let holds = self.graph.terms.or(conditions);
                    self.branch(frame, here, function, id, holds, next);
                }
                self.branch(frame, here, function, id, none, switch.default);
            }
            Terminator::Return(value) => {
                let mut here = here;
                if let Some(value) = value {
                    let value = self.operand(frame, value);
                    let bits = self.graph.terms.width(value);
                    let var = self.unnamed(Cell::Result(frame.call), bits);
                    self.step(&mut here, Statement::Assign { to: var, value }, Kind::Return);
                }
                self.go(here.location, frame.exit);
            }
            Terminator::Unreachable => {}
        }
    }

    /// The ways out of a condition, `a && b` being one: from which block, to which, and when.
    fn decide(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        function: &Function,
        id: BlockId,
        so_far: TermId,
        ways: &mut Vec<(BlockId, BlockId, TermId)>,
    ) {
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[id.index()].terminator.it else {
            return;
        };
        let condition = self.operand(frame, condition);
        let holds = self.graph.terms.bits_to_bool(condition);
        let not = self.graph.terms.not(holds);
        for (holds, next) in [(holds, *then), (not, *otherwise)] {
            let holds = self.graph.terms.and2(so_far, holds);
            if !frame.parts[next.index()] {
                ways.push((id, next, holds));
                continue;
            }
            for command in &function.blocks[next.index()].commands {
                self.command(frame, here, function, command);
            }
            self.decide(frame, here, function, next, holds, ways);
        }
    }

    fn branch(
        &mut self,
        frame: &mut Frame,
        here: Here,
        function: &Function,
        id: BlockId,
        holds: TermId,
        next: BlockId,
    ) {
        let mut branch = here;
        if self.graph.terms.truth_value(holds) != Some(false) {
            self.step(&mut branch, Statement::Assume(holds), Kind::Condition);
            self.follow(frame, branch, function, id, next);
        }
    }

    /// From the end of a block to the next: what depends on the way there gets its value.
    fn follow(&mut self, frame: &mut Frame, here: Here, function: &Function, from: BlockId, to: BlockId) {
        let mut here = here;
        let chosen: Vec<(RegId, TermId)> = phis(function, from, to)
            .into_iter()
            .map(|(register, value)| (register, self.operand(frame, value)))
            .collect();
        let several = chosen.len() > 1;
        let mut later = vec![];
        for (register, value) in chosen {
            let bits = self.graph.terms.width(value);
            let var = self.unnamed(Cell::Register(frame.call, register), bits);
            if several {
                self.saved += 1;
                let between = self.unnamed(Cell::Saved(self.saved), bits);
                self.step(&mut here, Statement::Assign { to: between, value }, Kind::Internal);
                later.push((var, self.value_of(between)));
            } else {
                later.push((var, value));
            }
        }
        for (var, value) in later {
            self.step(&mut here, Statement::Assign { to: var, value }, Kind::Internal);
        }
        self.go(here.location, frame.blocks[to.index()]);
    }
}

/// The blocks that only go on with the condition of the one block before them: they compute something, branch, and share a
/// target with it.
pub(crate) fn conditions(function: &Function, flow: &ControlFlow, crossing: &FxHashSet<RegId>) -> Vec<bool> {
    let mut parts = vec![false; function.blocks.len()];
    let mut blocks: Vec<usize> = (0..function.blocks.len()).filter(|number| flow.order[*number].is_some()).collect();
    blocks.sort_by_key(|number| flow.order[*number]);
    for number in blocks {
        let ([before], Terminator::Branch { .. }) =
            (&flow.predecessors[number][..], &function.blocks[number].terminator.it)
        else {
            continue;
        };
        // The targets of all that the condition has so far.
        let (mut targets, mut at) = (vec![], *before);
        while matches!(function.blocks[at.index()].terminator.it, Terminator::Branch { .. }) {
            targets.extend(&flow.successors[at.index()]);
            match &flow.predecessors[at.index()][..] {
                [before] if parts[at.index()] => at = *before,
                _ => break,
            }
        }
        let computes = function.blocks[number].commands.iter().all(|command| match &command.it {
            Command::Define { target, value } => {
                let divides =
                    |op: &BinaryOp| matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
                let is_plain = match value {
                    Operation::Phi(_) | Operation::Opaque { .. } => false,
                    Operation::Binary { op, .. } => !divides(op),
                    _ => true,
                };
                is_plain && !crossing.contains(target)
            }
            Command::Load { target, place, .. } => {
                let is_plain =
                    matches!(place, Place::Local(..) | Place::Memory(Operand::Global(..) | Operand::Local(..)));
                is_plain && !crossing.contains(target)
            }
            _ => false,
        });
        let shares = flow.successors[number].iter().any(|next| targets.contains(next) && next.index() != number);
        parts[number] = computes && shares;
    }
    parts
}
