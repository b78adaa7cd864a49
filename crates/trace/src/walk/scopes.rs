//! Scopes: which branch is open where, from decisions and the places where their ways meet.

use super::{Evaluated, Walker};
use crate::builder::{Facts, Here};
use crate::model::{Action, Branch, BranchId, Kind, Step, Storage};
use wherefore_formula::TermId;
use wherefore_program::{BlockId, Command, Operation, Origin, Terminator};

impl Walker<'_> {
    /// A branch was taken: it is part of a decision, or ends one.
    pub(super) fn decide(&mut self, terminator: &Terminator, to: BlockId, at: Option<Origin>) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let (block, function) = (frame.block, frame.function.index());
        let Some(head) = self.decisions[function].head[block.index()] else { return };
        let (condition, facts) = match terminator {
            Terminator::Branch { condition, then, otherwise } if then != otherwise => {
                let value = self.operand(condition);
                let value = self.build.refresh(&value);
                (self.build.terms.bits_to_bool(value.term), value.facts)
            }
            Terminator::Switch(switch) => {
                let value = self.operand(&switch.value);
                let value = self.build.refresh(&value);
                let width = self.build.terms.width(value.term);
                let terms = &mut self.build.terms;
                let by_default = switch.default == to && !switch.cases.iter().any(|(k, _)| *k == value.concrete);
                let condition = if by_default {
                    let others: Vec<TermId> = switch
                        .cases
                        .iter()
                        .filter(|(_, b)| *b != to)
                        .map(|(k, _)| {
                            let k = terms.bits(width, *k);
                            terms.ne(value.term, k)
                        })
                        .collect();
                    terms.and(others)
                } else {
                    let k = terms.bits(width, value.concrete);
                    terms.eq(value.term, k)
                };
                (condition, value.facts)
            }
            _ => return,
        };
        let taken = !matches!(terminator, Terminator::Branch { otherwise, .. } if *otherwise == to);
        let evaluated = Evaluated { block, condition, taken, facts, at };
        let over = !self.decisions[function].is_member(head, to) || to == head;
        let frame = self.frame();
        if block == head {
            frame.evaluated.clear();
        }
        frame.evaluated.push(evaluated);
        if over {
            let parts = std::mem::take(&mut frame.evaluated);
            self.open_branch(head, to, parts);
        }
    }

    /// A decision is over: open the scope of the way taken.
    pub(super) fn open_branch(&mut self, head: BlockId, to: BlockId, parts: Vec<Evaluated>) {
        let parts = self.needed_parts(to, parts);
        let at = parts.first().and_then(|p| p.at);
        let mut facts = Facts::default();
        let mut reasons = vec![];
        for part in parts {
            let condition = if part.taken { part.condition } else { self.build.terms.not(part.condition) };
            facts.merge(&part.facts);
            reasons.push((condition, part.at));
        }
        if reasons.iter().any(|r| self.build.terms.truth_value(r.0) != Some(true)) {
            self.push_branch(head, to, reasons, facts, at);
        }
    }

    pub(super) fn push_branch(
        &mut self,
        head: BlockId,
        to: BlockId,
        reasons: Vec<(TermId, Option<Origin>)>,
        facts: Facts,
        at: Option<Origin>,
    ) -> BranchId {
        let frame = self.frames.last().expect("an activation is on the stack");
        let (activation, parent) = (frame.activation, frame.scope);
        let condition = self.build.terms.and(reasons.iter().map(|r| r.0));
        let id = BranchId(self.branches.len() as u32);
        self.branches.push(Branch {
            parent,
            condition,
            reasons,
            assumes: facts.assumes,
            addresses: facts.addresses,
            at,
            activation,
            head,
            taken: to,
            start: self.build.steps.len(),
            end: usize::MAX,
        });
        let here = Here { at, activation, scope: parent };
        self.control(Action::If(id), here);
        self.frame().scope = Some(id);
        id
    }

    pub(super) fn control(&mut self, action: Action, here: Here) {
        self.build.steps.push(Step {
            action,
            kind: Kind::Control,
            at: here.at,
            activation: here.activation,
            scope: here.scope,
        });
    }

    /// The evaluated parts that alone settle which way the decision goes: an implicant of the condition, dropping what
    /// was evaluated first where the rest decides (`a` in `a && b` when `b` is false).
    pub(super) fn needed_parts(&self, to: BlockId, parts: Vec<Evaluated>) -> Vec<Evaluated> {
        if parts.len() < 2 {
            return parts;
        }
        let head = parts[0].block;
        let mut kept = vec![true; parts.len()];
        for drop in 0..parts.len() - 1 {
            kept[drop] = false;
            kept[drop] = !self.settles(head, to, &parts, &kept);
        }
        let mut keep = kept.into_iter();
        parts.into_iter().filter(|_| keep.next().expect("one per part")).collect()
    }

    /// Whether the kept parts lead to `to` whatever the others are.
    pub(super) fn settles(&self, block: BlockId, to: BlockId, parts: &[Evaluated], kept: &[bool]) -> bool {
        let frame = self.frames.last().expect("an activation is on the stack");
        let Some(index) = parts.iter().position(|p| p.block == block) else { return block == to };
        let blocks = &self.program.functions[frame.function.index()].blocks;
        let Terminator::Branch { then, otherwise, .. } = blocks[block.index()].terminator.it else { return false };
        let way = |next: BlockId| {
            let evaluated_later = parts.iter().position(|p| p.block == next).is_some_and(|i| i > index);
            if evaluated_later { self.settles(next, to, parts, kept) } else { next == to }
        };
        if kept[index] { way(if parts[index].taken { then } else { otherwise }) } else { way(then) && way(otherwise) }
    }

    /// Values of `?:` and of `&&` and `||` as values are set on the way that was taken, inside its scope.
    pub(super) fn choose(&mut self, from: BlockId, to: BlockId) {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let target = &self.program.functions[function.index()].blocks[to.index()];
        for command in &target.commands {
            let Command::Define { target, value: Operation::Phi(incoming) } = &command.it else { continue };
            let Some((_, operand)) = incoming.iter().find(|(b, _)| *b == from) else { continue };
            let value = self.operand(operand);
            let bits = self.build.terms.width(value.term);
            let var = self.build.variable(Storage::Choice { at: command.at }, bits, None, None);
            let here = self.here(command.at);
            self.build.assign(var, &value, Kind::Internal, here);
            self.build.variables[var.0 as usize].definition = Some(value.term);
            let value = self.build.value_of(var);
            self.set(*target, value);
        }
    }

    /// A round of a loop is over: close its branches, before the condition that leads to the next round (as in
    /// `do ... while`) opens its own.
    pub(super) fn end_round(&mut self, from: BlockId, to: BlockId) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let flow = &self.flows[frame.function.index()];
        if flow.is_back_edge(from, to) {
            let keep = self.outside_of_all(|branch| flow.loops[branch.head.index()].contains(&to));
            self.close_to(keep);
        }
    }

    /// Control arrives in a block: close the branches whose ways meet here.
    pub(super) fn arrive(&mut self, to: BlockId) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let decisions = &self.decisions[frame.function.index()];
        let keep = self.outside_of_all(|branch| decisions.join[branch.head.index()] == Some(to));
        self.close_to(keep);
    }

    /// The innermost open branch that lies outside of all branches of the activation for which something holds.
    pub(super) fn outside_of_all(&self, ends: impl Fn(&Branch) -> bool) -> Option<BranchId> {
        let frame = self.frames.last().expect("an activation is on the stack");
        let mut keep = frame.scope;
        let mut at = frame.scope;
        while at != frame.outer_scope {
            let Some(id) = at else { break };
            let branch = &self.branches[id.index()];
            if ends(branch) {
                keep = branch.parent;
            }
            at = branch.parent;
        }
        keep
    }

    /// Close branches until `scope` is the innermost open one.
    pub(super) fn close_to(&mut self, scope: Option<BranchId>) {
        while self.frames.last().is_some_and(|f| f.scope != scope) {
            let Some(id) = self.frames.last().and_then(|f| f.scope) else { return };
            let Branch { parent, at, activation, .. } = self.branches[id.index()];
            let here = Here { at, activation, scope: parent };
            self.control(Action::EndIf(id), here);
            self.frame().scope = parent;
        }
    }
}
