//! Library functions: the formula against native runs, and against a table for many inputs.

use crate::native::{Native, agrees, fails, stdin, writes};

/// A program that reads two strings of up to three characters and prints an expression.
fn strings(print: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\nint sign(int x) {{ return (x > 0) - (x < 0); }}\nint main(void) {{\n  char a[4] = {{0}}, b[4] = {{0}}, r[16] = {{0}};\n  for (int i = 0; i < 3; i++) {{ a[i] = getchar(); if (a[i] == '.') a[i] = 0; }}\n  for (int i = 0; i < 3; i++) {{ b[i] = getchar(); if (b[i] == '.') b[i] = 0; }}\n  {print}\n  return 0;\n}}\n"
    )
}

/// Every pair of strings of up to three of the letters a, b, B: `.` ends one.
fn pairs() -> Vec<([u8; 3], [u8; 3])> {
    let letters = [b'.', b'a', b'B'];
    let words: Vec<[u8; 3]> =
        letters.iter().flat_map(|x| letters.iter().flat_map(move |y| letters.map(|z| [*x, *y, z]))).collect();
    words.iter().flat_map(|a| words.iter().map(|b| (*a, *b))).collect()
}

fn word(letters: &[u8; 3]) -> &[u8] {
    let length = letters.iter().position(|b| *b == b'.').unwrap_or(3);
    &letters[..length]
}

/// Holds a program over two strings against a function of them, for all pairs.
#[track_caller]
fn for_all_pairs(print: &str, expected: impl Fn(&[u8], &[u8]) -> String) {
    let unfolding = Native::new(&strings(print)).unfold(&[stdin(b"aaaBBB")]);
    for (a, b) in pairs() {
        let said = writes(&unfolding, &stdin(&[a, b].concat()));
        assert_eq!(said, expected(word(&a), word(&b)), "{:?}", String::from_utf8_lossy(&[a, b].concat()));
    }
}

fn order(a: &[u8], b: &[u8]) -> String {
    (a.cmp(b) as i32).to_string()
}

#[test]
fn strings_are_compared() {
    for_all_pairs("printf(\"%d\", sign(strcmp(a, b)));", order);
    for_all_pairs("printf(\"%d\", sign(strncmp(a, b, 2)));", |a, b| order(&a[..a.len().min(2)], &b[..b.len().min(2)]));
    for_all_pairs("printf(\"%d\", sign(strcasecmp(a, b)));", |a, b| {
        order(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
    });
}

#[test]
fn strings_are_measured_and_searched() {
    let index = |found: Option<usize>| found.map_or("-1".to_string(), |n| n.to_string());
    for_all_pairs("char *p = strchr(a, 'B'); printf(\"%d %d\", (int)strlen(a), p ? (int)(p - a) : -1);", |a, _| {
        format!("{} {}", a.len(), index(a.iter().position(|c| *c == b'B')))
    });
    for_all_pairs("char *p = strrchr(a, 'a'); printf(\"%d\", p ? (int)(p - a) : -1);", |a, _| {
        index(a.iter().rposition(|c| *c == b'a'))
    });
    for_all_pairs("char *p = strstr(a, b); printf(\"%d\", p ? (int)(p - a) : -1);", |a, b| {
        index((0..=a.len()).find(|n| a[*n..].starts_with(b)))
    });
    for_all_pairs("printf(\"%d %d\", (int)strspn(a, b), (int)strcspn(a, b));", |a, b| {
        let within = a.iter().take_while(|c| b.contains(c)).count();
        let without = a.iter().take_while(|c| !b.contains(c)).count();
        format!("{within} {without}")
    });
}

#[test]
fn strings_are_copied_and_joined() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("letters");
    for_all_pairs("strcpy(r, a); strcat(r, b); printf(\"%s\", r);", |a, b| text([a, b].concat()));
    for_all_pairs("strcpy(r, \"xxxxx\"); strncpy(r, a, 2); printf(\"%s\", r);", |a, _| match a.len() {
        0 | 1 => text(a.to_vec()),
        _ => text([&a[..2], b"xxx"].concat()),
    });
    for_all_pairs("strcpy(r, a); strncat(r, b, 1); printf(\"%s\", r);", |a, b| {
        text([a, &b[..b.len().min(1)]].concat())
    });
    for_all_pairs("sprintf(r, \"<%s|%d|%.1s>\", a, (int)strlen(b), a); printf(\"%s\", r);", |a, b| {
        let shown = text(a.to_vec());
        format!("<{shown}|{}|{shown:.1}>", b.len())
    });
}

#[test]
fn numbers_are_written_into_a_text() {
    let source = "#include <stdio.h>\nint main(void) {\n  char r[64]; int c = getchar() - 128;\n  int n = sprintf(r, \"%d|%5d|%-5d|%05d|%+d|%x|%.2d\", c, c, c, c, c, c & 255, c);\n  printf(\"%s %d\", r, n);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"a")]);
    for byte in 0..=255u8 {
        let c = i32::from(byte) - 128;
        let sign = if c < 0 { "-" } else { "" };
        let text = format!("{c}|{c:5}|{c:<5}|{c:05}|{c:+}|{:x}|{sign}{:02}", c & 255, c.abs());
        assert_eq!(writes(&unfolding, &stdin(&[byte])), format!("{text} {}", text.len()));
    }
}

