//! Strategies for sketches: how often what occurs.

use super::scalar::{Scalar, scalar};
use super::sketch::{
    Assertion, Divisor, Expression, Form, Function, Global, Memory, Operator, Parameter, Sketch, Statement,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Any program.
pub fn sketch() -> impl Strategy<Value = Sketch> {
    sketch_of(prop_oneof![3 => Just(vec![]), 1 => vec((scalar(), constant()), 1..4)])
}

/// Any program whose entry has parameters.
pub fn sketch_with_inputs() -> impl Strategy<Value = Sketch> {
    sketch_of(vec((scalar(), constant()), 1..4))
}

fn sketch_of(parameters: impl Strategy<Value = Vec<(Scalar, i64)>>) -> impl Strategy<Value = Sketch> {
    (
        vec(vec(scalar(), 1..4), 1..3),
        vec(global(), 0..4),
        vec(function(), 0..3),
        parameters,
        vec(statement(), 1..9),
        assertion(),
    )
        .prop_map(|(structs, globals, functions, parameters, body, assertion)| Sketch {
            structs,
            globals,
            functions,
            parameters,
            body,
            assertion,
        })
}

fn global() -> impl Strategy<Value = Global> {
    prop_oneof![
        4 => (scalar(), constant()).prop_map(|(s, v)| Global::Scalar(s, v)),
        1 => (scalar(), vec(constant(), 1..5)).prop_map(|(s, v)| Global::Array(s, v)),
        1 => (any::<u16>(), vec(constant(), 1..4)).prop_map(|(s, v)| Global::Struct(s, v)),
    ]
}

fn function() -> impl Strategy<Value = Function> {
    (
        vec(parameter(), 0..4),
        prop_oneof![4 => scalar().prop_map(Some), 1 => Just(None)],
        prop::bool::weighted(0.2),
        vec(statement(), 0..5),
        expression(),
    )
        .prop_map(|(parameters, result, recursive, body, value)| Function {
            parameters,
            result,
            recursive,
            body,
            value,
        })
}

fn parameter() -> impl Strategy<Value = Parameter> {
    prop_oneof![
        4 => scalar().prop_map(Parameter::Value),
        2 => scalar().prop_map(Parameter::Out),
        1 => any::<u16>().prop_map(Parameter::Struct),
        1 => any::<u16>().prop_map(Parameter::Whole),
    ]
}

/// Small numbers mostly; now and then a limit of a type.
fn constant() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => -3i64..8,
        4 => -20i64..100,
        1 => prop::sample::select(vec![
            127, -128, 255, 32767, 65535, 2147483647, -2147483648, 4294967295, 1 << 40, i64::MAX,
        ]),
    ]
}

fn operator() -> impl Strategy<Value = Operator> {
    prop_oneof![
        6 => Just(Operator::Add),
        4 => Just(Operator::Subtract),
        2 => Just(Operator::Multiply),
        1 => divisor().prop_map(Operator::Divide),
        1 => divisor().prop_map(Operator::Remainder),
        1 => Just(Operator::And),
        1 => Just(Operator::Or),
        1 => Just(Operator::Xor),
        1 => Just(Operator::Left),
        1 => Just(Operator::Right),
    ]
}

fn divisor() -> impl Strategy<Value = Divisor> {
    prop_oneof![
        6 => (2i8..12).prop_map(Divisor::Constant),
        1 => Just(Divisor::Guarded),
        2 => Just(Divisor::Plain),
    ]
}

fn comparison() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="])
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        2 => constant().prop_map(Expression::Constant),
        4 => any::<u16>().prop_map(Expression::Variable),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            5 => (operator(), two.clone()).prop_map(|(o, (a, b))| Expression::Binary(o, a, b)),
            4 => (operator(), one.clone(), constant())
                .prop_map(|(o, a, c)| Expression::Binary(o, a, Box::new(Expression::Constant(c)))),
            3 => (comparison(), two.clone()).prop_map(|(o, (a, b))| Expression::Compare(o, a, b)),
            2 => (any::<u16>(), one.clone()).prop_map(|(a, i)| Expression::Element(a, i)),
            1 => one.clone().prop_map(Expression::Negate),
            1 => one.clone().prop_map(Expression::Complement),
            1 => one.clone().prop_map(Expression::Not),
            1 => two.clone().prop_map(|(a, b)| Expression::And(a, b)),
            1 => two.clone().prop_map(|(a, b)| Expression::Or(a, b)),
            1 => (one.clone(), two).prop_map(|(c, (a, b))| Expression::Choice(c, a, b)),
            2 => (scalar(), one).prop_map(|(s, a)| Expression::Cast(s, a)),
            1 => (any::<u16>(), vec(inner, 0..3)).prop_map(|(f, a)| Expression::Call(f, a)),
        ]
    })
}

/// Mostly comparisons.
fn condition() -> impl Strategy<Value = Expression> {
    let left = prop_oneof![
        2 => any::<u16>().prop_map(Expression::Variable),
        1 => expression(),
    ];
    let right = prop_oneof![
        2 => constant().prop_map(Expression::Constant),
        1 => any::<u16>().prop_map(Expression::Variable),
        1 => expression(),
    ];
    let comparison = (comparison(), left.prop_map(Box::new), right.prop_map(Box::new))
        .prop_map(|(o, a, b)| Expression::Compare(o, a, b))
        .boxed();
    let one = || comparison.clone().prop_map(Box::new);
    prop_oneof![
        6 => comparison.clone(),
        1 => (one(), one()).prop_map(|(a, b)| Expression::And(a, b)),
        1 => (one(), one()).prop_map(|(a, b)| Expression::Or(a, b)),
        1 => one().prop_map(Expression::Not),
        1 => expression(),
    ]
}

