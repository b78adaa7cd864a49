//! Where output departs from what was expected: the call, the item, the decision that left it undone.

use super::Told;
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_fixtures::{Fixture, recorded, stopped};
use wherefore_trace::{FailureKind, walk};

fn held(source: &str, expected: &str) -> Told {
    let fixture = Fixture::new(source);
    let ran = fixture.run(&[]);
    let stopped = stopped(&ran);
    let mut recording = recorded(&ran.recording);
    recording.stdout = Some(&ran.stdout);
    let expected = Expected { stdout: Some(expected.into()), status: None };
    let program = fixture.program().clone();
    let trace = walk(&program, &recording, stopped, &expected, &Budget::unlimited()).expect("in step");
    assert!(trace.is_possible(), "what is said of the run holds in it");
    super::consistent(Told { program, trace })
}

/// The line of the source, the words, and whether a condition of its own makes it fail rather than being reached.
fn departs(source: &str, expected: &str) -> (u32, String, bool) {
    let told = held(source, expected);
    let failure = told.trace.failure.as_ref().expect("it fails");
    assert_eq!(failure.kind, FailureKind::Output);
    let departure = told.trace.departure.as_ref().expect("the texts");
    assert!(expected.len() >= departure.position);
    let own = told.trace.terms.truth_value(failure.violated).is_none();
    (failure.at.map_or(0, |at| at.line), failure.message.clone(), own)
}

fn line_with(source: &str, text: &str) -> u32 {
    source.lines().position(|line| line.contains(text)).expect("such a line") as u32 + 1
}

/// The output departs in the line that has `mark`, by a condition of its own or not.
fn holds(source: &str, expected: &str, mark: &str, words: &str, own: bool) {
    let (line, message, has_own) = departs(source, expected);
    assert_eq!((line, message.as_str(), has_own), (line_with(source, mark), words, own));
}

#[test]
fn the_item_of_a_format_is_the_one_that_differs() {
    let source = "#include <stdio.h>\nint main(void) {\n  int n = 3, largest = 2;\n  unsigned char c = 200;\n\
                  \x20 printf(\"%d numbers, largest %4d\\n\", n, largest);\n  printf(\"%x %c\\n\", c, n + 'a');\n}\n";
    let right = "3 numbers, largest    2\nc8 d\n";
    assert!(held(source, right).trace.failure.is_none());
    let words =
        |own: &str, expected: &str, place: &str| format!("prints \"{own}\" where \"{expected}\" is expected ({place})");
    let first = "printf(\"%d numbers";
    holds(source, "3 numbers, largest    6\n", first, &words("2", "6", "output line 1, column 20"), true);
    holds(source, "30 numbers, largest    2\n", first, &words("3", "30", "output line 1, column 1"), true);
    holds(
        source,
        "3 numbers, greatest    2\n",
        first,
        &words("largest    2", "greatest    2", "output line 1, column 12"),
        false,
    );
    holds(source, &right.replace("c8", "c9"), "printf(\"%x", &words("c8", "c9", "output line 2, column 1"), true);
    holds(source, &right.replace("8 d", "8 q"), "printf(\"%x", &words("d", "q", "output line 2, column 4"), true);
}

#[test]
fn a_number_that_ends_a_call_may_be_too_short() {
    let source = "#include <stdio.h>\nint main(void) {\n  int n = 1;\n  printf(\"%d\", n);\n  printf(\"\\n\");\n}\n";
    let words = "prints \"1\" where \"12\" is expected (output line 1, column 1)";
    holds(source, "12\n", "printf(\"%d", words, true);
}

#[test]
fn reals_differ_by_what_they_are_rounded_to() {
    let source = "#include <stdio.h>\nint main(void) {\n  double sum = 7, n = 2;\n  printf(\"%-6s|%8.2f\\n\", \"mean\", sum / n);\n}\n";
    assert!(held(source, "mean  |    3.50\n").trace.failure.is_none());
    let words = "prints \"3.50\" where \"2.33\" is expected (output line 1, column 8)";
    holds(source, "mean  |    2.33\n", "printf", words, true);
}

