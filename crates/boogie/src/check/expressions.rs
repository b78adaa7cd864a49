//! What expressions mean.

use super::{Checker, Meaning};
use crate::core::{Expr, Kind, Var, Variable};
use crate::places::Span;
use crate::syntax::{self, ExprKind, Op};
use crate::types::Type;
use std::collections::HashMap;
use std::rc::Rc;

/// What names mean at a place.
#[derive(Clone, Default)]
pub struct Scope {
    /// Variables of the procedure.
    pub locals: Vec<(String, Type)>,
    /// Parameters of a function.
    pub names: HashMap<String, Binding>,
    /// Whether `old` has a meaning.
    pub old: bool,
    /// Whether this stands in `old`.
    pub before: bool,
}

/// What a parameter of a function stands for.
#[derive(Clone)]
pub enum Binding {
    Expr(Expr),
}

impl Scope {
    pub fn of(variables: &[Variable]) -> Scope {
        let locals = variables.iter().map(|v| (v.name.clone(), v.ty.clone())).collect();
        Scope { locals, ..Scope::default() }
    }
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

impl Checker {
    /// An expression of a type.
    pub fn typed(&self, scope: &Scope, written: &syntax::Expr, wanted: &Type) -> Option<Expr> {
        let found = self.expr(scope, written)?;
        if found.ty != *wanted {
            self.problem(&written.span, format!("this is of type {}, not {wanted}", found.ty));
            return None;
        }
        Some(found)
    }

    pub fn expr(&self, scope: &Scope, written: &syntax::Expr) -> Option<Expr> {
        let span = &written.span;
        let is = |it: Kind, ty: Type| Some(Expr { it, ty, span: span.clone() });
        match &written.it {
            ExprKind::Truth(holds) => is(Kind::Constant(u128::from(*holds)), Type::Bool),
            ExprKind::Number(value) => self.number(span, *value, false),
            ExprKind::Bits(value, width) => is(Kind::Constant(*value), Type::Bits(*width)),
            ExprKind::Name(name) => self.named(scope, name, span),
            ExprKind::Call(name, arguments) => self.call(scope, name, arguments, span),
            ExprKind::Old(of) => {
                if !scope.old {
                    self.problem(span, "`old` has no meaning here");
                    return None;
                }
                self.expr(&Scope { before: true, ..scope.clone() }, of)
            }
            ExprKind::Negate(of) => match &of.it {
                ExprKind::Number(value) => self.number(span, *value, true),
                _ => {
                    let of = self.typed(scope, of, &Type::Int)?;
                    is(Kind::Negate(boxed(of)), Type::Int)
                }
            },
            ExprKind::Not(of) => {
                let of = self.typed(scope, of, &Type::Bool)?;
                is(Kind::Not(boxed(of)), Type::Bool)
            }
            ExprKind::Binary(op, left, right) => self.binary(scope, *op, (left, right), span),
            ExprKind::Choose(condition, then, otherwise) => {
                let condition = self.typed(scope, condition, &Type::Bool);
                let then = self.scalar(scope, then);
                let then_type = then.as_ref()?.ty.clone();
                let otherwise = self.typed(scope, otherwise, &then_type)?;
                is(Kind::Choose(boxed(condition?), boxed(then?), boxed(otherwise)), then_type)
            }
            ExprKind::Select(map, indices) => {
                let map = self.expr(scope, map)?;
                let indices: Option<Vec<Expr>> = indices.iter().map(|index| self.expr(scope, index)).collect();
                self.select(map, indices?, span)
            }
            ExprKind::Update(map, indices, value) => {
                let map = self.expr(scope, map)?;
                let indices: Option<Vec<Expr>> = indices.iter().map(|index| self.expr(scope, index)).collect();
                let value = self.expr(scope, value)?;
                let indices = indices?;
                let of = self.element(&map.ty, &indices, span)?;
                if of != value.ty {
                    self.problem(&value.span, format!("this is of type {}, not {of}", value.ty));
                    return None;
                }
                let ty = map.ty.clone();
                is(Kind::Update(boxed(map), indices, boxed(value)), ty)
            }
            ExprKind::Extract(of, high, low) => {
                let of = self.expr(scope, of)?;
                match of.ty {
                    Type::Bits(width) if low < high && *high <= width => {
                        is(Kind::Extract(boxed(of), *low), Type::Bits(high - low))
                    }
                    Type::Bits(width) => {
                        self.problem(span, format!("there are no bits [{high}:{low}] of {width}"));
                        None
                    }
                    ty => {
                        self.problem(span, format!("bits are taken of bit vectors, and this is of type {ty}"));
                        None
                    }
                }
            }
        }
    }

