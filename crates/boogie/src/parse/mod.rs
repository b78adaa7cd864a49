//! The grammar. Every parser says what it would have liked to see; what is told of an error are the wishes at the place
//! that was come furthest to. After an error the next statement, or the next declaration, is tried.

mod declarations;
mod expressions;
mod statements;

use crate::places::{Found, Span};
use crate::syntax::{File, Name};
use crate::token::{Lexeme, Token, tokens};
use std::cell::RefCell;
use winnow::error::{ErrMode, ModalResult, ParserError};
use winnow::stream::{Stateful, Stream, TokenSlice};

/// What is parsed.
type Input<'a> = Stateful<TokenSlice<'a, Lexeme>, &'a Notes>;

/// What a parser gives.
type Parsed<T> = ModalResult<T, Astray>;

/// That a text does not go on as it should; the [`Notes`] know how it should.
#[derive(Clone, Copy, Debug)]
struct Astray;

impl<I: Stream> ParserError<I> for Astray {
    type Inner = Astray;

    fn from_input(_: &I) -> Astray {
        Astray
    }

    fn into_inner(self) -> Result<Astray, Astray> {
        Ok(self)
    }
}

/// What is learned on the way.
#[derive(Debug)]
struct Notes {
    /// Words that were left at the furthest place, and what could have stood there.
    wishes: RefCell<(usize, Vec<&'static str>)>,
    problems: RefCell<Vec<Found>>,
    /// The end of the text.
    end: Span,
}

const KEYWORDS: &[&str] = &[
    "assert",
    "assume",
    "axiom",
    "bool",
    "break",
    "call",
    "const",
    "div",
    "else",
    "ensures",
    "exists",
    "extends",
    "false",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "int",
    "invariant",
    "lambda",
    "mod",
    "modifies",
    "old",
    "procedure",
    "real",
    "requires",
    "return",
    "returns",
    "then",
    "true",
    "type",
    "unique",
    "var",
    "where",
    "while",
];

/// What may stand behind an operand; nobody wants to read all of it.
const OPERATORS: &[&str] = &[
    "`<==>`", "`==>`", "`<==`", "`&&`", "`||`", "`==`", "`!=`", "`<=`", "`>=`", "`<`", "`>`", "`++`", "`+`", "`-`",
    "`*`", "`div`", "`mod`",
];

/// Parses a text; what cannot be parsed is left out and told.
pub fn parse(text: &str) -> (File, Vec<Found>) {
    let (lexemes, problems) = tokens(text);
    let notes = Notes {
        wishes: RefCell::new((usize::MAX, vec![])),
        problems: RefCell::new(problems),
        end: text.trim_end().len()..text.trim_end().len(),
    };
    let mut input = Input { input: TokenSlice::new(&lexemes), state: &notes };
    let mut file = File::default();
    while !input.input.is_empty() {
        match declarations::declaration(&mut input) {
            Ok(declaration) => file.declarations.push(declaration),
            Err(_) => {
                complain(&mut input);
                skip_declaration(&mut input);
            }
        }
    }
    (file, notes.problems.into_inner())
}

fn peek<'a>(input: &Input<'a>) -> Option<&'a Lexeme> {
    let here: &Input<'a> = input;
    here.input.peek_slice(here.input.len().min(1)).first()
}

/// Where the next word stands.
fn here(input: &Input) -> Span {
    peek(input).map_or(input.state.end.clone(), |lexeme| lexeme.span.clone())
}

/// Where the last word ended.
fn before(input: &Input) -> usize {
    input.input.previous_tokens().next().map_or(0, |lexeme: &Lexeme| lexeme.span.end)
}

/// Something else should have stood here.
fn miss<T>(input: &Input, wish: &'static str) -> Parsed<T> {
    let mut wishes = input.state.wishes.borrow_mut();
    let left = input.input.len();
    if left < wishes.0 {
        *wishes = (left, vec![]);
    }
    if left == wishes.0 && !wishes.1.contains(&wish) {
        wishes.1.push(wish);
    }
    Err(ErrMode::Backtrack(Astray))
}

/// Something that is not supported, by its name.
fn refuse<T>(input: &Input, span: &Span, what: &str) -> Parsed<T> {
    input.state.problems.borrow_mut().push(Found::new(span, format!("{what} not supported")));
    Err(ErrMode::Cut(Astray))
}

/// Tells of an error, unless that was done where it was found.
fn complain(input: &mut Input) {
    let (left, mut wishes) = input.state.wishes.replace((usize::MAX, vec![]));
    // The wishes are those of the furthest place; something that was refused lies further.
    if wishes.is_empty()
        || input.state.problems.borrow().last().is_some_and(|p| p.span.start >= place_of(input, left).start)
    {
        return;
    }
    // What an expression may begin with goes without saying.
    if wishes.contains(&"an expression") {
        wishes.retain(|wish| !matches!(*wish, "`!`" | "`-`"));
    }
    let all = wishes.len();
    wishes.retain(|wish| !OPERATORS.contains(wish));
    if wishes.len() < all {
        wishes.push("an operator");
    }
    wishes.sort_unstable();
    let span = place_of(input, left);
    let found = word_at(input, left);
    let last = wishes.pop().expect("there is one");
    let expected = if wishes.is_empty() { last.to_string() } else { format!("{} or {last}", wishes.join(", ")) };
    input.state.problems.borrow_mut().push(Found::new(&span, format!("expected {expected}, found {found}")));
}

