//! Programs built to be replayed behave as plain ones, count their blocks, and take the values they are given.

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;
use support::replay::{Served, serve, serve_counting, serve_text, stdout, try_build};
use support::{program_path, run_plain};
use wherefore_frontend::Instrument;
use wherefore_program::{Function, Program, Slot};
use wherefore_record::{Ending, Forced, Input, InputValue, Recorder, Run, RunLimits, Task, run};

/// Programs that do not end in the middle of a block.
const PROGRAMS: &[&[&str]] = &[
    &["arithmetic.c"],
    &["control.c"],
    &["globals.c"],
    &["structs.c"],
    &["floats.c"],
    &["vla.c"],
    &["builtins.c"],
    &["uninitialised.c"],
    &["machine.c"],
    &["old.c"],
    &["computed.c"],
    &["own_builtin.c"],
    &["two_a.c", "two_b.c"],
    &["strings.c"],
    &["pointers.c"],
    &["variadic.c"],
];

fn once(point: u32, value: u64) -> [Forced; 1] {
    [Forced { point, occurrence: 0, value }]
}

#[test]
fn nothing_forced() {
    for names in PROGRAMS.iter().chain(&[&["jumps.c"][..]]) {
        let mut served = serve(names);
        let outcome = served.run(&[]);
        let plain = run_plain(names, &[]);
        assert_eq!(stdout(&outcome), String::from_utf8_lossy(&plain.stdout), "{names:?}");
        assert_eq!(outcome.ending, Ending::Exited(plain.status.code().expect("an exit")), "{names:?}");
        assert_eq!(outcome.applied, 0);
    }
}

#[test]
fn counts_are_those_of_a_recording() {
    for names in PROGRAMS.iter().chain(&[&["jumps.c"][..], &["crash.c"], &["divide.c"]]) {
        let inputs: Vec<PathBuf> = names.iter().map(|n| program_path(n)).collect();
        let dir = tempfile::tempdir().expect("a temporary directory");
        let build = try_build(&inputs, "main", Instrument::Record, &dir).expect("it builds");
        assert!(build.forceable.is_empty());
        let recorded = run(&Run::new(&build.executable), dir.path()).expect("it runs");
        let mut served = serve(names);
        let replayed = served.run(&[]);
        assert_eq!(replayed.ending, recorded.ending, "{names:?}");
        let mut counts = vec![0; replayed.counts.len()];
        for word in recorded.recording.expect("a recording").words() {
            // No value of these programs looks like the number of a block.
            if word >> 48 == 0xB10C {
                counts[*word as u32 as usize] += 1;
            }
        }
        assert_eq!(replayed.counts, counts, "{names:?}");
    }
}

/// How often each line is executed: as often as the block of it that is executed most.
fn by_line(program: &Program, counts: &[u32]) -> BTreeMap<(u32, u32), u32> {
    let mut lines = BTreeMap::new();
    let numbered = |function: &'_ Function| function.first_block..;
    for (block, number) in program.functions.iter().flat_map(|f| f.blocks.iter().zip(numbered(f))) {
        for at in block.commands.iter().map(|command| command.at).chain([block.terminator.at]).flatten() {
            let most = lines.entry((at.file.0, at.line)).or_insert(0);
            *most = counts[number as usize].max(*most);
        }
    }
    lines
}

#[test]
fn lines_are_counted_with_fewer_counters() {
    let mut fewer = 0;
    for names in PROGRAMS.iter().chain(&[&["jumps.c"][..]]) {
        let task = Task { argv0: Some("program".as_ref()), ..Task::default() };
        let mut all = serve(names);
        let expected = all.server.run(&task).expect("it runs").counts;
        let (build, mut server, _dir) = serve_counting(names);
        let counts = server.run(&task).expect("it runs").counts;
        assert_eq!(by_line(&build.program, &counts), by_line(&all.build.program, &expected), "{names:?}");
        fewer += counts.iter().zip(&expected).filter(|(some, all)| some < all).count();
    }
    assert!(fewer > 50, "{fewer} blocks are not counted");
}

