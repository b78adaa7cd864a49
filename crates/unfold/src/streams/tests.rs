//! Tests as formulas: they pass where the run does what is expected, and nowhere else.

use crate::native::{Native, does, stdin};
use crate::{Expected, TestInput, Unfolding};

/// Whether a test passes, by its formula and by what the run does.
fn passes(unfolding: &Unfolding, input: &TestInput, expected: &Expected) -> bool {
    let mut whole = unfolding.clone();
    let test = whole.test(input, expected);
    let mut run = whole.evaluation(input);
    for read in &test.reads {
        assert_eq!(run.value(&whole.terms, *read), Some(1), "what is read is what the test gives");
    }
    let formula = run.value(&whole.terms, test.passes).expect("nothing is open") == 1;
    assert_eq!(formula, does(unfolding, input).expect("it ends").passes(expected));
    formula
}

fn output(text: &str) -> Expected {
    Expected { stdout: Some(text.as_bytes().to_vec()), status: None }
}

const ECHO: &str = "#include <stdio.h>\nint main(void) {\n  int c, n = 0;\n  while ((c = getchar()) != EOF && n < 3) {\n    if (c >= 'a')\n      putchar(c - 32);\n    else if (c == '!')\n      printf(\"<%d>\", n);\n    n++;\n  }\n  return n;\n}\n";

#[test]
fn a_text_is_written_by_exactly_one_input() {
    let unfolding = Native::new(ECHO).unfold(&[stdin(b"ab!")]);
    let letters = [b'a', b'b', b'!', b'.'];
    let mut found = vec![];
    for a in letters {
        for b in letters {
            for c in letters {
                let input = [a, b, c];
                for text in ["AB<2>", "A<1>", "", "<0>B"] {
                    if passes(&unfolding, &stdin(&input), &output(text)) {
                        found.push((String::from_utf8_lossy(&input).into_owned(), text));
                    }
                }
            }
        }
    }
    let expected = [("ab!", "AB<2>"), ("a!.", "A<1>"), ("!b.", "<0>B"), ("!.b", "<0>B"), (".!.", "<1>"), ("...", "")];
    let expected: Vec<_> = expected.iter().filter(|(_, text)| *text != "<1>").collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(expected.iter().all(|(input, text)| found.contains(&(input.to_string(), *text))), "{found:?}");
}

#[test]
fn shorter_input_ends_earlier() {
    let unfolding = Native::new(ECHO).unfold(&[stdin(b"ab!"), stdin(b"")]);
    assert!(passes(&unfolding, &stdin(b"a"), &output("A")));
    assert!(!passes(&unfolding, &stdin(b"a"), &output("AB")));
    assert!(passes(&unfolding, &stdin(b""), &output("")));
}

#[test]
fn the_status_counts_where_it_is_asked_for() {
    let unfolding = Native::new(ECHO).unfold(&[stdin(b"ab!")]);
    let status = |status| Expected { stdout: None, status: Some(status) };
    assert!(passes(&unfolding, &stdin(b"ab"), &status(2)));
    assert!(!passes(&unfolding, &stdin(b"ab"), &status(3)));
    assert!(passes(&unfolding, &stdin(b"ab"), &status(258)), "only eight bits of it are seen");
    assert!(passes(&unfolding, &stdin(b"ab"), &Expected::default()));
}

#[test]
fn a_run_that_fails_passes_nothing() {
    let source = "#include <stdio.h>\n#include <assert.h>\nint main(void) {\n  int c = getchar();\n  assert(c != 'x');\n  putchar(c);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"a")]);
    assert!(passes(&unfolding, &stdin(b"a"), &output("a")));
    assert!(!passes(&unfolding, &stdin(b"x"), &output("x")));
    assert!(!passes(&unfolding, &stdin(b"x"), &Expected::default()));
}
