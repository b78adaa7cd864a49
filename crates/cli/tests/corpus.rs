//! Small programs with realistic bugs (`tests/corpus`): every story stands the checks, and says what a C programmer expects.

mod common;

use common::{ENCODINGS, Program, Told, equivalent, names, run, steps, violations};
use serde_json::Value;
use std::collections::BTreeSet;

/// Check one program in all encodings.
fn check(name: &str) {
    let program = Program::read("corpus", name);
    let scratch = tempfile::tempdir().expect("a directory");
    let arguments = program.arguments(scratch.path());
    let recording = scratch.path().join("recording").display().to_string();
    let record = ["record", "-q", "-o", &recording].map(str::to_string);
    let recorded = run(&record.into_iter().chain(arguments.clone()).collect::<Vec<_>>());
    assert_eq!(recorded.status, Some(0), "{name}: {}", recorded.stderr);

    let mut wrong = vec![];
    for encoding in ENCODINGS {
        // What most people type runs the program itself; the recording is as good for the others.
        let source = if encoding == "flow-sensitive" { arguments.clone() } else { vec![recording.clone()] };
        let timeout = program.one("timeout").unwrap_or("60");
        let options = ["explain", "--format", "json", "--encoding", encoding, "--timeout", timeout];
        let said = run(&options.map(str::to_string).into_iter().chain(source).collect::<Vec<_>>());
        let status = said.status.map_or("none".into(), |s| s.to_string());
        if !program.one("status").unwrap_or("0").split(' ').any(|s| s == status) {
            wrong.push(format!("{encoding}: exit status {status}: {}", said.stderr));
            continue;
        }
        let report = said.json();
        wrong.extend(failure(&program, &report).into_iter().map(|w| format!("{encoding}: {w}")));
        if status != "0" {
            continue;
        }
        if report["explanation"]["checked"] != true {
            wrong.push(format!("{encoding}: not checked: {}", report["explanation"]["unchecked_because"]));
        }
        wrong.extend(story(&program, &report, encoding).into_iter().map(|w| format!("{encoding}: {w}")));
        if encoding == "flow-sensitive" {
            wrong.extend(wishes(&program, &report));
        }
        wrong.extend(violations(std::slice::from_ref(&recording), encoding));
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

/// `fails: LINE KIND [TEXT]`.
fn failure(program: &Program, report: &Value) -> Vec<String> {
    let wanted = program.one("fails").unwrap_or_else(|| panic!("{}: no `fails`", program.name));
    let mut words = wanted.splitn(3, ' ');
    let (line, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let failure = &report["failure"];
    let mut wrong = vec![];
    if failure["at"]["line"].as_u64() != line.parse().ok() || failure["kind"] != kind {
        wrong.push(format!("fails: {wanted}, but found {failure}"));
    }
    if let Some(text) = words.next()
        && ![&failure["message"], &failure["condition"]].iter().any(|t| t.as_str().is_some_and(|t| t.contains(text)))
    {
        wrong.push(format!("fails: {wanted}, but the message is {}", failure["message"]));
    }
    wrong
}

/// What holds for the story of any encoding.
fn story(program: &Program, report: &Value, encoding: &str) -> Vec<String> {
    let told = steps(report);
    let mut wrong = vec![];
    let irrelevant = program.marked("// irrelevant");
    for step in &told {
        if irrelevant.iter().any(|line| program.is_at(step, &line.to_string())) {
            wrong.push(format!("an irrelevant step is told: {step:?}"));
        }
        if step.line == 0 || step.text.is_empty() {
            wrong.push(format!("a step without a place: {step:?}"));
        }
    }
    let all = told.iter().flat_map(|s| s.because.iter().map(|b| &b.1).chain(&s.invariant));
    let precondition = report["explanation"]["precondition"].as_str().map(str::to_string);
    for text in all.chain(&precondition) {
        for strange in ["literal", "chosen value", "the memory", "0x7f", "(null)"] {
            if text.contains(strange) {
                wrong.push(format!("not in the program's own names: {text}"));
            }
        }
    }
    for reason in told.iter().flat_map(|s| &s.because) {
        if reason.1.parse::<i64>().is_ok() {
            wrong.push(format!("a reason that says nothing: {reason:?}"));
        }
    }
    let word = if encoding == "flow-sensitive" { "steps".into() } else { format!("steps-{encoding}") };
    if let Some(wanted) = program.one(&word) {
        let found: Vec<String> = told.iter().map(|s| program.place(s)).collect();
        if wanted.split_whitespace().ne(found.iter().map(String::as_str)) {
            wrong.push(format!("steps: {wanted}, but found {}", found.join(" ")));
        }
    }
    if told.last().is_none_or(|s| s.kind != "failure") || told.iter().filter(|s| s.kind == "failure").count() != 1 {
        wrong.push("the failure is not the last step".into());
    }
    let (statements, matter) = (&report["trace"]["statements"], &report["trace"]["matter"]);
    if matter.as_u64() > statements.as_u64() {
        wrong.push(format!("{matter} of {statements} statements matter"));
    }
    wrong
}

/// What is wished for the flow-sensitive story.
fn wishes(program: &Program, report: &Value) -> Vec<String> {
    let told = steps(report);
    let mut wrong = vec![];
    if let Some(most) = program.one("max-steps")
        && told.len() - 1 > most.parse().expect("a number")
    {
        wrong.push(format!("{} steps, more than {most}", told.len() - 1));
    }
    let at = |place: &str, fits: &dyn Fn(&Told) -> bool| told.iter().any(|s| program.is_at(s, place) && fits(s));
    for wanted in program.all("frame") {
        let (line, name) = wanted.split_once(' ').expect("frame: LINE NAME");
        let names_it = |s: &Told| s.note.as_deref().is_some_and(|n| n.contains(&format!(" {name} ")));
        if !at(line, &|s| s.kind == "frame" && names_it(s)) {
            wrong.push(format!("frame: {wanted} is missing"));
        }
    }
    for wanted in program.all("tells") {
        let mut rest = told.iter();
        if !wanted.split_whitespace().all(|place| rest.any(|s| program.is_at(s, place))) {
            let found: Vec<String> = told.iter().map(|s| program.place(s)).collect();
            wrong.push(format!("tells: {wanted}, but found {}", found.join(" ")));
        }
    }
    for wanted in program.all("reasons") {
        let (line, texts) = wanted.split_once(' ').expect("reasons: LINE TEXT; TEXT");
        if !at(line, &|s| texts.split("; ").eq(s.because.iter().map(|b| b.1.as_str()))) {
            let found: Vec<_> = told.iter().filter(|s| program.is_at(s, line)).map(|s| &s.because).collect();
            wrong.push(format!("reasons: {wanted}, but found {found:?}"));
        }
    }
    for wanted in program.all("reason") {
        let (line, reason) = wanted.split_once(" because ").expect("reason: LINE because LINE");
        let (reason, text) = reason.split_once(' ').map_or((reason, None), |(r, t)| (r, Some(t)));
        let given = |s: &Told| {
            s.because.iter().any(|(line, said)| line.to_string() == reason && text.is_none_or(|t| t == said))
        };
        if !at(line, &given) {
            let found: Vec<_> = told.iter().filter(|s| program.is_at(s, line)).map(|s| &s.because).collect();
            wrong.push(format!("reason: {wanted} is missing; found {found:?}"));
        }
    }
    for wanted in program.all("invariant") {
        let (line, text) = wanted.split_once(' ').expect("invariant: LINE TEXT");
        if !at(line, &|s| s.invariant.as_deref() == Some(text)) {
            let found: Vec<_> = told.iter().filter(|s| program.is_at(s, line)).map(|s| &s.invariant).collect();
            wrong.push(format!("invariant: {wanted}, but found {found:?}"));
        }
    }
    if let Some(wanted) = program.one("precondition") {
        let found = report["explanation"]["precondition"].as_str().unwrap_or_default();
        let same = wanted == found || {
            let simple =
                |t: &str| !t.contains(['.', '[', '>', '\'']) || !t.contains("->") && !t.contains(['.', '[', '\'']);
            let variables: BTreeSet<String> = names(found).union(&names(wanted)).cloned().collect();
            simple(found) && variables.len() <= 3 && equivalent(found, wanted, -40..=40)
        };
        if !same {
            wrong.push(format!("precondition: {wanted}, but found {found}"));
        }
    }
    let notes = report["notes"].to_string();
    for wanted in program.all("note") {
        if !notes.contains(wanted.as_str()) {
            wrong.push(format!("note: {wanted} is missing in {notes}"));
        }
    }
    if program.one("no-notes").is_some() && notes != "[]" {
        wrong.push(format!("notes: {notes}"));
    }
    wrong
}

/// What people read of a program of `tests/stories`: no more than a screen, in the program's own names, and with what is
/// wrong in it.
fn story_for_people(name: &str) {
    let program = Program::read("stories", name);
    let scratch = tempfile::tempdir().expect("a directory");
    let explain = ["explain".to_string()].into_iter().chain(program.arguments(scratch.path()));
    let said = run(&explain.collect::<Vec<_>>());
    assert_eq!(said.status, Some(0), "{name}: {}", said.stderr);
    let told = &said.stdout;
    assert!(told.lines().count() <= 40, "{name}:\n{told}");
    for strange in ["::", "#1", "#2", "@", "0x"] {
        assert!(!told.contains(strange), "{name}: `{strange}` in\n{told}");
    }
    // Where lines are broken says nothing.
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in program.all("says") {
        assert!(flat.contains(wanted.as_str()), "{name}: `{wanted}` is not in\n{told}");
    }
    let shown: Vec<&str> = told.lines().filter_map(|l| l.split_once(" | ")).map(|(n, _)| n.trim()).collect();
    for line in program.one("shows").unwrap_or_default().split(' ') {
        assert!(shown.contains(&line), "{name}: line {line} is not shown in\n{told}");
    }
}

#[test]
fn stories_for_people() {
    ["comment_state", "leap_day", "list_count", "released_twice", "same_account", "skip_blanks"]
        .into_iter()
        .for_each(story_for_people);
}

macro_rules! corpus {
    ($($name:ident),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

corpus!(
    aborts,
    account_macro,
    alias,
    alloca_text,
    arguments,
    array_pointer,
    binary_search,
    bit_field,
    bool_flag,
    bubble_sort,
    call_result,
    callback_sort,
    called_from_outside,
    char_promotion,
    comma_and_compound,
    compound_literal,
    computed_goto,
    conditional_value,
    cprover,
    divide_by_zero,
    divide_overflow,
    do_continue,
    early_return,
    enum_state,
    error_label,
    flexible_member,
    float_average,
    float_compare,
    float_sum,
    function_pointer,
    global_initialiser,
    goto_cleanup,
    hash_table,
    heap_realloc,
    knr,
    leap_year,
    library_result,
    linked_list,
    list_insert,
    list_lost_update,
    list_of_arguments,
    long_jump,
    long_jump_outer,
    loop_off_by_one,
    matrix,
    memory_copy,
    nested_branches,
    nested_loops,
    nondet,
    null_function,
    null_member,
    out_parameter,
    own_assert,
    pointer_difference,
    reach_error,
    recursion,
    ring_buffer,
    several_files,
    shadowed_local,
    short_circuit,
    signed_overflow,
    sscanf_real,
    stack_overflow,
    static_local,
    static_namesakes,
    stdin_fgets,
    stdin_getchar,
    stdin_scanf,
    string_copy,
    struct_in_registers,
    struct_pointer,
    struct_result,
    struct_through_pointer,
    switch_default,
    switch_fallthrough,
    tree_insert,
    undefined_function,
    uninitialised,
    union_bytes,
    unreachable,
    unsigned_wrap,
    varargs,
    verifier_error,
    while_break,
    wide_product,
    wild_index,
);

#[test]
fn every_program_is_checked() {
    let directory = common::workspace().join("tests/corpus");
    let listed = std::fs::read_dir(directory).expect("the corpus").map(|e| e.expect("a file").path());
    let found: BTreeSet<String> =
        listed.map(|p| p.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    assert_eq!(found, NAMES.iter().map(|n| n.to_string()).collect());
    assert!(NAMES.len() >= 36);
}
