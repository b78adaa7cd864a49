//! Names and types: from what is written to what is meant. Problems are collected, so that several are told at once.

mod expressions;
mod statements;

use crate::core::{self, Builtin, Clause, Expr, Kind, Module, StatementKind, Var, Variable};
use crate::places::{Found, Span};
use crate::syntax::{self, Declaration, File, Name, Op, TypeExpr, TypeKind};
use crate::types::Type;
use expressions::{Binding, Scope};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Checks a file.
///
/// # Errors
/// All problems, in the order in which they were found.
pub fn check(file: &File) -> Result<Module, Vec<Found>> {
    let mut checker = Checker::default();
    checker.types(file);
    checker.names(file);
    let module = checker.module(file);
    let problems = checker.problems.into_inner();
    if problems.is_empty() { Ok(module) } else { Err(problems) }
}

/// A function that expressions can call.
struct Function {
    parameters: Vec<(Option<String>, Type)>,
    result: Type,
    meaning: Meaning,
}

enum Meaning {
    Body(syntax::Expr),
    Builtin(Builtin),
    /// It is a global: a map, or without parameters a value.
    Open(usize),
}

/// The head of a procedure.
struct Head {
    parameters: Vec<Variable>,
    results: Vec<Variable>,
    modifies: Vec<usize>,
}

#[derive(Default)]
struct Checker {
    synonyms: HashMap<String, Type>,
    globals: Vec<Variable>,
    /// Globals by name; whether the program may change them.
    by_name: HashMap<String, (usize, bool)>,
    functions: HashMap<String, Function>,
    procedures: HashMap<String, usize>,
    heads: Vec<Head>,
    problems: RefCell<Vec<Found>>,
    /// Numbers of parameters of functions that are put in.
    next: Cell<usize>,
    /// Functions that are being put in.
    inside: RefCell<Vec<String>>,
}

impl Checker {
    fn problem(&self, span: &Span, message: impl Into<String>) {
        self.problems.borrow_mut().push(Found::new(span, message));
    }

    fn types(&mut self, file: &File) {
        for declaration in &file.declarations {
            if let Declaration::Synonym { name, of } = declaration {
                let of = self.of(of);
                if self.synonyms.insert(name.text.clone(), of).is_some() {
                    self.problem(&name.span, format!("the type `{}` is declared twice", name.text));
                }
            }
        }
    }

    /// What a type means.
    fn of(&self, written: &TypeExpr) -> Type {
        match &written.it {
            TypeKind::Int => Type::Int,
            TypeKind::Bool => Type::Bool,
            TypeKind::Bits(width) => Type::Bits(*width),
            TypeKind::Map(from, to) => {
                let from: Vec<Type> = from.iter().map(|from| self.of(from)).collect();
                if from.iter().any(|from| matches!(from, Type::Map(..))) {
                    self.problem(&written.span, "a map whose index is a map is not supported");
                    return Type::Map(vec![Type::Int], Box::new(self.of(to)));
                }
                if from.iter().any(|from| from.bits() > Some(64)) {
                    self.problem(&written.span, "a map whose index has more than 64 bits is not supported");
                }
                Type::Map(from, Box::new(self.of(to)))
            }
            TypeKind::Named(name) => self.synonyms.get(name).cloned().unwrap_or_else(|| {
                self.problem(&written.span, format!("there is no type `{name}`"));
                Type::Int
            }),
        }
    }

    fn add_global(&mut self, name: &Name, ty: Type, changes: bool) -> usize {
        let id = self.globals.len();
        self.globals.push(Variable { name: name.text.clone(), ty, span: name.span.clone(), condition: None });
        if self.by_name.insert(name.text.clone(), (id, changes)).is_some() || self.functions.contains_key(&name.text) {
            self.problem(&name.span, format!("`{}` is declared twice", name.text));
        }
        id
    }