fn simple() -> impl Strategy<Value = Statement> {
    let pick = any::<u16>;
    prop_oneof![
        6 => (scalar(), expression()).prop_map(|(s, e)| Statement::Declare(s, e)),
        1 => (scalar(), constant()).prop_map(|(s, v)| Statement::Static(s, v)),
        2 => (scalar(), pick(), constant()).prop_map(|(s, n, v)| Statement::Shadow(s, n, v)),
        1 => (memory(), scalar(), vec(constant(), 1..4)).prop_map(|(m, s, v)| Statement::Memory(m, s, v)),
        1 => (pick(), any::<u8>(), any::<u8>()).prop_map(|(a, i, j)| Statement::Distance(a, i, j)),
        1 => (scalar(), vec(constant(), 1..5)).prop_map(|(s, v)| Statement::Array(s, v)),
        1 => (pick(), vec(constant(), 1..4)).prop_map(|(s, v)| Statement::Struct(s, v)),
        2 => pick().prop_map(Statement::Pointer),
        1 => pick().prop_map(Statement::StructPointer),
        1 => (pick(), pick()).prop_map(|(p, t)| Statement::Retarget(p, t)),
        10 => (pick(), expression()).prop_map(|(t, e)| Statement::Assign(t, e)),
        2 => (pick(), expression(), expression()).prop_map(|(a, i, e)| Statement::AssignElement(a, i, e)),
        4 => (pick(), operator(), expression()).prop_map(|(t, o, e)| Statement::Compound(t, o, e)),
        2 => (pick(), any::<bool>(), any::<bool>())
            .prop_map(|(target, up, prefix)| Statement::Step { target, up, prefix }),
        1 => (pick(), pick(), any::<bool>(), any::<bool>())
            .prop_map(|(to, from, up, prefix)| Statement::StepValue { to, from, up, prefix }),
        1 => (pick(), pick()).prop_map(|(a, b)| Statement::Copy(a, b)),
        1 => (pick(), vec(expression(), 0..3)).prop_map(|(f, a)| Statement::Call(f, a)),
        4 => (pick(), pick(), vec(expression(), 0..3)).prop_map(|(t, f, a)| Statement::AssignCall(t, f, a)),
        1 => condition().prop_map(Statement::Break),
        1 => condition().prop_map(Statement::Continue),
        1 => (condition(), expression()).prop_map(|(c, e)| Statement::Return(c, e)),
        1 => condition().prop_map(Statement::Exit),
        1 => Just(Statement::Place),
    ]
}

fn memory() -> impl Strategy<Value = Memory> {
    prop::sample::select(vec![Memory::Literal, Memory::Alloca, Memory::VariableLength])
}

fn statement() -> impl Strategy<Value = Statement> {
    simple().prop_recursive(3, 12, 4, |inner| {
        let body = vec(inner, 1..4);
        let rest = prop_oneof![1 => Just(vec![]), 1 => body.clone()];
        prop_oneof![
            5 => simple(),
            3 => (condition(), body.clone(), rest.clone()).prop_map(|(c, a, b)| Statement::If(vec![(c, a)], b)),
            1 => (vec((condition(), body.clone()), 2..4), rest.clone()).prop_map(|(c, e)| Statement::If(c, e)),
            1 => (1u8..4, body.clone()).prop_map(|(n, b)| Statement::For(n, b)),
            1 => (1u8..4, condition(), body.clone()).prop_map(|(n, c, b)| Statement::While(n, c, b)),
            1 => (1u8..4, body.clone(), condition()).prop_map(|(n, b, c)| Statement::DoWhile(n, b, c)),
            1 => (expression(), vec((-1i8..4, body.clone(), any::<bool>()), 1..4), rest)
                .prop_map(|(e, c, d)| Statement::Switch(e, c, d)),
            2 => (1u8..5, any::<bool>(), body.clone(), condition(), body.clone()).prop_map(
                |(rounds, first, before, condition, after)| Statement::Forever { rounds, first, before, condition, after }
            ),
            1 => (1u8..5, body.clone(), condition()).prop_map(|(n, b, c)| Statement::Again(n, b, c)),
            1 => (condition(), 1u8..4, condition(), body.clone(), body.clone()).prop_map(
                |(enter, rounds, condition, before, after)| Statement::Into { enter, rounds, condition, before, after }
            ),
            1 => (condition(), body).prop_map(|(c, b)| Statement::Goto(c, b)),
        ]
    })
}

fn assertion() -> impl Strategy<Value = Assertion> {
    let form = prop::sample::select(vec![
        Form::Different,
        Form::NotEqual,
        Form::Less,
        Form::Greater,
        Form::Equal,
        Form::NotBoth,
        Form::Either,
        Form::Sum,
        Form::Truth,
    ]);
    (any::<u16>(), any::<[u16; 2]>(), form).prop_map(|(place, values, form)| Assertion { place, values, form })
}
