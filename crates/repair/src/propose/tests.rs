//! What is proposed for small texts.

use super::{Failures, propose};
use crate::choice::Choice;
use crate::narrow::Operands;
use wherefore_source::SourceText;

/// The texts that the edits of a program make of it, with their prices.
fn edited(text: &str, outputs: &[(&str, &str)]) -> Vec<(u32, String)> {
    let source = SourceText::new("p.c".into(), text.into());
    let outputs = outputs.iter().map(|(a, b)| (a.as_bytes().to_vec(), b.as_bytes().to_vec())).collect();
    let edits = propose(0, &source, &Failures { outputs, ..Failures::default() }, &|_| true);
    edits.iter().map(|edit| (edit.price, edit.apply(text))).collect()
}

/// Whether one of the edits replaces a part of the text by another.
fn proposes(text: &str, old: &str, new: &str) -> bool {
    let wanted = text.replacen(old, new, 1);
    assert_ne!(wanted, text, "{old:?} is not there");
    edited(text, &[]).iter().any(|(_, made)| *made == wanted)
}

const SUM: &str = "\
struct pair { int x, y; char *name; };
static int sum(const int *a, int n)
{
    int total, i;
    for (i = 0; i <= n; i++)
        total += a[i];
    if (total < 0)
        return -1;
    return total;
}
int main(void)
{
    struct pair p = {1, 2, 0};
    int a[] = {p.x, p.y};
    return sum(a, 2) == p.x;
}
";

#[test]
fn what_is_often_wrong_is_proposed() {
    for (old, new) in [
        ("i <= n", "i < n"),
        ("i <= n", "i <= n - 1"),
        ("int total,", "int total = 0,"),
        ("total += a[i]", "total -= a[i]"),
        ("a[i]", "a[i + 1]"),
        ("total < 0", "total > 0"),
        ("return total", "return n"),
        ("sum(a, 2) == p.x", "sum(a, 2) == p.y"),
        ("sum(a, 2)", "sum(a, 3)"),
        ("i = 0;", "i = 1;"),
        ("        total += a[i];\n", "        ;\n"),
    ] {
        assert!(proposes(SUM, old, new), "{old} -> {new}");
    }
}

#[test]
fn what_is_simple_is_cheap_and_comes_first() {
    let all = edited(SUM, &[]);
    assert!(all.is_sorted_by_key(|(price, _)| *price));
    let price = |old: &str, new: &str| all.iter().find(|(_, made)| *made == SUM.replacen(old, new, 1)).map(|(p, _)| *p);
    assert!(price("i <= n", "i < n") < price("i <= n", "i != n"));
    assert!(price("int total,", "int total = 0,") < price("return total", "return n"));
}

#[test]
fn no_edit_is_proposed_twice_or_changes_nothing() {
    let all = edited(SUM, &[("3\n", "4\n")]);
    let texts: std::collections::HashSet<&String> = all.iter().map(|(_, made)| made).collect();
    assert_eq!(texts.len(), all.len());
    assert!(!texts.contains(&SUM.to_string()));
}

#[test]
fn checks_are_not_edited() {
    let text = "#include <assert.h>\nint main(void)\n{\n    int x = 1;\n    assert(x == 2);\n    if (x > 5)\n        abort();\n    return 0;\n}\n";
    let all = edited(text, &[]);
    assert!(all.iter().any(|(_, made)| made.contains("int x = 2;")), "the rest is");
    for (_, made) in all {
        assert!(made.contains("assert(x == 2);") && made.contains("if (x > 5)\n        abort();"), "{made}");
    }
}

#[test]
fn missing_statements_are_put_in() {
    let text = "int f(int x)\n{\n    switch (x) {\n    case 1:\n        x = 5;\n    case 2:\n        x = 6;\n        break;\n    }\n    while (x > 0) {\n        f(x);\n    }\n    return x;\n}\n";
    assert!(proposes(text, "        x = 5;\n", "        x = 5;\n        break;\n"));
    assert!(proposes(text, "        f(x);\n", "        f(x);\n        x--;\n"));
}

