//! Sketches of programs: their structure, with names left open.
//!
//! A sketch refers to variables, functions and types by numbers that are read modulo what is there, so that every sketch
//! is a program and stays one when a part of it is taken away. That is what makes shrinking work.

use super::scalar::Scalar;

/// Which one of those that are there.
pub type Pick = u16;

/// A whole program.
#[derive(Clone, Debug)]
pub struct Sketch {
    pub structs: Vec<Vec<Scalar>>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// Parameters of the entry with their values; none: the entry is `main`.
    pub parameters: Vec<(Scalar, i64)>,
    pub body: Vec<Statement>,
    pub assertion: Assertion,
}

/// A variable at file scope.
#[derive(Clone, Debug)]
pub enum Global {
    Scalar(Scalar, i64),
    Array(Scalar, Vec<i64>),
    Struct(Pick, Vec<i64>),
}

/// A function that is called.
#[derive(Clone, Debug)]
pub struct Function {
    pub parameters: Vec<Parameter>,
    /// Nothing: `void`.
    pub result: Option<Scalar>,
    /// Whether it calls itself.
    pub recursive: bool,
    pub body: Vec<Statement>,
    pub value: Expression,
}

/// A parameter.
#[derive(Clone, Debug)]
pub enum Parameter {
    Value(Scalar),
    /// A pointer to a scalar.
    Out(Scalar),
    /// A pointer to a struct.
    Struct(Pick),
    /// A struct itself.
    Whole(Pick),
}

/// Memory that is reached by a pointer or whose size only the run knows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Memory {
    Literal,
    Alloca,
    VariableLength,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    Declare(Scalar, Expression),
    /// A variable with the name of one outside.
    Shadow(Scalar, Pick, i64),
    Static(Scalar, i64),
    Array(Scalar, Vec<i64>),
    Struct(Pick, Vec<i64>),
    Memory(Memory, Scalar, Vec<i64>),
    /// Two pointers into an array and how far they are apart.
    Distance(Pick, u8, u8),
    Pointer(Pick),
    StructPointer(Pick),
    /// A pointer gets another target.
    Retarget(Pick, Pick),
    Assign(Pick, Expression),
    AssignElement(Pick, Expression, Expression),
    Compound(Pick, Operator, Expression),
    Step {
        target: Pick,
        up: bool,
        prefix: bool,
    },
    /// `y = x++`, `y = --x`.
    StepValue {
        to: Pick,
        from: Pick,
        up: bool,
        prefix: bool,
    },
    /// One struct is assigned to another.
    Copy(Pick, Pick),
    If(Vec<(Expression, Vec<Statement>)>, Vec<Statement>),
    For(u8, Vec<Statement>),
    While(u8, Expression, Vec<Statement>),
    DoWhile(u8, Vec<Statement>, Expression),
    Break(Expression),
    Continue(Expression),
    /// Labels, bodies, and whether the next case follows.
    Switch(Expression, Vec<(i8, Vec<Statement>, bool)>, Vec<Statement>),
    Call(Pick, Vec<Expression>),
    AssignCall(Pick, Pick, Vec<Expression>),
    Return(Expression, Expression),
    /// A loop that only `break` leaves: after so many rounds, at its start or together with the condition in the middle.
    Forever {
        rounds: u8,
        first: bool,
        before: Vec<Statement>,
        condition: Expression,
        after: Vec<Statement>,
    },
    /// A loop made by a `goto` back.
    Again(u8, Vec<Statement>, Expression),
    /// A loop that a `goto` may enter in the middle.
    Into {
        enter: Expression,
        rounds: u8,
        condition: Expression,
        before: Vec<Statement>,
        after: Vec<Statement>,
    },
    /// The program may end here, as it should.
    Exit(Expression),
    /// A forward `goto` over statements.
    Goto(Expression, Vec<Statement>),
    /// Here the program may fail.
    Place,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    Constant(i64),
    Variable(Pick),
    Element(Pick, Box<Expression>),
    Negate(Box<Expression>),
    Complement(Box<Expression>),
    Not(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Compare(&'static str, Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast(Scalar, Box<Expression>),
    Call(Pick, Vec<Expression>),
}

/// An operator with a compound assignment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide(Divisor),
    Remainder(Divisor),
    And,
    Or,
    Xor,
    Left,
    Right,
}

/// What is divided by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Divisor {
    /// This number.
    Constant(i8),
    /// The operand, made positive.
    Guarded,
    /// The operand, which may be zero.
    Plain,
}

impl Operator {
    /// As C writes it.
    pub fn text(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide(_) => "/",
            Operator::Remainder(_) => "%",
            Operator::And => "&",
            Operator::Or => "|",
            Operator::Xor => "^",
            Operator::Left => "<<",
            Operator::Right => ">>",
        }
    }
}

/// Where the program fails, and how.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Which of the places that the run comes by.
    pub place: Pick,
    /// Which values are spoken of.
    pub values: [Pick; 2],
    pub form: Form,
}

/// Forms of assertions that fail.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// `x != 17`
    Different,
    /// `!(x == 17)`
    NotEqual,
    /// `x < 17`
    Less,
    /// `x > 17`
    Greater,
    /// `x == 18`
    Equal,
    /// `!(x == 17 && y >= 3)`
    NotBoth,
    /// `x != 17 || y < 3`
    Either,
    /// `x + y != 20`, over `long`
    Sum,
    /// `!x`, or `x` when it is zero
    Truth,
}
