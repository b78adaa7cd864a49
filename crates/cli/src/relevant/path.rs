//! A trace as a path: what it assigns, the conditions it goes by, and its failure at the end.

use crate::options::Arith;
use crate::sources::Sources;
use std::collections::HashSet;
use wherefore_formula::{BinaryOp, Node, Sort, TermId, VarId};
use wherefore_program::{CType, Origin, Program};
use wherefore_relevance::{Execution, Path, Statement, Variable};
use wherefore_source::Decides;
use wherefore_trace::{Action, Assumed, BranchId, Decided, Kind, Step, Storage, Trace, WholeConditions};

/// What a statement of a path is in the trace.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Of {
    /// A step, by its position.
    Step(usize),
    /// The condition of a branch.
    Branch(BranchId),
    /// An assumption, by its number.
    Assumed(usize),
    /// The failure.
    Failure,
}

/// A path with where it comes from.
pub struct Traced {
    /// The path.
    pub path: Path,
    /// The run.
    pub known: Execution,
    /// What each statement is in the trace.
    pub of: Vec<Of>,
    arith: Arith,
}

/// A run that failed as a path. Conditions are those of the source, also where the run did not evaluate all of them.
pub fn traced(program: &Program, trace: &Trace, sources: &Sources, arith: Arith) -> Traced {
    let conditions = WholeConditions::new(program, trace);
    let read = read(trace);
    let mut now = trace.initial.clone();
    let pointers = pointers(program, trace);
    // A number that should have been printed is the first that one thinks of.
    let printed = trace.departure.as_ref().and_then(|departure| std::str::from_utf8(&departure.expected).ok());
    let wanted = printed.and_then(|text| text.trim().parse::<f64>().ok());
    let variable = |(variable, initial): (&wherefore_trace::Variable, &Option<u128>)| Variable {
        sort: Sort::Bits(variable.bits),
        // What the run never used may be anything, and is nothing.
        initial: Some(initial.unwrap_or(0)),
        simple: simple(program, variable, &pointers, wanted),
    };
    let variables: Vec<Variable> = trace.variables.iter().zip(&trace.initial).map(variable).collect();
    let initial = variables.iter().map(|v| v.initial.unwrap_or(0)).collect();
    let path = Path { terms: trace.terms.clone(), variables, statements: vec![] };
    let known = Execution { initial, assigned: vec![] };
    let mut traced = Traced { path, known, of: vec![], arith };
    let choices = choices(trace);
    let decides = |at: Option<Origin>| {
        let text = at.and_then(|at| Some((at, sources.text(at.file)?)));
        text.map_or(Decides::Way, |(at, text)| text.decided_at(at.line, at.column))
    };
    let mut assumed = trace.assumed.iter().enumerate().peekable();
    for (position, step) in trace.steps.iter().enumerate() {
        while let Some((number, held)) = assumed.next_if(|(_, held)| held.position <= position) {
            traced.assumed(held, Of::Assumed(number));
        }
        match &step.action {
            Action::Assign { to, value, assumes, addresses, after, .. } => {
                // What code outside was given does not matter where nobody reads what it gave.
                if step.kind != Kind::Havoc || read.contains(to) {
                    traced.grant(assumes, addresses, Of::Step(position));
                }
                let value = match step.scope.filter(|scope| choices.contains(scope)) {
                    Some(scope) => traced.chosen(trace, &conditions, scope, *value, &now),
                    None => *value,
                };
                traced.divides(value, Of::Step(position));
                let statement = match is_open(program, trace, step) {
                    true => Statement::Havoc { to: *to },
                    false => Statement::Assign { to: *to, value },
                };
                traced.push(statement, Of::Step(position), *after);
                now[to.0 as usize] = Some(*after);
            }
            Action::If(branch) => {
                let taken = &trace.branches[branch.index()];
                traced.grant(&taken.assumes, &taken.addresses, Of::Branch(*branch));
                // What only chooses a value is no condition of the way.
                if !choices.contains(branch) {
                    let decided = |head| Decided { activation: taken.activation, head, taken: taken.taken };
                    let decision = (taken.decision.map(decided), decides(taken.at));
                    traced.assume(trace, &conditions, taken.condition, decision, &now, Of::Branch(*branch));
                }
            }
            Action::EndIf(_) => {}
        }
    }
    for (number, held) in assumed {
        traced.assumed(held, Of::Assumed(number));
    }
    if let Some(failure) = &trace.failure {
        let decided = |(head, taken)| Decided { activation: failure.activation, head, taken };
        traced.grant(&failure.assumes, &failure.addresses, Of::Failure);
        let decision = (failure.decision.map(decided), failure.decision.map_or(Decides::Way, |_| decides(failure.at)));
        traced.assume(trace, &conditions, failure.violated, decision, &now, Of::Failure);
    }
    traced
}