#[test]
fn a_printed_text_becomes_the_expected_one() {
    let text = "#include <stdio.h>\nint main(void)\n{\n    printf(\"n=%d\", 3);\n    return 0;\n}\n";
    let all = edited(text, &[("n=3", "n = 3\n")]);
    let wanted = text.replace("\"n=%d\"", "\"n = %d\\n\"");
    assert!(all.iter().any(|(_, made)| *made == wanted), "{all:#?}");
}

#[test]
fn a_number_of_a_macro_is_chosen_unless_it_has_to_be_constant() {
    let source = |text: &str| SourceText::new("p.c".into(), text.into());
    let switched = |text: &str| {
        let edits = propose(0, &source(text), &Failures::default(), &|_| true);
        let edit = edits.iter().find(|e| e.apply(text).contains("MOST 8")).expect("it is proposed");
        edit.is_switched()
    };
    assert!(switched("#define MOST 7\nint f(int x) { return x > MOST; }\n"));
    assert!(!switched("#define MOST 7\nint list[MOST];\nint f(int x) { return x > MOST; }\n"));
    assert!(!switched("#define MOST 7\n#define TWICE (2 * MOST)\nint f(int x) { return x > TWICE; }\n"));
    assert!(!switched("#define MOST 7\nint f(int x) { switch (x) { case MOST: return 1; } return 0; }\n"));
    assert!(!switched("#define MOST 7\n#if MOST > 6\nint f(int x) { return x > MOST; }\n#endif\n"));
}

#[test]
fn macros_get_their_parentheses() {
    let made = |text: &str, wanted: &str| {
        let all = edited(text, &[]);
        assert!(all.iter().any(|(_, made)| made.starts_with(wanted)), "{wanted}: {all:?}");
    };
    made("#define SQUARE(x) x * x\nint f(int n) { return SQUARE(n + 1); }\n", "#define SQUARE(x) ((x) * (x))\n");
    made("#define NEXT(x) (x + 1)\nint f(int n) { return NEXT(n & 1); }\n", "#define NEXT(x) ((x) + 1)\n");
    made("#define MOST 60 + 4\nint f(int n) { return 2 * MOST; }\n", "#define MOST (60 + 4)\n");
    made("#define MOST 60 + 4\nint f(int n) { return 2 * MOST; }\n", "#define MOST 60\n");
}

#[test]
fn members_of_the_same_struct_and_what_is_taken_round() {
    let text = "struct account { int id, open; };\nstruct account all[9];\n\
                int find(int id) { for (int i = 0; i < 9; i++) if (all[i].id == id) return i; return -1; }\n";
    assert!(proposes(text, "all[i].id == id", "all[i].id == id && all[i].open"));
    let text = "int at(int head, int count, int i, int cap) { return (head - count + i) % cap; }\n";
    assert!(proposes(text, "(head - count + i) % cap", "(head - count + i + cap) % cap"));
    let text = "int words, used, width;\nvoid reset(void)\n{\n    words = 0;\n    width = 0;\n}\n";
    assert!(proposes(text, "    width = 0;", "    width = 0;\n    used = 0;"));
    let text = "double det(double a, int swaps)\n{\n    double d;\n    d = a * 2;\n    if (swaps)\n        swaps = 0;\n    return d;\n}\n";
    assert!(proposes(text, "    d = a * 2;", "    d = a * 2;\n    d = -d;"));
}

#[test]
fn calls_that_leave_room() {
    let text = "char *f(char *s, int n) { char *p = malloc(n); strcpy(p, s + 1); return p; }\n";
    assert!(proposes(text, "malloc(n)", "calloc(n + 1, 1)"));
    assert!(proposes(text, "strcpy(p, s + 1)", "memmove(p, s + 1, strlen(s + 1) + 1)"));
    assert!(!proposes(text, "strcpy(p, s + 1)", "snprintf(p, sizeof p, \"%s\", s + 1)"), "only the pointer is known");
    let text = "struct item { char name[8]; };\nvoid f(struct item *it, char *s) { strcpy(it->name, s); }\n";
    assert!(proposes(text, "strcpy(it->name, s)", "snprintf(it->name, sizeof it->name, \"%s\", s)"));
}

