//! Bodies of procedures.

use super::{Checker, Scope};
use crate::core::{self, Guard, Place, Procedure, Statement, StatementKind, Var, Variable};
use crate::places::Span;
use crate::syntax::{self, ExprKind, Name, StatementKind as Written, Target};
use crate::types::Type;
use std::collections::{HashMap, HashSet};

/// A body that is being checked.
struct Inside<'a> {
    checker: &'a Checker,
    scope: Scope,
    /// Locals that may not be assigned to.
    parameters: usize,
    modifies: &'a [usize],
    procedure: &'a str,
    labels: HashSet<&'a str>,
    /// The labels of the loops around.
    loops: Vec<Option<String>>,
}

impl Checker {
    /// Checks a body, whose parameters and results have names of their own.
    pub(super) fn body(&self, of: &mut Procedure, heads: Vec<Variable>, body: &syntax::Body) {
        let (procedure, modifies) = (of.name.clone(), of.modifies.clone());
        let mut locals = heads;
        // What holds of parameters and results was said with the names of the procedure.
        for (local, head) in locals.iter_mut().zip(&of.locals) {
            local.condition.clone_from(&head.condition);
        }
        let declared = locals.len();
        locals.extend(self.variables(&body.locals));
        let mut seen: HashMap<&str, &Span> = HashMap::new();
        for local in &locals {
            if seen.insert(&local.name, &local.span).is_some() {
                self.problem(&local.span, format!("`{}` is declared twice", local.name));
            }
        }
        let scope = Scope { old: true, ..Scope::of(&locals) };
        self.conditions(&scope, &[&body.locals], &mut locals[declared..]);
        let mut labels = HashSet::new();
        self.labels(&body.statements, &mut labels);
        let mut inside = Inside {
            checker: self,
            scope,
            parameters: of.parameters,
            modifies: &modifies,
            procedure: &procedure,
            labels,
            loops: vec![],
        };
        let statements = inside.statements(&body.statements);
        of.locals = locals;
        of.end = body.end.clone();
        of.body = Some(statements);
    }

    fn labels<'a>(&self, statements: &'a [syntax::Statement], found: &mut HashSet<&'a str>) {
        for statement in statements {
            match &statement.it {
                Written::Label(label) if !found.insert(&label.text) => {
                    self.problem(&label.span, format!("the label `{}` stands here a second time", label.text));
                }
                Written::If(it) => {
                    self.labels(&it.then, found);
                    it.otherwise.iter().for_each(|otherwise| self.labels(otherwise, found));
                }
                Written::While { body, .. } => self.labels(body, found),
                _ => {}
            }
        }
    }
}

