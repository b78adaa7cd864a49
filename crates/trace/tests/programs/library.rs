//! Data through the C library: what fails depends on the characters that were read.

use crate::{Told, consistent, line};
use std::collections::HashSet;
use wherefore_fixtures::Fixture;
use wherefore_formula::VarId;
use wherefore_trace::{Action, Kind, Storage};

/// The line that reads.
const READS: u32 = 13;

/// One function for each way to go from a line that is read to a value; `main` reads and calls one of them.
const PROGRAM: &str = r#"#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[64], out[64];

static int length(void);

static int get(void) {
    if (!fgets(line, sizeof line, stdin)) return 1;
    line[strcspn(line, "\n")] = 0;
    return 0;
}
static int length(void) { return strlen(line) == 3; }
static int compare(void) { return strcmp(line, "no") != 0; }
static int part(void) { return strncmp(line, "yes", 2) == 0; }
static int copy(void) { strcpy(out, line); strcat(out, "!"); return out[1] == 'e'; }
static int twice(void) { char *s = strdup(line); int c = s[2]; free(s); return c == 's'; }
static int bounded(void) { strncpy(out, line, 2); strncat(out, line, 1); return out[2] == 'y'; }
static int letter(void) { return isalpha((unsigned char)line[0]) && toupper(line[0]) == 'Y'; }
static int number(void) { return atoi(line) == 42; }
static int base(void) { char *end; long n = strtol(line, &end, 16); return n == 0x2a && *end == 0; }
static int print(void) { sprintf(out, "<%d>", atoi(line) + 1); return out[2] == '3'; }
static int cut(void) { snprintf(out, 4, "%s-%c", line, 'x'); return out[1] == 'b'; }
static int scan(void) { int a, b; return sscanf(line, "%d,%d", &a, &b) == 2 && b == 7; }
static int word(void) { char w[16]; return sscanf(line, "%15s", w) == 1 && w[0] == 'a'; }
static int find(void) { return strchr(line, 'e') != NULL; }
static int inside(void) { return strstr(line, "es") == line + 1; }
static int token(void) { strtok(line, ","); char *s = strtok(NULL, ","); return s && s[0] == '7'; }
static int root(void) { return sqrt(atoi(line)) > 6.0; }
static int real(void) { return strtod(line, NULL) > 1.5; }
static int order(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int sort(void) { qsort(line, strlen(line), 1, order); return line[0] == 'e'; }

int main(int argc, char **argv) {
    int (*all[])(void) = {length, compare, part, copy, twice, bounded, letter, number, base, print, cut, scan,
                          word, find, inside, token, root, real, sort};
    if (argc < 2 || get()) return 1;
    int found = all[atoi(argv[1])]();
    assert(!found);
    return 0;
}
"#;

/// The lines whose values from outside the failure depends on: by data, and by the branches that it lies under.
fn sources(told: &Told) -> HashSet<u32> {
    let trace = &told.trace;
    let failure = trace.failure.as_ref().expect("the run fails");
    let mut wanted: HashSet<VarId> = trace.terms.variables(failure.violated).into_iter().collect();
    let mut lines = HashSet::new();
    for step in trace.steps.iter().rev() {
        match &step.action {
            Action::Assign { to, value, .. } if wanted.remove(to) => {
                wanted.extend(trace.terms.variables(*value));
                for branch in trace.enclosing(step.scope) {
                    wanted.extend(trace.terms.variables(trace.branches[branch.index()].condition));
                }
                if step.kind == Kind::Havoc
                    && !matches!(trace.variables[to.0 as usize].storage, Storage::External { .. })
                {
                    lines.insert(line(step.at));
                }
            }
            _ => {}
        }
    }
    lines
}

#[test]
fn what_fails_depends_on_the_characters_that_were_read() {
    let fixture = Fixture::new(PROGRAM);
    let runs = [
        ("length", "yes"),
        ("compare", "yes"),
        ("part", "yes"),
        ("copy", "yes"),
        ("twice", "yes"),
        ("bounded", "yes"),
        ("letter", "yes"),
        ("number", " 42"),
        ("base", "0x2A"),
        ("print", "12"),
        ("cut", "ab"),
        ("scan", "3,7"),
        ("word", " abc"),
        ("find", "yes"),
        ("inside", "yes"),
        ("token", "3,7"),
        ("root", "49"),
        ("real", "2.5"),
        ("sort", "yes"),
    ];
    for (number, (name, text)) in runs.into_iter().enumerate() {
        let ran = fixture.run_on(format!("{text}\n").as_bytes(), &[&number.to_string()]);
        let told = consistent(Told { program: fixture.program().clone(), trace: fixture.trace(&ran) });
        let lines = sources(&told);
        assert!(lines.contains(&READS), "{name}: the failure depends on {lines:?}\n{:#?}", told.assignments());
        let names = told.trace.steps.iter().filter_map(|step| match &step.action {
            Action::Assign { to, .. } => match &told.trace.variables[to.0 as usize].storage {
                Storage::External { callee, .. } => Some(callee.clone()),
                _ => None,
            },
            _ => None,
        });
        assert!(names.into_iter().all(|name| !name.starts_with("__")), "{name}");
    }
}
