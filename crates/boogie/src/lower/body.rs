//! Statements as blocks.

use super::blocks::Blocks;
use super::{EITHER, GOTO, GOTO_SEVERAL, Whole};
use crate::core::{Clause, Expr, Guard, Kind, Place, Procedure, Statement, StatementKind, Var, Variable};
use crate::places::Span;
use crate::types::Type;
use std::collections::{BTreeSet, HashMap};
use wherefore_program::{
    BlockId, Callee, CastOp, Command, Function, GlobalId, Local, LocalId, Operand, Operation, Origin, Switch,
    Terminator,
};

/// What the beginning of a body has to do.
#[derive(Clone, Default)]
pub struct Asked {
    /// Locals that begin with any value.
    pub initial: BTreeSet<usize>,
    /// Globals whose value at the beginning is asked for.
    pub old: BTreeSet<usize>,
}

/// Values for the variables of a procedure that is called: what its clauses speak of.
#[derive(Default)]
pub(super) struct Bound {
    pub locals: Vec<Operand>,
    pub old: HashMap<usize, Operand>,
}

/// A body that is being lowered.
pub struct Body<'a> {
    pub(super) whole: &'a Whole<'a>,
    pub(super) procedure: &'a Procedure,
    number: usize,
    is_entry: bool,
    asked: Asked,
    pub(super) blocks: Blocks,
    locals: Vec<Local>,
    /// Where the value of a global at the beginning is kept.
    pub(super) old: HashMap<usize, LocalId>,
    /// Globals whose value at the beginning something asks for.
    pub(super) wanted: BTreeSet<usize>,
    /// Parameters of functions that are put in.
    pub(super) parameters: HashMap<usize, Operand>,
    /// The procedure that clauses speak of, while they are those of a callee.
    pub(super) bound: Option<Bound>,
    /// What has to hold for an expression to matter.
    pub(super) guard: Option<Operand>,
    labels: HashMap<String, BlockId>,
    /// Labels and ends of the loops around.
    loops: Vec<(Option<String>, BlockId)>,
    exit: BlockId,
}

impl<'a> Body<'a> {
    pub fn new(whole: &'a Whole<'a>, procedure: &'a Procedure, number: usize, is_entry: bool, asked: Asked) -> Self {
        let mut blocks = Blocks::default();
        let entry = blocks.fresh();
        blocks.enter(entry);
        let exit = blocks.fresh();
        Body {
            whole,
            procedure,
            number,
            is_entry,
            asked,
            blocks,
            locals: vec![],
            old: HashMap::new(),
            wanted: BTreeSet::new(),
            parameters: HashMap::new(),
            bound: None,
            guard: None,
            labels: HashMap::new(),
            loops: vec![],
            exit,
        }
    }

    /// The function, and the globals whose value at its beginning it asks for.
    pub fn lower(mut self) -> (Function, BTreeSet<usize>) {
        let params = self.enter();
        let statements = self.procedure.body.as_deref().unwrap_or_default();
        self.statements(statements);
        self.blocks.go(self.exit);
        self.leave();
        let procedure = self.procedure;
        let result = (procedure.results == 1).then(|| &procedure.locals[procedure.parameters].ty);
        let function = Function {
            name: procedure.name.clone(),
            origin: Some(self.whole.origin(&procedure.span)),
            params,
            params_recorded: self.is_entry,
            locals: self.locals,
            result: result.and_then(Type::bits),
            result_type: result.map(|ty| self.whole.ctype(ty)),
            variadic: false,
            first_block: 0,
            members: std::mem::take(&mut self.blocks.members),
            registers: std::mem::take(&mut self.blocks.registers),
            blocks: self.blocks.finish(),
            within: vec![],
        };
        (function, self.wanted)
    }

    pub(super) fn origin(&self, span: &Span) -> Option<Origin> {
        Some(self.whole.origin(span))
    }