#[test]
fn a_character_of_a_string_differs() {
    let source = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n  char name[8] = \"anne\";\n  name[0] -= 31;\n\
                  \x20 printf(\"<%s>\\n\", name);\n  puts(name);\n  fputs(name, stdout);\n  fwrite(name, 1, 4, stdout);\n}\n";
    let right = "<Bnne>\nBnne\nBnneBnne";
    assert!(held(source, right).trace.failure.is_none());
    let words = "prints \"Bnne\" where \"Anne\" is expected (output line 1, column 2)";
    holds(source, &right.replacen("Bnne", "Anne", 1), "printf", words, true);
    let words = "prints \"Bnne\" where \"Bnn\" is expected (output line 2, column 1)";
    holds(source, "<Bnne>\nBnn\nBnneBnne", "puts(name);", words, true);
    let words = "prints \"Bnne\" where \"Bnna\" is expected (output line 2, column 1)";
    holds(source, "<Bnne>\nBnna\nBnneBnne", "puts(name);", words, true);
    let (line, _, own) = departs(source, "<Bnne>\nBnne\nBnneBxne");
    assert_eq!((line, own), (line_with(source, "fwrite"), true));
}

#[test]
fn a_text_that_was_chosen_is_explained_by_the_choice() {
    let source = "#include <stdio.h>\nint main(void) {\n  int x = 3;\n  const char *said = x > 3 ? \"yes\" : \"no\";\n  puts(said);\n}\n";
    holds(source, "yes\n", "puts", "prints \"no\" where \"yes\" is expected (output line 1, column 1)", true);
}

#[test]
fn characters_one_by_one() {
    let source = "#include <stdio.h>\nstatic void digits(unsigned n) {\n  if (n > 9) digits(n / 10);\n  putchar('0' + n % 10);\n}\n\
                  int main(void) { digits(407); putc('\\n', stdout); }\n";
    assert!(held(source, "407\n").trace.failure.is_none());
    holds(source, "417\n", "putchar", "prints \"0\" where \"1\" is expected (output line 1, column 2)", true);
}

#[test]
fn a_fixed_text_is_wrong_by_being_reached() {
    let source = "#include <stdio.h>\nint main(void) {\n  for (int i = 1; i < 4; i++) {\n    if (i % 2 == 1) printf(\"odd\\n\");\n\
                  \x20   else printf(\"even\\n\");\n  }\n}\n";
    holds(
        source,
        "odd\neven\neven\n",
        "odd",
        "prints \"odd\" where \"even\" is expected (output line 3, column 1)",
        false,
    );
    let words = "prints \"odd\" where the output should have ended (output line 3, column 1)";
    holds(source, "odd\neven\n", "odd", words, false);
}

#[test]
fn a_loop_that_ends_too_early_leaves_output_undone() {
    let source = "#include <stdio.h>\nint main(void) {\n  int a[] = {3, 1, 4}, n = 3;\n  for (int i = 0; i < n - 1; i++)\n\
                  \x20   printf(\"%d \", a[i]);\n  printf(\"\\n\");\n  fprintf(stderr, \"5\");\n}\n";
    let words = "goes on to print \"\\n\" in line 6 where \"4 \" is expected (output line 1, column 5)";
    let (line, message, own) = departs(source, "3 1 4 \n");
    assert_eq!((line, message.replace("\"4\"", "\"4 \""), own), (4, words.to_string(), true));
    let source = source.replace("  printf(\"\\n\");\n", "");
    let words = "the output ends here; \"4 \" is expected next (output line 1, column 5)";
    holds(&source, "3 1 4 ", "for", words, true);
}

#[test]
fn a_branch_that_is_not_taken_leaves_output_undone() {
    let source = "#include <stdio.h>\nint main(void) {\n  int a[] = {3, 4, 5};\n  for (int i = 0; i < 3; i++) {\n\
                  \x20   if (a[i] == 4)\n      continue;\n    printf(\"%d\\n\", a[i]);\n  }\n  if (a[0] > 3) puts(\"big\");\n}\n";
    holds(
        source,
        "3\n5\nbig\n",
        "a[0] > 3",
        "the output ends here; \"big\" is expected next (output line 3, column 1)",
        true,
    );
    let source = source.replace("\\n\", a[i]", " \", a[i]");
    let (line, message, _) = departs(&source, "3 4 5 ");
    assert_eq!(line, 5, "{message}");
}