    /// All that bodies may speak of, wherever it stands.
    fn names(&mut self, file: &File) {
        for declaration in &file.declarations {
            match declaration {
                Declaration::Constants { variables, .. } => {
                    let ty = self.of(&variables.of);
                    variables.names.iter().for_each(|name| {
                        self.add_global(name, ty.clone(), false);
                    });
                }
                Declaration::Globals(groups) => {
                    for group in groups {
                        let ty = self.of(&group.of);
                        group.names.iter().for_each(|name| {
                            self.add_global(name, ty.clone(), true);
                        });
                    }
                }
                Declaration::Function(function) => self.function(function),
                _ => {}
            }
        }
        for declaration in &file.declarations {
            if let Declaration::Procedure(procedure) = declaration {
                let head = Head {
                    parameters: self.variables(&procedure.parameters),
                    results: self.variables(&procedure.results),
                    modifies: self.modifies(&procedure.modifies),
                };
                for variable in head.parameters.iter().chain(&head.results) {
                    if matches!(variable.ty, Type::Map(..)) {
                        let what = format!("the map `{}` as a parameter or result is not supported", variable.name);
                        self.problem(&variable.span, what);
                    }
                }
                if self.procedures.insert(procedure.name.text.clone(), self.heads.len()).is_some() {
                    let name = &procedure.name;
                    self.problem(&name.span, format!("the procedure `{}` is declared twice", name.text));
                }
                self.heads.push(head);
            }
        }
    }

    fn function(&mut self, function: &syntax::Function) {
        let name = &function.name;
        let parameters: Vec<(Option<String>, Type)> =
            function.parameters.iter().map(|(name, ty)| (name.as_ref().map(|n| n.text.clone()), self.of(ty))).collect();
        let result = self.of(&function.result);
        let types: Vec<Type> = parameters.iter().map(|(_, ty)| ty.clone()).collect();
        let meaning = match (&function.builtin, &function.body) {
            (Some(builtin), _) => match Builtin::named(builtin) {
                Some(known) if known.fits(&types, &result) => Meaning::Builtin(known),
                Some(_) => {
                    let what = format!("the types of `{}` are not those of the operation `{builtin}`", name.text);
                    return self.problem(&name.span, what);
                }
                None => {
                    return self.problem(&name.span, format!("the operation `{builtin}` is not supported"));
                }
            },
            (None, Some(body)) => Meaning::Body(body.clone()),
            (None, None) => {
                if types.iter().chain([&result]).any(|ty| matches!(ty, Type::Map(..))) {
                    let what = format!("the function `{}` of maps, which has no body, is not supported", name.text);
                    return self.problem(&name.span, what);
                }
                let ty = if types.is_empty() { result.clone() } else { Type::Map(types, Box::new(result.clone())) };
                let id = self.globals.len();
                let variable = Variable { name: name.text.clone(), ty, span: name.span.clone(), condition: None };
                self.globals.push(variable);
                Meaning::Open(id)
            }
        };
        let declared = Function { parameters, result, meaning };
        let twice = self.functions.insert(name.text.clone(), declared).is_some();
        if twice || self.by_name.contains_key(&name.text) {
            self.problem(&name.span, format!("`{}` is declared twice", name.text));
        }
    }

    fn variables(&self, groups: &[syntax::Variables]) -> Vec<Variable> {
        let mut all = vec![];
        for group in groups {
            let ty = self.of(&group.of);
            let variable = |name: &Name| Variable {
                name: name.text.clone(),
                ty: ty.clone(),
                span: name.span.clone(),
                condition: None,
            };
            all.extend(group.names.iter().map(variable));
        }
        all
    }

    fn modifies(&self, names: &[Name]) -> Vec<usize> {
        let global = |name: &Name| match self.by_name.get(&name.text) {
            Some((id, true)) => Some(*id),
            Some((_, false)) => {
                self.problem(&name.span, format!("`{}` is a constant and cannot be modified", name.text));
                None
            }
            None => {
                self.problem(&name.span, format!("there is no global variable `{}`", name.text));
                None
            }
        };
        names.iter().filter_map(global).collect()
    }

