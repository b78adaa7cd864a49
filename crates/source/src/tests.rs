//! Each source marks the location asked about with an `@`, which is taken out before parsing.

use crate::{Control, ControlKind, Extent, Part, SourceText};

/// The source without its mark, and the line and column of the mark.
fn marked(source: &str) -> (SourceText, u32, u32) {
    let at = source.find('@').expect("a mark");
    let before = &source[..at];
    let line = before.matches('\n').count() + 1;
    let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    let text = source.replacen('@', "", 1);
    (SourceText::new("t.c".into(), text), line as u32, column as u32)
}

/// A function with the given body.
fn body(body: &str) -> String {
    format!("int f(int a, int b, int *p)\n{{\n  {body}\n}}\n")
}

fn ask(source: &str, question: impl Fn(&SourceText, u32, u32) -> Option<Extent>) -> String {
    let (source, line, column) = marked(source);
    question(&source, line, column).map_or("-".into(), |extent| source.text(extent))
}

fn statement(code: &str) -> String {
    ask(&body(code), SourceText::extent_of_statement)
}

fn expression(code: &str) -> String {
    ask(&body(code), SourceText::extent_of_expression)
}

fn operand(code: &str) -> String {
    ask(&body(code), SourceText::operand_at)
}

fn control(code: &str) -> Option<(SourceText, Control)> {
    let (source, line, column) = marked(&body(code));
    let control = source.enclosing_control(line, column)?;
    Some((source, control))
}

/// Kind, part, head, condition, then-part, else-part and outermost head, in words.
fn described(code: &str) -> String {
    let Some((source, c)) = control(code) else {
        return "-".into();
    };
    let text = |extent: Option<Extent>| extent.map_or("-".into(), |extent| source.text(extent));
    let parts = [Some(c.head), c.condition, c.then_part, c.else_part, Some(c.outermost)].map(text);
    format!("{:?} {:?}: {}", c.kind, c.part, parts.join(" | "))
}

#[test]
fn assignments() {
    assert_eq!(statement("x @= a + b;"), "x = a + b");
    assert_eq!(statement("x = a @+ b;"), "x = a + b");
    assert_eq!(statement("@x = a + b;"), "x = a + b");
    assert_eq!(statement("x @+= 2;"), "x += 2");
    assert_eq!(statement("@*p = 3;"), "*p = 3");
    assert_eq!(statement("q->next->value @= a;"), "q->next->value = a");
    assert_eq!(statement("x = y @= z;"), "y = z");
    assert_eq!(statement("x @= y = z;"), "x = y = z");
    assert_eq!(statement("(x @= 1);"), "(x = 1)");
}

#[test]
fn updates() {
    assert_eq!(statement("a@++;"), "a++");
    assert_eq!(statement("@--a;"), "--a");
    assert_eq!(statement("p[a@++] = b;"), "a++");
    assert_eq!(statement("p[a++] @= b;"), "p[a++] = b");
    assert_eq!(statement("*p@++ = b;"), "p++");
    assert_eq!(statement("(void) a@++;"), "(void) a++");
}

#[test]
fn calls() {
    assert_eq!(statement("@next(a, b);"), "next(a, b)");
    assert_eq!(statement("next(a, b @/ a);"), "next(a, b / a)");
    assert_eq!(statement("x = @next();"), "next()");
    assert_eq!(statement("x @= next();"), "x = next()");
    assert_eq!(statement("return @next(a) + 1;"), "next(a)");
    assert_eq!(statement("outer(@inner(a));"), "inner(a)");
    assert_eq!(statement("@outer(inner(a));"), "outer(inner(a))");
    assert_eq!(statement("@(*q->handler)(a);"), "(*q->handler)(a)");
    assert_eq!(statement("(void) @next();"), "(void) next()");
}