#[test]
fn the_largest_is_looked_for_from_one_of_them() {
    let text = "int most(const int *a, int n) {\n    int best = 0, i = 0;\n    for (; i < n; i++)\n        if (a[i] > best)\n            best = a[i];\n    return best;\n}\n";
    assert!(proposes(text, "best = 0", "best = a[0]"));
    assert!(!proposes(text, "i = 0", "i = 2147483647"), "it only counts");
    let later = text.replace("int best = 0, i = 0;", "int best, i;\n    best = -1;").replace("(; ", "(i = 0; ");
    assert!(proposes(&later, "best = -1", "best = a[0]"));
    let member = text.replace("a[i]", "a[i].size");
    assert!(proposes(&member, "best = 0", "best = a[0].size"));
}

#[test]
fn what_has_the_same_on_both_sides_is_not_proposed() {
    let text = "void shift(int *a, int j, int i) {\n    a[j] = a[j - 1];\n    if (i < j)\n        a[i] = j + i;\n}\n";
    assert!(proposes(text, "a[j] = a[j - 1]", "a[j] = a[j + 1]"));
    assert!(!proposes(text, "a[j] =", "a[j - 1] ="), "a[j - 1] = a[j - 1]");
    assert!(!proposes(text, "i < j", "j < j"));
    assert!(proposes(text, "j + i", "j + j"));
}

#[test]
fn what_is_done_once_is_repeated() {
    let text = "struct buffer { int size; };\nvoid reserve(struct buffer *b, int need) {\n    if (need <= b->size)\n        return;\n    b->size *= 2;\n    b->size++;\n    if (b->size < need)\n        b->size += need;\n    if (need > 3)\n        b->size = 0;\n}\n";
    assert!(proposes(text, "b->size *= 2;", "while (need > b->size) b->size *= 2;"));
    assert!(proposes(text, "if (b->size < need)", "while (b->size < need)"));
    assert!(!proposes(text, "if (need > 3)", "while (need > 3)"), "nothing of it changes");
}

#[test]
fn what_stands_nearby_is_proposed() {
    let text = "struct node { int key; };\nint f(struct node *m, int *a, int key, int i, int best) {\n    m->key = a[best];\n    return a[i] + key;\n}\n";
    assert!(proposes(text, "+ key", "+ m->key"));
    let stored = "struct account { int max, balance; };\nvoid add(struct account *a, int v) {\n    a->balance += v;\n    a->max = v;\n}\n";
    assert!(proposes(stored, "a->max = v", "a->max = a->balance"));
    let price = |new: &str| {
        let wanted = text.replacen("a[i]", new, 1);
        edited(text, &[]).into_iter().find(|(_, made)| *made == wanted).map(|(price, _)| price)
    };
    assert!(price("a[i + 1]") <= price("a[best]") && price("a[best]") < price("a[key]"));
}

#[test]
fn labels_that_share_statements_are_left_out() {
    let text = "int f(int c) {\n    switch (c) {\n    case 1:\n    case 2: /* two */\n    case 3: return 1;\n    case 4: return 2;\n    default: return 0;\n    }\n}\n";
    for label in ["case 1:", "case 2:", "case 3:"] {
        assert!(proposes(text, label, ""), "{label}");
    }
    assert!(!proposes(text, "case 4:", ""), "that would leave out what it does");
    assert!(!proposes(text, "default:", ""));
    let moved = text.replacen("case 3:", "", 1).replacen("case 4:", "case 3: case 4:", 1);
    let edits = propose(0, &SourceText::new("p.c".into(), text.into()), &Failures::default(), &|_| true);
    let edit = edits.iter().find(|edit| edit.apply(text) == moved).expect("a label is put elsewhere");
    let choice = Choice::new(text, &Operands::new(text), &[(1, edit)], "", true).text;
    assert!(edit.is_switched() && choice.contains("wherefore_given == (3) ? (4) : wherefore_given"), "{choice}");
    let number = edits.iter().find(|edit| edit.apply(text).contains("case 5:")).expect("another number");
    let choice = Choice::new(text, &Operands::new(text), &[(1, number)], "", true).text;
    assert!(choice.contains("== (5) ? (4) : wherefore_given == (4) ? (0x7ead10af) :"), "{choice}");
}

