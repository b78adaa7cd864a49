//! Merging where ways meet: one formula, every input.

use crate::native::{Native, stdin, writes};

/// Evaluates one formula for every character and compares with a function.
#[track_caller]
fn for_all_bytes(source: &str, expected: impl Fn(i64) -> i64) {
    let unfolding = Native::new(source).unfold(&[stdin(b"a")]);
    for byte in 0..=255u8 {
        let value = expected(i64::from(byte));
        assert_eq!(writes(&unfolding, &stdin(&[byte])), value.to_string(), "input {byte}");
    }
}

fn program(body: &str) -> String {
    format!(
        "#include <stdio.h>\nint g;\nint main(void) {{\n  int c = getchar(), r = 0;\n  {body}\n  printf(\"%d\", r);\n  return 0;\n}}\n"
    )
}

#[test]
fn values_of_both_sides_of_an_if_meet() {
    for_all_bytes(&program("if (c > 100) r = c - 1; else r = c + 1;"), |c| if c > 100 { c - 1 } else { c + 1 });
}

#[test]
fn values_of_one_side_meet_those_before() {
    for_all_bytes(&program("r = 7; if (c % 3 == 0) { r = c; if (c % 2) r = -c; }"), |c| match c {
        c if c % 3 == 0 => {
            if c % 2 == 1 {
                -c
            } else {
                c
            }
        }
        _ => 7,
    });
}

#[test]
fn cases_of_a_switch_meet() {
    let source =
        program("switch (c & 3) { case 0: r = 1; case 1: r += 2; break; case 2: r = c; break; default: r = 9; }");
    for_all_bytes(&source, |c| [3, 2, c, 9][(c & 3) as usize]);
}

#[test]
fn ways_out_of_a_function_meet() {
    let source = "#include <stdio.h>\nint f(int c) { if (c < 10) return 1; if (c < 100) return 2; return 3; }\nint main(void) { printf(\"%d\", f(getchar())); return 0; }\n";
    for_all_bytes(source, |c| {
        if c < 10 {
            1
        } else if c < 100 {
            2
        } else {
            3
        }
    });
}

#[test]
fn globals_and_members_meet() {
    let source = program(
        "struct { char a; int b; } s = {1, 2}; if (c > 50) { s.b = c; g = 5; } else s.a = 3; r = s.a * 1000 + s.b * 10 + g;",
    );
    for_all_bytes(&source, |c| if c > 50 { 1000 + c * 10 + 5 } else { 3000 + 20 });
}

#[test]
fn pointers_to_either_variable_meet() {
    let source = program("int x = 1, y = 2; int *p = c & 1 ? &x : &y; *p += c; r = x * 1000 + y;");
    for_all_bytes(&source, |c| if c & 1 == 1 { (1 + c) * 1000 + 2 } else { 1000 + 2 + c });
}

#[test]
fn functions_called_through_either_pointer_meet() {
    let source = "#include <stdio.h>\nint inc(int x) { return x + 1; }\nint neg(int x) { return -x; }\nint main(void) { int c = getchar(); int (*f)(int) = c > 9 ? inc : neg; printf(\"%d\", f(c)); return 0; }\n";
    for_all_bytes(source, |c| if c > 9 { c + 1 } else { -c });
}

#[test]
fn short_circuits_and_conditional_values_meet() {
    for_all_bytes(&program("r = (c > 10 && c < 20) || c == 99 ? c : c & 1 ? -1 : -2;"), |c| match c {
        11..=19 | 99 => c,
        c if c & 1 == 1 => -1,
        _ => -2,
    });
}