#[test]
fn declarations() {
    assert_eq!(statement("int @y = f(a);"), "int y = f(a)");
    assert_eq!(statement("int y = @f(a);"), "f(a)");
    assert_eq!(statement("int y = a @- 42;"), "int y = a - 42");
    assert_eq!(statement("int i = 0, @j = 1;"), "j = 1");
    assert_eq!(statement("int @i, j = 1;"), "int i, j = 1");
    assert_eq!(statement("int z[3] = @{1, a, 3};"), "int z[3] = {1, a, 3}");
    assert_eq!(statement("char *@s = \"a;b\";"), "char *s = \"a;b\"");
    assert_eq!(statement("int (*@g)(int) = h;"), "int (*g)(int) = h");
    assert_eq!(ask("int @lock = 3;", SourceText::extent_of_statement), "int lock = 3");
    assert_eq!(ask("int f(int a, char *@b) { return 0; }", SourceText::extent_of_statement), "char *b");
}

#[test]
fn only_the_line_is_known() {
    let source = SourceText::new("t.c".into(), "int limit = 3;\n  static int *p, q;\n\nint f(void);\n".into());
    let statement = |line| source.extent_of_statement(line, 0).map_or("-".into(), |extent| source.text(extent));
    assert_eq!([1, 2, 3, 4, 5].map(statement), ["int limit = 3", "static int *p, q", "-", "int f(void)", "-"]);
}

#[test]
fn jumps() {
    assert_eq!(statement("@return a + b;"), "return a + b");
    assert_eq!(statement("return a @/ b;"), "return a / b");
    assert_eq!(statement("@return;"), "return");
    assert_eq!(statement("@goto out; out: a = 1;"), "goto out");
    assert_eq!(statement("goto out; @out: a = 1;"), "out");
    assert_eq!(statement("goto out; out: a @= 1;"), "a = 1");
    assert_eq!(statement("while (1) { @break; }"), "break");
}

#[test]
fn heads_of_control_statements() {
    assert_eq!(statement("if (@a == -1) { b = 1; }"), "if (a == -1)");
    assert_eq!(statement("if (a @== -1) { b = 1; }"), "if (a == -1)");
    assert_eq!(statement("@if (a == -1) { b = 1; }"), "if (a == -1)");
    assert_eq!(statement("if (a @&& b) b = 1; else b = 2;"), "if (a && b)");
    assert_eq!(statement("if (a) b = 1; else b @= 2;"), "b = 2");
    assert_eq!(statement("if (a) b = 1; else if (@b) b = 2;"), "if (b)");
    assert_eq!(statement("@while (a < b) a++;"), "while (a < b)");
    assert_eq!(statement("while (a @< b) a++;"), "while (a < b)");
    assert_eq!(statement("@switch (a + 1) { case 1: break; }"), "switch (a + 1)");
    assert_eq!(statement("switch (a @+ 1) { case 1: break; }"), "switch (a + 1)");
    assert_eq!(statement("switch (a) { case 1: b @= 2; }"), "b = 2");
    assert_eq!(statement("switch (a) { @case 1: b = 2; }"), "case 1");
    assert_eq!(statement("switch (a) { @default: b = 2; }"), "default");
    assert_eq!(statement("do { a++; @} while (a < b);"), "while (a < b)");
    assert_eq!(statement("@do { a++; } while (a < b);"), "while (a < b)");
    assert_eq!(statement("do { a++; } while (a @< b);"), "while (a < b)");
    assert_eq!(statement("do a@++; while (a < b);"), "a++");
    assert_eq!(statement("do { a++; } while (a@--);"), "a--");
}

#[test]
fn effects_inside_conditions() {
    assert_eq!(statement("while ((a @= next()) != 0) b = a;"), "a = next()");
    assert_eq!(statement("while ((a = @next()) != 0) b = a;"), "next()");
    assert_eq!(statement("while ((a = next()) @!= 0) b = a;"), "while ((a = next()) != 0)");
    assert_eq!(statement("if (a && (b @= *p)) a = 2;"), "b = *p");
    assert_eq!(statement("x = a ? @next() : b;"), "next()");
    assert_eq!(statement("x = @a ? next() : b;"), "x = a ? next() : b");
}

