//! Small programs with one or more faults (`tests/diagnose`): the diagnoses are those that they have to be.

mod common;

use clap::Parser;
use common::Program;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_cli::diagnose::suite;
use wherefore_cli::diagnose::{Effort, Found, diagnosed, expect_reference, test_time};
use wherefore_cli::options::{Cli, Command, Diagnose};
use wherefore_cli::progress::Progress;
use wherefore_cli::run;
use wherefore_diagnose::{Agreement, Set};
use wherefore_session::{Native, Session};

/// Seconds for one program, also on a busy machine.
const PATIENCE: u64 = 600;
/// Seconds for a diagnosis.
const TIMEOUT: &str = "300";
/// Seconds for a second opinion, which may be none.
const SECOND_TIMEOUT: &str = "30";

/// What is expected of a program stands in comments of its source:
///
/// ```text
/// run: OPTIONS              of `wherefore diagnose`, after the files
/// test: WHAT TEXT | ...     the files of a test: in, out, args, status, inputs; with \n, the names are t1, t2, ...
/// reference:                the corrected program says what is expected
/// fix: [FILE:]LINE TEXT     the correct line: with all of them every test passes
/// faults: LINE LINE ...     each is in some complete diagnosis; otherwise the lines of all fixes
/// masked: LINE LINE ...     no test executes these
/// sets: {LINE,LINE} {LINE}  the complete diagnoses, likewise `product`, and `sets tN` and `conflicts tN` of a test
/// undefined: may            what happens may be something undefined
/// note: TEXT                a note contains it
/// doubt: TEXT               a reason why there may be other diagnoses contains it; `none`: there is no such reason
/// slow: REASON              not for the second backend
/// known: REASON             the program is not diagnosed as it has to be; to be removed when it is
/// ```
fn check(name: &str) -> Vec<String> {
    let program = Program::read("diagnose", name);
    let scratch = tempfile::tempdir().expect("a directory");
    let fixes = fixes(&program);
    let corrected = corrected(&program, &fixes, scratch.path());
    let mut arguments = tests(&program, scratch.path());
    arguments.extend(["--conflicts", "-q", "--jobs", "1"].map(str::to_string));
    if program.one("reference").is_some() {
        let reference = corrected.iter().flat_map(|f| ["--reference".into(), text(f)]);
        arguments.extend(reference);
    }

    let mut wrong = vec![];
    let subject = Subject::new(&program.files, &arguments);
    let found = subject.found(&[]).unwrap_or_else(|| panic!("{name}: no test fails"));
    wrong.extend(agreement(&program, &subject, &found));
    wrong.extend(expected_sets(&program, &subject, &found));
    wrong.extend(faults(&program, &fixes, &subject, &found));
    wrong.extend(executed_masks(&program, &subject, &found));
    let notes = found.notes.join("\n");
    wrong.extend(program.all("note").iter().filter(|n| !notes.contains(*n)).map(|n| format!("no note: {n}\n{notes}")));
    wrong.extend(doubts(&program, &found));
    if program.one("slow").is_none() {
        wrong.extend(second_opinion(&subject, &found));
    }
    if let Some(again) = Subject::new(&corrected, &arguments).found(&[]) {
        let failing: Vec<&str> = again.tests.iter().map(|t| subject.cases[t.0].name.as_str()).collect();
        wrong.push(format!("the corrected program fails in {}", failing.join(", ")));
    }
    wrong
}

/// A program with its tests, ready to be diagnosed.
struct Subject {
    arguments: Vec<String>,
    session: Session,
    cases: Vec<Case>,
}

impl Subject {
    fn new(files: &[PathBuf], arguments: &[String]) -> Subject {
        let arguments: Vec<String> = files.iter().map(|f| text(f)).chain(arguments.iter().cloned()).collect();
        let options = options(&arguments);
        let session = run::open(&options.run, &Budget::unlimited()).expect("it compiles");
        let mut cases = match &options.tests {
            Some(path) => {
                suite::read_all(session.program(), &options.run.entry, path, None).expect("the tests are read")
            }
            None => vec![suite::single(session.program(), &options.run, &options.wanted).expect("the test is read")],
        };
        if !options.reference.is_empty() {
            expect_reference(&options, &mut cases, &Budget::unlimited()).expect("the reference runs");
        }
        Subject { arguments, session, cases }
    }