/// Branches that do nothing but choose the value of an expression, as `a && b` and `c ? d : e` do. One that does more, such
/// as to call a function, is part of the way.
fn choices(trace: &Trace) -> HashSet<BranchId> {
    let (mut choosing, mut doing) = (HashSet::new(), HashSet::new());
    for step in &trace.steps {
        let chooses = match &step.action {
            Action::Assign { to, .. } => matches!(trace.variables[to.0 as usize].storage, Storage::Choice { .. }),
            Action::If(_) => false,
            Action::EndIf(_) => continue,
        };
        if let Some(scope) = step.scope {
            if chooses {
                choosing.insert(scope)
            } else {
                doing.insert(scope)
            };
        }
    }
    &choosing - &doing
}

/// Pointers of a run that are tried elsewhere, at most.
const POINTERS: usize = 8;

/// Pointers that the run had.
fn pointers(program: &Program, trace: &Trace) -> Vec<u128> {
    let mut found = vec![0];
    for step in &trace.steps {
        if let Action::Assign { to, after, .. } = &step.action
            && let Some(CType::Pointer(_)) = trace.variables[to.0 as usize].ctype.map(|t| &program.types[t])
            && found.len() < POINTERS
            && !found.contains(after)
        {
            found.push(*after);
        }
    }
    found
}

/// Values of a type that a person would think of first; none where numbers are.
fn simple(
    program: &Program,
    variable: &wherefore_trace::Variable,
    pointers: &[u128],
    wanted: Option<f64>,
) -> Vec<u128> {
    let numbers = [0.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, 1000.0];
    let numbers: Vec<f64> = wanted.into_iter().chain(numbers).collect();
    match variable.ctype.map(|t| &program.types[t]) {
        Some(CType::Float { bits: 64 }) => numbers.iter().map(|n: &f64| u128::from(n.to_bits())).collect(),
        Some(CType::Float { bits: 32 }) => numbers.iter().map(|n| u128::from((*n as f32).to_bits())).collect(),
        Some(CType::Pointer(_)) => pointers.to_vec(),
        Some(CType::Enum { constants, .. }) => constants.iter().map(|(_, value)| *value as u128).collect(),
        Some(CType::Bool) => vec![0, 1],
        _ => vec![],
    }
}

/// The variables that something reads.
fn read(trace: &Trace) -> HashSet<VarId> {
    let mut terms: Vec<TermId> = vec![];
    for step in &trace.steps {
        if let Action::Assign { value, assumes, addresses, .. } = &step.action {
            terms.push(*value);
            terms.extend(assumes.iter().chain(addresses));
        }
    }
    for branch in &trace.branches {
        terms.push(branch.condition);
        terms.extend(branch.assumes.iter().chain(&branch.addresses));
    }
    if let Some(failure) = &trace.failure {
        terms.push(failure.violated);
        terms.extend(failure.assumes.iter().chain(&failure.addresses));
    }
    let variable = |part: TermId| match trace.terms.node(part) {
        Node::Var(var, _) => Some(*var),
        _ => None,
    };
    trace.terms.reachable(&terms).into_iter().filter_map(variable).collect()
}

impl Traced {
    fn push(&mut self, statement: Statement, of: Of, assigned: u128) {
        self.path.statements.push(statement);
        self.known.assigned.push(assigned);
        self.of.push(of);
    }

    /// An assumption that held.
    fn assumed(&mut self, held: &Assumed, of: Of) {
        self.grant(&held.assumes, &held.addresses, of);
        self.divides(held.condition, of);
        self.push(Statement::Assume(held.condition), of, 0);
    }