    fn module(&mut self, file: &File) -> Module {
        let outside = Scope::default();
        let mut axioms = vec![];
        let mut conditions: Vec<(usize, Expr)> = vec![];
        let mut unique: Vec<&Name> = vec![];
        for declaration in &file.declarations {
            match declaration {
                Declaration::Axiom(holds) => axioms.extend(self.typed(&outside, holds, &Type::Bool)),
                Declaration::Constants { unique: true, variables } => unique.extend(&variables.names),
                Declaration::Globals(groups) => {
                    for group in groups {
                        let Some(condition) = &group.condition else { continue };
                        let Some(holds) = self.typed(&outside, condition, &Type::Bool) else { continue };
                        let ids = group.names.iter().filter_map(|name| self.by_name.get(&name.text));
                        conditions.extend(ids.map(|(id, _)| (*id, holds.clone())));
                    }
                }
                Declaration::Function(function) => self.try_function(function),
                _ => {}
            }
        }
        axioms.extend(self.different(&unique));
        let procedures = self.bodies(file);
        self.promises(&procedures);
        let mut globals = self.globals.clone();
        for (id, holds) in conditions {
            globals[id].condition = Some(holds);
        }
        let open = self.functions.values().filter_map(|function| match function.meaning {
            Meaning::Open(id) if !function.parameters.is_empty() => Some(id),
            _ => None,
        });
        let mut open: Vec<usize> = open.collect();
        open.sort_unstable();
        Module { globals, open, axioms, procedures }
    }

    /// A function is checked even where nobody calls it.
    fn try_function(&self, function: &syntax::Function) {
        let Some(declared) = self.functions.get(&function.name.text) else { return };
        let Meaning::Body(body) = &declared.meaning else { return };
        let mut scope = Scope::default();
        for (name, ty) in &declared.parameters {
            let it = match ty {
                // Some map of that type.
                Type::Map(..) => Kind::Cell(Var::Local(usize::MAX), vec![]),
                _ => Kind::Parameter(usize::MAX),
            };
            let bound = Expr { it, ty: ty.clone(), span: function.name.span.clone() };
            scope.names.extend(name.clone().map(|name| (name, Binding::Expr(bound))));
        }
        self.inside.borrow_mut().push(function.name.text.clone());
        self.typed(&scope, body, &declared.result);
        self.inside.borrow_mut().pop();
    }

    /// That unique constants of a type differ, each from each.
    fn different(&self, names: &[&Name]) -> Vec<Expr> {
        let constant = |name: &&Name| {
            let id = self.by_name.get(&name.text)?.0;
            let ty = self.globals[id].ty.clone();
            if matches!(ty, Type::Map(..)) {
                self.problem(&name.span, format!("the unique map `{}` is not supported", name.text));
                return None;
            }
            Some(Expr { it: Kind::Variable(Var::Global(id)), ty, span: name.span.clone() })
        };
        let all: Vec<Expr> = names.iter().filter_map(constant).collect();
        let mut differ = vec![];
        for (number, one) in all.iter().enumerate() {
            for other in all[..number].iter().filter(|other| other.ty == one.ty) {
                let it = Kind::Binary(Op::Ne, Box::new(other.clone()), Box::new(one.clone()));
                differ.push(Expr { it, ty: Type::Bool, span: one.span.clone() });
            }
        }
        differ
    }