impl Inside<'_> {
    fn statements(&mut self, written: &[syntax::Statement]) -> Vec<Statement> {
        let mut all = vec![];
        let mut label: Option<String> = None;
        for statement in written {
            let before = label.take();
            if let Written::Label(name) = &statement.it {
                label = Some(name.text.clone());
            }
            if let Some(it) = self.statement(statement, before) {
                all.push(Statement { it, span: statement.span.clone() });
            }
        }
        all
    }

    fn statement(&mut self, written: &syntax::Statement, label: Option<String>) -> Option<StatementKind> {
        let checker = self.checker;
        Some(match &written.it {
            Written::Label(name) => StatementKind::Label(name.text.clone()),
            Written::Assert(holds) => StatementKind::Assert(checker.typed(&self.scope, holds, &Type::Bool)?),
            Written::Assume(holds) => StatementKind::Assume(checker.typed(&self.scope, holds, &Type::Bool)?),
            Written::Havoc(names) => {
                let all: Vec<Option<Var>> = names.iter().map(|name| self.whole(name)).collect();
                StatementKind::Havoc(all.into_iter().collect::<Option<_>>()?)
            }
            Written::Assign { targets, values } => self.assignment(targets, values)?,
            Written::Call { targets, procedure, arguments } => self.call(targets, procedure, arguments)?,
            Written::If(it) => {
                let condition = self.guard(&it.condition);
                let then = self.statements(&it.then);
                let otherwise = it.otherwise.as_ref().map_or(vec![], |otherwise| self.statements(otherwise));
                StatementKind::If { condition: condition?, then, otherwise }
            }
            Written::While { condition, invariants, body, .. } => {
                let condition = self.guard(condition);
                let invariants = checker.clauses(&self.scope, invariants);
                self.loops.push(label);
                let body = self.statements(body);
                self.loops.pop();
                StatementKind::While { condition: condition?, invariants, body }
            }
            Written::Break(None) if self.loops.is_empty() => {
                checker.problem(&written.span, "`break` stands outside of a loop");
                return None;
            }
            Written::Break(None) => StatementKind::Break(None),
            Written::Break(Some(name)) => {
                if !self.loops.iter().any(|label| label.as_deref() == Some(&name.text)) {
                    checker.problem(&name.span, format!("no loop around has the label `{}`", name.text));
                    return None;
                }
                StatementKind::Break(Some(name.text.clone()))
            }
            Written::Return => StatementKind::Return,
            Written::Goto(names) => {
                for name in names {
                    if !self.labels.contains(name.text.as_str()) {
                        checker.problem(&name.span, format!("there is no label `{}`", name.text));
                    }
                }
                StatementKind::Goto(names.iter().map(|name| name.text.clone()).collect())
            }
        })
    }

    fn guard(&self, written: &syntax::Guard) -> Option<Guard> {
        let condition = match &written.condition {
            Some(condition) => Some(self.checker.typed(&self.scope, condition, &Type::Bool)?),
            None => None,
        };
        Some(Guard { condition, span: written.span.clone() })
    }

    /// A variable that may be assigned to.
    fn variable(&self, name: &Name) -> Option<(Var, Type)> {
        if let Some(local) = self.scope.locals.iter().rposition(|(known, _)| *known == name.text) {
            if local < self.parameters {
                self.checker.problem(&name.span, format!("the parameter `{}` cannot be assigned to", name.text));
                return None;
            }
            return Some((Var::Local(local), self.scope.locals[local].1.clone()));
        }
        let Some((id, changes)) = self.checker.by_name.get(&name.text) else {
            self.checker.problem(&name.span, format!("there is no variable `{}`", name.text));
            return None;
        };
        if !changes {
            self.checker.problem(&name.span, format!("the constant `{}` cannot be assigned to", name.text));
            return None;
        }
        if !self.modifies.contains(id) {
            let what = format!("`{}` is not among what `{}` modifies", name.text, self.procedure);
            self.checker.problem(&name.span, what);
            return None;
        }
        Some((Var::Global(*id), self.checker.globals[*id].ty.clone()))
    }

    /// A variable that is set as a whole.
    fn whole(&self, name: &Name) -> Option<Var> {
        let (var, ty) = self.variable(name)?;
        if matches!(ty, Type::Map(..)) {
            self.checker.problem(&name.span, format!("to set the whole map `{}` is not supported", name.text));
            return None;
        }
        Some(var)
    }

    fn assignment(&self, targets: &[Target], values: &[syntax::Expr]) -> Option<StatementKind> {
        let checker = self.checker;
        if targets.len() != values.len() {
            let span = targets[0].span.start..values.last().map_or(0, |v| v.span.end);
            let (left, right) = (targets.len(), values.len());
            checker.problem(&span, format!("{left} variables are assigned {right} values"));
            return None;
        }
        let mut all = vec![];
        for (target, value) in targets.iter().zip(values) {
            all.push(self.one(target, value));
        }
        let all: Vec<(Place, core::Expr)> = all.into_iter().collect::<Option<_>>()?;
        for (number, (place, _)) in all.iter().enumerate() {
            if all[..number].iter().any(|(other, _)| other.var == place.var) {
                let span = &targets[number].span;
                checker.problem(span, format!("`{}` is assigned to twice at once", targets[number].name.text));
                return None;
            }
        }
        Some(StatementKind::Assign(all))
    }

    fn one(&self, target: &Target, value: &syntax::Expr) -> Option<(Place, core::Expr)> {
        let checker = self.checker;
        let (var, ty) = self.variable(&target.name)?;
        // `m := m[i := v]` is `m[i] := v`.
        let (mut indices, mut value) = (target.indices.clone(), value);
        while let ExprKind::Update(map, at, new) = &value.it {
            let is_same = matches!(&map.it, ExprKind::Name(name) if *name == target.name.text) && indices.is_empty();
            if !is_same {
                break;
            }
            (indices, value) = (at.clone(), new);
        }
        let indices: Option<Vec<core::Expr>> = indices.iter().map(|index| checker.expr(&self.scope, index)).collect();
        let indices = indices?;
        let wanted = checker.element(&ty, &indices, &target.span)?;
        if matches!(wanted, Type::Map(..)) {
            let what = format!("to set the whole map `{}` is not supported", target.name.text);
            checker.problem(&target.span, what);
            return None;
        }
        Some((Place { var, indices }, checker.typed(&self.scope, value, &wanted)?))
    }

    fn call(&self, targets: &[Name], procedure: &Name, arguments: &[syntax::Expr]) -> Option<StatementKind> {
        let checker = self.checker;
        let Some(&id) = checker.procedures.get(&procedure.text) else {
            checker.problem(&procedure.span, format!("there is no procedure `{}`", procedure.text));
            return None;
        };
        let head = &checker.heads[id];
        if arguments.len() != head.parameters.len() || targets.len() != head.results.len() {
            let (parameters, results) = (head.parameters.len(), head.results.len());
            let (given, taken) = (arguments.len(), targets.len());
            let what = format!(
                "`{}` has {parameters} parameters and {results} results, here are {given} arguments and {taken} variables \
                 for results",
                procedure.text
            );
            checker.problem(&procedure.span, what);
            return None;
        }
        for missing in head.modifies.iter().filter(|id| !self.modifies.contains(id)) {
            let name = &checker.globals[*missing].name;
            let what = format!("`{}` modifies `{name}`, which `{}` does not", procedure.text, self.procedure);
            checker.problem(&procedure.span, what);
        }
        let given = arguments.iter().zip(&head.parameters).map(|(a, p)| checker.typed(&self.scope, a, &p.ty));
        let given: Vec<Option<core::Expr>> = given.collect();
        let mut into = vec![];
        for (target, result) in targets.iter().zip(&head.results) {
            let (var, ty) = self.variable(target)?;
            if ty != result.ty {
                checker.problem(&target.span, format!("this is of type {ty}, not {}", result.ty));
                return None;
            }
            if into.contains(&var) {
                checker.problem(&target.span, format!("`{}` is assigned to twice at once", target.text));
                return None;
            }
            into.push(var);
        }
        let arguments = given.into_iter().collect::<Option<_>>()?;
        Some(StatementKind::Call { targets: into, procedure: id, arguments })
    }
}
