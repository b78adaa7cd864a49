//! Scopes: which branch is open where, from decisions and the places where their ways meet.
//!
//! A branch is open until its ways meet. A loop comes to a decision again while its last branch there is still open: if
//! nothing but this decision can leave the loop in between, the two rounds are siblings. Had the earlier branch not been
//! taken, the state would be the same and the decision too, so that the later one says all there is to say. Otherwise,
//! where a round can also be left elsewhere, the next round lies inside of it.

use super::open::Open;
use super::{Evaluated, Walker};
use crate::builder::{Facts, Here};
use crate::endings::{self, Calls};
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
        let mut reasons = Vec::with_capacity(parts.len());
        for part in parts {
            let condition = if part.taken { part.condition } else { self.build.terms.not(part.condition) };
            facts.merge(&part.facts);
            reasons.push((condition, part.at));
        }
        if reasons.iter().all(|r| self.build.terms.truth_value(r.0) == Some(true)) {
            reasons = self.texts_held(&facts).into_iter().map(|held| (held, at)).collect();
        }
        if !reasons.is_empty() {
            self.end_round(head, &facts);
            self.push_branch(Some(head), to, reasons, facts, at);
        }
    }

    /// Open a branch: of a decision, or without one the choice of the function that is called.
    pub(super) fn push_branch(
        &mut self,
        decision: Option<BlockId>,
        to: BlockId,
        reasons: Vec<(TermId, Option<Origin>)>,
        facts: Facts,
        at: Option<Origin>,
    ) -> BranchId {
        let frame = self.frames.last().expect("an activation is on the stack");
        let (activation, parent) = (frame.activation, frame.scope);
        let condition = self.build.terms.and(reasons.iter().map(|r| r.0));
        let is_check = decision.is_some_and(|head| self.is_check(head, to));
        let id = BranchId(self.branches.len() as u32);
        self.branches.push(Branch {
            parent,
            condition,
            reasons: reasons.into(),
            assumes: facts.assumes.into(),
            addresses: facts.addresses.into(),
            at,
            activation,
            decision,
            taken: to,
            until: None,
            start: self.build.steps.len(),
            end: usize::MAX,
            is_check,
        });
        let here = Here { at, activation, scope: parent };
        self.control(Action::If(id), here);
        if is_check {
            return id;
        }
        let open = self.opened(id, decision, to);
        let frame = self.frame();
        frame.open.push(open);
        frame.scope = Some(id);
        id
    }

    /// Whether a decision, had it gone another way, would have ended the program, and that it did not is taken for granted.
    fn is_check(&mut self, head: BlockId, to: BlockId) -> bool {
        if self.endings.calls == Calls::MayEnd {
            return false;
        }
        let id = self.frames.last().expect("an activation is on the stack").function;
        let (flow, decisions) = (&self.flows[id.index()], &self.decisions[id.index()]);
        let (program, endings) = (self.program, &self.endings);
        *self.checks.entry((id, head, to)).or_insert_with(|| {
            let others: Vec<BlockId> = decisions.exits(flow, head).into_iter().filter(|e| *e != to).collect();
            endings.gives_up(&program.functions[id.index()], others, decisions.join[head.index()].or(Some(to)))
        })
    }

    /// What is known of the way that a branch does not take.
    fn opened(&mut self, branch: BranchId, decision: Option<BlockId>, to: BlockId) -> Open {
        let none = Open { branch, head: None, join: None, fails: false, leaves: false };
        let Some(head) = decision else { return none };
        let id = self.frames.last().expect("an activation is on the stack").function;
        let (flow, decisions) = (&self.flows[id.index()], &self.decisions[id.index()]);
        let join = decisions.join[head.index()];
        let (program, endings) = (self.program, &self.endings);
        let (fails, leaves) = *self.other_ways.entry((id, head, to)).or_insert_with(|| {
            let blocks = &program.functions[id.index()].blocks;
            let leaves = |b: &BlockId| endings.ends(&blocks[b.index()]);
            let others = decisions.exits(flow, head).into_iter().filter(|e| *e != to);
            let beyond: Vec<BlockId> = others.flat_map(|e| flow.region(e, None)).collect();
            let fails = beyond.iter().all(|b| {
                let is_last = flow.successors[b.index()].is_empty();
                !leaves(b) && (!is_last || endings::fails(program, &blocks[b.index()]))
            });
            (fails, decisions.other_side(flow, head, to).iter().any(leaves))
        });
        Open { branch, head: Some(head), join, fails, leaves }
    }

    pub(super) fn control(&mut self, action: Action, here: Here) {
        self.build.steps.push(Step {
            action,
            kind: Kind::Control,
            at: here.at,
            activation: here.activation,
            scope: here.scope,
            is_misplaced: false,
            is_given: false,
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
        for (index, command) in target.commands.iter().enumerate() {
            let Command::Define { target, value: Operation::Phi(incoming) } = &command.it else { continue };
            let Some((_, operand)) = incoming.iter().find(|(b, _)| *b == from) else { continue };
            if !self.following.keeps_after(index) {
                let number = self.in_run(operand);
                self.set_plainly(*target, number);
                continue;
            }
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

    /// A decision is made again: its branch of the round before closes if only this decision could have left the loop
    /// in between. Conditions on different cells are different decisions, since what chose the cells is not told.
    fn end_round(&mut self, head: BlockId, facts: &Facts) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let before = frame.open.innermost().find(|o| o.head == Some(head) || !o.fails);
        let Some(Open { branch, fails, .. }) = before.filter(|o| o.head == Some(head)) else { return };
        let Branch { addresses, parent, .. } = &self.branches[branch.index()];
        if *fails || addresses[..] == facts.addresses {
            let parent = *parent;
            self.close_at(parent, Some(head));
        }
    }

    /// Control arrives in a block: close the branches whose ways meet here.
    pub(super) fn arrive(&mut self, to: BlockId) {
        let frame = self.frames.last().expect("an activation is on the stack");
        if let Some(outermost) = frame.open.waiting_for(to) {
            let parent = self.branches[outermost.index()].parent;
            self.close_at(parent, Some(to));
        }
    }

    /// The function is left: all its ways meet, but for those that may have ended the program.
    pub(super) fn leave_scopes(&mut self) {
        let frame = self.frames.last().expect("an activation is on the stack");
        let kept = frame.open.left_open();
        let scope = kept.last().map_or(frame.outer_scope, |o| Some(o.branch));
        self.close_to(scope);
        let below = self.frames.len().checked_sub(2);
        if let Some(caller) = below.map(|index| &mut self.frames[index]) {
            caller.scope = scope;
            kept.into_iter().for_each(|o| caller.open.push(o));
        }
    }

    /// Close branches until `scope` is the innermost open one.
    pub(super) fn close_to(&mut self, scope: Option<BranchId>) {
        self.close_at(scope, None);
    }

    fn close_at(&mut self, scope: Option<BranchId>, until: Option<BlockId>) {
        while self.frames.last().is_some_and(|f| f.scope != scope) {
            let Some(id) = self.frames.last().and_then(|f| f.scope) else { return };
            let branch = &mut self.branches[id.index()];
            branch.until = until;
            let Branch { parent, at, activation, .. } = *branch;
            let here = Here { at, activation, scope: parent };
            self.control(Action::EndIf(id), here);
            let frame = self.frame();
            frame.open.pop();
            frame.scope = parent;
        }
    }
}