#[test]
fn labels_that_are_missing_are_put_in() {
    let text = "int f(int c) {\n    switch (c) {\n    case 'y': return 1;\n    case 'n': case 'N': return 2;\n    }\n    return 0;\n}\n";
    assert!(proposes(text, "case 'y':", "case 'Y': case 'y':"));
    assert!(!proposes(text, "case 'n':", "case 'N': case 'n':"));
    let text = "enum day { MON, SAT, SUN };\nint f(enum day d) {\n    switch (d) {\n    case SAT: return 1;\n    default: return 0;\n    }\n}\n";
    assert!(proposes(text, "case SAT:", "case SUN: case SAT:"));
}

/// What an edit costs.
fn price(text: &str, old: &str, new: &str) -> u32 {
    let wanted = text.replacen(old, new, 1);
    let found = edited(text, &[]).into_iter().find(|(_, made)| *made == wanted);
    found.unwrap_or_else(|| panic!("{old} -> {new}")).0
}

#[test]
fn what_only_happens_to_help_is_dear() {
    let text =
        "int f(int *a, int n) {\n    int s = 0;\n    if (n == 3 && a[n] < s)\n        s = a[n];\n    return s;\n}\n";
    let off_by_one = price(text, "a[n] < s", "a[n] <= s");
    for (old, new) in [("n == 3", "n != 3"), ("s = a[n]", "s -= a[n]"), ("a[n] < s", "a[n] > s")] {
        assert!(price(text, old, new) >= off_by_one + 3, "{old} -> {new}");
    }
    assert!(price(text, "s = a[n]", "s = a[n - 1]") < price(text, "s = a[n]", "s /= a[n]"));
    let texts = "int f(char *s) {\n    if (strcmp(s, \"a\") == 0)\n        puts(s);\n    return 0;\n}\n";
    assert!(proposes(texts, "== 0)", "!= 0)"));
    assert!(!proposes(texts, "== 0)", "< 0)"), "texts are the same or not");
    assert!(!proposes(texts, "== 0)", "== 1)"));
}

#[test]
fn tables_are_edited_where_they_are_used() {
    let text = "static int add(int x) { return x + 1; }\nstatic int sub(int x) { return x - 1; }\nint twice(int x, int y) { return x * y; }\n\
                static int (*const all[])(int) = {add, NULL};\nint f(int i) {\n    return all[i](sub(3));\n}\n";
    assert!(proposes(text, "NULL", "sub"));
    assert!(!proposes(text, "NULL", "twice"), "it is not like the others");
    assert!(proposes(text, "{add, NULL}", "{NULL, add}"));
    let source = SourceText::new("p.c".into(), text.into());
    let head = text.find("static int (*").expect("it is there");
    let outside = |range: &std::ops::Range<usize>| range.end < head;
    let edits = propose(0, &source, &Failures::default(), &outside);
    assert!(!edits.iter().any(|edit| edit.apply(text).contains("{NULL, add}")), "nothing that runs uses it");
}

#[test]
fn an_argument_that_is_called_like_its_parameter_is_meant() {
    let text = "struct date { int year, day; };\nint leap(int year) { return year % 4 == 0; }\nint f(struct date d) {\n    return leap(d.year);\n}\n";
    let other = text.replace("leap(int year)", "leap(int y)");
    assert!(price(text, "leap(d.year)", "leap(d.day)") > price(&other, "leap(d.year)", "leap(d.day)"));
    assert!(price(text, "leap(d.year)", "leap(d.year - 1)") > price(&other, "leap(d.year)", "leap(d.year - 1)"));
}

#[test]
fn a_division_by_zero_is_avoided_by_asking() {
    let text = "int mean(int sum, int n) {\n    return sum / n;\n}\n";
    let source = SourceText::new("p.c".into(), text.into());
    let made = |divide: bool| {
        let edits = propose(0, &source, &Failures { divide, ..Failures::default() }, &|_| true);
        edits.iter().map(|edit| edit.apply(text)).collect::<Vec<_>>().join("\n")
    };
    assert!(made(true).contains("n ? sum / n : 0") && !made(true).contains("(double)sum / n"));
    assert!(!made(false).contains("n ? sum / n : 0") && made(false).contains("(double)sum / n"));
}