#[test]
fn parts_of_for() {
    let parts = |mark: &str| statement(&"for (i = 0; i < n; i++) s += i;".replacen(mark, &format!("@{mark}"), 1));
    assert_eq!(parts("= 0"), "i = 0");
    assert_eq!(parts("< n"), "i < n");
    assert_eq!(parts("++"), "i++");
    assert_eq!(parts("+="), "s += i");
    assert_eq!(parts("for"), "for (i = 0; i < n; i++)");
    assert_eq!(statement("for (int @i = 0; i < a; i++) ;"), "int i = 0");
    assert_eq!(statement("for (int i = 0, @j = 1; i < a; i++) ;"), "j = 1");
    assert_eq!(statement("for (i = 0, j @= 1; i < a; i++, j--) ;"), "j = 1");
    assert_eq!(statement("for (i = 0, j = 1; i < a; i++, j@--) ;"), "j--");
    assert_eq!(statement("@for (;;) break;"), "for (;;)");
}

#[test]
fn comma_and_statement_expressions() {
    assert_eq!(statement("p[a] @= b, x = 2;"), "p[a] = b");
    assert_eq!(statement("p[a] = b, x @= 2;"), "x = 2");
    assert_eq!(statement("x = ({ int @t = a; t + 1; });"), "int t = a");
    assert_eq!(statement("x = ({ int t = a; t @+ 1; });"), "t + 1");
}

#[test]
fn places_without_a_statement() {
    assert_eq!(statement("a = 1; @ b = 2;"), "-");
    assert_eq!(statement("a = 1; @/* b = 2; */"), "-");
    assert_eq!(statement("a = 1@;"), "a = 1");
    assert_eq!(statement("@;"), "-");
    assert_eq!(statement("@{ a = 1; }"), "-");
    assert_eq!(ask("int f(void) { return 1; @}", SourceText::extent_of_statement), "-");
    assert_eq!(ask("int @f(void) { return 1; }", SourceText::extent_of_statement), "-");
    assert_eq!(ask("#define @X 3\n", SourceText::extent_of_statement), "-");
    let source = SourceText::new("t.c".into(), "int x = 1;\n".into());
    for (line, column) in [(0, 0), (0, 1), (1, 11), (1, 12), (1, 500), (2, 1), (3, 1), (u32::MAX, u32::MAX)] {
        assert_eq!(source.extent_of_statement(line, column), None, "{line}:{column}");
        assert_eq!(source.extent_of_expression(line, column), None, "{line}:{column}");
        assert_eq!(source.operand_at(line, column), None, "{line}:{column}");
        assert_eq!(source.macro_argument(line, column), None, "{line}:{column}");
        assert_eq!(source.enclosing_control(line, column), None, "{line}:{column}");
    }
}

#[test]
fn conditions() {
    for control in ["if (@c > 1) a = 1;", "@if (c > 1) a = 1;", "@while (c > 1) a = 1;", "while (c @> 1) a = 1;"] {
        assert_eq!(expression(control), "c > 1", "{control}");
    }
    for control in ["@for (;c > 1;) a = 1;", "for (;c @> 1;) a = 1;", "do { a = 1; @} while (c > 1);"] {
        assert_eq!(expression(control), "c > 1", "{control}");
    }
    assert_eq!(expression("@do a = 1; while (c > 1);"), "c > 1");
    assert_eq!(expression("@switch (a + 1) { default: ; }"), "a + 1");
    assert_eq!(expression("if (((a @< b))) a = 1;"), "a < b");
    assert_eq!(expression("if (a && b @< 3) a = 1;"), "a && b < 3");
    assert_eq!(expression("if (@next(a) > 2) a = 1;"), "next(a) > 2");
    assert_eq!(expression("x = @a > b ? b : a;"), "a > b");
    assert_eq!(expression("x = a > b @? b : a;"), "a > b");
    assert_eq!(expression("x = a > b ? b @+ 1 : a;"), "x = a > b ? b + 1 : a");
    assert_eq!(expression("@for (;;) break;"), "-");
}

#[test]
fn full_expressions() {
    assert_eq!(expression("return a @/ b;"), "a / b");
    assert_eq!(expression("@return (a + b);"), "a + b");
    assert_eq!(expression("@return;"), "-");
    assert_eq!(expression("x = a @+ b * 2;"), "x = a + b * 2");
    assert_eq!(expression("int @y = f(a) + 1;"), "f(a) + 1");
    assert_eq!(expression("x = 1, y @= 2;"), "y = 2");
    assert_eq!(expression("for (i @= 0; i < a; i++) ;"), "i = 0");
    assert_eq!(expression("while (a) { b @= 1; }"), "b = 1");
}

