//! Pointer parameters of the entry function: null, fresh objects, strings; and what is left out is told.

mod common;

use common::Built;
use wherefore_record::{Input, InputValue};
use wherefore_search::{Found, Limits, Tried};

fn search(source: &str) -> Found {
    Built::new(source, "f").search(&Limits { runs: Some(400), ..Limits::default() })
}

/// What the first parameter points to; nothing when it is null.
fn object(case: &Tried) -> Option<&[u8]> {
    case.given.inputs.iter().find_map(|input| match input {
        Input::Argument { index: 0, value: InputValue::Object(bytes) } => Some(&bytes[..]),
        _ => None,
    })
}

fn told(found: &Found, what: &str) -> bool {
    found.obstacles.iter().any(|o| o.what.contains(what))
}

#[test]
fn a_string_is_searched() {
    let found = search("#include <assert.h>\nint f(const char *s) { assert(!s || s[0] != 65); return 0; }");
    assert!(found.is_complete(), "{:?}", found.obstacles);
    let [failing] = &found.failing[..] else { panic!("{found:?}") };
    assert_eq!(object(failing).map(|o| &o[..2]), Some(&b"A\0"[..]));
    assert_eq!(found.passing.iter().filter(|c| object(c).is_none()).count(), 1, "null is one of the paths");

    let word = search(
        "#include <stdlib.h>
         int f(char *s) { if (s && s[0] == 'c' && s[1] == 'a' && s[2] == 't' && !s[3]) abort(); return 0; }",
    );
    assert_eq!(word.failing.iter().map(|c| object(c).map(|o| &o[..4])).collect::<Vec<_>>(), [Some(&b"cat\0"[..])]);
    assert!(word.is_complete(), "nobody asks for a fifth character: {:?}", word.obstacles);
    let long = search("int f(char *s) { int n = 0; if (s) while (*s++) n++; return n; }");
    assert!(!long.is_complete() && told(&long, "more than 7 characters"), "{:?}", long.obstacles);
}

#[test]
fn an_object_is_searched() {
    let found = search("#include <assert.h>\nint f(int *p, int n) { if (p) assert(n != 3); return 0; }");
    assert!(found.is_complete() && found.failing.len() == 1, "{found:?}");
    let array = search("#include <assert.h>\nint f(int a[3]) { if (!a) return 0; assert(a[1] != 65); return 0; }");
    assert_eq!(array.failing.iter().filter_map(object).map(|o| o[4]).collect::<Vec<_>>(), [65]);
    assert!(told(&array, "other lengths"), "{:?}", array.obstacles);
    let record = search(
        "#include <assert.h>
         struct pair { char kind; int value; };
         int f(struct pair *p) { if (p && p->kind == 2) assert(p->value != 77); return 0; }",
    );
    assert!(record.is_complete() && record.failing.len() == 1, "{:?}", record.obstacles);
    let bytes = object(&record.failing[0]).expect("an object");
    assert_eq!((bytes[0], &bytes[4..8]), (2, &77i32.to_le_bytes()[..]));
}

#[test]
fn a_null_pointer_is_found_out() {
    let found = search("int f(int *p) { return *p; }");
    assert_eq!(found.failing.iter().map(object).collect::<Vec<_>>(), [None]);
    assert_eq!(found.passing.len(), 1);
}

#[test]
fn what_is_left_out_is_told() {
    let opaque = search("#include <stdlib.h>\nint f(void *p) { if (p) abort(); return 0; }");
    assert!(opaque.failing.is_empty() && !opaque.is_complete() && !opaque.proved);
    assert!(told(&opaque, "`p` was null in every run"), "{:?}", opaque.obstacles);
    let list = search(
        "#include <stdlib.h>
         struct node { int value; struct node *next; };
         int f(struct node *n) { if (n && n->next) abort(); return 0; }",
    );
    assert!(!list.is_complete() && told(&list, "pointers in what `n` points to"), "{:?}", list.obstacles);
    let two = search("#include <stdlib.h>\nint f(int *p, int *q) { if (p && p == q) abort(); return 0; }");
    assert!(!two.is_complete() && told(&two, "the same object"), "{:?}", two.obstacles);
    let global = search("#include <stdlib.h>\nint g;\nint f(int *p) { if (p == &g) abort(); return 0; }");
    assert!(!global.is_complete() && told(&global, "variable of the program"), "{:?}", global.obstacles);
    let length = search(
        "#include <string.h>\n#include <stdlib.h>\nint f(char *s) { if (s && strlen(s) == 5) abort(); return 0; }",
    );
    assert!(!length.failing.is_empty() || !length.is_complete(), "{:?}", length.obstacles);
}

#[test]
fn memory_beside_an_object_is_not_passed_over() {
    let stray = search("int f(int n) { int age[1]; for (int i = 0; i <= 2; i++) age[i] = n; return 0; }");
    assert!(!stray.is_complete() && told(&stray, "outside of an object"), "{:?}", stray.obstacles);
    let inside = search("int f(int n) { int age[3]; for (int i = 0; i <= 2; i++) age[i] = n; return 0; }");
    assert!(inside.is_complete(), "{:?}", inside.obstacles);
}

#[test]
fn a_run_that_does_not_end_is_put_aside() {
    let endless = "#include <stdlib.h>\nint f(int n) { while (n == 0) { } if (n == 1234) abort(); return 0; }";
    let found = Built::new(endless, "f").search(&Limits { failing: Some(1), ..Limits::default() });
    assert_eq!(found.failing.len(), 1, "{:?}", found.obstacles);
    assert!(!found.is_complete() && told(&found, "a run "), "{:?}", found.obstacles);
    let long = search(
        "#include <stdlib.h>
         int f(int n) { int s = 0; for (int i = 0; i < 80000; i++) s += i & 1; if (n == 7 && s) abort(); return 0; }",
    );
    assert_eq!(long.failing.len(), 1, "with more patience it is recorded as a whole: {:?}", long.obstacles);
}