    /// The diagnoses, with more options; nothing where no test fails.
    fn found(&self, more: &[&str]) -> Option<Found> {
        let all: Vec<String> = self.arguments.iter().cloned().chain(more.iter().map(|m| m.to_string())).collect();
        let timeout = if more.contains(&"z3") { SECOND_TIMEOUT } else { TIMEOUT };
        let all: Vec<String> = all.into_iter().chain(["--timeout".into(), timeout.into()]).collect();
        let options = options(&all);
        let budget = wherefore_cli::budget(&options.run);
        let progress = Progress::new(true);
        diagnosed(&options, &self.session, &self.cases, Effort::Order, &progress, &budget).expect("a diagnosis")
    }

    /// Where a statement stands, as expectations write it.
    fn place(&self, found: &Found, statement: u32) -> String {
        let at = &found.statements.list[statement as usize].at;
        let main = Path::new(&self.arguments[0]).file_name().expect("a name");
        let file = Path::new(&at.file).file_name().expect("a name");
        if file == main { at.line.to_string() } else { format!("{}:{}", file.display(), at.line) }
    }

    fn places(&self, found: &Found, set: &Set) -> BTreeSet<String> {
        set.iter().map(|s| self.place(found, *s)).collect()
    }

    fn show(&self, found: &Found, sets: &[Set]) -> String {
        let sets = sets.iter().map(|set| {
            let places: Vec<String> = set.iter().map(|s| self.place(found, *s)).collect();
            format!("{{{}}}", places.join(","))
        });
        sets.collect::<Vec<_>>().join(" ")
    }
}

