//! Traces put down by hand, for tests: variables of 32 bits, assignments, branches.

use crate::reason::Reasoner;
use crate::walk::Goal;
use wherefore_budget::Budget;
use wherefore_formula::{BinaryOp, Sort, TermId, Terms, VarId};
use wherefore_program::{BlockId, FileId, FunctionId, Origin};
use wherefore_solver::Backend;
use wherefore_trace::{Action, Activation, Branch, BranchId, Kind, Step, Storage, Trace, Variable};

/// A trace under construction and the state at its end.
pub struct Sketch {
    pub trace: Trace,
    open: Vec<BranchId>,
}

impl Sketch {
    pub fn new() -> Sketch {
        let trace = Trace {
            terms: Terms::new(),
            variables: vec![],
            steps: vec![],
            numbers: vec![],
            branches: vec![],
            functions: vec![],
            objects: vec![],
            activations: vec![Activation { function: FunctionId(0), caller: None, call: None }],
            failure: None,
            departure: None,
            initial: vec![],
            events: 0,
            depth: None,
            is_sliced: false,
            rounds: None,
            others: None,
            is_interrupted: false,
            statements: 0,
            notes: vec![],
            overflows: vec![],
            assumed: vec![],
            literals: Default::default(),
            calls: Default::default(),
        };
        Sketch { trace, open: vec![] }
    }

    /// A variable with a value before the first step.
    pub fn variable(&mut self, value: i32) -> TermId {
        let id = VarId(self.trace.variables.len() as u32);
        let storage = Storage::Foreign { address: u64::from(id.0) };
        let variable = Variable { storage, bits: 32, ctype: None, address: None, paths: vec![], definition: None };
        self.trace.variables.push(variable);
        self.trace.initial.push(Some(u128::from(value as u32)));
        self.trace.terms.var(id, Sort::Bits(32))
    }

    pub fn number(&mut self, value: i32) -> TermId {
        self.trace.terms.bits(32, u128::from(value as u32))
    }

    pub fn plus(&mut self, a: TermId, value: i32) -> TermId {
        let b = self.number(value);
        self.trace.terms.binary(BinaryOp::Add, a, b)
    }

    pub fn equal(&mut self, a: TermId, value: i32) -> TermId {
        let b = self.number(value);
        self.trace.terms.eq(a, b)
    }

    pub fn at_most(&mut self, a: TermId, value: i32) -> TermId {
        let b = self.number(value);
        self.trace.terms.sle(a, b)
    }

    pub fn at_least(&mut self, a: TermId, value: i32) -> TermId {
        let b = self.number(value);
        self.trace.terms.sge(a, b)
    }

    fn state(&self) -> Vec<Option<u128>> {
        self.trace.values_at(self.trace.steps.len())
    }

    fn step(&mut self, action: Action, kind: Kind, scope: Option<BranchId>) -> usize {
        let position = self.trace.steps.len();
        let at = Some(Origin { file: FileId(0), line: position as u32 + 1, column: 1 });
        self.trace.steps.push(Step { action, kind, at, activation: 0, scope, is_misplaced: false, is_given: false });
        self.trace.numbers.push(Some(position as u32));
        position
    }

    /// `to := value`; its position. What is added or subtracted does not overflow.
    pub fn assign(&mut self, to: TermId, value: TermId) -> usize {
        self.assign_as(Kind::Assign, to, value)
    }

    pub fn assign_as(&mut self, kind: Kind, to: TermId, value: TermId) -> usize {
        let variable = *self.trace.terms.variables(to).first().expect("a variable");
        let state = self.state();
        let after = self.trace.terms.evaluate(value, &mut |v| state[v.0 as usize]).expect("all is known").raw();
        let mut assumes = vec![];
        if let wherefore_formula::Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) =
            *self.trace.terms.node(value)
        {
            assumes.push(self.trace.terms.no_overflow(op, true, a, b));
        }
        let before = state[variable.0 as usize];
        let (assumes, addresses) = (assumes.into(), Box::default());
        let action = Action::Assign { to: variable, value, assumes, addresses, through: None, before, after };
        self.step(action, kind, self.open.last().copied())
    }

    /// A branch whose condition is true now.
    pub fn branch(&mut self, condition: TermId) -> BranchId {
        let state = self.state();
        let holds = self.trace.terms.evaluate(condition, &mut |v| state[v.0 as usize]);
        assert_eq!(holds.and_then(|v| v.as_bool()), Some(true), "a branch is taken by what holds");
        let id = BranchId(self.trace.branches.len() as u32);
        let parent = self.open.last().copied();
        let start = self.step(Action::If(id), Kind::Control, parent);
        let at = self.trace.steps[start].at;
        self.trace.branches.push(Branch {
            parent,
            condition,
            reasons: Box::new([(condition, at)]),
            assumes: Box::default(),
            addresses: Box::default(),
            at,
            activation: 0,
            decision: Some(BlockId(0)),
            taken: BlockId(0),
            until: None,
            start,
            end: usize::MAX,
            is_check: false,
        });
        self.open.push(id);
        id
    }

    /// The innermost branch ends.
    pub fn end(&mut self) -> usize {
        let id = self.open.pop().expect("a branch is open");
        let position = self.step(Action::EndIf(id), Kind::Control, self.open.last().copied());
        self.trace.branches[id.index()].end = position;
        position
    }

    /// The question why a formula holds now.
    pub fn goal(&mut self, formula: TermId) -> Goal {
        let end = self.trace.steps.len();
        for branch in &mut self.trace.branches {
            branch.end = branch.end.min(end);
        }
        Goal { start: 0, end, formula, assumes: vec![], addresses: vec![], scope: self.open.last().copied() }
    }

    /// A formula over `v0`, `v1`, ...
    pub fn text(&self, formula: TermId) -> String {
        self.trace.terms.display(formula, &|v| format!("v{}", v.0))
    }

    pub fn texts(&self, formulas: &[TermId]) -> Vec<String> {
        formulas.iter().map(|f| self.text(*f)).collect()
    }
}

pub fn reasoner() -> Reasoner {
    Reasoner::new(Backend::Cadical, None, &Budget::unlimited())
}
