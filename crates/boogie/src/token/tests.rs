use super::*;

fn words(text: &str) -> Vec<Token> {
    let (all, problems) = tokens(text);
    assert_eq!(problems, []);
    all.into_iter().map(|lexeme| lexeme.token).collect()
}

#[test]
fn words_are_cut_at_the_longest_mark() {
    let mark = Token::Mark;
    let word = |text: &str| Token::Word(text.into());
    assert_eq!(
        words("a<==>b ==> c:=5bv8"),
        [word("a"), mark("<==>"), word("b"), mark("==>"), word("c"), mark(":="), Token::Bits(5, 8),]
    );
    assert_eq!(
        words("$x.y#1 0x1F {:inline}"),
        [word("$x.y#1"), Token::Number(31), mark("{:"), word("inline"), mark("}"),]
    );
    assert_eq!(
        words("x[7:0] // to the end\n/* a /* in */ comment */ \"text\""),
        [word("x"), mark("["), Token::Number(7), mark(":"), Token::Number(0), mark("]"), Token::Text("text".into()),]
    );
}

#[test]
fn what_is_no_word_is_told() {
    let said = |text: &str| tokens(text).1.into_iter().map(|found| (found.span, found.message)).collect::<Vec<_>>();
    assert_eq!(said("a @ b"), [(2..3, "`@` means nothing here".into())]);
    assert_eq!(said("300bv8"), [(0..6, "`300bv8` does not fit 8 bits".into())]);
    assert_eq!(said("1bv0"), [(0..4, "`1bv0` is not supported: bit vectors have 1 to 128 bits".into())]);
    assert_eq!(said("x /* y"), [(2..4, "this comment does not end".into())]);
    assert_eq!(said("\"x\ny"), [(0..2, "this text does not end on its line".into())]);
    assert_eq!(said("2.5e3"), [(0..5, "real numbers (`2.5e3`) are not supported".into())]);
    assert_eq!(said("12abc"), [(0..5, "`12abc` is not a number".into())]);
}