#[test]
fn operands() {
    assert_eq!(operand("if (a @&& b < 3) a = 1;"), "a");
    assert_eq!(operand("if (a && b @< 3) a = 1;"), "b < 3");
    assert_eq!(operand("if (a && b @&& a > 1) a = 1;"), "b");
    assert_eq!(operand("if ((a || b > 2) @&& (a || b)) a = 1;"), "b > 2");
    assert_eq!(operand("if ((a || b > 2) && (a @|| b)) a = 1;"), "a");
    assert_eq!(operand("if (!a @&& b) a = 1;"), "!a");
    assert_eq!(operand("if (!(a && b) @&& *p) a = 1;"), "b");
    assert_eq!(operand("if (a && (@b)) a = 1;"), "b");
    assert_eq!(operand("if (a || @next(b) == 0) a = 1;"), "next(b) == 0");
    assert_eq!(operand("x = a @|| b;"), "a");
    assert_eq!(operand("if (a @< b) a = 1;"), "a < b");
    assert_eq!(operand("if (a && b) x @= 1;"), "x = 1");
}

#[test]
fn macro_calls() {
    assert_eq!(statement("@assert(x > 0);"), "assert(x > 0)");
    assert_eq!(statement("@assert (a * b);"), "assert (a * b)");
    assert_eq!(statement("@assert(p);"), "assert(p)");
    assert_eq!(statement("@assert(*p);"), "assert(*p)");
    assert_eq!(expression("@assert(x > 0 && a);"), "x > 0 && a");
    assert_eq!(expression("@__VERIFIER_assert(a >= 0);"), "a >= 0");
    assert_eq!(expression("@next(a >= 0);"), "next(a >= 0)");
    assert_eq!(ask(&body("@assert(x > 0);"), SourceText::macro_argument), "x > 0");
    assert_eq!(ask(&body("@CHECK(x > 0, \"x\");"), SourceText::macro_argument), "x > 0");
    assert_eq!(ask(&body("@assert();"), SourceText::macro_argument), "-");
    assert_eq!(ask(&body("assert(@x > 0);"), SourceText::macro_argument), "-");
    let (source, line, column) = marked(&body("if (a) @assert(x > 0);"));
    assert_eq!(source.called_name(line, column), Some("assert"));
}

#[test]
fn if_and_else() {
    assert_eq!(
        described("if (@a == -1) { b = 1; } else { b = 2; }"),
        "If Condition: if (a == -1) | a == -1 | { b = 1; } | { b = 2; } | if (a == -1)"
    );
    assert_eq!(described("if (a) b @= 1;"), "If Then: if (a) | a | b = 1; | - | if (a)");
    assert_eq!(described("if (a) b = 1; else b @= 2;"), "If Else: if (a) | a | b = 1; | b = 2; | if (a)");
    assert_eq!(described("a @= 1;"), "-");
}

#[test]
fn chains_of_else_if() {
    let chain = "if (a) b = 1; else if (@b) b = 2; else if (*p) b = 3;";
    assert_eq!(described(chain), "If Condition: if (b) | b | b = 2; | if (*p) b = 3; | if (a)");
    let last = "if (a) b = 1; else if (b) b = 2; else if (@*p) b = 3;";
    assert_eq!(described(last), "If Condition: if (*p) | *p | b = 3; | - | if (a)");
    let nested = "if (a) { if (@b) b = 2; }";
    assert_eq!(described(nested), "If Condition: if (b) | b | b = 2; | - | if (b)");
    let in_block = "if (a) b = 1; else { if (@b) b = 2; }";
    assert_eq!(described(in_block), "If Condition: if (b) | b | b = 2; | - | if (b)");
}