#[test]
fn output_that_is_missing_behind_a_complaint_was_given_up_there() {
    let source = "#include <stdio.h>\nstatic int parse(int n) {\n  if (n > 2) {\n    fprintf(stderr, \"too large\\n\");\n    return -1;\n\
                  \x20 }\n  return n;\n}\nstatic int show(int n) {\n  int v = parse(n);\n  if (v < 0)\n    return 1;\n\
                  \x20 printf(\"value %d\\n\", v);\n  return 0;\n}\n\
                  int main(void) {\n  int n = 3, more = 0;\n  int bad = show(n);\n  if (more)\n    printf(\"value %d\\n\", n);\n\
                  \x20 return bad;\n}\n";
    let words = "the output ends here; \"value 3\" is expected next (output line 1, column 1)";
    holds(source, "value 3\n", "v < 0", words, true);
    // Without one the last decision counts.
    let silent = source.replace("fprintf(stderr, \"too large\\n\")", "n++");
    holds(&silent, "value 3\n", "if (more)", words, true);
    // The decision to complain may be the one.
    let own = "#include <stdio.h>\nint main(void) {\n  int n = 3, more = 0;\n  if (n > 2)\n    perror(\"large\");\n  else\n\
               \x20   printf(\"value %d\\n\", n);\n  if (more)\n    puts(\"value 3\");\n}\n";
    holds(own, "value 3\n", "n > 2", words, true);
}

#[test]
fn the_end_of_the_last_line_is_missing() {
    let source = "#include <stdio.h>\nint main(void) { printf(\"a\\nyes\"); return 0; }\n";
    holds(source, "a\nyes\n", "printf", "prints \"yes\" and ends; \"yes\\n\" is expected", false);
    let source = "#include <stdio.h>\nint main(void) { printf(\"1 2 \\n\"); return 0; }\n";
    let words = "prints \" \\n\" where \"\\n\" is expected (output line 1, column 4; only white space differs)";
    let (_, message, _) = departs(source, "1 2\n");
    assert_eq!(message.contains("only white space differs"), words.contains("only white space differs"), "{message}");
}

#[test]
fn what_a_crash_leaves_in_the_buffer_is_not_wrong_output() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf(\"one\\n\"); abort(); }\n";
    let told = held(source, "one\n");
    assert_eq!(told.trace.failure.expect("it fails").kind, FailureKind::Abort);
    let source = source.replace("abort", "fflush(stdout); abort");
    let told = held(&source, "two\n");
    assert_eq!(told.trace.failure.expect("it fails").kind, FailureKind::Output);
}

#[test]
fn output_past_the_stream_of_the_library_is_placed_only_after_a_flush() {
    let source = "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n  printf(\"a\\n\");\n  fflush(stdout);\n\
                  \x20 write(1, \"b\\n\", 2);\n  printf(\"%d\\n\", 7);\n}\n";
    let (line, ..) = departs(source, "a\nb\n8\n");
    assert_eq!(line, 7);
    let source = source.replace("  fflush(stdout);\n", "  ;\n");
    let told = held(&source, "b\na\n8\n");
    let failure = told.trace.failure.expect("it fails");
    assert!(failure.message.ends_with("; which call writes that is not known, after write()"), "{}", failure.message);
    assert_eq!(failure.at, None, "no place is told");
}

#[test]
fn arguments_that_are_passed_on_are_found() {
    let source = "#include <stdarg.h>\n#include <stdio.h>\nstatic void say(const char *format, ...) {\n  va_list ap;\n\
                  \x20 va_start(ap, format);\n  vprintf(format, ap);\n  va_end(ap);\n}\n\
                  int main(void) { int x = 4, y = 5; say(\"at %d,%d\\n\", x, y); }\n";
    holds(source, "at 4,4\n", "vprintf", "prints \"5\" where \"4\" is expected (output line 1, column 6)", true);
}

#[test]
fn much_output_is_followed_to_the_place() {
    let source = "#include <stdio.h>\nint main(void) {\n  for (int i = 0; i < 20000; i++) printf(\"%d\\n\", i == 19998 ? 7 : i);\n}\n";
    let expected: String = (0..20000).map(|i| format!("{i}\n")).collect();
    let words = "prints \"7\" where \"19998\" is expected (output line 19999, column 1)";
    holds(source, &expected, "printf", words, true);
}

#[test]
fn nothing_written_at_all() {
    let source =
        "#include <stdio.h>\nint main(void) {\n  int found = 0;\n  if (found)\n    puts(\"found\");\n  return 0;\n}\n";
    let words = "the output ends here; \"found\" is expected next (output line 1, column 1)";
    holds(source, "found\n", "if (found)", words, true);
}

#[test]
fn an_empty_text_should_have_had_characters() {
    let source = "#include <stdio.h>\nint main(void) {\n  char a[4] = \"abc\", out[4];\n  for (int i = 0; i < 4; i++)\n    \
                  out[i] = a[3 - i];\n  printf(\"<%s>%s\\n\", out, out + 3);\n}\n";
    let words = "prints \"\" where \"cba>a\" is expected (output line 1, column 2)";
    holds(source, "<cba>a\n", "printf", words, true);
    // What is expected has nothing of what comes behind the text.
    let (_, _, own) = departs(source, "<|a\n");
    assert!(!own, "the format is wrong");
}