#[test]
fn memory_is_copied_moved_set_and_compared() {
    let print =
        "memcpy(r, a, 4); memmove(r + 1, r, 4); memset(r, 'z', 1); printf(\"%s %d\", r, sign(memcmp(a, b, 3)));";
    let unfolding = Native::new(&strings(print)).unfold(&[stdin(b"aaaBBB")]);
    for (a, b) in pairs() {
        // Arrays are compared as a whole, also behind a zero.
        let bytes = |word: &[u8; 3]| word.map(|c| if c == b'.' { 0 } else { c });
        let expected = format!("z{} {}", String::from_utf8_lossy(word(&a)), order(&bytes(&a), &bytes(&b)));
        assert_eq!(writes(&unfolding, &stdin(&[a, b].concat())), expected);
    }
}

#[test]
fn characters_are_classified_and_changed() {
    let source = "#include <stdio.h>\n#include <ctype.h>\nint main(void) {\n  int c = getchar();\n  printf(\"%d%d%d%d%d%d %d %d\", !!isalpha(c), !!isdigit(c), !!isspace(c), !!isupper(c), !!ispunct(c), !!isxdigit(c), toupper(c), tolower(c));\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"a")]);
    for byte in 0..=255u8 {
        let space = matches!(byte, b' ' | 9..=13);
        let classes = [
            byte.is_ascii_alphabetic(),
            byte.is_ascii_digit(),
            space,
            byte.is_ascii_uppercase(),
            byte.is_ascii_punctuation(),
            byte.is_ascii_hexdigit(),
        ];
        let classes: String = classes.map(|is| if is { '1' } else { '0' }).iter().collect();
        let expected = format!("{classes} {} {}", byte.to_ascii_uppercase(), byte.to_ascii_lowercase());
        assert_eq!(writes(&unfolding, &stdin(&[byte])), expected, "character {byte}");
    }
}

#[test]
fn numbers_are_read_from_text() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char s[4] = {0};\n  for (int i = 0; i < 3; i++) s[i] = getchar();\n  printf(\"%d %ld\", atoi(s), strtol(s, 0, 10));\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"123")]);
    let letters = [b'-', b'+', b' ', b'0', b'7', b'x'];
    for a in letters {
        for b in letters {
            for c in letters {
                let text = [a, b, c];
                let number = crate::scan::Number::Int.read(&text) as u32 as i32;
                let said = writes(&unfolding, &stdin(&text));
                assert_eq!(said, format!("{number} {number}"), "{:?}", String::from_utf8_lossy(&text));
            }
        }
    }
}

#[test]
fn heaps_do_what_they_do_natively() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  int n = getchar() - '0';\n  int *p = calloc(n, sizeof(int));\n  p[n - 1] = 5;\n  p = realloc(p, (n + 1) * sizeof(int));\n  p[n] = p[n - 1] + p[0];\n  printf(\"%d\", p[n]);\n  free(p);\n  return 0;\n}\n";
    agrees(source, &[b"1", b"2", b"4"]);
}

#[test]
fn freeing_twice_is_a_failure() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char *p = malloc(3);\n  if (getchar() == '2')\n    free(p);\n  free(p);\n  printf(\"fine\");\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"1")]);
    assert_eq!(writes(&unfolding, &stdin(b"1")), "fine");
    assert!(fails(&unfolding, &stdin(b"2")).contains("free"), "{}", fails(&unfolding, &stdin(b"2")));
}

#[test]
fn input_and_output_do_what_they_do_natively() {
    let source = "#include <stdio.h>\nint main(void) {\n  int n, m = -1; char line[8], w[8] = \"\";\n  int r = scanf(\"%d %7s\", &n, w);\n  int c = getchar();\n  char *p = fgets(line, sizeof line, stdin);\n  printf(\"%d %d %s %d %s\", r, r > 0 ? n : m, w, c, p ? line : \"none\");\n  puts(\"|\"); fputs(\"x\", stdout); putchar('y'); fprintf(stdout, \"%c\\n\", 'z');\n  return r & 7;\n}\n";
    agrees(source, &[b"12 ab\nrest of it\n", b"-3 q", b"x", b"", b"7\nabcdefghij\nk"]);
}

#[test]
fn exit_and_abort_end_the_program() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nvoid stop(int c) { if (c == 'e') exit(3); if (c == 'a') abort(); }\nint main(void) {\n  stop(getchar());\n  printf(\"on\");\n  return 0;\n}\n";
    let native = Native::new(source);
    let unfolding = native.unfold(&[stdin(b"x")]);
    assert_eq!((writes(&unfolding, &stdin(b"x")).as_str(), writes(&unfolding, &stdin(b"e")).as_str()), ("on", ""));
    assert_eq!(native.run(&stdin(b"e")), (vec![], 3));
    assert!(!fails(&unfolding, &stdin(b"a")).is_empty());
}

#[test]
fn an_unknown_function_is_noted_and_its_result_is_open() {
    let source = "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n  printf(\"%d\", (int)getppid());\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"")]);
    assert_eq!(crate::native::does(&unfolding, &stdin(b"")), None);
    assert!(unfolding.notes.iter().any(|n| n.message.contains("getppid")), "{:?}", unfolding.notes);
}