    /// A condition of the way. Of one whose parts the run did not all evaluate, and which cannot be told without it, nothing
    /// follows where what it evaluated is otherwise.
    fn assume(
        &mut self,
        trace: &Trace,
        conditions: &WholeConditions,
        evaluated: TermId,
        (decision, decides): (Option<Decided>, Decides),
        now: &[Option<u128>],
        of: Of,
    ) {
        self.divides(evaluated, of);
        let parts = decision.map_or(1, |decision| conditions.parts(trace, decision));
        // What a condition of the source has more than the decision, the compiler has made decisions of their own.
        let is_whole = match decides {
            Decides::Condition(told) => told.is_some_and(|told| told <= parts),
            Decides::Way => true,
            Decides::Value => false,
        };
        let whole = decision.filter(|_| is_whole);
        let whole = whole.and_then(|decision| conditions.of(trace, &mut self.path.terms, decision, now));
        match whole {
            Some(whole) => {
                self.grant(&[], &whole.addresses, of);
                self.divides(whole.holds, of);
                self.push(Statement::Assume(whole.holds), of, 0);
            }
            None if parts > 1 || !is_whole => {
                self.push(Statement::Grant(evaluated), of, 0);
            }
            None => self.push(Statement::Assume(evaluated), of, 0),
        }
    }

    /// The value of an expression that a branch chooses: of its other side only constants are known.
    fn chosen(
        &mut self,
        trace: &Trace,
        conditions: &WholeConditions,
        id: BranchId,
        value: TermId,
        now: &[Option<u128>],
    ) -> TermId {
        let branch = &trace.branches[id.index()];
        let decision = branch.decision.map(|head| Decided { activation: branch.activation, head, taken: branch.taken });
        let holds = match decision.map_or(1, |decision| conditions.parts(trace, decision)) {
            1 => Some(branch.condition),
            // What the run evaluated is not all that decides.
            _ => decision.and_then(|decision| conditions.of(trace, &mut self.path.terms, decision, now)).map(|whole| {
                self.grant(&[], &whole.addresses, Of::Branch(id));
                whole.holds
            }),
        };
        let other = conditions.other_choice(trace, branch);
        match (holds, other, self.path.terms.sort(value)) {
            (Some(holds), Some(other), Sort::Bits(bits)) => {
                self.divides(holds, Of::Branch(id));
                let other = self.path.terms.bits(bits, other);
                self.path.terms.ite(holds, value, other)
            }
            _ => {
                self.push(Statement::Grant(branch.condition), Of::Branch(id), 0);
                value
            }
        }
    }

    /// What is divided by is not zero.
    fn divides(&mut self, value: TermId, of: Of) {
        let terms = &self.path.terms;
        let divisor = |part: TermId| match terms.node(part) {
            Node::Binary(BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem, _, by) => Some(*by),
            _ => None,
        };
        let divisors: Vec<TermId> = terms.reachable(&[value]).into_iter().filter_map(divisor).collect();
        for by in divisors {
            let zero = self.path.terms.bits(self.path.terms.width(by), 0);
            let fine = self.path.terms.ne(by, zero);
            if self.path.terms.truth_value(fine).is_none() {
                self.push(Statement::Define(fine), of, 0);
            }
        }
    }

    /// What C takes for granted, and pointers that are as they were.
    fn grant(&mut self, assumes: &[TermId], addresses: &[TermId], of: Of) {
        // Mathematical integers do not overflow.
        let assumes = if self.arith == Arith::Int { &[] } else { assumes };
        let defined = assumes.iter().map(|holds| Statement::Define(*holds));
        let granted = addresses.iter().map(|holds| Statement::Grant(*holds));
        for statement in defined.chain(granted) {
            let (Statement::Define(holds) | Statement::Grant(holds)) = statement else { continue };
            if self.path.terms.truth_value(holds).is_none() {
                self.push(statement, of, 0);
            }
        }
    }
}

/// Whether the program itself says that a value may be anything.
fn is_open(program: &Program, trace: &Trace, step: &Step) -> bool {
    let Action::Assign { to, .. } = &step.action else { return false };
    let storage = &trace.variables[to.0 as usize].storage;
    step.kind == Kind::Havoc
        && matches!(storage, Storage::External { callee, .. } if wherefore_clib::nondet(program.stand_in(callee)).is_some())
}