#[test]
fn a_length_may_be_wrong() {
    let source = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n  char text[8] = \"abcdef\";\n  size_t n = strlen(text) - 2;\n\
                  \x20 fwrite(text, 1, n, stdout);\n  puts(\"\");\n  printf(\"<%.*s>\\n\", (int)n, text);\n}\n";
    let departs = |expected: &str, mark: &str, own: &str, wanted: &str, line: u32, column: u32| {
        let words = format!("prints \"{own}\" where \"{wanted}\" is expected (output line {line}, column {column})");
        holds(source, expected, mark, &words, true);
        let told = held(source, expected);
        let violated = told.trace.failure.as_ref().expect("it fails").violated;
        told.trace.terms.variables(violated).iter().all(|v| told.trace.variables[v.0 as usize].bits == 64)
    };
    assert!(held(source, "abcd\n<abcd>\n").trace.failure.is_none());
    assert!(departs("abc\n<abcd>\n", "fwrite", "abcd", "abc", 1, 1));
    assert!(departs("abcde\n<abcd>\n", "fwrite", "abcd", "abcde", 1, 1));
    assert!(departs("abcd\n<a>\n", "printf", "abcd", "a", 2, 2));
    assert!(departs("abcd\n<abcdef>\n", "printf", "abcd", "abcdef", 2, 2));
    // Not a matter of the length.
    assert!(!departs("abcx\n<abcd>\n", "fwrite", "abcd", "abcx", 1, 1));
    assert!(!departs("abcd\n<abxd>\n", "printf", "abcd", "abxd", 2, 2));
}

#[test]
fn a_length_that_nobody_can_change_is_not_wrong() {
    let source = "#include <stdio.h>\nint main(int argc, char **argv) {\n  char text[8] = \"abcdef\";\n  fwrite(text, 1, 4, stdout);\n\
                  \x20 if (argc > 1) fwrite(text + 4, 1, 2, stdout);\n  puts(\"\");\n}\n";
    let (line, _, own) = departs(source, "abcdef\n");
    assert_eq!((line, own), (line_with(source, "if (argc > 1)"), true));
}

/// The lines of the stores of which the output shows that they may have gone to the wrong place.
fn misplaced(source: &str, expected: &str) -> Vec<u32> {
    let told = held(source, expected);
    assert!(told.trace.failure.is_some());
    let marked = told.trace.steps.iter().filter(|step| step.is_misplaced);
    marked.map(|step| step.at.map_or(0, |at| at.line)).collect()
}

#[test]
fn a_byte_may_stand_in_the_wrong_place() {
    let head = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n  char text[16], copy[16];\n  int n = 0;\n  text[n++] = '1';\n\
                \x20 text[n++] = ',';\n  text[n] = ' ';\n  text[n++] = '2';\n  text[n++] = '3';\n  text[n] = 0;\n";
    for tail in ["  puts(text);\n}\n", "  strcpy(copy, text);\n  printf(\"%s\\n\", copy);\n}\n"] {
        let source = format!("{head}{tail}");
        assert!(held(&source, "1,23\n").trace.failure.is_none());
        // Something is missing before it, the text ends too late, or too early.
        assert_eq!(misplaced(&source, "1, 23\n"), [9]);
        assert_eq!(misplaced(&source, "1,2\n"), [11]);
        assert_eq!(misplaced(&source, "1,234\n"), [11]);
        assert!(misplaced(&source, "1,43\n").is_empty());
        assert!(misplaced(&source, "2,23\n").is_empty());
    }
}

#[test]
fn a_text_in_a_wider_field_is_followed() {
    let source = "#include <stdio.h>\nint main(void) {\n  char t[8] = \"beta\";\n  t[2] = 'T';\n\
                  \x20 printf(\"[%6s|%6.3s]\\n\", t, t);\n}\n";
    let (line, message, is_conditional) = departs(source, "[  beta|   beT]\n");
    assert_eq!((line, is_conditional), (5, true), "{message}");
    assert!(message.contains("prints \"beTa"), "{message}");
    let (line, message, is_conditional) = departs(source, "[  beTa|   bet]\n");
    assert_eq!((line, is_conditional), (5, true), "{message}");
    // Another length.
    let (_, message, is_conditional) = departs(source, "[ abeTa|   beT]\n");
    assert!(!is_conditional, "{message}");
}