#[test]
fn loops_and_switch() {
    assert_eq!(described("@while (a) b = 1;"), "While Head: while (a) | a | b = 1; | - | while (a)");
    assert_eq!(
        described("for (i = 0; i @< a; i++) { b = i; }"),
        "For Condition: for (i = 0; i < a; i++) | i < a | { b = i; } | - | for (i = 0; i < a; i++)"
    );
    assert_eq!(described("for (;; a@++) b = 1;"), "For Head: for (;; a++) | - | b = 1; | - | for (;; a++)");
    let while_a = "while (a) | a | { b = 1; } | - | while (a)";
    assert_eq!(described("do { b = 1; @} while (a);"), format!("DoWhile Head: {while_a}"));
    assert_eq!(described("do { b @= 1; } while (a);"), format!("DoWhile Then: {while_a}"));
    assert_eq!(described("do { b = 1; } while (@a);"), format!("DoWhile Condition: {while_a}"));
    assert_eq!(
        described("@switch (a) { case 1: b = 1; }"),
        "Switch Head: switch (a) | a | { case 1: b = 1; } | - | switch (a)"
    );
}

#[test]
fn conditional_and_logical_operators() {
    assert_eq!(described("x = @a > b ? b : a;"), "Conditional Condition: a > b ? | a > b | b | a | a > b ?");
    assert_eq!(described("x = a > b ? @next() : a;"), "Conditional Then: a > b ? | a > b | next() | a | a > b ?");
    assert_eq!(described("if (a @&& b) x = 1;"), "LogicalAnd Head: a && | a | b | - | a &&");
    assert_eq!(described("if ((a) @|| b) x = 1;"), "LogicalOr Head: (a) || | a | - | b | (a) ||");
    assert_eq!(control("if (a && @b) x = 1;").unwrap().1.kind, ControlKind::If);
    assert_eq!(control("if (a && @b) x = 1;").unwrap().1.part, Part::Condition);
    assert_eq!(described("x = a @& b;"), "-");
}

#[test]
fn extents_count_bytes_from_one() {
    let (source, line, column) = marked("int f(void) {\n\t\tint y @= 1 +\n\t\t\t2;\n}\n");
    let extent = source.extent_of_statement(line, column).unwrap();
    assert_eq!(extent, Extent { line: 2, column: 3, end_line: 3, end_column: 5 });
    assert_eq!(source.text(extent), "int y = 1 + 2");
    let (source, line, column) = marked("void f(void) { puts(\"größe\"); x @= 1; }\n");
    let extent = source.extent_of_statement(line, column).unwrap();
    assert_eq!((extent.column, extent.end_column), (33, 38));
    // In the middle of a character.
    assert!(source.extent_of_statement(1, 24).is_some());
}

#[test]
fn line_ends_of_all_kinds() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["int f(int a) {", "  if (a)", "    a = 1;", "}", ""].join(end);
        let source = SourceText::new("t.c".into(), text);
        assert_eq!(source.line(2), "  if (a)");
        assert_eq!(source.line(4), "}");
        assert_eq!(source.line_count(), 4);
        let extent = source.extent_of_statement(3, 7).unwrap();
        assert_eq!(extent, Extent { line: 3, column: 5, end_line: 3, end_column: 10 });
        assert_eq!(source.text(source.enclosing_control(2, 3).unwrap().whole), "if (a) a = 1;");
    }
}

#[test]
fn lines() {
    let source = SourceText::new("dir/t.c".into(), "a\n\nb".into());
    assert_eq!(
        (source.line(0), source.line(1), source.line(2), source.line(3), source.line(4)),
        ("", "a", "", "b", "")
    );
    assert_eq!((source.path(), source.line_count()), ("dir/t.c", 3));
    assert_eq!(SourceText::new(String::new(), String::new()).line_count(), 0);
    assert_eq!(SourceText::new(String::new(), String::new()).line(1), "");
}

#[test]
fn bytes_that_are_not_utf8_keep_their_columns() {
    let source = SourceText::from_bytes("t.c".into(), b"void f(void) { puts(\"gr\xf6\xdfe\"); x = 1; }\n");
    assert_eq!(source.line(1), "void f(void) { puts(\"gr??e\"); x = 1; }");
    assert_eq!(source.text(source.extent_of_statement(1, 33).unwrap()), "x = 1");
}