#[test]
fn an_array_is_longer_where_somebody_leaves_it_or_asks_for_its_length() {
    let longer = |text: &str, within_objects: bool| {
        let source = SourceText::new("p.c".into(), text.into());
        let edits = propose(0, &source, &Failures { within_objects, ..Failures::default() }, &|_| true);
        edits.iter().any(|edit| edit.apply(text).contains("a[5]"))
    };
    let text = "int f(int n) {\n    int a[4];\n    a[n] = 1;\n    return a[n];\n}\n";
    assert!(longer(text, false) && !longer(text, true));
    let asks = text.replace("return a[n]", "return sizeof a / sizeof *a");
    assert!(longer(&asks, false) && longer(&asks, true));
}

#[test]
fn what_is_often_forgotten_is_proposed() {
    let text = "struct node { int key; struct node *next; };\nint f(struct node *n, struct node **link, int a, int b, double x, char *end) {\n    struct node first = {a, n};\n    if (a)\n        b = 1;\n    if (b)\n        a = 2;\n    free(n); /* done */\n    *link = n->next;\n    n = n->next;\n    for (int i = b; i > 0; i--)\n        if (*end == 'x')\n            continue;\n    b = (int)(x * 100);\n    if (a || b && x > 1)\n        return a - b;\n    return n->key;\n}\n";
    for (old, new) in [
        ("    if (b)\n", "    else if (b)\n"),
        ("n = n->next", "n = *link"),
        ("int i = b;", "int i = b - 1;"),
        ("*end == 'x'", "end[-1] == 'x'"),
        ("continue;", "break;"),
        ("(int)(x * 100)", "(int)(x * 100 + 0.5)"),
        ("a || b && x > 1", "(a || b) && x > 1"),
        ("a || b && x > 1", "(a && b) || x > 1"),
        ("a - b", "b - a"),
        ("return n->key", "return n != NULL ? n->key : 0"),
        ("struct node first = {a, n};", "static struct node first; first = (struct node){a, n};"),
    ] {
        assert!(proposes(text, old, new), "{old} -> {new}");
    }
    assert!(
        edited(text, &[]).iter().any(|(_, made)| made.contains("*link = n->next;\n    free(n);")),
        "over a comment"
    );
}

#[test]
fn members_are_set_with_the_others() {
    let text = "struct node { int value; struct node *next; };\nstruct node *make(int v) {\n    struct node *n = get();\n    n->value = v;\n    return n;\n}\n";
    assert!(proposes(text, "    n->value = v;", "    n->value = v;\n    n->next = NULL;"));
    let all = text.replace("n->value = v;", "n->value = v;\n    n->next = 0;");
    assert!(!edited(&all, &[]).iter().any(|(_, made)| made.contains("n->next = NULL;")), "it is set");
}

#[test]
fn an_operand_that_makes_nothing_is_left_out() {
    let text = "int f(int x) { int y = x - 1; return y * 2; }";
    assert!(proposes(text, "x - 1", "x"));
    assert!(!proposes(text, "x - 1", "x - 0"));
    assert!(!proposes(text, "x - 1", "x - 1 + 1"));
    assert!(proposes(text, "y * 2", "y"));
}

#[test]
fn what_was_not_thought_of_is_proposed() {
    let text = "struct node { struct node *next; }; struct node *head;\n\
                int f(char c) { while (c == '*' || c == '/') c++; return c == '%'; }\n\
                void g(struct node *p, struct node *q) { if (p != NULL) p->next = q->next; }";
    assert!(proposes(text, "c == '*' || c == '/'", "c == '*' || c == '/' || c == '%'"));
    let old = "if (p != NULL) p->next = q->next;";
    assert!(proposes(text, old, &format!("{old}\nelse\n    head = q->next;")));
}

#[test]
fn one_more_is_one_more_of_the_operand() {
    let mean = "double mean(double sum, int n) { return sum / n; }\n";
    assert!(proposes(mean, "sum / n", "sum / (n - 1)"));
    let memory = "void f(int n) { int *p; p = malloc(n * sizeof *p); }\n";
    assert!(price(memory, "n * sizeof", "(n + 1) * sizeof") < price(memory, "sizeof *p", "sizeof *p + 1"));
}

