//! A text as it is written: what the parser gives and the checker reads.

use crate::places::Span;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Default, Debug)]
pub struct File {
    pub declarations: Vec<Declaration>,
}

#[derive(Clone, Debug)]
pub enum Declaration {
    /// `type Name = type;`
    Synonym {
        name: Name,
        of: TypeExpr,
    },
    /// `const unique a, b: type;`
    Constants {
        unique: bool,
        variables: Variables,
    },
    /// `var a, b: type where ...;`
    Globals(Vec<Variables>),
    /// `axiom e;`
    Axiom(Expr),
    Function(Function),
    Procedure(Procedure),
    Implementation(Procedure),
}

/// Some variables of one type.
#[derive(Clone, Debug)]
pub struct Variables {
    pub names: Vec<Name>,
    pub of: TypeExpr,
    /// The condition behind `where`.
    pub condition: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    /// What `{:bvbuiltin "..."}` says.
    pub builtin: Option<String>,
    /// Parameters; those without a name cannot be used.
    pub parameters: Vec<(Option<Name>, TypeExpr)>,
    pub result: TypeExpr,
    pub body: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: Name,
    pub parameters: Vec<Variables>,
    pub results: Vec<Variables>,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    pub modifies: Vec<Name>,
    pub body: Option<Body>,
}

/// What is required, ensured or kept.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Taken for granted, not checked.
    pub free: bool,
    pub condition: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Body {
    pub locals: Vec<Variables>,
    pub statements: Vec<Statement>,
    /// The closing brace.
    pub end: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub it: StatementKind,
    /// Without its `;`.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Label(Name),
    Assert(Expr),
    Assume(Expr),
    Havoc(Vec<Name>),
    Assign { targets: Vec<Target>, values: Vec<Expr> },
    Call { targets: Vec<Name>, procedure: Name, arguments: Vec<Expr> },
    If(If),
    While { condition: Guard, invariants: Vec<Clause>, body: Vec<Statement>, head: Span },
    Break(Option<Name>),
    Return,
    Goto(Vec<Name>),
}

#[derive(Clone, Debug)]
pub struct If {
    pub condition: Guard,
    pub then: Vec<Statement>,
    pub otherwise: Option<Vec<Statement>>,
    /// `if (c)`.
    pub head: Span,
    pub then_span: Span,
    pub otherwise_span: Option<Span>,
}

/// A condition; without an expression it is `*`.
#[derive(Clone, Debug)]
pub struct Guard {
    pub condition: Option<Expr>,
    pub span: Span,
}

/// What is assigned to: a variable, or a cell of a map.
#[derive(Clone, Debug)]
pub struct Target {
    pub name: Name,
    pub indices: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub it: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Int,
    Bool,
    Bits(u32),
    Map(Vec<TypeExpr>, Box<TypeExpr>),
    Named(String),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub it: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Truth(bool),
    Number(u128),
    Bits(u128, u32),
    Name(String),
    Call(Name, Vec<Expr>),
    Old(Box<Expr>),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `if a then b else c`.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `m[i, j]`.
    Select(Box<Expr>, Vec<Expr>),
    /// `m[i := v]`.
    Update(Box<Expr>, Vec<Expr>, Box<Expr>),
    /// `e[high:low]`.
    Extract(Box<Expr>, u32, u32),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Op {
    Iff,
    Implies,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Concat,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}