#[test]
fn a_served_recording_is_that_of_a_run() {
    // A value that nobody set may be another.
    let programs = PROGRAMS.iter().filter(|names| !names.contains(&"uninitialised.c"));
    for names in programs.chain(&[&["jumps.c"][..], &["crash.c"], &["divide.c"]]) {
        let inputs: Vec<PathBuf> = names.iter().map(|n| program_path(n)).collect();
        let dir = tempfile::tempdir().expect("a temporary directory");
        let build = try_build(&inputs, "main", Instrument::Record, &dir).expect("it builds");
        let limits = RunLimits { recording_mib: 1, ..RunLimits::default() };
        let mut recorder = Recorder::start(&build.executable, &limits).expect("it is served");
        let alone = run(&Run::new(&build.executable), dir.path()).expect("it runs");
        for _ in 0..2 {
            let served = recorder.run(&Task::default()).expect("the case runs");
            assert_eq!((served.ending, &served.stdout), (alone.ending, &alone.stdout), "{names:?}");
            let [served, alone] = [&served, &alone].map(|o| o.recording.as_ref().expect("it is instrumented"));
            assert_eq!(served.functions, alone.functions, "{names:?}");
            assert_eq!(served.globals, alone.globals, "{names:?}");
            // Addresses of the stack, the heap and libraries differ.
            let mut pairs = served.words().iter().zip(alone.words());
            let differs = pairs.find(|&(&a, &b)| a != b && a.min(b) < 1 << 22);
            assert_eq!((served.words().len(), differs), (alone.words().len(), None), "{names:?}");
        }
    }
}

#[test]
fn arguments_reach_a_recorded_main() {
    let text = "int main(int count, char **list) { return count > 1 ? list[1][0] : count; }";
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("test.c");
    std::fs::write(&file, text).expect("the file is written");
    let build = try_build(&[file], "main", Instrument::Record, &dir).expect("it builds");
    let limits = RunLimits { recording_mib: 1, ..RunLimits::default() };
    let mut recorder = Recorder::start(&build.executable, &limits).expect("it is served");
    for (arguments, status) in [(vec![], 1), (vec!["x".into(), "".into()], 120), (vec![], 1)] {
        let mut alone = Run::new(&build.executable);
        alone.arguments = arguments.clone();
        let alone = run(&alone, dir.path()).expect("it runs");
        let served = recorder.run(&Task { arguments: &arguments, ..Task::default() }).expect("the case runs");
        assert_eq!((served.ending, alone.ending), (Ending::Exited(status), Ending::Exited(status)));
        let [served, alone] = [served, alone].map(|o| o.recording.expect("it is instrumented"));
        assert!(served.words().contains(&(arguments.len() as u64 + 1)), "the count is recorded");
        assert_eq!(served.words().len(), alone.words().len());
    }
}

#[test]
fn every_point_takes_a_value() {
    for names in PROGRAMS {
        let mut served = serve(names);
        let counts = served.run(&[]).counts;
        let program = served.build.program.clone();
        let mut taken = 0;
        for (number, point) in served.points.clone().into_iter().enumerate() {
            let outcome = served.run(&once(number as u32, 0x5a5a_5a5a_0000_0003));
            let block = program.functions[point.function.index()].first_block + point.block.0;
            let expected = served.build.forceable[number] && counts[block as usize] > 0;
            assert_eq!(outcome.applied, usize::from(expected), "{names:?} {point:?}");
            taken += outcome.applied;
        }
        assert!(taken > 0, "{names:?}");
        // It is as before whatever happened.
        assert_eq!(served.run(&[]).counts, counts);
    }
}