#[test]
fn a_pointer_is_mistaken_for_what_it_points_to() {
    let text = "struct n { struct n *next; };\nvoid f(struct n **p, struct n *q) { p = &q->next; *p = q; }\n";
    assert!(proposes(text, "p = &q->next", "*p = q->next"));
    assert!(proposes(text, "*p = q", "p = &q"));
}

#[test]
fn what_another_statement_reminds_of_is_put_in() {
    let date = "void f(int m, int y)\n{\n    if (m > 12) {\n        y++;\n    }\n    g(m, y);\n}\n";
    assert!(proposes(date, "y++;", "y++;\n        m = 1;"));
    let flag = "void f(int escaped, int c)\n{\n    if (escaped) {\n        c ^= 32;\n    }\n    g(c);\n}\n";
    assert!(proposes(flag, "c ^= 32;", "c ^= 32;\n        escaped = 0;"));
    let list = "struct n { struct n *next; };\nvoid f(struct n *p)\n{\n    struct n *prev = 0;\n    while (p) {\n        g(prev, p);\n        p = p->next;\n    }\n}\n";
    assert!(proposes(list, "p = p->next;", "prev = p;\n        p = p->next;"));
    let copy = "struct e { char name[9], phone[9]; };\nvoid f(struct e *a, struct e *b)\n{\n    strcpy(a->name, b->name);\n    g(a);\n}\n";
    assert!(proposes(copy, "strcpy(a->name, b->name);", "strcpy(a->name, b->name);\n    strcpy(a->phone, b->phone);"));
    let turned = "int f(int n)\n{\n    int sign = 1;\n    while (n--) {\n        g(n);\n    }\n    return sign;\n}\n";
    assert!(proposes(turned, "g(n);", "g(n);\n        sign = -sign;"));
}

#[test]
fn values_that_nobody_takes_are_taken() {
    let tree = "struct n { int key; struct n *l, *r; };\nstruct n *find(struct n *p, int k)\n{\n    if (!p || p->key == k)\n        \
                return p;\n    find(p->l, k);\n}\nvoid drop(struct n *p, int k)\n{\n    struct n *q = 0;\n    find(p->r, k);\n    \
                q = p;\n}\nint fact(int n)\n{\n    int f = 1;\n    n * fact(n - 1);\n    return f;\n}\n";
    for (old, new) in [
        ("    find(p->l, k);", "    return find(p->l, k);"),
        ("    find(p->r, k);", "    p->r = find(p->r, k);"),
        ("    find(p->r, k);", "    q = find(p->r, k);"),
        ("    n * fact", "    return n * fact"),
        ("    n * fact", "    f = n * fact"),
    ] {
        assert!(proposes(tree, old, new), "{old} -> {new}");
    }
    // Nobody returns a value from what gives none.
    assert!(!proposes(tree, "    find(p->r, k);", "    return find(p->r, k);"));
}

#[test]
fn a_text_ends_behind_a_loop_without_braces() {
    let copy =
        "void copy(char *to, const char *from)\n{\n    int n = 0;\n    while (*from)\n        to[n++] = *from++;\n}\n";
    let copied = "        to[n++] = *from++;\n";
    assert!(proposes(copy, copied, &format!("{copied}    to[n] = '\\0';\n")));
}

#[test]
fn one_of_several_names_has_another_type() {
    let mean = "double mean(const double *a, int n)\n{\n    int i, sum = 0;\n    for (i = 0; i < n; i++)\n        sum += a[i];\n    \
                return sum / n;\n}\n";
    assert!(proposes(mean, "int i, sum = 0;", "int i; double sum = 0;"));
    assert!(!proposes(mean, "int i, sum = 0;", "int sum = 0; double i;"), "it is an index");
}

#[test]
fn differences_become_comparisons() {
    let order = "struct s { double p; unsigned n; };\nint cmp(const struct s *a, const struct s *b)\n{\n    if (a->n - b->n < 0)\n        \
                 return 1;\n    return a->p - b->p;\n}\n";
    assert!(proposes(order, "a->n - b->n < 0", "a->n < b->n"));
    assert!(proposes(order, "a->p - b->p", "(a->p > b->p) - (a->p < b->p)"));
}