#[test]
fn text_is_folded() {
    let whole = |text: &str| {
        let source = SourceText::new("t.c".into(), text.into());
        let end_line = source.line_count();
        let end_column = source.line(end_line).len() as u32 + 1;
        source.text(Extent { line: 1, column: 1, end_line, end_column })
    };
    assert_eq!(whole("f(a, // first\n\t  b)"), "f(a, b)");
    assert_eq!(whole("a /* one\n two */ + /**/ b"), "a + b");
    assert_eq!(whole("a/**/b"), "a b");
    assert_eq!(whole("  x = 1  "), "x = 1");
    assert_eq!(whole("s = \"a  /* b */  // c\\\"  d\" ;"), "s = \"a  /* b */  // c\\\"  d\" ;");
    assert_eq!(whole("c = '\"' /* x */ + ' '"), "c = '\"' + ' '");
    assert_eq!(whole("a + \\\n  b"), "a + b");
    assert_eq!(whole("a + \\\r\n  b"), "a + b");
    assert_eq!(whole("a /* open"), "a");
    assert_eq!(whole("s = \"open"), "s = \"open");
    assert_eq!(whole("a \\"), "a \\");
    let source = SourceText::new("t.c".into(), "int x;".into());
    assert_eq!(source.text(Extent { line: 9, column: 1, end_line: 9, end_column: 2 }), "");
    assert_eq!(source.text(Extent { line: 1, column: 5, end_line: 1, end_column: 2 }), "");
    assert_eq!(source.text(Extent { line: 0, column: 0, end_line: 0, end_column: 0 }), "");
}

#[test]
fn comments_inside_statements() {
    assert_eq!(statement("x @= a /* why */ + // because\n  b;"), "x = a + b");
    assert_eq!(statement("if /* c */ (/* d */ @a) b = 1;"), "if ( a)");
    assert_eq!(expression("@if (/* d */ a /* e */) b = 1;"), "a");
    assert_eq!(ask(&body("@assert(/* d */ a > 0);"), SourceText::macro_argument), "a > 0");
}

#[test]
fn old_style_definitions() {
    let source = "int g(a, b)\n  int a;\n  char *b;\n{\n  if (a @> 0) a = *b;\n  return a;\n}\n";
    assert_eq!(ask(source, SourceText::extent_of_statement), "if (a > 0)");
    let parameter = "int g(a, b)\n  int @a;\n  char *b;\n{\n  return a;\n}\n";
    assert_eq!(ask(parameter, SourceText::extent_of_statement), "int a");
    let implicit = "main(argc, argv)\n  char **argv;\n{\n  argc @= 2;\n}\n";
    assert_eq!(ask(implicit, SourceText::extent_of_statement), "argc = 2");
}

#[test]
fn variables_without_a_type() {
    assert_eq!(statement("register n;\n  n @= a * a;"), "n = a * a");
    assert_eq!(statement("@register n;\n  n = a * a;"), "register n");
    assert_eq!(statement("register n, m;\n  n @= a * a;"), "n = a * a");
    assert_eq!(statement("auto i; static k = 4;\n  const n @= 5;\n  volatile v;\n  v = i;"), "const n = 5");
    assert_eq!(statement("auto i; static k = 4;\n  const n = 5;\n  volatile v;\n  v @= i;"), "v = i");
    assert_eq!(statement("static s;\n  @next(s);"), "next(s)");
    assert_eq!(ask(&body("static s;\n  @assert(s > 0);"), SourceText::macro_argument), "s > 0");
    assert_eq!(statement("register unsigned u;\n  u @= 2;"), "u = 2");
    assert_eq!(
        ask(
            include_str!("../../../tests/corpus/knr.c").replace("product =", "product @=").as_str(),
            SourceText::extent_of_statement
        ),
        "product = value * value"
    );
}

#[test]
fn macros_on_lines_of_their_own() {
    assert_eq!(statement("BEGIN\n  x @= 3;\n  END\n  f(x);"), "x = 3");
    assert_eq!(statement("BEGIN\n  x = 3;\n  END\n  @f(x);"), "f(x)");
    assert_eq!(statement("@BEGIN\n  x = 3;"), "BEGIN");
    assert_eq!(statement("BEGIN // the first one\n  @return x;"), "return x");
    assert_eq!(statement("FOREACH(x, list)\n    sum @+= x;"), "sum += x");
    assert_eq!(statement("@FOREACH(x, list)\n    sum += x;"), "FOREACH(x, list)");
    assert_eq!(statement("LOCK(m)\r\n  x @= 3;"), "x = 3");
    assert_eq!(statement("CHECK(a > 3)\n  x@++;"), "x++");
    assert_eq!(ask(&body("LOCK(m)\n  @assert(a > 0);"), SourceText::macro_argument), "a > 0");
    // Types are written in small letters.
    assert_eq!(statement("size_t\n    n @= f(a);"), "size_t n = f(a)");
    assert_eq!(statement("int x __attribute__((unused)) @= 3;"), "int x __attribute__((unused)) = 3");
    // One that cannot be repaired does not spoil the others.
    assert_eq!(statement("register n;\n  if (a) FOREACH(b)\n    x = 1; else x = 2;\n  n @= 3;"), "n = 3");
}