    fn local(&mut self, variable: &Variable, param: Option<u32>) -> LocalId {
        let is_map = matches!(variable.ty, Type::Map(..));
        self.locals.push(Local {
            name: Some(variable.name.clone()),
            ctype: Some(self.whole.ctype(&variable.ty)),
            size: Some(variable.ty.size()),
            escapes: is_map,
            param,
            scope: vec![],
            origin: self.origin(&variable.span),
        });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// Parameters get their values, variables come to life, and what is taken for granted holds.
    fn enter(&mut self) -> Vec<wherefore_program::RegId> {
        let procedure = self.procedure;
        let mut params = vec![];
        for (number, variable) in procedure.locals.iter().enumerate() {
            let param = (number < procedure.parameters).then_some(number as u32);
            let id = self.local(variable, param);
            if param.is_some() {
                params.push(self.blocks.register(variable.ty.bits().expect("a parameter is no map")));
            }
            if matches!(variable.ty, Type::Map(..)) {
                let at = self.origin(&variable.span);
                self.blocks.command(Command::Allocate { local: id, target: None }, at);
            }
        }
        for (number, register) in params.iter().enumerate() {
            let value = Operand::Register(*register);
            self.store_local(LocalId(number as u32), &procedure.locals[number].ty, value, None);
        }
        for global in self.asked.old.clone() {
            let variable = &self.whole.module.globals[global];
            let kept = Variable { name: format!("old({})", variable.name), condition: None, ..variable.clone() };
            let id = self.local(&kept, None);
            let at = self.origin(&procedure.span);
            let value = self.load(Var::Global(global), &variable.ty, at);
            self.store_local(id, &variable.ty, value, at);
            self.old.insert(global, id);
        }
        for number in self.asked.initial.clone() {
            let variable = &procedure.locals[number];
            let at = self.origin(&variable.span);
            let value = self.any(&format!("havoc {}", variable.name), &variable.ty, at);
            self.assign(&simple(Var::Local(number)), &variable.ty, value, at);
        }
        for number in self.asked.initial.clone() {
            if let Some(holds) = &procedure.locals[number].condition {
                self.assume(holds, &holds.span);
            }
        }
        match self.is_entry {
            true => self.grant(),
            // Whoever calls it has seen to the rest.
            false => {
                for clause in procedure.requires.iter().filter(|clause| clause.free) {
                    self.assume(&clause.condition, &clause.span);
                }
            }
        }
        params
    }

    /// What holds when a run begins: axioms, what is said of variables, what the procedure requires.
    fn grant(&mut self) {
        let module = self.whole.module;
        let parameters = &self.procedure.locals[..self.procedure.parameters];
        let said = module.globals.iter().chain(parameters).filter_map(|variable| variable.condition.as_ref());
        for holds in module.axioms.iter().chain(said) {
            self.assume(holds, &holds.span);
        }
        for clause in &self.procedure.requires {
            self.assume(&clause.condition, &clause.span);
        }
    }

    /// What the procedure ensures, and its results.
    fn leave(&mut self) {
        let procedure = self.procedure;
        for clause in &procedure.ensures {
            self.clause(clause);
        }
        let results = procedure.result_range();
        let mut at = None;
        let value = match results.len() {
            0 => None,
            1 => {
                let result = &procedure.locals[results.start];
                at = self.origin(&result.span);
                Some(self.load(Var::Local(results.start), &result.ty, at))
            }
            _ => {
                for (index, local) in results.enumerate() {
                    let variable = &procedure.locals[local];
                    let at = self.origin(&variable.span);
                    let value = self.load(Var::Local(local), &variable.ty, at);
                    let global = self.whole.results[&(self.number, index)];
                    self.store_global(global, &variable.ty, value, at);
                }
                None
            }
        };
        self.blocks.end(Terminator::Return(value), at);
    }

    fn clause(&mut self, clause: &Clause) {
        match clause.free {
            true => self.assume(&clause.condition, &clause.span),
            false => self.assert(&clause.condition, &clause.span),
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        let mut label = None;
        for statement in statements {
            self.statement(statement, label.take());
            if let StatementKind::Label(name) = &statement.it {
                label = Some(name.clone());
            }
        }
    }

    fn statement(&mut self, statement: &Statement, label: Option<String>) {
        let at = self.origin(&statement.span);
        match &statement.it {
            StatementKind::Label(name) => {
                let block = self.labelled(name);
                self.blocks.go(block);
            }
            StatementKind::Assert(holds) => self.assert(holds, &statement.span),
            StatementKind::Assume(holds) => self.assume(holds, &statement.span),
            StatementKind::Havoc(all) => self.havoc(all, at),
            StatementKind::Assign(all) => self.assignment(all, at),
            StatementKind::Call { targets, procedure, arguments } => {
                self.call(targets, *procedure, arguments, &statement.span);
            }
            StatementKind::If { condition, then, otherwise } => {
                let (first, second, after) = (self.blocks.fresh(), self.blocks.fresh(), self.blocks.fresh());
                self.branch(condition, first, second, &condition.span);
                for (block, statements) in [(first, then), (second, otherwise)] {
                    self.blocks.enter(block);
                    self.statements(statements);
                    self.blocks.end(Terminator::Goto(after), None);
                }
                self.blocks.enter(after);
            }
            StatementKind::While { condition, invariants, body } => {
                let (head, inside, after) = (self.blocks.fresh(), self.blocks.fresh(), self.blocks.fresh());
                self.blocks.go(head);
                for clause in invariants {
                    self.clause(clause);
                }
                self.branch(condition, inside, after, &statement.span);
                self.blocks.enter(inside);
                self.loops.push((label, after));
                self.statements(body);
                self.loops.pop();
                self.blocks.end(Terminator::Goto(head), None);
                self.blocks.enter(after);
            }
            StatementKind::Break(name) => {
                let is_it = |(label, _): &&(Option<String>, BlockId)| name.is_none() || label == name;
                let (_, after) = *self.loops.iter().rev().find(is_it).expect("it was checked");
                self.jump(Terminator::Goto(after), at);
            }
            StatementKind::Return => self.jump(Terminator::Goto(self.exit), at),
            StatementKind::Goto(names) => self.goto(names, at),
        }
    }

    fn labelled(&mut self, name: &str) -> BlockId {
        if let Some(block) = self.labels.get(name) {
            return *block;
        }
        let block = self.blocks.fresh();
        self.labels.insert(name.into(), block);
        block
    }

    /// Ends the block; what comes behind is reached by a label only.
    fn jump(&mut self, terminator: Terminator, at: Option<Origin>) {
        self.blocks.end(terminator, at);
        let behind = self.blocks.fresh();
        self.blocks.enter(behind);
    }

    /// To any of some labels.
    fn goto(&mut self, names: &[String], at: Option<Origin>) {
        let targets: Vec<BlockId> = names.iter().map(|name| self.labelled(name)).collect();
        let terminator = match &targets[..] {
            [one] => Terminator::Goto(*one),
            [first, second] => {
                let condition = self.any(GOTO, &Type::Bool, at);
                Terminator::Branch { condition, then: *first, otherwise: *second }
            }
            [first @ .., last] => {
                let value = self.any(GOTO_SEVERAL, &Type::Bits(8), at);
                let cases = (0..).zip(first).map(|(number, block)| (number, *block)).collect();
                Terminator::Switch(Switch { value, cases, default: *last })
            }
            [] => unreachable!("a goto has a label"),
        };
        self.jump(terminator, at);
    }

    fn branch(&mut self, guard: &Guard, then: BlockId, otherwise: BlockId, span: &Span) {
        let at = self.origin(span);
        let condition = match &guard.condition {
            Some(condition) => self.value(condition, at),
            None => self.any(EITHER, &Type::Bool, at),
        };
        self.blocks.end(Terminator::Branch { condition, then, otherwise }, at);
    }

    /// Goes on where a condition holds; where it does not, something outside is called that does not return.
    fn demand(&mut self, holds: &Expr, span: &Span, otherwise: &str) {
        let at = self.origin(span);
        let (fine, wrong) = (self.blocks.fresh(), self.blocks.fresh());
        match holds.it {
            Kind::Constant(0) => self.blocks.end(Terminator::Goto(wrong), at),
            Kind::Constant(_) => self.blocks.end(Terminator::Goto(fine), at),
            _ => {
                let condition = self.value(holds, at);
                self.blocks.end(Terminator::Branch { condition, then: fine, otherwise: wrong }, at);
            }
        }
        self.blocks.enter(wrong);
        let arguments = if otherwise == ASSUME { vec![Operand::Constant { bits: 32, value: 0 }] } else { vec![] };
        let callee = Callee::External(otherwise.into());
        self.blocks.command(Command::Call { target: None, callee, arguments, site: self.whole.next_site() }, at);
        self.blocks.end(Terminator::Unreachable, at);
        self.blocks.enter(fine);
    }

    pub(super) fn assert(&mut self, holds: &Expr, span: &Span) {
        self.demand(holds, span, "__assert_fail");
    }

    pub(super) fn assume(&mut self, holds: &Expr, span: &Span) {
        if !matches!(holds.it, Kind::Constant(1)) {
            self.demand(holds, span, ASSUME);
        }
    }

    fn havoc(&mut self, all: &[Var], at: Option<Origin>) {
        for var in all {
            let variable = self.variable(*var);
            let (name, ty) = (variable.name.clone(), variable.ty.clone());
            let value = self.any(&format!("havoc {name}"), &ty, at);
            self.assign(&simple(*var), &ty, value, at);
        }
        for var in all {
            if let Some(holds) = self.variable(*var).condition.clone() {
                self.assume(&holds, &holds.span);
            }
        }
    }

    pub(super) fn variable(&self, var: Var) -> &'a Variable {
        match var {
            Var::Global(id) => &self.whole.module.globals[id],
            Var::Local(id) => &self.procedure.locals[id],
        }
    }

    /// All values and indices are computed before anything is assigned.
    fn assignment(&mut self, all: &[(Place, Expr)], at: Option<Origin>) {
        let mut computed = vec![];
        for (place, value) in all {
            let indices = place.indices.clone();
            let address = (!indices.is_empty()).then(|| self.address(place.var, &indices, at));
            computed.push((place, address, value, self.value(value, at)));
        }
        for (place, address, value, operand) in computed {
            match address {
                Some(address) => self.store_memory(address, &value.ty, operand, at),
                None => self.assign(place, &value.ty, operand, at),
            }
        }
    }

    /// Sets a variable.
    pub(super) fn assign(&mut self, place: &Place, ty: &Type, value: Operand, at: Option<Origin>) {
        match place.var {
            Var::Local(id) => self.store_local(LocalId(id as u32), ty, value, at),
            Var::Global(id) => self.store_global(GlobalId(id as u32), ty, value, at),
        }
    }

    /// A value that may be any.
    pub(super) fn any(&mut self, name: &str, ty: &Type, at: Option<Origin>) -> Operand {
        let callee = self.whole.any(name, &self.procedure.name, ty);
        let bits = ty.bits().expect("no map");
        let part = |body: &mut Self, bits: u32| {
            let target = body.blocks.register(bits);
            let site = body.whole.next_site();
            let callee = Callee::External(callee.clone());
            body.blocks.command(Command::Call { target: Some(target), callee, arguments: vec![], site }, at);
            Operand::Register(target)
        };
        if bits <= 64 {
            return part(self, bits);
        }
        // One call gives 64 bits.
        let (low, high) = (part(self, 64), part(self, bits - 64));
        let wide = self.blocks.define(bits, Operation::Cast(CastOp::ZeroExtend, low), at);
        self.blocks.define(bits, Operation::Insert { value: wide, part: high, low: 64 }, at)
    }
}

/// Called where an assumption does not hold.
const ASSUME: &str = "__VERIFIER_assume";

pub(super) fn simple(var: Var) -> Place {
    Place { var, indices: vec![] }
}