    fn number(&self, span: &Span, value: u128, negative: bool) -> Option<Expr> {
        let most = (1u128 << 63) - u128::from(!negative);
        if value > most {
            self.problem(span, "this number leaves the range of 64 bits");
            return None;
        }
        let value = if negative { (value as u64).wrapping_neg() } else { value as u64 };
        Some(Expr { it: Kind::Constant(value.into()), ty: Type::Int, span: span.clone() })
    }

    fn named(&self, scope: &Scope, name: &str, span: &Span) -> Option<Expr> {
        if let Some(Binding::Expr(bound)) = scope.names.get(name) {
            return Some(Expr { span: span.clone(), ..bound.clone() });
        }
        let whole = |var: Var, ty: &Type| {
            let it = if matches!(ty, Type::Map(..)) { Kind::Cell(var, vec![]) } else { Kind::Variable(var) };
            Some(Expr { it, ty: ty.clone(), span: span.clone() })
        };
        if let Some(local) = scope.locals.iter().rposition(|(known, _)| known == name) {
            return whole(Var::Local(local), &scope.locals[local].1);
        }
        let Some((id, changes)) = self.by_name.get(name) else {
            self.problem(span, format!("there is no variable `{name}`"));
            return None;
        };
        let ty = &self.globals[*id].ty;
        if !(scope.before && *changes) {
            return whole(Var::Global(*id), ty);
        }
        if matches!(ty, Type::Map(..)) {
            self.problem(span, format!("`old` of the map `{name}` is not supported"));
            return None;
        }
        Some(Expr { it: Kind::Old(*id), ty: ty.clone(), span: span.clone() })
    }

    /// A value that is no map.
    pub fn scalar(&self, scope: &Scope, written: &syntax::Expr) -> Option<Expr> {
        let found = self.expr(scope, written)?;
        if matches!(found.ty, Type::Map(..)) {
            self.problem(&written.span, "a whole map as a value is not supported");
            return None;
        }
        Some(found)
    }

