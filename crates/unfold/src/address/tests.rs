//! Accesses by an index: every element, and what lies outside.

use crate::native::{Native, fails, stdin, writes};
use crate::{Fault, Observation};

const TABLE: &str = "#include <stdio.h>\nint a[5] = {10, 11, 12, 13, 14};\nint main(void) {\n  int i = getchar() - '4';\n  a[i] = 7;\n  printf(\"%d %d %d %d %d\", a[0], a[1], a[2], a[3], a[4]);\n  return 0;\n}\n";

#[test]
fn a_store_by_an_index_changes_its_element_only() {
    let unfolding = Native::new(TABLE).unfold(&[stdin(b"4")]);
    for i in 0..5u8 {
        let mut expected = ["10", "11", "12", "13", "14"];
        expected[usize::from(i)] = "7";
        assert_eq!(writes(&unfolding, &stdin(&[b'4' + i])), expected.join(" "), "index {i}");
    }
}

#[test]
fn an_index_outside_is_a_failure() {
    let unfolding = Native::new(TABLE).unfold(&[stdin(b"4")]);
    for input in [b"3", b"9", b"z"] {
        let Some(Observation::Fails(number)) = crate::native::does(&unfolding, &stdin(input)) else {
            panic!("{input:?} does not fail")
        };
        assert_eq!(unfolding.failures[number].fault, Fault::Memory);
        assert_eq!(unfolding.failures[number].at.map(|at| at.line), Some(5));
    }
}

#[test]
fn a_load_by_an_index_reads_its_element() {
    let source = "#include <stdio.h>\nint main(void) {\n  short a[6];\n  for (int i = 0; i < 6; i++)\n    a[i] = i * i - 3;\n  printf(\"%d\", a[getchar() - '0']);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"0")]);
    for i in 0..6u8 {
        let square = i32::from(i) * i32::from(i) - 3;
        assert_eq!(writes(&unfolding, &stdin(&[b'0' + i])), square.to_string());
    }
    assert_eq!(fails(&unfolding, &stdin(b"6")), "an index is out of bounds");
}

#[test]
fn two_indices_address_a_matrix() {
    let source = "#include <stdio.h>\nint m[3][4];\nint main(void) {\n  int i = getchar() - '0', j = getchar() - '0';\n  m[i][j] = 5;\n  m[1][2] += 1;\n  printf(\"%d %d\", m[1][2], m[i][j]);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"00")]);
    for i in 0..3u8 {
        for j in 0..4u8 {
            let expected = if (i, j) == (1, 2) { "6 6" } else { "1 5" };
            assert_eq!(writes(&unfolding, &stdin(&[b'0' + i, b'0' + j])), expected);
        }
    }
}

#[test]
fn pointers_move_through_bytes_of_wider_elements() {
    let source = "#include <stdio.h>\nint main(void) {\n  unsigned a[2] = {0x44332211, 0x88776655};\n  unsigned char *p = (unsigned char *)a + (getchar() - '0');\n  printf(\"%x\", *p);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"0")]);
    for i in 0..8u8 {
        assert_eq!(writes(&unfolding, &stdin(&[b'0' + i])), format!("{0}{0}", i + 1));
    }
}

#[test]
fn what_is_freed_may_not_be_used() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  *p = 1;\n  if (getchar() == 'f')\n    free(p);\n  *p = 2;\n  printf(\"%d\", *p);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"x")]);
    assert_eq!(writes(&unfolding, &stdin(b"x")), "2");
    assert!(fails(&unfolding, &stdin(b"f")).contains("free"), "{}", fails(&unfolding, &stdin(b"f")));
}

#[test]
fn null_may_not_be_used() {
    let source = "#include <stdio.h>\nint main(void) {\n  int x = 3;\n  int *p = getchar() == 'n' ? 0 : &x;\n  printf(\"%d\", *p);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"x")]);
    assert_eq!(writes(&unfolding, &stdin(b"x")), "3");
    let Some(Observation::Fails(number)) = crate::native::does(&unfolding, &stdin(b"n")) else { panic!("no failure") };
    assert_eq!(unfolding.failures[number].fault, Fault::Memory);
}

#[test]
fn a_literal_may_not_be_written() {
    let source = "#include <stdio.h>\nint main(void) {\n  char b[4] = \"ab\";\n  char *s = getchar() == 'l' ? (char *)\"ab\" : b;\n  s[0] = 'x';\n  printf(\"%s\", b);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"x")]);
    assert_eq!(writes(&unfolding, &stdin(b"x")), "xb");
    assert!(!fails(&unfolding, &stdin(b"l")).is_empty());
}

#[test]
fn division_by_zero_is_a_failure_of_arithmetic() {
    let source =
        "#include <stdio.h>\nint main(void) {\n  int d = getchar() - '0';\n  printf(\"%d\", 12 / d);\n  return 0;\n}\n";
    let unfolding = Native::new(source).unfold(&[stdin(b"3")]);
    assert_eq!(writes(&unfolding, &stdin(b"5")), "2");
    let Some(Observation::Fails(number)) = crate::native::does(&unfolding, &stdin(b"0")) else { panic!("no failure") };
    assert_eq!(unfolding.failures[number].fault, Fault::Arithmetic);
}