#[test]
fn nothing_stands_behind_a_jump_nor_what_always_holds() {
    let list = "#include <stdlib.h>\nstruct v { int n, cap; };\nint push(struct v *v, int *p)\n{\n    if (v->n == v->cap) {\n        \
                free(p);\n        return 1;\n    }\n    return 0;\n}\n";
    assert!(!proposes(list, "        return 1;\n", "        return 1;\n        free(p);\n"));
    assert!(!proposes(list, "v->n == v->cap", "v->n == v->cap || v != NULL"));
    assert!(proposes(list, "v->n == v->cap", "v != NULL && v->n == v->cap"));
}

#[test]
fn what_another_case_does_a_block_before_takes_and_a_sum_lacks_is_proposed() {
    let code = "#include <ctype.h>\n#include <string.h>\nstruct r { char *name; int n; };\nvoid f(struct r *r, char *buffer, int used, int words)\n{\n    \
                int k = 0, len = 2, width = 9;\n    if (isalpha(*buffer)) {\n        len++;\n    }\n    k++;\n    \
                r->name = buffer;\n    if (used + len > width)\n        r->n = k;\n}\n\
                int next(int s, int c)\n{\n    switch (s) {\n    case 1:\n        if (c == '*')\n            return 2;\n        \
                return 1;\n    case 2:\n        s = 0;\n        return s;\n    }\n    return 0;\n}\n";
    for (old, new) in [
        ("        len++;\n    }\n    k++;\n", "        len++;\n        k++;\n    }\n"),
        ("r->name = buffer", "r->name = strdup(buffer)"),
        ("used + len > width", "used + len + words > width"),
        ("    case 2:\n        s = 0;", "    case 2:\n        if (c == '*') return 2;\n        s = 0;"),
    ] {
        assert!(proposes(code, old, new), "{old} -> {new}");
    }
}

#[test]
fn conditions_that_read_are_not_joined() {
    let reads = "#include <stdio.h>\nint main(void)\n{\n    int a, b = 0;\n    while (scanf(\"%d\", &a) == 1)\n        \
                 if (a > b)\n            b = a;\n    return b;\n}\n";
    assert!(!proposes(reads, "a > b", "a > b && scanf(\"%d\", &a) == 1"));
}

#[test]
fn nodes_of_a_function_are_those_one_comes_to_child_by_child() {
    fn all<'t>(node: tree_sitter::Node<'t>, found: &mut Vec<tree_sitter::Node<'t>>) {
        found.push(node);
        wherefore_source::syntax::named_children(node).into_iter().rev().for_each(|child| all(child, found));
    }
    let text = "int f(int a) { /* a */ if (a > 1) { return a; } /* b */ else a++; // c\n return -a; }\nint b;\n";
    let source = SourceText::new(String::new(), text.to_string());
    let root = source.tree().unwrap().root_node();
    for node in [root, root.named_child(0).unwrap()] {
        let mut expected = vec![];
        all(node, &mut expected);
        assert_eq!(super::nodes_with_blocks(node), expected);
        assert!(expected.len() > 20);
    }
}

#[test]
fn no_check_is_put_in() {
    let text = "#include <assert.h>\nstruct s { int first, second; };\nvoid f(struct s *s, int v)\n{\n    s->first = v;\n    \
                s->second++;\n    assert(s->first >= 0 && s->first < 3);\n    if (v > 9)\n        abort();\n}\n";
    let all = edited(text, &[]);
    assert!(all.len() > 20);
    for (_, made) in all {
        assert_eq!((made.matches("assert(").count(), made.matches("abort()").count()), (1, 1), "{made}");
    }
}

#[test]
fn what_a_round_has_used_up_may_begin_anew() {
    let text = "\
int f(const char *s)
{
    int len = 0, longest = 0;
    for (; *s; s++) {
        if (*s == ' ')
            putchar(len);
        len++;
    }
    longest = len;
    return longest;
}
";
    assert!(proposes(text, "        len++;\n", "        len++;\n        len = 0;\n"));
    // Outside of a loop nothing was used up.
    assert!(!proposes(text, "    longest = len;\n", "    longest = len;\n    len = 0;\n"));
}