    fn binary(&self, scope: &Scope, op: Op, of: (&syntax::Expr, &syntax::Expr), span: &Span) -> Option<Expr> {
        let is = |left: Expr, right: Expr, ty: Type| {
            Some(Expr { it: Kind::Binary(op, boxed(left), boxed(right)), ty, span: span.clone() })
        };
        let both = |wanted: &Type| {
            let (left, right) = (self.typed(scope, of.0, wanted), self.typed(scope, of.1, wanted));
            Some((left?, right?))
        };
        match op {
            Op::Iff | Op::Implies | Op::And | Op::Or => {
                let (left, right) = both(&Type::Bool)?;
                is(left, right, Type::Bool)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let (left, right) = both(&Type::Int)?;
                is(left, right, Type::Bool)
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => {
                let (left, right) = both(&Type::Int)?;
                is(left, right, Type::Int)
            }
            Op::Eq | Op::Ne => {
                let left = self.scalar(scope, of.0);
                let right = match &left {
                    Some(left) => self.typed(scope, of.1, &left.ty),
                    None => self.expr(scope, of.1),
                };
                is(left?, right?, Type::Bool)
            }
            Op::Concat => {
                let (left, right) = (self.expr(scope, of.0), self.expr(scope, of.1));
                let (left, right) = (left?, right?);
                match (&left.ty, &right.ty) {
                    (Type::Bits(high), Type::Bits(low)) if high + low <= 128 => {
                        let ty = Type::Bits(high + low);
                        is(left, right, ty)
                    }
                    (Type::Bits(high), Type::Bits(low)) => {
                        let width = high + low;
                        self.problem(span, format!("`bv{width}` (bit vectors have 1 to 128 bits) is not supported"));
                        None
                    }
                    (a, b) => {
                        self.problem(span, format!("`++` joins bit vectors, and these are of types {a} and {b}"));
                        None
                    }
                }
            }
        }
    }

    /// The type of what lies at some indices of a map.
    pub fn element(&self, map: &Type, indices: &[Expr], span: &Span) -> Option<Type> {
        let (mut of, mut rest) = (map, indices);
        while !rest.is_empty() {
            let Type::Map(from, to) = of else {
                self.problem(span, format!("this is of type {of}, which has no indices"));
                return None;
            };
            if rest.len() < from.len() {
                self.problem(span, format!("the map has {} indices, here are {}", from.len(), rest.len()));
                return None;
            }
            let (here, more) = rest.split_at(from.len());
            for (index, wanted) in here.iter().zip(from) {
                if index.ty != *wanted {
                    self.problem(&index.span, format!("this is of type {}, not {wanted}", index.ty));
                    return None;
                }
            }
            (of, rest) = (to, more);
        }
        Some(of.clone())
    }

    /// What lies in a map. In one that was changed, that is the new value where the indices are the same.
    fn select(&self, map: Expr, indices: Vec<Expr>, span: &Span) -> Option<Expr> {
        let ty = self.element(&map.ty, &indices, span)?;
        let is = |it: Kind, ty: Type| Expr { it, ty, span: span.clone() };
        match map.it {
            Kind::Cell(var, mut all) => {
                all.extend(indices);
                Some(is(Kind::Cell(var, all), ty))
            }
            Kind::Update(below, at, value) => {
                if at.len() != indices.len() || matches!(ty, Type::Map(..)) {
                    self.problem(span, "a map in a map that was changed is not supported here");
                    return None;
                }
                let pairs = at.into_iter().zip(indices.clone());
                let equal = pairs
                    .map(|(a, b)| is(Kind::Binary(Op::Eq, boxed(a), boxed(b)), Type::Bool))
                    .reduce(|a, b| is(Kind::Binary(Op::And, boxed(a), boxed(b)), Type::Bool))?;
                let otherwise = self.select(*below, indices, span)?;
                Some(is(Kind::Choose(boxed(equal), value, boxed(otherwise)), ty))
            }
            _ => {
                self.problem(span, "indices of this map are not supported");
                None
            }
        }
    }

    fn call(&self, scope: &Scope, name: &syntax::Name, arguments: &[syntax::Expr], span: &Span) -> Option<Expr> {
        let Some(function) = self.functions.get(&name.text) else {
            let is_procedure = self.procedures.contains_key(&name.text);
            let hint = if is_procedure { "; a procedure is called by a statement, `call`" } else { "" };
            self.problem(&name.span, format!("there is no function `{}`{hint}", name.text));
            return None;
        };
        if arguments.len() != function.parameters.len() {
            let (wanted, given) = (function.parameters.len(), arguments.len());
            self.problem(span, format!("`{}` has {wanted} parameters, here are {given} arguments", name.text));
            return None;
        }
        let typed = |(argument, (_, ty)): (&syntax::Expr, &(Option<String>, Type))| self.typed(scope, argument, ty);
        let given: Vec<Option<Expr>> = arguments.iter().zip(&function.parameters).map(typed).collect();
        let given: Vec<Expr> = given.into_iter().collect::<Option<_>>()?;
        let is = |it: Kind| Some(Expr { it, ty: function.result.clone(), span: span.clone() });
        match &function.meaning {
            Meaning::Builtin(builtin) => is(Kind::Builtin(*builtin, given)),
            Meaning::Open(id) if given.is_empty() => is(Kind::Variable(Var::Global(*id))),
            Meaning::Open(id) => is(Kind::Cell(Var::Global(*id), given)),
            Meaning::Body(body) => {
                if self.inside.borrow().contains(&name.text) {
                    self.problem(
                        &name.span,
                        format!("the function `{}` calls itself, which is not supported", name.text),
                    );
                    return None;
                }
                let mut inner = Scope::default();
                let mut bound = vec![];
                for (argument, (parameter, ty)) in given.into_iter().zip(&function.parameters) {
                    let Some(parameter) = parameter else { continue };
                    let binding = if matches!(ty, Type::Map(..)) {
                        argument
                    } else {
                        let id = self.next.get();
                        self.next.set(id + 1);
                        bound.push((id, argument));
                        Expr { it: Kind::Parameter(id), ty: ty.clone(), span: span.clone() }
                    };
                    inner.names.insert(parameter.clone(), Binding::Expr(binding));
                }
                self.inside.borrow_mut().push(name.text.clone());
                let body = self.typed(&inner, body, &function.result);
                self.inside.borrow_mut().pop();
                is(Kind::Inline(bound, Rc::new(body?)))
            }
        }
    }
}
