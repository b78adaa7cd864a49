//! Expressions and types, from what binds loosest to what binds tightest.

use super::{
    Input, Lexeme, Parsed, Token, before, comes, comes_mark, here, mark, miss, name, number, peek, refuse, word,
};
use crate::syntax::{Expr, ExprKind, Op, TypeExpr, TypeKind};
use winnow::Parser;
use winnow::combinator::{alt, opt, separated};
use winnow::stream::Stream;

fn joined(op: Op, left: Expr, right: Expr) -> Expr {
    let span = left.span.start..right.span.end;
    Expr { it: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

/// An expression.
pub fn expression(input: &mut Input) -> Parsed<Expr> {
    let mut left = implication(input)?;
    while opt(mark!("<==>")).parse_next(input)?.is_some() {
        left = joined(Op::Iff, left, implication(input)?);
    }
    Ok(left)
}

fn implication(input: &mut Input) -> Parsed<Expr> {
    let mut left = logical(input)?;
    if opt(mark!("==>")).parse_next(input)?.is_some() {
        // To the right: a ==> b ==> c is a ==> (b ==> c).
        return Ok(joined(Op::Implies, left, implication(input)?));
    }
    while opt(mark!("<==")).parse_next(input)?.is_some() {
        let right = logical(input)?;
        let span = left.span.start..right.span.end;
        left = Expr { span, ..joined(Op::Implies, right, left) };
    }
    Ok(left)
}

fn logical(input: &mut Input) -> Parsed<Expr> {
    let mut left = relation(input)?;
    let mut joins = None;
    loop {
        let op = match opt(alt((mark!("&&").value(Op::And), mark!("||").value(Op::Or)))).parse_next(input)? {
            Some(op) => op,
            None => return Ok(left),
        };
        if joins.is_some_and(|joins| joins != op) {
            let span = before(input) - 2..before(input);
            return refuse(input, &span, "`&&` and `||` beside each other without parentheses are");
        }
        joins = Some(op);
        left = joined(op, left, relation(input)?);
    }
}

fn relation(input: &mut Input) -> Parsed<Expr> {
    let left = concatenation(input)?;
    let op = alt((
        mark!("==").value(Op::Eq),
        mark!("!=").value(Op::Ne),
        mark!("<=").value(Op::Le),
        mark!(">=").value(Op::Ge),
        mark!("<").value(Op::Lt),
        mark!(">").value(Op::Gt),
    ));
    if comes_mark(input, "<:") {
        return refuse(input, &here(input), "the partial order `<:` is");
    }
    match opt(op).parse_next(input)? {
        Some(op) => Ok(joined(op, left, concatenation(input)?)),
        None => Ok(left),
    }
}

fn concatenation(input: &mut Input) -> Parsed<Expr> {
    let mut left = sum(input)?;
    while opt(mark!("++")).parse_next(input)?.is_some() {
        left = joined(Op::Concat, left, sum(input)?);
    }
    Ok(left)
}

fn sum(input: &mut Input) -> Parsed<Expr> {
    let mut left = product(input)?;
    while let Some(op) = opt(alt((mark!("+").value(Op::Add), mark!("-").value(Op::Sub)))).parse_next(input)? {
        left = joined(op, left, product(input)?);
    }
    Ok(left)
}

fn product(input: &mut Input) -> Parsed<Expr> {
    let mut left = power(input)?;
    loop {
        if comes_mark(input, "/") {
            return refuse(input, &here(input), "real division (`/`) is");
        }
        let op = alt((mark!("*").value(Op::Mul), word!("div").value(Op::Div), word!("mod").value(Op::Mod)));
        match opt(op).parse_next(input)? {
            Some(op) => left = joined(op, left, power(input)?),
            None => return Ok(left),
        }
    }
}

fn power(input: &mut Input) -> Parsed<Expr> {
    let left = unary(input)?;
    if comes_mark(input, "**") {
        return refuse(input, &here(input), "`**` is");
    }
    Ok(left)
}

fn unary(input: &mut Input) -> Parsed<Expr> {
    let start = here(input).start;
    match opt(alt((mark!("-").value(true), mark!("!").value(false)))).parse_next(input)? {
        Some(negates) => {
            let of = unary(input)?;
            let span = start..of.span.end;
            // `-5` is a number, so that the smallest one can be written.
            let of = Box::new(of);
            let it = if negates { ExprKind::Negate(of) } else { ExprKind::Not(of) };
            Ok(Expr { it, span })
        }
        None => postfix(input),
    }
}

/// `m[i]`, `m[i := v]`, `e[8:0]`, each behind the other.
fn postfix(input: &mut Input) -> Parsed<Expr> {
    let mut of = atom(input)?;
    while opt(mark!("[")).parse_next(input)?.is_some() {
        let start = of.span.start;
        let it = match opt((number, mark!(":"), number)).parse_next(input)? {
            Some((high, _, low)) => {
                let (high, low) = (u32::try_from(high).unwrap_or(u32::MAX), u32::try_from(low).unwrap_or(u32::MAX));
                ExprKind::Extract(Box::new(of), high, low)
            }
            None => {
                let indices: Vec<Expr> = separated(1.., expression, mark!(",")).parse_next(input)?;
                match opt(mark!(":=")).parse_next(input)? {
                    Some(_) => ExprKind::Update(Box::new(of), indices, Box::new(expression(input)?)),
                    None => ExprKind::Select(Box::new(of), indices),
                }
            }
        };
        mark!("]")(input)?;
        of = Expr { it, span: start..before(input) };
    }
    Ok(of)
}

fn atom(input: &mut Input) -> Parsed<Expr> {
    let span = here(input);
    let Some(Lexeme { token, .. }) = peek(input) else { return miss(input, "an expression") };
    let it = match token {
        Token::Number(value) => ExprKind::Number(*value),
        Token::Bits(value, width) => ExprKind::Bits(*value, *width),
        Token::Mark("(") => return parenthesised(input),
        Token::Mark("|{") => return refuse(input, &span, "a code expression (`|{ ... }|`) is"),
        Token::Word(text) => match text.as_str() {
            "true" => ExprKind::Truth(true),
            "false" => ExprKind::Truth(false),
            "forall" | "exists" => return refuse(input, &span, &format!("a quantifier (`{text}`) is")),
            "lambda" => return refuse(input, &span, "`lambda` is"),
            "real" => return refuse(input, &span, "the type `real` is"),
            "if" => return choice(input),
            "old" => {
                input.input.next_token();
                mark!("(")(input)?;
                let of = expression(input)?;
                mark!(")")(input)?;
                return Ok(Expr { it: ExprKind::Old(Box::new(of)), span: span.start..before(input) });
            }
            "int" => return refuse(input, &span, "the conversion `int(...)` is"),
            _ => return named(input),
        },
        _ => return miss(input, "an expression"),
    };
    input.input.next_token();
    Ok(Expr { it, span })
}

/// Parentheses belong to what is shown of an expression only inside of a larger one.
fn parenthesised(input: &mut Input) -> Parsed<Expr> {
    let start = mark!("(")(input)?.start;
    for word in ["forall", "exists", "lambda"] {
        if comes(input, word) {
            let what = if word == "lambda" { "`lambda` is".into() } else { format!("a quantifier (`{word}`) is") };
            return refuse(input, &here(input), &what);
        }
    }
    let inner = expression(input)?;
    if comes_mark(input, ":") {
        return refuse(input, &here(input), "a type coercion (`e: type`) is");
    }
    mark!(")")(input)?;
    Ok(Expr { span: start..before(input), ..inner })
}

fn choice(input: &mut Input) -> Parsed<Expr> {
    let start = word!("if")(input)?.start;
    let condition = expression(input)?;
    word!("then")(input)?;
    let then = expression(input)?;
    word!("else")(input)?;
    let otherwise = expression(input)?;
    let span = start..otherwise.span.end;
    Ok(Expr { it: ExprKind::Choose(Box::new(condition), Box::new(then), Box::new(otherwise)), span })
}

fn named(input: &mut Input) -> Parsed<Expr> {
    let called = name(input)?;
    if opt(mark!("(")).parse_next(input)?.is_some() {
        let arguments: Vec<Expr> = separated(0.., expression, mark!(",")).parse_next(input)?;
        mark!(")")(input)?;
        let span = called.span.start..before(input);
        return Ok(Expr { it: ExprKind::Call(called, arguments), span });
    }
    Ok(Expr { span: called.span.clone(), it: ExprKind::Name(called.text) })
}

/// A type.
pub fn type_expr(input: &mut Input) -> Parsed<TypeExpr> {
    let span = here(input);
    if comes(input, "real") {
        return refuse(input, &span, "the type `real` is");
    }
    if comes_mark(input, "<") {
        return refuse(input, &span, "a map with type parameters is");
    }
    if let Some(it) =
        opt(alt((word!("int").value(TypeKind::Int), word!("bool").value(TypeKind::Bool)))).parse_next(input)?
    {
        return Ok(TypeExpr { it, span });
    }
    if opt(mark!("(")).parse_next(input)?.is_some() {
        let inner = type_expr(input)?;
        mark!(")")(input)?;
        return Ok(inner);
    }
    if opt(mark!("[")).parse_next(input)?.is_some() {
        let from: Vec<TypeExpr> = separated(1.., type_expr, mark!(",")).parse_next(input)?;
        mark!("]")(input)?;
        let to = type_expr(input)?;
        return Ok(TypeExpr { span: span.start..to.span.end, it: TypeKind::Map(from, Box::new(to)) });
    }
    if !matches!(peek(input).map(|l| &l.token), Some(Token::Word(_))) {
        return miss(input, "a type");
    }
    let called = name(input)?;
    let width = called.text.strip_prefix("bv").and_then(|digits| digits.parse::<u32>().ok());
    match width {
        Some(width @ 1..=128) => Ok(TypeExpr { it: TypeKind::Bits(width), span }),
        Some(_) => refuse(input, &span, &format!("`{}` (bit vectors have 1 to 128 bits) is", called.text)),
        None => {
            let is_argument = matches!(peek(input).map(|l| &l.token), Some(Token::Word(word)) if !matches!(word.as_str(), "where" | "returns" | "extends"))
                || comes_mark(input, "[");
            if is_argument {
                return refuse(input, &span, &format!("a type constructor (`{}`) is", called.text));
            }
            Ok(TypeExpr { it: TypeKind::Named(called.text), span })
        }
    }
}
