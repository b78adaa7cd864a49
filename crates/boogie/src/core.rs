//! A program that was checked: names are variables, every expression has its type, functions are put in where they are
//! called. What lowering reads.

use crate::places::Span;
use crate::syntax::Op;
use crate::types::Type;
use std::rc::Rc;

/// All declarations.
#[derive(Clone, Default, Debug)]
pub struct Module {
    /// Variables, constants, and functions without a body, which are maps that nobody changes.
    pub globals: Vec<Variable>,
    /// Functions without a body that have parameters, as globals.
    pub open: Vec<usize>,
    /// What axioms say, and that unique constants differ.
    pub axioms: Vec<Expr>,
    pub procedures: Vec<Procedure>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    pub span: Span,
    /// What holds of its values where they may be anything.
    pub condition: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub span: Span,
    /// Parameters, then results, then what the body declares.
    pub locals: Vec<Variable>,
    pub parameters: usize,
    pub results: usize,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    /// Globals.
    pub modifies: Vec<usize>,
    pub body: Option<Vec<Statement>>,
    /// The closing brace.
    pub end: Span,
}

impl Procedure {
    /// The results, as numbers of locals.
    pub fn result_range(&self) -> std::ops::Range<usize> {
        self.parameters..self.parameters + self.results
    }
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub free: bool,
    pub condition: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub it: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Label(String),
    Assert(Expr),
    Assume(Expr),
    Havoc(Vec<Var>),
    Assign(Vec<(Place, Expr)>),
    Call { targets: Vec<Var>, procedure: usize, arguments: Vec<Expr> },
    If { condition: Guard, then: Vec<Statement>, otherwise: Vec<Statement> },
    While { condition: Guard, invariants: Vec<Clause>, body: Vec<Statement> },
    Break(Option<String>),
    Return,
    Goto(Vec<String>),
}

/// A condition; nothing means either way.
#[derive(Clone, Debug)]
pub struct Guard {
    pub condition: Option<Expr>,
    pub span: Span,
}

/// A variable, or a cell of a map.
#[derive(Clone, Debug)]
pub struct Place {
    pub var: Var,
    pub indices: Vec<Expr>,
}

/// A variable by its number.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Var {
    Global(usize),
    /// Of the procedure that the expression belongs to.
    Local(usize),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub it: Kind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Constant(u128),
    Variable(Var),
    /// A global as it was when the procedure began.
    Old(usize),
    /// A parameter of a function that is put in.
    Parameter(usize),
    /// A function that is put in: its parameters, what they get, its body.
    Inline(Vec<(usize, Expr)>, Rc<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A cell of a map; with too few indices, a map in it.
    Cell(Var, Vec<Expr>),
    /// A map with another value at some indices; only ever read from.
    Update(Box<Expr>, Vec<Expr>, Box<Expr>),
    /// Bits from this one on, as many as the type has.
    Extract(Box<Expr>, u32),
    Builtin(Builtin, Vec<Expr>),
}

/// Operations on bit vectors, by the names that SMT-LIB has for them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Builtin {
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    Shl,
    LShr,
    AShr,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
    ZeroExtend,
    SignExtend,
}

impl Builtin {
    /// The operation of a name.
    pub fn named(name: &str) -> Option<Builtin> {
        let extends = |name: &str| {
            let (name, by) = name.split_once(' ')?;
            by.trim().parse::<u32>().ok()?;
            match name {
                "zero_extend" => Some(Builtin::ZeroExtend),
                "sign_extend" => Some(Builtin::SignExtend),
                _ => None,
            }
        };
        Some(match name {
            "bvnot" => Builtin::Not,
            "bvneg" => Builtin::Neg,
            "bvand" => Builtin::And,
            "bvor" => Builtin::Or,
            "bvxor" => Builtin::Xor,
            "bvadd" => Builtin::Add,
            "bvsub" => Builtin::Sub,
            "bvmul" => Builtin::Mul,
            "bvudiv" => Builtin::UDiv,
            "bvurem" => Builtin::URem,
            "bvsdiv" => Builtin::SDiv,
            "bvsrem" => Builtin::SRem,
            "bvshl" => Builtin::Shl,
            "bvlshr" => Builtin::LShr,
            "bvashr" => Builtin::AShr,
            "bvult" => Builtin::ULt,
            "bvule" => Builtin::ULe,
            "bvugt" => Builtin::UGt,
            "bvuge" => Builtin::UGe,
            "bvslt" => Builtin::SLt,
            "bvsle" => Builtin::SLe,
            "bvsgt" => Builtin::SGt,
            "bvsge" => Builtin::SGe,
            _ => return extends(name.trim_start_matches('(').trim_start_matches("_ ").trim_end_matches(')')),
        })
    }

    /// Whether the types of its arguments and its result are right.
    pub fn fits(self, arguments: &[Type], result: &Type) -> bool {
        let bits = |ty: &Type| matches!(ty, Type::Bits(_));
        match (self, arguments) {
            (Builtin::Not | Builtin::Neg, [a]) => bits(a) && a == result,
            (Builtin::ZeroExtend | Builtin::SignExtend, [a]) => bits(a) && bits(result) && a.bits() <= result.bits(),
            (
                Builtin::ULt
                | Builtin::ULe
                | Builtin::UGt
                | Builtin::UGe
                | Builtin::SLt
                | Builtin::SLe
                | Builtin::SGt
                | Builtin::SGe,
                [a, b],
            ) => bits(a) && a == b && *result == Type::Bool,
            (Builtin::Not | Builtin::Neg | Builtin::ZeroExtend | Builtin::SignExtend, _) => false,
            (_, [a, b]) => bits(a) && a == b && a == result,
            _ => false,
        }
    }
}