fn options(arguments: &[String]) -> Diagnose {
    let all = ["wherefore", "diagnose"].map(str::to_string).into_iter().chain(arguments.iter().cloned());
    match Cli::try_parse_from(all).expect("options").command {
        Command::Diagnose(options) => options,
        _ => unreachable!("it was asked for"),
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The options of a program, its tests written into a directory.
fn tests(program: &Program, scratch: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = program.one("run").expect("run").split_whitespace().map(str::to_string).collect();
    if program.all("test").is_empty() {
        return arguments;
    }
    let directory = scratch.join("tests");
    std::fs::create_dir(&directory).expect("a directory");
    for (number, test) in (1..).zip(program.all("test")) {
        for part in test.split(" | ") {
            let (what, content) = part.split_once(' ').unwrap_or((part, ""));
            let content = match what {
                "inputs" => content.replace(' ', "\n"),
                _ => content.replace("\\n", "\n"),
            };
            std::fs::write(directory.join(format!("t{number}.{what}")), content).expect("a file is written");
        }
    }
    arguments.extend(["--tests".into(), text(&directory)]);
    arguments
}

/// The correct lines: file, line, text.
fn fixes(program: &Program) -> Vec<(PathBuf, usize, String)> {
    let main = program.main.clone();
    let fix = |fix: &String| {
        let (place, text) = fix.split_once(' ').expect("fix: LINE TEXT");
        let (file, line) = match place.split_once(':') {
            Some((file, line)) => (main.with_file_name(file), line),
            None => (main.clone(), place),
        };
        (file, line.parse().expect("a number"), text.to_string())
    };
    program.all("fix").iter().map(fix).collect()
}

/// The program with its correct lines, the main file first.
fn corrected(program: &Program, fixes: &[(PathBuf, usize, String)], scratch: &Path) -> Vec<PathBuf> {
    let directory = scratch.join("corrected");
    std::fs::create_dir(&directory).expect("a directory");
    let write = |file: &PathBuf| {
        let source = std::fs::read_to_string(file).expect("a source file");
        let mut lines: Vec<&str> = source.lines().collect();
        for (_, line, text) in fixes.iter().filter(|(f, ..)| f == file) {
            lines[line - 1] = text;
        }
        let to = directory.join(file.file_name().expect("a name"));
        std::fs::write(&to, lines.join("\n") + "\n").expect("a file is written");
        to
    };
    program.files.iter().map(write).collect()
}

/// The formula has to do what the program did.
fn agreement(program: &Program, subject: &Subject, found: &Found) -> Vec<String> {
    let bad = |agreement: &Agreement| match agreement {
        Agreement::Same => false,
        Agreement::Undefined => program.one("undefined").is_none(),
        Agreement::Different | Agreement::Undecided(_) => true,
    };
    let tests = found.tests.iter().filter(|(_, test)| bad(&test.agreement));
    let mut wrong: Vec<String> =
        tests.map(|(n, test)| format!("{}: {:?}", subject.cases[*n].name, test.agreement)).collect();
    for (n, test) in &found.tests {
        if !test.found.is_complete() {
            wrong.push(format!("{}: incomplete: {:?}", subject.cases[*n].name, test.found.incomplete));
        }
    }
    if !found.complete.is_complete() {
        wrong.push(format!("incomplete: {:?}", found.complete.incomplete));
    }
    wrong
}

/// Why there may be others.
fn doubts(program: &Program, found: &Found) -> Vec<String> {
    let doubts: Vec<&str> = found.doubts.iter().map(|doubt| doubt.kind).collect();
    let is_there = |wanted: &str| match wanted {
        "none" => doubts.is_empty(),
        text => doubts.iter().any(|doubt| doubt.contains(text)),
    };
    let missing = program.all("doubt").iter().filter(|wanted| !is_there(wanted));
    missing.map(|wanted| format!("no doubt `{wanted}` among {doubts:?}")).collect()
}

/// What Z3 says is the same as far as it comes, which on a busy machine may be nowhere.
fn second_opinion(subject: &Subject, found: &Found) -> Option<String> {
    let second = subject.found(&["--backend", "z3"]).expect("a test fails");
    let same = match second.complete.is_complete() && second.tests.iter().all(|(_, test)| test.agreement.is_some()) {
        true => second.complete.sets == found.complete.sets,
        false => second.complete.sets.iter().all(|set| found.complete.sets.contains(set)),
    };
    let (a, b) = (subject.show(found, &found.complete.sets), subject.show(&second, &second.complete.sets));
    (!same).then(|| format!("Z3 says {b}, CaDiCaL {a}"))
}

/// The sets as they are written down.
fn parsed(sets: &str) -> BTreeSet<BTreeSet<String>> {
    let sets = sets.split_whitespace().map(|s| s.trim_matches(['{', '}']));
    sets.map(|s| s.split(',').map(str::to_string).collect()).collect()
}

fn expected_sets(program: &Program, subject: &Subject, found: &Found) -> Vec<String> {
    let mut wrong = vec![];
    let mut compare = |word: &str, sets: &[Set]| {
        let Some(wanted) = program.one(word) else { return };
        let places: Vec<BTreeSet<String>> = sets.iter().map(|s| subject.places(found, s)).collect();
        if parsed(wanted) != places.iter().cloned().collect() || places.len() != parsed(wanted).len() {
            wrong.push(format!("{word}: {wanted}, but found {}", subject.show(found, sets)));
        }
    };
    compare("sets", &found.complete.sets);
    for (index, (n, test)) in found.tests.iter().enumerate() {
        let name = &subject.cases[*n].name;
        compare(&format!("sets {name}"), &test.found.sets);
        compare(&format!("conflicts {name}"), &found.conflicts[index].sets);
    }
    if program.one("product").is_some() {
        let found = subject.found(&["--combine", "product"]).expect("a test fails");
        compare("product", &found.complete.sets);
    }
    wrong
}

/// Each fault is in some complete diagnosis, and the fix is one, perhaps with more than it needs.
fn faults(program: &Program, fixes: &[(PathBuf, usize, String)], subject: &Subject, found: &Found) -> Vec<String> {
    let place = |(file, line, _): &(PathBuf, usize, String)| match *file == program.main {
        true => line.to_string(),
        false => format!("{}:{line}", file.file_name().expect("a name").display()),
    };
    let fixed: BTreeSet<String> = fixes.iter().map(place).collect();
    let given = |list: &str| list.split_whitespace().map(str::to_string).collect();
    let faults: BTreeSet<String> = program.one("faults").map_or(fixed.clone(), given);
    let sets: Vec<BTreeSet<String>> = found.complete.sets.iter().map(|s| subject.places(found, s)).collect();
    let mut wrong = vec![];
    let missing: Vec<&str> =
        faults.iter().filter(|f| !sets.iter().any(|s| s.contains(*f))).map(String::as_str).collect();
    let all = subject.show(found, &found.complete.sets);
    if !missing.is_empty() {
        wrong.push(format!("in no complete diagnosis: {}; found {all}", missing.join(" ")));
    }
    if program.one("faults").is_none() && !sets.iter().any(|s| s.is_subset(&fixed)) {
        wrong.push(format!("no complete diagnosis within {}; found {all}", Vec::from_iter(fixed).join(" ")));
    }
    wrong
}

/// Faults that no test executes.
fn executed_masks(program: &Program, subject: &Subject, found: &Found) -> Vec<String> {
    let Some(lines) = program.one("masked") else { return vec![] };
    let options = options(&subject.arguments);
    let native = Native::new(&subject.session, test_time(&options)).expect("it is built");
    let observed = native.run_all(&subject.cases, 1).expect("the tests run");
    let mut wrong = vec![];
    for line in lines.split_whitespace() {
        let statements = (0..found.statements.list.len()).filter(|s| subject.place(found, *s as u32) == line);
        for block in statements.flat_map(|s| &found.statements.list[s].blocks) {
            if observed.iter().any(|o| o.counts[*block as usize] > 0) {
                wrong.push(format!("line {line} is executed"));
            }
        }
    }
    wrong
}

/// A program that is not done in time is wrong too.
fn patiently(name: &'static str) {
    let given = std::env::var("WHEREFORE_PATIENCE").ok().map_or(PATIENCE, |v| v.parse().expect("a number"));
    let (done, wait) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let wrong = check(name);
        // Nobody waits any more when it took too long.
        let _ = done.send(());
        wrong
    });
    let wrong = match wait.recv_timeout(Duration::from_secs(given)) {
        Err(RecvTimeoutError::Timeout) => vec![format!("takes more than {given} seconds")],
        _ => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    };
    match Program::read("diagnose", name).one("known") {
        Some(reason) => assert!(!wrong.is_empty(), "{name}: as it has to be; remove `known: {reason}`"),
        None => assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n")),
    }
}

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                patiently(stringify!($name));
            }
        )*
    };
}