#[test]
fn every_kind_of_slot() {
    let text = r#"#include <stdio.h>
        int numbers[4] = {1, 2, 3, 4};
        char *word = "word";
        static int add(int a, long b, char c) {
          return a + b + c; /*result*/
        }
        static double half(float f, double d) {
          return (f + d) / 2; /*float result*/
        }
        static void note(int n) { printf("%d;", n); }
        int main(void) {
          int x = 5; /*local*/
          int i = 1;
          numbers[i] = 7; /*element*/
          unsigned char small = 250; /*small*/
          double number = 1.5; /*double*/
          float single = 2.5f; /*float*/
          char *pointer = word; /*pointer*/
          int sum = add(x, 10, 3); /*call*/
          double mean = half(single, number); /*float call*/
          if (x > 100) /*if*/
            printf("large;");
          switch (sum) { /*switch*/
            case 18: printf("eighteen;"); break;
            case 19: printf("nineteen;"); break;
            default: printf("other;");
          }
          for (int k = 0; k < 3; k++) /*loop*/
            note(k); /*outer call*/
          printf("%d %d %d %d %d %g %g %s %d %g\n", x, numbers[0], numbers[1], numbers[2], small, number, single, pointer, sum, mean); /*printf*/
          return 0;
        }"#;
    let mut served = serve_text(text, "main");
    let usual = "eighteen;0;1;2;5 1 7 3 250 1.5 2.5 word 18 2\n";
    assert_eq!(stdout(&served.run(&[])), usual);
    for (mark, slot, value, expected) in [
        ("local", Slot::Value, 6, "nineteen;0;1;2;6 1 7 3 250 1.5 2.5 word 19 2\n"),
        ("local", Slot::Value, 0xffff_ffff, "other;0;1;2;-1 1 7 3 250 1.5 2.5 word 12 2\n"),
        ("element", Slot::Value, 9, "eighteen;0;1;2;5 1 9 3 250 1.5 2.5 word 18 2\n"),
        ("element", Slot::Address, 4, "eighteen;0;1;2;5 1 2 7 250 1.5 2.5 word 18 2\n"),
        ("element", Slot::Address, -4i64 as u64, "eighteen;0;1;2;5 7 2 3 250 1.5 2.5 word 18 2\n"),
        ("small", Slot::Value, 0x1_02, "eighteen;0;1;2;5 1 7 3 2 1.5 2.5 word 18 2\n"),
        ("double", Slot::Value, 7.5f64.to_bits(), "eighteen;0;1;2;5 1 7 3 250 7.5 2.5 word 18 5\n"),
        ("float", Slot::Value, 3.5f32.to_bits().into(), "eighteen;0;1;2;5 1 7 3 250 1.5 3.5 word 18 2.5\n"),
        ("call", Slot::Argument(0), 6, "nineteen;0;1;2;5 1 7 3 250 1.5 2.5 word 19 2\n"),
        ("call", Slot::Argument(1), 1, "other;0;1;2;5 1 7 3 250 1.5 2.5 word 9 2\n"),
        ("call", Slot::Argument(2), 4, "nineteen;0;1;2;5 1 7 3 250 1.5 2.5 word 19 2\n"),
        ("call", Slot::Value, 19, "nineteen;0;1;2;5 1 7 3 250 1.5 2.5 word 19 2\n"),
        ("float call", Slot::Argument(0), 4.5f32.to_bits().into(), "eighteen;0;1;2;5 1 7 3 250 1.5 2.5 word 18 3\n"),
        ("float call", Slot::Argument(1), 3.5f64.to_bits(), "eighteen;0;1;2;5 1 7 3 250 1.5 2.5 word 18 3\n"),
        ("result", Slot::Result, 19, "nineteen;0;1;2;5 1 7 3 250 1.5 2.5 word 19 2\n"),
        ("float result", Slot::Result, 8f64.to_bits(), "eighteen;0;1;2;5 1 7 3 250 1.5 2.5 word 18 8\n"),
        ("if", Slot::Condition, 1, "large;eighteen;0;1;2;5 1 7 3 250 1.5 2.5 word 18 2\n"),
        ("if", Slot::Condition, 2, usual),
        ("switch", Slot::Condition, 19, "nineteen;0;1;2;5 1 7 3 250 1.5 2.5 word 18 2\n"),
        ("switch", Slot::Condition, 77, "other;0;1;2;5 1 7 3 250 1.5 2.5 word 18 2\n"),
        ("outer call", Slot::Argument(0), 8, "eighteen;8;1;2;5 1 7 3 250 1.5 2.5 word 18 2\n"),
    ] {
        let point = served.point(mark, slot);
        assert!(served.build.forceable[point as usize]);
        let outcome = served.run(&once(point, value));
        assert_eq!(stdout(&outcome), expected, "{mark} {slot:?} {value:#x}");
        assert_eq!((outcome.ending, outcome.applied), (Ending::Exited(0), 1), "{mark} {slot:?}");
    }
    // A pointer, to a place whose address is known from a run.
    let dir = tempfile::tempdir().expect("a temporary directory");
    let recording = run(&Run::new(&served.build.executable), dir.path()).expect("it runs").recording.expect("tables");
    assert!(recording.words().is_empty());
    let literal = served.build.program.globals.iter().zip(&recording.globals);
    let literal =
        literal.filter(|(_, image)| image.content.as_deref() == Some(b"large;\0")).map(|(_, image)| image.address);
    let literal: Vec<u64> = literal.collect();
    let point = served.point("pointer", Slot::Value);
    let outcome = served.run(&once(point, literal[0] + 1));
    assert_eq!(stdout(&outcome), usual.replace("word", "arge;"));
    // Argument of a function outside the program, among many.
    let point = served.point("printf", Slot::Argument(9));
    assert_eq!(stdout(&served.run(&once(point, 17))), usual.replace("18 2\n", "17 2\n"));
}

