//! Bodies and their statements.

use super::declarations::variables;
use super::expressions::expression;
use super::{
    Input, Lexeme, Parsed, Token, attributes, before, comes, comes_mark, complain, here, mark, miss, name, peek,
    refuse, skip_statement, word,
};
use crate::syntax::{Body, Clause, Expr, Guard, If, Name, Statement, StatementKind, Target};
use winnow::Parser;
use winnow::combinator::{opt, separated};
use winnow::stream::Stream;

/// `{ var ...; statements }`.
pub fn body(input: &mut Input) -> Parsed<Body> {
    mark!("{")(input)?;
    let mut locals = vec![];
    while comes(input, "var") {
        word!("var")(input)?;
        attributes(input)?;
        let group: Vec<_> = separated(1.., variables, mark!(",")).parse_next(input)?;
        locals.extend(group);
        mark!(";")(input)?;
    }
    let statements = statements(input)?;
    let end = mark!("}")(input)?;
    Ok(Body { locals, statements, end })
}

/// Statements up to a closing brace; after one that is wrong the next is tried.
fn statements(input: &mut Input) -> Parsed<Vec<Statement>> {
    let mut all = vec![];
    while !comes_mark(input, "}") {
        let left = input.input.len();
        let _: Parsed<()> = miss(input, "`}`");
        match statement(input) {
            Ok(statement) => all.push(statement),
            Err(error) => {
                complain(input);
                if input.input.is_empty() {
                    return Err(error);
                }
                skip_statement(input);
                if input.input.len() == left {
                    return Err(error);
                }
            }
        }
    }
    Ok(all)
}

fn block(input: &mut Input) -> Parsed<Vec<Statement>> {
    mark!("{")(input)?;
    let all = statements(input)?;
    mark!("}")(input)?;
    Ok(all)
}

fn statement(input: &mut Input) -> Parsed<Statement> {
    let start = here(input).start;
    let Some(Lexeme { token: Token::Word(first), span }) = peek(input) else { return miss(input, "a statement") };
    let it = match first.as_str() {
        "if" => {
            let it = StatementKind::If(conditional(input)?);
            return Ok(Statement { it, span: start..before(input) });
        }
        "while" => {
            let it = repeated(input)?;
            return Ok(Statement { it, span: start..before(input) });
        }
        "assert" | "assume" => {
            input.input.next_token();
            attributes(input)?;
            let condition = expression(input)?;
            if first == "assert" { StatementKind::Assert(condition) } else { StatementKind::Assume(condition) }
        }
        "havoc" => {
            input.input.next_token();
            StatementKind::Havoc(separated(1.., name, mark!(",")).parse_next(input)?)
        }
        "call" => call(input)?,
        "break" => {
            input.input.next_token();
            StatementKind::Break(opt(name).parse_next(input)?)
        }
        "return" => {
            input.input.next_token();
            StatementKind::Return
        }
        "goto" => {
            input.input.next_token();
            StatementKind::Goto(separated(1.., name, mark!(",")).parse_next(input)?)
        }
        "async" | "par" | "yield" => return refuse(input, span, &format!("concurrency (`{first}`) is")),
        _ => match label_or_assignment(input)? {
            StatementKind::Label(label) => {
                return Ok(Statement { span: label.span.clone(), it: StatementKind::Label(label) });
            }
            assignment => assignment,
        },
    };
    let span = start..before(input);
    mark!(";")(input)?;
    Ok(Statement { it, span })
}

fn label_or_assignment(input: &mut Input) -> Parsed<StatementKind> {
    let first = match name(input) {
        Ok(first) => first,
        Err(_) => return miss(input, "a statement"),
    };
    if opt(mark!(":")).parse_next(input)?.is_some() {
        return Ok(StatementKind::Label(first));
    }
    let mut targets = vec![target(input, first)?];
    while opt(mark!(",")).parse_next(input)?.is_some() {
        let next = name(input)?;
        targets.push(target(input, next)?);
    }
    mark!(":=")(input)?;
    let values = separated(1.., expression, mark!(",")).parse_next(input)?;
    Ok(StatementKind::Assign { targets, values })
}

/// A variable that is assigned to, or a cell of it.
fn target(input: &mut Input, name: Name) -> Parsed<Target> {
    let mut indices: Vec<Expr> = vec![];
    while opt(mark!("[")).parse_next(input)?.is_some() {
        let more: Vec<Expr> = separated(1.., expression, mark!(",")).parse_next(input)?;
        indices.extend(more);
        mark!("]")(input)?;
    }
    let span = name.span.start..before(input);
    Ok(Target { name, indices, span })
}

fn call(input: &mut Input) -> Parsed<StatementKind> {
    word!("call")(input)?;
    attributes(input)?;
    if comes(input, "forall") {
        return refuse(input, &here(input), "`call forall` is");
    }
    let mut names: Vec<Name> = separated(1.., name, mark!(",")).parse_next(input)?;
    let (targets, procedure) = match names.len() {
        1 if comes_mark(input, "(") => (vec![], names.remove(0)),
        _ => {
            mark!(":=")(input)?;
            (names, name(input)?)
        }
    };
    mark!("(")(input)?;
    let arguments = separated(0.., expression, mark!(",")).parse_next(input)?;
    mark!(")")(input)?;
    Ok(StatementKind::Call { targets, procedure, arguments })
}

/// `(c)` or `(*)`.
fn guard(input: &mut Input) -> Parsed<Guard> {
    mark!("(")(input)?;
    let guard = match opt(mark!("*")).parse_next(input)? {
        Some(span) => Guard { condition: None, span },
        None => {
            let condition = expression(input)?;
            Guard { span: condition.span.clone(), condition: Some(condition) }
        }
    };
    mark!(")")(input)?;
    Ok(guard)
}

fn conditional(input: &mut Input) -> Parsed<If> {
    let start = word!("if")(input)?.start;
    let condition = guard(input)?;
    let head = start..before(input);
    let then_start = here(input).start;
    let then = block(input)?;
    let then_span = then_start..before(input);
    let (mut otherwise, mut otherwise_span) = (None, None);
    if opt(word!("else")).parse_next(input)?.is_some() {
        let start = here(input).start;
        otherwise = Some(if comes(input, "if") {
            let it = StatementKind::If(conditional(input)?);
            vec![Statement { it, span: start..before(input) }]
        } else {
            block(input)?
        });
        otherwise_span = Some(start..before(input));
    }
    Ok(If { condition, then, otherwise, head, then_span, otherwise_span })
}

fn repeated(input: &mut Input) -> Parsed<StatementKind> {
    let start = word!("while")(input)?.start;
    let condition = guard(input)?;
    let head = start..before(input);
    let mut invariants = vec![];
    loop {
        let start = here(input).start;
        let free = opt(word!("free")).parse_next(input)?.is_some();
        if !free && !comes(input, "invariant") {
            break;
        }
        word!("invariant")(input)?;
        attributes(input)?;
        let condition = expression(input)?;
        invariants.push(Clause { free, condition, span: start..before(input) });
        mark!(";")(input)?;
    }
    let body = block(input)?;
    Ok(StatementKind::While { condition, invariants, body, head })
}