fn lexeme_at<'a>(input: &Input<'a>, left: usize) -> Option<&'a Lexeme> {
    let mut all = input.input.clone();
    all.reset_to_start();
    let number = all.len().checked_sub(left)?;
    all.peek_slice(all.len()).get(number)
}

fn place_of(input: &Input, left: usize) -> Span {
    lexeme_at(input, left).map_or(input.state.end.clone(), |lexeme| lexeme.span.clone())
}

fn word_at(input: &Input, left: usize) -> String {
    match lexeme_at(input, left).map(|lexeme| &lexeme.token) {
        None => "the end of the text".into(),
        Some(Token::Word(word)) => format!("`{word}`"),
        Some(Token::Number(number)) => format!("`{number}`"),
        Some(Token::Bits(value, width)) => format!("`{value}bv{width}`"),
        Some(Token::Text(text)) => format!("\"{text}\""),
        Some(Token::Mark(mark)) => format!("`{mark}`"),
    }
}

/// Goes on to the next declaration.
fn skip_declaration(input: &mut Input) {
    const STARTS: [&str; 7] = ["axiom", "const", "function", "implementation", "procedure", "type", "var"];
    let mut depth = 0usize;
    let mut first = true;
    while let Some(lexeme) = peek(input) {
        match &lexeme.token {
            Token::Mark("{" | "{:") => depth += 1,
            Token::Mark("}") => depth = depth.saturating_sub(1),
            // Inside of a body `var` is none, and where a brace is missing the next procedure is one all the same.
            Token::Word(word) if !first && STARTS.contains(&word.as_str()) && (depth == 0 || word != "var") => return,
            _ => {}
        }
        first = false;
        input.input.next_token();
    }
}

/// Goes on behind a statement, or to the end of what it stands in.
fn skip_statement(input: &mut Input) {
    let mut depth = 0usize;
    while let Some(lexeme) = peek(input) {
        match &lexeme.token {
            Token::Mark("{" | "{:") => depth += 1,
            Token::Mark("}") if depth == 0 => return,
            Token::Mark("}") => depth -= 1,
            Token::Mark(";") if depth == 0 => {
                input.input.next_token();
                return;
            }
            Token::Word(word) if matches!(word.as_str(), "procedure" | "implementation" | "axiom" | "function") => {
                return;
            }
            _ => {}
        }
        input.input.next_token();
    }
}

/// Punctuation; the wish is its text in quotes.
macro_rules! mark {
    ($text:literal) => {
        (|input: &mut $crate::parse::Input<'_>| $crate::parse::exactly(input, $text, concat!("`", $text, "`")))
    };
}

/// A keyword.
macro_rules! word {
    ($text:literal) => {
        (|input: &mut $crate::parse::Input<'_>| $crate::parse::keyword(input, $text, concat!("`", $text, "`")))
    };
}

use {mark, word};

fn exactly(input: &mut Input, text: &'static str, wish: &'static str) -> Parsed<Span> {
    match peek(input) {
        Some(Lexeme { token: Token::Mark(mark), span }) if *mark == text => {
            input.input.next_token();
            Ok(span.clone())
        }
        _ => miss(input, wish),
    }
}

fn keyword(input: &mut Input, text: &'static str, wish: &'static str) -> Parsed<Span> {
    match peek(input) {
        Some(Lexeme { token: Token::Word(word), span }) if word == text => {
            input.input.next_token();
            Ok(span.clone())
        }
        _ => miss(input, wish),
    }
}

/// Whether a keyword comes next.
fn comes(input: &Input, text: &str) -> bool {
    matches!(peek(input), Some(Lexeme { token: Token::Word(word), .. }) if word == text)
}

/// Whether punctuation comes next.
fn comes_mark(input: &Input, text: &str) -> bool {
    matches!(peek(input), Some(Lexeme { token: Token::Mark(mark), .. }) if *mark == text)
}

fn name(input: &mut Input) -> Parsed<Name> {
    match peek(input) {
        Some(Lexeme { token: Token::Word(word), span }) if !KEYWORDS.contains(&word.as_str()) => {
            input.input.next_token();
            Ok(Name { text: word.clone(), span: span.clone() })
        }
        _ => miss(input, "a name"),
    }
}

fn number(input: &mut Input) -> Parsed<u128> {
    match peek(input) {
        Some(Lexeme { token: Token::Number(number), .. }) => {
            input.input.next_token();
            Ok(*number)
        }
        _ => miss(input, "a number"),
    }
}

/// Attributes: what a name has for a text, where somebody asks for it; all others mean nothing here.
fn attributes(input: &mut Input) -> Parsed<Vec<(String, String)>> {
    let mut found = vec![];
    while comes_mark(input, "{:") {
        input.input.next_token();
        let called = attribute_name(input)?;
        loop {
            match peek(input) {
                Some(Lexeme { token: Token::Mark("}"), .. }) => break,
                Some(Lexeme { token: Token::Text(text), .. }) => {
                    found.push((called.clone(), text.clone()));
                    input.input.next_token();
                }
                Some(Lexeme { token: Token::Mark(","), .. }) => {
                    input.input.next_token();
                }
                _ => {
                    expressions::expression(input)?;
                }
            }
        }
        mark!("}")(input)?;
    }
    Ok(found)
}

/// Attributes may be called like keywords.
fn attribute_name(input: &mut Input) -> Parsed<String> {
    match peek(input) {
        Some(Lexeme { token: Token::Word(word), .. }) => {
            input.input.next_token();
            Ok(word.clone())
        }
        _ => miss(input, "the name of an attribute"),
    }
}

#[cfg(test)]
mod tests;