    /// Procedures with what they promise, and the bodies that they or their implementations have.
    fn bodies(&self, file: &File) -> Vec<core::Procedure> {
        let mut procedures: Vec<core::Procedure> = vec![];
        for declaration in &file.declarations {
            let Declaration::Procedure(procedure) = declaration else { continue };
            let head = &self.heads[self.procedures[&procedure.name.text]];
            let mut locals: Vec<Variable> = head.parameters.iter().chain(&head.results).cloned().collect();
            let scope = Scope::of(&locals);
            self.conditions(&scope, &[&procedure.parameters, &procedure.results], &mut locals);
            let before =
                Scope { locals: scope.locals.iter().take(head.parameters.len()).cloned().collect(), ..scope.clone() };
            procedures.push(core::Procedure {
                name: procedure.name.text.clone(),
                span: procedure.name.span.clone(),
                parameters: head.parameters.len(),
                results: head.results.len(),
                requires: self.clauses(&before, &procedure.requires),
                ensures: self.clauses(&Scope { old: true, ..scope }, &procedure.ensures),
                modifies: head.modifies.clone(),
                locals,
                body: None,
                end: procedure.name.span.clone(),
            });
        }
        for declaration in &file.declarations {
            let (Declaration::Procedure(written) | Declaration::Implementation(written)) = declaration else {
                continue;
            };
            let Some(body) = &written.body else { continue };
            let name = &written.name;
            let Some(id) = self.procedures.get(&name.text).copied().filter(|id| *id < procedures.len()) else {
                self.problem(&name.span, format!("there is no procedure `{}`", name.text));
                continue;
            };
            if procedures[id].body.is_some() {
                self.problem(&name.span, format!("a second implementation of `{}` is not supported", name.text));
                continue;
            }
            let own = (self.variables(&written.parameters), self.variables(&written.results));
            let types = |all: &[Variable]| all.iter().map(|v| v.ty.clone()).collect::<Vec<_>>();
            let head = &self.heads[id];
            if types(&own.0) != types(&head.parameters) || types(&own.1) != types(&head.results) {
                let what = format!("the parameters and results are not those of the procedure `{}`", name.text);
                self.problem(&name.span, what);
                continue;
            }
            self.body(&mut procedures[id], own.0.into_iter().chain(own.1).collect(), body);
        }
        procedures
    }

    /// A procedure without a body that modifies a map would set all of it, wherever it is called.
    fn promises(&self, procedures: &[core::Procedure]) {
        let sets_map = |procedure: &core::Procedure| {
            let is_map = |id: &&usize| matches!(self.globals[**id].ty, Type::Map(..));
            procedure.modifies.iter().find(is_map).copied().filter(|_| procedure.body.is_none())
        };
        let mut work: Vec<&core::Statement> = procedures.iter().flat_map(|p| p.body.iter().flatten()).collect();
        while let Some(statement) = work.pop() {
            match &statement.it {
                StatementKind::Call { procedure, .. } => {
                    let callee = &procedures[*procedure];
                    if let Some(map) = sets_map(callee) {
                        let (name, map) = (&callee.name, &self.globals[map].name);
                        let what =
                            format!("`{name}` has no body and sets the whole map `{map}`, which is not supported");
                        self.problem(&statement.span, what);
                    }
                }
                StatementKind::If { then, otherwise, .. } => work.extend(then.iter().chain(otherwise)),
                StatementKind::While { body, .. } => work.extend(body),
                _ => {}
            }
        }
    }

    fn clauses(&self, scope: &Scope, written: &[syntax::Clause]) -> Vec<Clause> {
        let clause = |clause: &syntax::Clause| {
            let condition = self.typed(scope, &clause.condition, &Type::Bool)?;
            Some(Clause { free: clause.free, condition, span: clause.span.clone() })
        };
        written.iter().filter_map(clause).collect()
    }

    /// The conditions behind `where` of variables that are declared in this order.
    fn conditions(&self, scope: &Scope, groups: &[&[syntax::Variables]], variables: &mut [Variable]) {
        let mut at = 0;
        for group in groups.iter().copied().flatten() {
            let holds = group.condition.as_ref().and_then(|e| self.typed(scope, e, &Type::Bool));
            for variable in &mut variables[at..at + group.names.len()] {
                variable.condition.clone_from(&holds);
            }
            at += group.names.len();
        }
    }
}
