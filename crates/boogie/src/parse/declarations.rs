//! What stands outside of bodies.

use super::expressions::{expression, type_expr};
use super::statements::body;
use super::{
    Input, Lexeme, Parsed, Token, attributes, before, comes, comes_mark, here, mark, miss, name, peek, refuse, word,
};
use crate::syntax::{Clause, Declaration, Function, Name, Procedure, TypeExpr, Variables};
use winnow::Parser;
use winnow::combinator::{opt, separated};
use winnow::stream::Stream;

/// A declaration.
pub fn declaration(input: &mut Input) -> Parsed<Declaration> {
    let Some(Lexeme { token: Token::Word(first), span }) = peek(input) else { return miss(input, "a declaration") };
    match first.as_str() {
        "type" => synonym(input),
        "const" => constants(input),
        "var" => {
            input.input.next_token();
            attributes(input)?;
            let all = separated(1.., variables, mark!(",")).parse_next(input)?;
            mark!(";")(input)?;
            Ok(Declaration::Globals(all))
        }
        "axiom" => {
            input.input.next_token();
            attributes(input)?;
            let holds = expression(input)?;
            mark!(";")(input)?;
            Ok(Declaration::Axiom(holds))
        }
        "function" => function(input).map(Declaration::Function),
        "procedure" => procedure(input),
        "implementation" => implementation(input),
        "datatype" | "invariant" | "yield" | "async" | "pure" | "left" | "right" | "both" | "atomic" => {
            refuse(input, span, &format!("a declaration that begins with `{first}` is"))
        }
        _ => miss(input, "a declaration"),
    }
}

fn synonym(input: &mut Input) -> Parsed<Declaration> {
    word!("type")(input)?;
    attributes(input)?;
    let called = name(input)?;
    if !comes_mark(input, "=") {
        return refuse(input, &called.span, &format!("a type constructor (`type {}`) is", called.text));
    }
    input.input.next_token();
    let of = type_expr(input)?;
    mark!(";")(input)?;
    Ok(Declaration::Synonym { name: called, of })
}

fn constants(input: &mut Input) -> Parsed<Declaration> {
    word!("const")(input)?;
    attributes(input)?;
    let unique = opt(word!("unique")).parse_next(input)?.is_some();
    let variables = variables(input)?;
    if comes(input, "extends") || comes(input, "complete") {
        return refuse(input, &here(input), "the order of constants (`extends`) is");
    }
    mark!(";")(input)?;
    Ok(Declaration::Constants { unique, variables })
}

/// `a, b: type where e`.
pub fn variables(input: &mut Input) -> Parsed<Variables> {
    attributes(input)?;
    let names: Vec<Name> = separated(1.., name, mark!(",")).parse_next(input)?;
    mark!(":")(input)?;
    let of = type_expr(input)?;
    let condition = match opt(word!("where")).parse_next(input)? {
        Some(_) => Some(expression(input)?),
        None => None,
    };
    Ok(Variables { names, of, condition })
}

fn no_type_parameters(input: &mut Input, called: &Name) -> Parsed<()> {
    match comes_mark(input, "<") {
        true => refuse(input, &here(input), &format!("type parameters (of `{}`) are", called.text)),
        false => Ok(()),
    }
}

fn function(input: &mut Input) -> Parsed<Function> {
    word!("function")(input)?;
    let attributes = attributes(input)?;
    let builtin = |(called, _): &&(String, String)| matches!(called.as_str(), "bvbuiltin" | "builtin");
    let builtin = attributes.iter().find(builtin).map(|(_, text)| text.clone());
    let called = name(input)?;
    no_type_parameters(input, &called)?;
    mark!("(")(input)?;
    let mut parameters: Vec<(Option<Name>, TypeExpr)> = vec![];
    while !comes_mark(input, ")") {
        if !parameters.is_empty() {
            mark!(",")(input)?;
        }
        super::attributes(input)?;
        let names: Option<(Name, _)> = opt((name, mark!(":"))).parse_next(input)?;
        parameters.push((names.map(|(name, _)| name), type_expr(input)?));
    }
    mark!(")")(input)?;
    let result = match opt(mark!(":")).parse_next(input)? {
        Some(_) => type_expr(input)?,
        None => {
            word!("returns")(input)?;
            mark!("(")(input)?;
            super::attributes(input)?;
            opt((name, mark!(":"))).parse_next(input)?;
            let result = type_expr(input)?;
            mark!(")")(input)?;
            result
        }
    };
    let body = match opt(mark!("{")).parse_next(input)? {
        Some(_) => {
            let body = expression(input)?;
            mark!("}")(input)?;
            opt(mark!(";")).parse_next(input)?;
            Some(body)
        }
        None => {
            mark!(";")(input)?;
            None
        }
    };
    Ok(Function { name: called, builtin, parameters, result, body })
}

/// The name, parameters and results of a procedure.
fn signature(input: &mut Input) -> Parsed<Procedure> {
    attributes(input)?;
    let called = name(input)?;
    no_type_parameters(input, &called)?;
    let parameters = parameters(input)?;
    let results = match opt(word!("returns")).parse_next(input)? {
        Some(_) => self::parameters(input)?,
        None => vec![],
    };
    Ok(Procedure { name: called, parameters, results, requires: vec![], ensures: vec![], modifies: vec![], body: None })
}

fn parameters(input: &mut Input) -> Parsed<Vec<Variables>> {
    mark!("(")(input)?;
    let all = separated(0.., variables, mark!(",")).parse_next(input)?;
    mark!(")")(input)?;
    Ok(all)
}

fn procedure(input: &mut Input) -> Parsed<Declaration> {
    word!("procedure")(input)?;
    let mut found = signature(input)?;
    let ends = opt(mark!(";")).parse_next(input)?.is_some();
    specification(input, &mut found)?;
    if !ends {
        found.body = Some(body(input)?);
    }
    Ok(Declaration::Procedure(found))
}

fn specification(input: &mut Input, found: &mut Procedure) -> Parsed<()> {
    loop {
        let start = here(input).start;
        let free = opt(word!("free")).parse_next(input)?.is_some();
        if opt(word!("requires")).parse_next(input)?.is_some() {
            found.requires.push(clause(input, start, free)?);
        } else if opt(word!("ensures")).parse_next(input)?.is_some() {
            found.ensures.push(clause(input, start, free)?);
        } else if opt(word!("modifies")).parse_next(input)?.is_some() {
            let names: Vec<Name> = separated(0.., name, mark!(",")).parse_next(input)?;
            found.modifies.extend(names);
            mark!(";")(input)?;
        } else if free {
            return miss(input, "`requires`");
        } else {
            return Ok(());
        }
    }
}

fn clause(input: &mut Input, start: usize, free: bool) -> Parsed<Clause> {
    attributes(input)?;
    let condition = expression(input)?;
    let span = start..before(input);
    mark!(";")(input)?;
    Ok(Clause { free, condition, span })
}

fn implementation(input: &mut Input) -> Parsed<Declaration> {
    word!("implementation")(input)?;
    let mut found = signature(input)?;
    found.body = Some(body(input)?);
    Ok(Declaration::Implementation(found))
}
