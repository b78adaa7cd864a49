use crate::{Shape, SourceText};

/// The part of the initialiser of `t` for a path, with its line.
fn initialiser(source: &str, shape: &Shape, path: &[u64]) -> String {
    let line = source.lines().position(|line| line.contains(" t")).expect("a declaration") as u32 + 1;
    let text = SourceText::new("t.c".into(), source.into());
    let constant = |name: &str| (name == "TWO").then_some(2);
    let found = text.initialiser(("t", line), shape, path, &constant);
    found.map_or("-".into(), |extent| format!("{}: {}", extent.line, text.text(extent)))
}

fn array(element: Shape, count: u64) -> Shape {
    Shape::Array { element: Box::new(element), count, text: false }
}

fn pair() -> Shape {
    Shape::Record(vec![("name".into(), Shape::Scalar), ("run".into(), Shape::Scalar)])
}

#[test]
fn rows_of_a_table() {
    let table =
        "static const struct c t[] = {\n  {\"a\", f}, /* first */\n  {\"b\", NULL}, {\"c\",\n g},\n  {\"d\"},\n};\n";
    let shape = array(pair(), 4);
    assert_eq!(initialiser(table, &shape, &[0, 1]), "2: {\"a\", f}");
    assert_eq!(initialiser(table, &shape, &[1, 1]), "3: {\"b\", NULL}");
    assert_eq!(initialiser(table, &shape, &[2, 1]), "4: g");
    assert_eq!(initialiser(table, &shape, &[3, 1]), "5: {\"d\"}");
    assert_eq!(initialiser("static int t[3];", &array(Shape::Scalar, 3), &[0]), "-");
}

#[test]
fn braces_may_be_left_out() {
    let flat = "int t[2][2] = {1, 2,\n3, 4};";
    assert_eq!(initialiser(flat, &array(array(Shape::Scalar, 2), 2), &[1, 0]), "2: 3");
    let mixed = "struct c t[] = {\"a\", 1,\n{\"b\", 2},\n\"c\", 3};";
    assert_eq!(initialiser(mixed, &array(pair(), 3), &[2, 1]), "3: 3");
    let text = Shape::Array { element: Box::new(Shape::Scalar), count: 4, text: true };
    assert_eq!(initialiser("char t[2][4] = {\"abc\",\n\"def\"};", &array(text, 2), &[1, 2]), "2: \"def\"");
    // Whether `x` is a struct or its first member cannot be seen.
    assert_eq!(initialiser("struct c t[] = {x, y,\n z};", &array(pair(), 2), &[1, 0]), "-");
    assert_eq!(initialiser("struct c t[] = {ROW(x),\n ROW(y)};", &array(pair(), 2), &[1, 0]), "2: ROW(y)");
}

#[test]
fn designators_are_followed() {
    let designated = "struct c t[] = {\n[1] = {.run = f, .name = 0},\n{\"x\", g},\n[0].run = h,\n};";
    assert_eq!(initialiser(designated, &array(pair(), 3), &[1, 0]), "2: [1] = {.run = f, .name = 0}");
    assert_eq!(initialiser(designated, &array(pair(), 3), &[2, 1]), "3: {\"x\", g}");
    assert_eq!(initialiser(designated, &array(pair(), 3), &[0, 1]), "4: [0].run = h");
    assert_eq!(initialiser(designated, &array(pair(), 3), &[0, 0]), "-", "nothing initialises it");
    let named = "int t[] = {[TWO] = 5,\n6, [0 ... 1] = 7};";
    assert_eq!(initialiser(named, &array(Shape::Scalar, 4), &[3]), "2: 6");
    assert_eq!(initialiser(named, &array(Shape::Scalar, 4), &[1]), "2: [0 ... 1] = 7");
    let defined =
        "#define FIRST 1\nenum e { A, B = FIRST, C, D = 7 + 1, E };\nint t[] = {[C] = 5,\n[B] = 6,\n[FIRST + 2] = 7};";
    assert_eq!(initialiser(defined, &array(Shape::Scalar, 4), &[1]), "-", "not all is known");
    let defined = defined.replace("FIRST + 2", "3");
    assert_eq!(initialiser(&defined, &array(Shape::Scalar, 4), &[1]), "4: [B] = 6");
    assert_eq!(initialiser("int t[] = {[MACRO] = 5,\n6};", &array(Shape::Scalar, 4), &[3]), "-");
    assert_eq!(initialiser("int t[] = {\n#if A\n1,\n#endif\n2};", &array(Shape::Scalar, 2), &[1]), "-");
}

#[test]
fn members_are_found_where_they_are_declared() {
    let source = "struct a { int n, *next; };\nstruct b {\n  char text[8];\n  int n;\n};\nint f(struct a *x) { return x->n + x->next[0]; }\n";
    let text = SourceText::new("t.c".into(), source.into());
    let lines = |name: &str| {
        let mut lines: Vec<u32> = text.members(name).iter().map(|e| e.line).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!((lines("n"), lines("next"), lines("text"), lines("x")), (vec![1, 4], vec![1], vec![3], vec![]));
}