#[test]
fn preprocessor_inside_functions() {
    assert_eq!(statement("\n#ifdef X\n  a = 1;\n#else\n  a @= 2;\n#endif\n"), "a = 2");
    assert_eq!(statement("\n#if X\n  if (@a)\n    b = 1;\n#endif\n"), "if (a)");
    assert_eq!(statement("printf(\"%\" PRId64 \"\\n\", @next(a));"), "next(a)");
}

#[test]
fn broken_code_never_panics() {
    let programs = [
        "int f( { if (",
        "}}}}))((",
        "int f(void) { x = ; }",
        "int f(void) { if x > 1) y = 2; }",
        "int f(void) { a ? : b && ; do while; for (;;",
        "int f(void) { return \"open; }\n int y = 'x",
        "FOREACH(x, list) { y = x; } END",
        "@@@ \u{1F980} \0 \u{feff}int x;",
        "#if\n#else\n#define",
        "int f(void) { do { ; } } while",
    ];
    for program in programs {
        let source = SourceText::new("t.c".into(), program.into());
        for line in 0..4 {
            for column in 0..60 {
                let found = [
                    source.extent_of_statement(line, column),
                    source.extent_of_expression(line, column),
                    source.operand_at(line, column),
                    source.macro_argument(line, column),
                    source.enclosing_control(line, column).map(|control| control.head),
                ];
                for extent in found.into_iter().flatten() {
                    assert!((extent.line, extent.column) <= (extent.end_line, extent.end_column), "{program}");
                    source.text(extent);
                }
                source.called_name(line, column);
            }
        }
    }
}

#[test]
fn every_position_of_a_cut_program() {
    let program = "int f(int a) {\r\n  for (int i = 0; i < a && i; i++) { if (a) g(i); else do a--; while (a); }\n}\n";
    for cut in 0..program.len() {
        let source = SourceText::new("t.c".into(), program[..cut].into());
        for line in 1..4 {
            for column in 1..80 {
                source.extent_of_statement(line, column);
                source.extent_of_expression(line, column);
                source.operand_at(line, column);
                source.enclosing_control(line, column);
            }
        }
    }
}

#[test]
fn deep_nesting() {
    let depth = 20_000;
    let sum = format!("int f(int a) {{ return {}a{}; }}", "(".repeat(depth), ")".repeat(depth));
    let source = SourceText::new("t.c".into(), sum);
    source.extent_of_statement(1, 16);
    let chain = format!("int f(int a) {{ {} a = 1; }}", "if (a) a = 2; else ".repeat(depth));
    let source = SourceText::new("t.c".into(), chain);
    let last = source.line(1).rfind("if (a)").unwrap() as u32 + 1;
    let control = source.enclosing_control(1, last).unwrap();
    assert_eq!((control.outermost.column, source.text(control.head)), (16, "if (a)".into()));
}

#[test]
fn decisions_are_the_conditions_of_statements() {
    let text = "int f(int x) {\n#if 0\n  if (x) x = 1;\n#else\n  while (x > 1) x--;\n#endif\n  for (;;) break;\n  \
                do x++; while ((x < 3));\n  return x ? 1 : 2;\n}\n";
    let source = SourceText::new("f.c".into(), text.into());
    let told: Vec<(String, Option<(u32, u32)>)> = source
        .decisions()
        .iter()
        .map(|d| (source.text(d.condition), d.section.map(|s| (s.line, s.end_line))))
        .collect();
    assert_eq!(told, [("x".into(), Some((2, 3))), ("x > 1".into(), Some((4, 5))), ("x < 3".into(), None)]);
}