#[test]
fn occurrences() {
    let text = r#"#include <stdio.h>
        int main(void) {
          int sum = 0;
          for (int i = 0; i < 1000; i++) /*loop*/
            sum += 1; /*add*/
          printf("%d", sum);
          return 0;
        }"#;
    let mut served = serve_text(text, "main");
    let (add, condition) = (served.point("add", Slot::Value), served.point("loop", Slot::Condition));
    let forced = |point, occurrence, value| Forced { point, occurrence, value };
    let mut run = |forced: &[Forced]| {
        let outcome = served.run(forced);
        (stdout(&outcome), outcome.applied)
    };
    assert_eq!(run(&[]), ("1000".into(), 0));
    assert_eq!(run(&[forced(add, 999, 5)]), ("5".into(), 1));
    assert_eq!(run(&[forced(add, 998, 5)]), ("6".into(), 1));
    assert_eq!(run(&[forced(add, 1000, 5)]), ("1000".into(), 0));
    assert_eq!(run(&[forced(add, 998, 5), forced(add, 10, 0), forced(add, 999, 7)]), ("7".into(), 3));
    assert_eq!(run(&[forced(add, 10, 0), forced(add, 500, 0)]), ("499".into(), 2));
    assert_eq!(run(&[forced(condition, 3, 0)]), ("3".into(), 1));
    // Once more round than the program would go, at each of which it adds one.
    assert_eq!(run(&[forced(condition, 1000, 1), forced(condition, 1001, 1)]), ("1002".into(), 2));
    let all: Vec<Forced> = (0..1000).map(|n| forced(add, n, u64::from(n) * 2)).collect();
    assert_eq!(run(&all), ("1998".into(), 1000));
    assert_eq!(run(&[forced(12345, 0, 0), forced(u32::MAX, u32::MAX, 0)]), ("1000".into(), 0));
    assert_eq!(run(&[]), ("1000".into(), 0));
}

#[test]
fn what_cannot_be_forced() {
    let text = r#"#include <stdio.h>
        struct pair { double x; long y; };
        struct floats { float a, b; };
        static struct pair make(struct floats f) { struct pair p = {f.a, f.b}; return p; } /*make*/
        int main(void) {
          struct floats f = {1, 2};
          struct pair p = make(f); /*call*/
          long double wide = 3;
          int n = 4;
          __atomic_fetch_add(&n, 2, __ATOMIC_SEQ_CST); /*atomic*/
          __asm__ volatile("addl %1, %0" : "+r"(n) : "i"(5)); /*asm*/
          printf("%g %ld %Lg %d\n", p.x, p.y, wide, n);
          return 0;
        }"#;
    let mut served = serve_text(text, "main");
    let usual = "1 2 3 11\n";
    assert_eq!(stdout(&served.run(&[])), usual);
    // A vector, what an atomic instruction computes, a constant of assembly.
    for (mark, slot) in [("call", Slot::Argument(0)), ("atomic", Slot::Value), ("asm", Slot::Argument(0))] {
        let points = served.points(mark, slot);
        let fixed: Vec<u32> = points.into_iter().filter(|p| !served.build.forceable[*p as usize]).collect();
        let [point] = fixed[..] else { panic!("{mark} {slot:?}: {fixed:?}") };
        let outcome = served.run(&once(point, 1));
        assert_eq!((stdout(&outcome).as_str(), outcome.applied), (usual, 0), "{mark}");
    }
    // But what assembly reads.
    let point = served.point("asm", Slot::Argument(1));
    assert_eq!(stdout(&served.run(&once(point, 1))), "1 2 3 6\n");
}

