//! The sentences at the top: small programs, and what is said of them.

mod common;

use common::{Said, wherefore};
use std::path::Path;

/// What `explain` says of a program.
fn explained(directory: &Path, text: &str, options: &[&str]) -> Said {
    let file = directory.join("p.c");
    std::fs::write(&file, text).expect("the program is written");
    wherefore().current_dir(directory).args(["explain", "p.c"]).args(options).output().expect("wherefore starts").into()
}

/// The text for people without its line breaks. What takes long may be partial.
fn told(text: &str, options: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let said = explained(directory.path(), text, options);
    assert!(matches!(said.status, Some(0 | 4)), "{}{}", said.stdout, said.stderr);
    said.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(text: &str, sentences: &[&str]) {
    let told = told(text, &[]);
    for sentence in sentences {
        assert!(told.contains(sentence), "{sentence:?} is missing: {told}");
    }
}

#[test]
fn a_search_that_finds_nothing_is_told_by_what_it_looked_at() {
    says(
        "#include <assert.h>\n#include <string.h>\nstatic char names[][8] = {\"host\", \"port \", \"user\"};\n\
         static int find(const char *name) {\n  for (int i = 0; i < 3; i++)\n    if (strcmp(names[i], name) == 0)\n      \
         return i;\n  return -1;\n}\nint main(void) {\n  int at = find(\"port\");\n  assert(at == 1);\n  return 0;\n}\n",
        &[
            "at is -1 since line 8",
            "None of 3 rounds leaves the loop of line 5 at `strcmp(names[i], name) == 0` (line 6)",
        ],
    );
    // A loop that ends for itself, its rounds one after the other.
    says(
        "#include <assert.h>\n#include <stddef.h>\nstruct user { int id; struct user *next; };\nint main(void) {\n  \
         struct user b = {4, NULL}, a = {2, &b}, *u = &a;\n  int id = 3;\n  while (u != NULL && u->id != id)\n    \
         u = u->next;\n  assert(u);\n  return 0;\n}\n",
        &["None of 2 rounds leaves the loop of line 7", "a.id is 2 and b.id is 4", "a.id != id (2 != 3, line 7)"],
    );
    // A loop that can be left in its midst; of many rounds the last ones are told where none came nearer.
    says(
        "#include <assert.h>\nint main(void) {\n  int a[] = {12, 13, 5, 7, 11, 9, 17}, i;\n  for (i = 0; i < 7; i++)\n    \
         if (a[i] > 20)\n      break;\n  assert(i < 7);\n  return 0;\n}\n",
        &["None of 7 rounds leaves the loop of line 4 at `a[i] > 20` (line 5); at last a[3] is 7,"],
    );
}

#[test]
fn of_two_comparisons_the_one_that_decided_is_told() {
    says(
        "#include <assert.h>\n#include <string.h>\nstruct ent { char sec[8], key[8]; };\n\
         static struct ent t[] = {{\"net\", \"host\"}, {\"net\", \"port \"}, {\"auth\", \"port\"}};\n\
         static int get(const char *sec, const char *key) {\n  for (int i = 0; i < 3; i++)\n    \
         if (strcmp(t[i].sec, sec) == 0 && strcmp(t[i].key, key) == 0)\n      return i;\n  return -1;\n}\n\
         int main(void) {\n  int at = get(\"net\", \"port\");\n  assert(at == 1);\n  return 0;\n}\n",
        &["t[0].key is \"host\", t[1].key is \"port \" and t[2].sec is \"auth\"."],
    );
}

#[test]
fn the_condition_that_let_the_program_come_to_a_bad_access_is_told() {
    says(
        "struct codec { char out[4]; int len; };\nstatic void put(struct codec *c, char ch) {\n  if (c->len > 4)\n    \
         return;\n  c->out[c->len++] = ch;\n}\nint main(void) {\n  struct codec c = {.len = 0};\n  \
         for (int i = 0; i < 6; i++)\n    put(&c, 'x');\n  return c.len;\n}\n",
        &["c->len was 4 after 4 runs of line 5", "It is reached because c->len <= 4 (4 <= 4, line 3)."],
    );
}

#[test]
fn why_an_object_was_not_made_larger_is_told() {
    says(
        "#include <stdlib.h>\n#include <string.h>\nstruct sb { char *buf; size_t len, cap; };\n\
         static void reserve(struct sb *sb, size_t extra) {\n  if (sb->len + extra <= sb->cap)\n    return;\n  \
         sb->cap = 2 * (sb->len + extra) + 1;\n  sb->buf = realloc(sb->buf, sb->cap);\n}\n\
         static void append(struct sb *sb, const char *s) {\n  size_t n = strlen(s);\n  reserve(sb, n);\n  \
         memcpy(sb->buf + sb->len, s, n);\n  sb->len += n;\n  sb->buf[sb->len] = 0;\n}\n\
         int main(int argc, char **argv) {\n  struct sb sb = {malloc(4), 0, 4};\n  append(&sb, argc > 1 ? argv[1] : \"abcd\");\n  \
         free(sb.buf);\n  return 0;\n}\n",
        &["sb->buf stays as it is because sb->len + extra <= sb->cap (0 + 4 <= 4, line 5", "sets it (line 8)"],
    );
}

#[test]
fn what_has_changed_since_is_told_as_what_it_was() {
    let told = told(
        "#include <assert.h>\nint main(void) {\n  int a = 3, b, *p = &a, *q = 0;\n  b = a;\n  a = 5;\n  if (!q) q = p;\n  \
         assert(b > *q);\n  return 0;\n}\n",
        &[],
    );
    assert!(told.contains("a was 3 since line 3"), "{told}");
    assert!(told.contains("a is 5 since line 5"), "{told}");
    assert!(!told.contains("*p = &a") && !told.contains("*q = 0"), "a declaration is no store: {told}");
}

#[test]
fn a_loop_that_does_not_begin_is_told_where_it_would_have_set_something() {
    says(
        "#include <assert.h>\n#include <string.h>\nint main(void) {\n  char line[] = \"port =80\";\n  \
         char *eq = strchr(line, '='), *end = eq;\n  *eq = '\\0';\n  while (end > line && *end == ' ') *--end = '\\0';\n  \
         assert(strcmp(line, \"port\") == 0);\n  return 0;\n}\n",
        &["The loop of line 7 does not begin because line[5] != ' '"],
    );
}

#[test]
fn what_ends_the_rounds_of_a_counter_is_told() {
    says(
        "#include <assert.h>\n#include <string.h>\nint main(void) {\n  const char *start = \"a,,b\";\n  int n = 0;\n  \
         while (start && n < 4) {\n    const char *c = strchr(start, ',');\n    n++;\n    \
         start = c ? c + 1 + strspn(c + 1, \",\") : NULL;\n  }\n  assert(n == 3);\n  return 0;\n}\n",
        &[
            "n is 2 after 2 rounds of line 8: n++. The loop of line 6 ends because start == NULL",
            "start is NULL since line 9",
        ],
    );
}

#[test]
fn what_a_format_follows_is_named() {
    let list = |print: &str| {
        format!(
            "#include <stdio.h>\n#include <stddef.h>\nstruct user {{ int id; char name[16]; }};\nint main(void) {{\n  \
             struct user *u = NULL;\n  int n = 65;\n  {print}\n  return n;\n}}\n"
        )
    };
    says(&list(r#"printf("%d %s\n", n, u->name);"#), &["printf() reads through u, which is NULL"]);
    says(&list(r#"printf("%s\n", n);"#), &["the format asks for a pointer and gets a number: n is 65"]);
    says(&list(r#"sscanf("7", "%d", &u->id);"#), &["sscanf() writes through u, which is NULL"]);
    says(&list(r#"sscanf("7", "%d", n);"#), &["the format asks for a pointer and gets a number: n is 65"]);
}

/// What a round writes depends on where and how much it fills, also where nothing of that was looked at before.
#[test]
fn a_loop_that_ends_later_is_not_called_endless() {
    let programs = [
        "#include <string.h>\nstatic char a[200001];\nint main(void) {\n  int n = 0;\n  while (a[200000] == 0) {\n    \
         memset(a, 'x', n);\n    n++;\n  }\n  return 0;\n}\n",
        "#include <string.h>\nstatic char a[2000001], *p = a;\nint main(void) {\n  while (a[2000000] == 0) {\n    \
         memset(p, 1, 1);\n    p++;\n  }\n  return 0;\n}\n",
        "int main(void) {\n  int go = 1, n = 1;\n  while (go) {\n    char p[n];\n    p[0] = 1;\n    n++;\n  }\n  \
         return 0;\n}\n",
        "#include <string.h>\nstatic char a[200001];\nint main(void) {\n  double x = 0;\n  \
         while (x > -1) {\n    memset(a, 'x', (unsigned)x);\n    if (a[200000]) return 3;\n    x += 1;\n  }\n  return 0;\n}\n",
        "int main(void) {\n  double x = 2000000;\n  int k = 0;\n  while (x < 3000000) {\n    k += 100 / (int)x;\n    x -= 1;\n  }\n  \
         return k;\n}\n",
        "int main(void) {\n  int n = -2100000000, k = 0;\n  double x = 1.0;\n  while (x > 0) {\n    k = n / -1;\n    n--;\n    \
         x += 1;\n  }\n  return k;\n}\n",
    ];
    let directory = tempfile::tempdir().expect("a directory");
    for text in programs {
        let said = explained(directory.path(), text, &["--timeout", "3"]);
        assert!(matches!(said.status, Some(0 | 3 | 4)), "{}{}", said.stdout, said.stderr);
        assert!(!said.stdout.contains("does not end"), "{text}{}", said.stdout);
    }
}

#[test]
fn a_number_that_only_moves_away_does_not_end_its_loop() {
    let counting = |head: &str, body: &str| {
        format!(
            "#include <stdio.h>\nint main(void) {{\n  double d = 0.1;\n  for ({head}) {{ {body} }}\n  return 0;\n}}\n"
        )
    };
    let endless = "does not end: this loop only moves away from what would end it";
    for head in
        ["double x = 0; x != 1.1; x += 0.1", "double x = 1; x > 0; x += d", "double x = -1; !(x >= 0); x -= 2.5"]
    {
        let told = told(&counting(head, ""), &["--timeout", "60"]);
        assert!(told.contains(endless), "{head}: {told}");
    }
    let may_end = [
        ("double x = 0; x != 1e7; x += 0.25", ""),
        ("double x = 2; x != 1; x += d", "if (x > 1e7) d = -1;"),
        ("double x = 2; x > 1; x += d", "d = d * 0.999 - 1e-7;"),
        ("float x = 2; x != 1; x += d", "if (printf(\"%s\", \"\") < 0) x = 1;"),
    ];
    for (head, body) in may_end {
        let directory = tempfile::tempdir().expect("a directory");
        let said = explained(directory.path(), &counting(head, body), &["--timeout", "2"]);
        // A fast machine comes to the end of it.
        assert!(matches!(said.status, Some(0 | 3 | 4)), "{}{}", said.stdout, said.stderr);
        assert!(!said.stdout.contains("does not end"), "{head}: {}", said.stdout);
    }
}

/// A program that writes through a buffer which may give up, and checks what it is given all the time.
const CAREFUL: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic int filled;\nstatic const char *note;\n\
    static void flush(void) {\n  if (fflush(stdout) != 0)\n    exit(2);\n  filled = 0;\n}\n\
    static void put(int c) {\n  if (c < 0)\n    exit(3);\n  if (filled == 64)\n    flush();\n  filled++;\n}\n\
    static void start(int level) {\n  if (level > 7)\n    note = \"best\";\n}\n\
    int main(void) {\n  int level = 6;\n  start(level);\n  for (int i = 0; i < ROUNDS; i++)\n    put(i & 63);\n  \
    return note[0] == 'b';\n}\n";

#[test]
fn what_may_end_a_program_is_taken_not_to_where_the_story_is_long() {
    let matter = |told: &str| {
        let before = told.split(" executed statements matter").next().expect("a text").rsplit(' ');
        before.clone().nth(2).and_then(|n| n.parse::<usize>().ok()).unwrap_or_else(|| panic!("no number: {told}"))
    };
    for rounds in ["70", "2000"] {
        let long = told(&CAREFUL.replace("ROUNDS", rounds), &[]);
        assert!(long.contains("note is NULL from the start (line 4). In start(level) it stays so because"), "{long}");
        assert!(
            long.contains("Checked by a second solver. Taken for granted: that nothing ends the program before"),
            "{long}"
        );
        assert_eq!(matter(&long), 3, "{long}");
    }
    // A short story has room for all its reasons.
    let short = told(&CAREFUL.replace("ROUNDS", "1"), &[]);
    assert!(!short.contains("Taken for granted") && matter(&short) > 3, "{short}");
}

#[test]
fn a_loop_that_ends_by_a_constant_text_is_not_told_by_the_round_before() {
    let told = told(
        "#include <stdlib.h>\nstatic void copy(char *d, const char *s) {\n  int n = 0;\n  for (; *s && n < 4; s++)\n    \
         d[n++] = *s;\n  d[n] = 0;\n}\nint main(void) {\n  char *p = malloc(4);\n  if (!p)\n    return 1;\n  copy(p, \"abcd\");\n  \
         free(p);\n  return 0;\n}\n",
        &[],
    );
    assert!(told.contains("n is 4 after 4 rounds of line 5") && !told.contains("ends because n < 4"), "{told}");
}

#[test]
fn a_member_that_nobody_has_set_is_named() {
    says(
        "#include <stdlib.h>\nstruct a { int id, count; };\nint main(void) {\n  struct a *a = malloc(sizeof *a);\n  if (!a)\n    \
         return 1;\n  a->id = 3;\n  if (a->count == a->id)\n    return 2;\n  return 0;\n}\n",
        &["decides on a->count, which nobody has set", "a->id is set at line 7, a->count is not."],
    );
}

#[test]
fn a_stack_that_overflows_is_told_by_who_calls_itself_with_what() {
    says(
        "int depth(int n) {\n  if (n == 0)\n    return 0;\n  return depth(n - 2) + 1;\n}\nint main(void) { return depth(7); }\n",
        &[
            "depth() calls itself at line 4: n is 7, 5, 3, 1, -1, ... and at last -",
            "It is reached because n != 0 (line 2).",
        ],
    );
    says(
        "static int f(int lo, int hi) {\n  int m = (lo + hi) / 2;\n  return lo < hi ? f(m, hi) : m;\n}\n\
         int main(void) { return f(0, 5); }\n",
        &["f() calls itself at line 3 with the same arguments again and again: lo is 4 and hi is 5."],
    );
    // With less stack where following all of it would take too much.
    says(
        "static int f(int n, int *all) {\n  for (int i = 0; i < 12; i++)\n    all[i & 3] += i;\n  return f(n, all) + 1;\n}\n\
         int main(void) { int all[4] = {0}; return f(3, all); }\n",
        &["f() calls itself at line 4 with the same arguments again and again", "KiB it comes to"],
    );
    // What fails at the end of many calls is not the stack.
    let deep = told(
        "static int sum(int n, const int *p) {\n  int s = 0;\n  if (n == 0)\n    return *p;\n  for (int i = 0; i < 40; i++)\n    \
         s += i & 1;\n  return sum(n - 1, p) + s;\n}\nint main(void) { return sum(30000, 0); }\n",
        &["--timeout", "20"],
    );
    assert!(deep.contains("through p, which is NULL") && !deep.contains("overflows"), "{deep}");
}

/// A check that lets one too many pass, and a buffer that is made anew one too late: where checks are taken for granted, they
/// are told all the same.
#[test]
fn a_check_that_is_wrong_is_told() {
    says(
        "#include <stdlib.h>\nstatic int cap = 8;\nstatic void check(int k) {\n  if (k > cap)\n    exit(3);\n}\n\
         int main(void) {\n  int *tab = malloc(cap * sizeof *tab);\n  if (!tab)\n    return 1;\n  \
         for (int i = 0; i < 40; i++) {\n    int k = i < 39 ? i % cap : cap;\n    check(k);\n    tab[k] = i;\n  }\n  free(tab);\n  \
         return 0;\n}\n",
        &["writes 4 bytes past the end", "k <= cap (8 <= 8, line 4)"],
    );
    says(
        "#include <stdlib.h>\nstatic char *text;\nstatic int length, room;\nstatic void grow(void) {\n  int more = room * 2 + 4;\n  \
         text = realloc(text, more);\n  if (!text)\n    exit(2);\n  room = more + 1;\n}\nstatic void add(char c) {\n  \
         if (length >= room)\n    grow();\n  text[length++] = c;\n}\nint main(void) {\n  for (int i = 0; i < 60; i++)\n    \
         add('a' + i % 26);\n  free(text);\n  return 0;\n}\n",
        &["text stays as it is because length < room", "room is 5 since line 9, in grow()"],
    );
}

#[test]
fn copies_of_what_nobody_has_set_are_followed_to_it() {
    let told = told(
        "#include <assert.h>\n#include <string.h>\nstruct node { int n; long weight; };\nint main(void) {\n  \
         struct node unset, copy, other = {1, 2};\n  unset.n = 3;\n  other = unset;\n  \
         memcpy(&copy, &other, sizeof copy);\n  assert(copy.weight == 123456789);\n  return 0;\n}\n",
        &["--ignore-memory"],
    );
    for sentence in ["since line 8: memcpy(&copy, &other, sizeof copy)", "since line 7: other = unset", "Checked by"] {
        assert!(told.contains(sentence), "{sentence:?} is missing: {told}");
    }
}

#[test]
fn a_text_among_arguments_on_the_stack_is_followed() {
    says(
        "#include <assert.h>\n#include <stdarg.h>\nstatic char last;\n\
         static void text(const char *s) {\n  while (*s)\n    last = *s++;\n}\n\
         static void say(int n, ...) {\n  va_list ap;\n  va_start(ap, n);\n  while (n--)\n    text(va_arg(ap, char *));\n  \
         va_end(ap);\n}\nint main(void) {\n  char name[16] = \"anna\", city[16] = \"u\";\n  city[0] = 'v';\n  \
         say(8, \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", name, city);\n  assert(last == 'u');\n  return 0;\n}\n",
        &[
            "last is 'v' since line 6, in text(va_arg(ap, char *)): last = *s++",
            "city[0] is 'v' since line 17: city[0] = 'v'",
        ],
    );
}

#[test]
fn an_allocator_is_known_behind_a_pointer() {
    let program = |end: &str| {
        format!(
            "#include <stdlib.h>\n#include <string.h>\n\
             struct ops {{ char *(*copy)(const char *); void (*put)(void *); }};\n\
             static struct ops ops = {{strdup, free}};\nint main(void) {{\n  char *t = ops.copy(\"hello\");\n{end}  \
             return t[1] == 'x';\n}}\n"
        )
    };
    says(
        &program("  ops.put(t);\n"),
        &["p.c:8:3: reads t[1] of an object freed at line 7, made at line 6", "t is freed since line 7: ops.put(t)"],
    );
    says(&program("  t[6] = 'x';\n  ops.put(t);\n"), &["p.c:7:3: writes 1 byte past the end of a 6-byte object"]);
}
