use super::*;
use crate::syntax::{Declaration, Expr, ExprKind, Op};

/// An expression with all its parentheses.
fn shown(expr: &Expr) -> String {
    let name = |op: &Op| format!("{op:?}");
    match &expr.it {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Number(number) => number.to_string(),
        ExprKind::Negate(of) => format!("-{}", shown(of)),
        ExprKind::Not(of) => format!("!{}", shown(of)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", shown(a), name(op), shown(b)),
        ExprKind::Select(of, at) => format!("{}[{}]", shown(of), at.iter().map(shown).collect::<Vec<_>>().join(",")),
        ExprKind::Update(of, at, v) => format!("{}[{}:={}]", shown(of), shown(&at[0]), shown(v)),
        ExprKind::Extract(of, high, low) => format!("{}[{high}:{low}]", shown(of)),
        ExprKind::Choose(a, b, c) => format!("({} ? {} : {})", shown(a), shown(b), shown(c)),
        other => format!("{other:?}"),
    }
}

fn axiom(text: &str) -> String {
    let (file, problems) = parse(&format!("axiom {text};"));
    assert_eq!(problems, []);
    match &file.declarations[..] {
        [Declaration::Axiom(expr)] => shown(expr),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_boogie_says() {
    for (text, wanted) in [
        ("a + b * c - d", "((a Add (b Mul c)) Sub d)"),
        ("a ==> b ==> c", "(a Implies (b Implies c))"),
        ("a <== b <== c", "(c Implies (b Implies a))"),
        ("a && b ==> c || d", "((a And b) Implies (c Or d))"),
        ("a <==> b ==> c", "(a Iff (b Implies c))"),
        ("a + 1 <= b div 2", "((a Add 1) Le (b Div 2))"),
        ("!a && b", "(!a And b)"),
        ("-x * y", "(-x Mul y)"),
        ("m[i][j] == n[i, j]", "(m[i][j] Eq n[i,j])"),
        ("m[i := v][i] == v", "(m[i:=v][i] Eq v)"),
        ("x[8:0] ++ y == z", "((x[8:0] Concat y) Eq z)"),
        ("(if a then b else c) == d", "((a ? b : c) Eq d)"),
        ("a == (b + c) mod 3", "(a Eq ((b Add c) Mod 3))"),
    ] {
        assert_eq!(axiom(text), wanted, "{text}");
    }
}

#[test]
fn after_an_error_the_next_statement_and_the_next_declaration_are_tried() {
    let text = "procedure p() { x := ; y := 1 y := 2; assert true; }\nvar : int;\nprocedure q() { assert ; }";
    let (file, problems) = parse(text);
    let told: Vec<(usize, &str)> = problems.iter().map(|p| (p.span.start, p.message.as_str())).collect();
    assert_eq!(
        told,
        [
            (21, "expected an expression, found `;`"),
            (30, "expected `,`, `;`, `[` or an operator, found `y`"),
            (57, "expected a name, found `:`"),
            (87, "expected an expression, found `;`"),
        ]
    );
    assert_eq!(file.declarations.len(), 2, "both procedures are there");
}

#[test]
fn any_text_is_parsed_without_panic() {
    let whole = "type T = int; const unique a, b: T; var m: [int]bv8 where true; function f(x: int): int { x }\n\
                 procedure p(x: int) returns (y: int) requires x > 0; { var z: int; l: while (*) invariant z > 0; { havoc z; \
                 break l; } if (x > 0) { call z := p(x); } else if (*) { goto l, l; } m[1] := 2bv8; return; }";
    assert_eq!(parse(whole).1, []);
    // Without any one of its words, and up to any of them.
    let (all, _) = tokens(whole);
    for lexeme in &all {
        parse(&whole[..lexeme.span.end]);
        let without = format!("{}{}", &whole[..lexeme.span.start], &whole[lexeme.span.end..]);
        let (_, problems) = parse(&without);
        assert!(problems.iter().all(|p| p.span.end <= without.len()), "{without}");
    }
}