#[test]
fn calls_that_return_what_they_call() {
    let text = r#"
        static int end(int n) { return n + 5; }
        static int begin(int n) {
          __attribute__((musttail)) return end(n - 1); /*tail*/
        }
        int main(void) { return begin(3); }"#;
    let mut served = serve_text(text, "main");
    assert_eq!(served.run(&[]).ending, Ending::Exited(7));
    for (slot, value, status) in [(Slot::Argument(0), 10, 15), (Slot::Result, 40, 40)] {
        let point = served.point("tail", slot);
        assert_eq!(served.run(&once(point, value)).ending, Ending::Exited(status), "{slot:?}");
    }
}

#[test]
fn arguments_reach_main() {
    let text = r#"#include <stdio.h>
        int main(int count, char **list) {
          for (int i = 1; i < count; i++) printf("[%s]", list[i]);
          if (count > 1) { char *less[] = {list[0], "again", 0}; if (count > 2) return main(2, less); }
          return count;
        }"#;
    let mut served = serve_text(text, "main");
    let arguments = ["a".into(), "".into()];
    let case = Task { arguments: &arguments, ..Task::default() };
    let outcome = served.server.run(&case).expect("the case runs");
    assert_eq!((stdout(&outcome).as_str(), outcome.ending), ("[a][][again]", Ending::Exited(2)));
    assert_eq!(served.run(&[]).ending, Ending::Exited(1));
    // The environment is the third.
    let text = r#"#include <string.h>
        int main(int n, char **list, char **variables) {
          while (*variables) if (!strncmp(*variables++, "PATH=", 5)) return n;
          return 77;
        }"#;
    assert_eq!(serve_text(text, "main").run(&[]).ending, Ending::Exited(1));
}

#[test]
fn another_entry() {
    let text = r#"#include <stdio.h>
        int seen = 1;
        int target(char c, double d, const char *text) {
          seen += c;
          printf("%d %g %s\n", seen, d, text);
          return 7;
        }
        int main(void) { return target(1, 2, 0); }"#;
    let Served { mut server, build, dir: _dir, .. } = serve_text(text, "target");
    let seen = build.program.globals.iter().position(|g| g.name.as_deref() == Some("seen")).expect("it exists");
    let bits = |bytes: &[u8]| InputValue::Bits(bytes.to_vec());
    let inputs = [
        Input::Argument { index: 0, value: bits(&[3]) },
        Input::Argument { index: 1, value: bits(&0.5f64.to_le_bytes()) },
        Input::Argument { index: 2, value: InputValue::Object(b"hello".to_vec()) },
        Input::Global { id: seen as u32, value: bits(&[10, 0, 0, 0]) },
    ];
    let outcome = server.run(&Task { inputs: &inputs, ..Task::default() }).expect("the case runs");
    assert_eq!((stdout(&outcome).as_str(), outcome.ending), ("13 0.5 hello\n", Ending::Exited(0)));
    let function = build.program.function("target").expect("it exists");
    assert_eq!(outcome.counts[build.program.functions[function.index()].first_block as usize], 1);
    let outcome = server.run(&Task { inputs: &inputs[2..3], ..Task::default() }).expect("the case runs");
    assert_eq!(stdout(&outcome), "1 0 hello\n");
}

#[test]
fn a_run_gives_the_tables() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let inputs = [program_path("globals.c")];
    let mut tables = vec![];
    for instrument in [Instrument::Record, Instrument::Replay] {
        let build = try_build(&inputs, "main", instrument, &dir).expect("it builds");
        let outcome = run(&Run::new(&build.executable), dir.path()).expect("it runs");
        let recording = outcome.recording.expect("it is instrumented");
        assert_eq!(recording.words().is_empty(), instrument == Instrument::Replay);
        assert_eq!(recording.functions.len(), build.program.functions.len());
        assert_eq!(recording.externals.len(), build.program.externals.len());
        tables.push(recording.globals.iter().map(|g| (g.size, g.content.as_ref().map(Vec::len))).collect::<Vec<_>>());
    }
    assert_eq!(tables[0], tables[1]);
    assert!(!tables[0].is_empty());
}