programs!(
    arguments,
    bubble_sort,
    char_wraps,
    conditional_value,
    constant,
    constant_condition,
    control_dependent,
    data_dependent,
    divide_by_zero,
    do_while,
    dropped_branch,
    exit_status,
    fahrenheit,
    fewer_lines,
    floating,
    function_table,
    getchar_words,
    global_initial,
    global_table,
    goto_cleanup,
    heap_bounds,
    independent,
    independent_functions,
    index_left,
    linked_list,
    listing1,
    listing2,
    loop_bound,
    loop_not_entered,
    masked,
    matrix,
    missing_break,
    missing_stop,
    more_lines,
    nested_in_nested,
    nondet,
    null_pointer,
    one_run_status,
    out_of_bounds,
    out_of_bounds_heap,
    pointer_assignment,
    printed_constant,
    printed_text,
    printed_text_chosen,
    recursion,
    recursion_depth,
    reference,
    scanf_average,
    several_files,
    short_circuit,
    static_initial,
    string_length,
    struct_member,
    structure_passed,
    three_faults,
    wild_write,
    wrong_argument,
    wrong_left_side,
    wrong_operator,
    wrong_return,
    wrong_variable,
);

#[test]
fn every_program_is_checked() {
    let listed = std::fs::read_dir(common::workspace().join("tests/diagnose")).expect("the programs");
    let names = listed.map(|e| e.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned());
    assert_eq!(names.collect::<BTreeSet<String>>(), NAMES.iter().map(|n| n.to_string()).collect());
}
