//! Cases: what a served program is given, and what is told of it or recorded.

mod common;

use common::{Program, compile, compile_with, everywhere, go, recording};
use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::path::Path;
use std::time::{Duration, Instant};
use wherefore_record::{
    Captured, CaseOutcome, Ending, Error, Forced, Input, InputValue, Isolation, Outcome, Recorder, Recording,
    RunLimits, Server, State, Task,
};

fn stdout(outcome: &CaseOutcome) -> &str {
    text(&outcome.stdout)
}

fn text(captured: &Captured) -> &str {
    assert!(captured.complete());
    std::str::from_utf8(&captured.kept).unwrap()
}

#[test]
fn arguments_input_and_output() {
    let program = compile(
        r#"REPLAYED(1, 0);
           int main(int count, char **list) {
             MAIN(count, list);
             int c, n = 0;
             for (int i = 0; i < count; i++) printf("[%s]", list[i]);
             if (list[count]) return 99;
             while ((c = getchar()) != EOF) { putchar(c); n++; }
             fprintf(stderr, "%s %s", program_invocation_name, program_invocation_short_name);
             return n;
           }"#,
    );
    let mut server = program.serve();
    let path = program.path.display();
    let outcome = server.run(&Task::default()).unwrap();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(stdout(&outcome), format!("[{path}]"));
    assert_eq!(text(&outcome.stderr), format!("{path} program"));
    let arguments: Vec<OsString> = vec!["a b".into(), "".into(), "ü".into()];
    let case =
        Task { arguments: &arguments, argv0: Some(OsStr::new("x/me")), stdin: Some(b"some text"), ..Task::default() };
    let outcome = server.run(&case).unwrap();
    assert_eq!(outcome.ending, Ending::Exited(9));
    assert_eq!(stdout(&outcome), "[x/me][a b][][ü]some text");
    assert_eq!(text(&outcome.stderr), "x/me me");
    assert_eq!(stdout(&server.run(&Task::default()).unwrap()), format!("[{path}]"));
}

#[test]
fn a_thousand_cases() {
    let program = compile(
        r#"REPLAYED(3, 2);
           int __VERIFIER_nondet_int(void);
           static int kept;
           int main(int count, char **list) {
             MAIN(count, list);
             COUNT(0);
             int n = atoi(list[1]);
             for (int i = 0; i < n; i++) COUNT(1);
             char line[100] = "";
             if (fgets(line, 100, stdin)) COUNT(2);
             printf("%d %s %d %lu %d", n, line, __VERIFIER_nondet_int(), FORCED(1, n), kept++);
             return n % 7 == 3 ? abort(), 0 : n % 256;
           }"#,
    );
    let mut server = program.serve();
    let began = Instant::now();
    for n in 0..1000u32 {
        let line = format!("line {n}");
        let arguments = [n.to_string().into()];
        let forced = [Forced { point: 1, occurrence: 0, value: 5_000_000_000 + u64::from(n) }];
        let case = Task {
            arguments: &arguments,
            stdin: (n % 3 == 0).then_some(line.as_bytes()),
            nondet: &[u64::from(n) + 7],
            forced: &forced[..(n % 2) as usize],
            ..Task::default()
        };
        let outcome = server.run(&case).unwrap();
        let aborted = n % 7 == 3;
        let ending = if aborted { Ending::Signal(libc::SIGABRT) } else { Ending::Exited(n as i32 % 256) };
        assert_eq!(outcome.ending, ending, "{n}");
        let read = if n % 3 == 0 { &line } else { "" };
        let value = if n % 2 == 1 { 5_000_000_000 + u64::from(n) } else { u64::from(n) };
        let expected = format!("{n} {read} {} {value} 0", n + 7);
        // What is still in a buffer when a program aborts is not written.
        assert_eq!(stdout(&outcome), if aborted { "" } else { &expected });
        assert_eq!(outcome.counts, [1, n, u32::from(n % 3 == 0)]);
        assert_eq!(outcome.applied, (n % 2) as usize);
    }
    println!("{:?} per case", began.elapsed() / 1000);
}

#[test]
fn constructors_and_destructors_belong_to_the_case() {
    let program = compile(
        r#"REPLAYED(4, 1);
           int __VERIFIER_nondet_int(void);
           static int number = 1;
           int __wf_global_count = 1;
           struct { void *address; unsigned long size; } __wf_globals[] = {{&number, 4}};
           __attribute__((constructor)) static void before(void) {
             COUNT(1);
             number += FORCED(0, __VERIFIER_nondet_int());
             printf("before %d;", number);
           }
           __attribute__((destructor)) static void after(void) { COUNT(2); printf("after;"); }
           static void at_exit(void) { COUNT(3); printf("exit;"); }
           int main(void) { COUNT(0); atexit(at_exit); printf("main %d;", number); return 0; }"#,
    );
    let mut server = program.serve();
    let inputs = [Input::Global { id: 0, value: InputValue::Bits(vec![10, 0, 0, 0]) }];
    for (inputs, nondet, forced, expected) in [
        (&inputs[..0], &[5][..], &[][..], "before 6;main 6;exit;after;"),
        (&inputs, &[5], &[], "before 15;main 15;exit;after;"),
        (&inputs, &[], &[Forced { point: 0, occurrence: 0, value: 30 }], "before 40;main 40;exit;after;"),
        (&inputs[..0], &[], &[], "before 1;main 1;exit;after;"),
    ] {
        let outcome = server.run(&Task { inputs, nondet, forced, ..Task::default() }).unwrap();
        assert_eq!(stdout(&outcome), expected);
        assert_eq!(outcome.counts, [1, 1, 1, 1]);
    }
}

#[test]
fn addresses_are_moved() {
    let program = compile(
        r#"REPLAYED(1, 3);
           int main(void) {
             static int cells[8];
             for (int i = 0; i < 3; i++) *(int *)MOVED(2, (unsigned long)&cells[i]) = i + 1;
             for (int i = 0; i < 8; i++) printf("%d", cells[i]);
             return 0;
           }"#,
    );
    let mut server = program.serve();
    let mut run = |offset: i64| {
        let forced = [Forced { point: 2, occurrence: 1, value: offset as u64 }];
        let outcome = server.run(&Task { forced: &forced, ..Task::default() }).unwrap();
        assert_eq!(outcome.applied, 1);
        stdout(&outcome).to_owned()
    };
    assert_eq!(run(0), "12300000");
    assert_eq!(run(16), "10300200");
    assert_eq!(run(-4), "20300000");
}

#[test]
fn endings() {
    let program = compile(
        r#"REPLAYED(1, 0);
           int main(int count, char **list) {
             MAIN(count, list);
             COUNT(0);
             volatile int zero = 0;
             switch (atoi(list[1])) {
               case 0: abort();
               case 1: *(volatile int *)0 = 1;
               case 2: zero = 77 / zero;
               case 3: kill(getpid(), SIGKILL);
               case 4: raise(SIGTERM);
               case 5: _exit(300);
               case 6: pthread_exit(0);
               case 7: execl("/bin/echo", "echo", "hello", (char *)0);
               case 8: return 8;
             }
           }"#,
    );
    let mut server = program.serve();
    let endings = [
        Ending::Signal(libc::SIGABRT),
        Ending::Signal(libc::SIGSEGV),
        Ending::Signal(libc::SIGFPE),
        Ending::Signal(libc::SIGKILL),
        Ending::Signal(libc::SIGTERM),
        Ending::Exited(44),
        Ending::Exited(0),
        Ending::Exited(0),
        Ending::Exited(8),
    ];
    for (number, ending) in endings.into_iter().enumerate() {
        let arguments = [number.to_string().into()];
        let outcome = server.run(&Task { arguments: &arguments, ..Task::default() }).unwrap();
        assert_eq!((outcome.ending, &outcome.counts[..]), (ending, &[1][..]), "{number}");
        assert_eq!(stdout(&outcome), if number == 7 { "hello\n" } else { "" });
    }
}

#[test]
fn non_pie_pie_and_static_programs() {
    let source = r#"REPLAYED(1, 1);
        int main(int count, char **list) { MAIN(count, list); COUNT(0); puts(list[1]); return FORCED(0, 1); }"#;
    let arguments = ["x".into()];
    let forced = [Forced { point: 0, occurrence: 0, value: 9 }];
    let case = Task { arguments: &arguments, forced: &forced, ..Task::default() };
    for options in [&["-no-pie"][..], &["-pie", "-fPIE"], &["-static"], &["-Wl,-z,now"]] {
        let program = compile_with(source, options);
        let mut server = program.serve();
        for _ in 0..3 {
            let outcome = server.run(&case).unwrap();
            assert_eq!((outcome.ending, stdout(&outcome)), (Ending::Exited(9), "x\n"), "{options:?}");
        }
    }
}

#[test]
fn a_program_with_its_own_library_functions() {
    let program = compile(
        "REPLAYED(1, 1);
         void *memcpy(void *to, const void *from, size_t n) { COUNT(0); abort(); }
         void *memset(void *to, int c, size_t n) { COUNT(0); abort(); }
         ssize_t read(int file, void *to, size_t n) { COUNT(0); abort(); }
         ssize_t write(int file, const void *from, size_t n) { COUNT(0); abort(); }
         int close(int file) { COUNT(0); abort(); }
         int fork(void) { COUNT(0); abort(); }
         int wait4(int a, int *b, int c, struct rusage *d) { COUNT(0); abort(); }
         int main(int count, char **list) { MAIN(count, list); return count; }",
    );
    let mut server = program.serve();
    let arguments = ["a".into(), "b".into()];
    for _ in 0..2 {
        let outcome = server.run(&Task { arguments: &arguments, ..Task::default() }).unwrap();
        assert_eq!((outcome.ending, &outcome.counts[..]), (Ending::Exited(3), &[0][..]));
    }
}

#[test]
fn forked_processes_do_not_count() {
    for call in ["fork", "vfork"] {
        let program = compile(&format!(
            r#"REPLAYED(2, 1);
               int main(int count, char **list) {{
                 MAIN(count, list);
                 COUNT(0);
                 if ({call}() == 0) {{ for (int i = 0; i < 1000; i++) COUNT(1); _exit(FORCED(0, list[0][0])); }}
                 int status;
                 wait(&status);
                 COUNT(0);
                 return WEXITSTATUS(status) + FORCED(0, 1);
               }}"#
        ));
        let mut server = program.serve();
        let forced = [Forced { point: 0, occurrence: 0, value: 100 }];
        for _ in 0..3 {
            let case = Task { argv0: Some(OsStr::new("\u{7}")), forced: &forced, ..Task::default() };
            let outcome = server.run(&case).unwrap();
            assert_eq!((outcome.ending, &outcome.counts[..]), (Ending::Exited(107), &[2, 0][..]), "{call}");
            assert_eq!(outcome.applied, 1);
        }
    }
}

#[test]
fn threads_count_and_force_together() {
    let program = compile_with(
        r#"REPLAYED(5, 1);
           static void *work(void *number) {
             unsigned long sum = 0;
             for (long i = 0; i < 10000; i++) { COUNT((long)number); sum += FORCED(0, 0); }
             return (void *)sum;
           }
           int main(void) {
             pthread_t threads[4];
             unsigned long sum = 0;
             void *part;
             for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void *)i);
             for (int i = 0; i < 4; i++) { pthread_join(threads[i], &part); sum += (unsigned long)part; }
             printf("%lu", sum);
             return 0;
           }"#,
        &["-pthread"],
    );
    let mut server = program.serve();
    let forced: Vec<Forced> = (0..40000).step_by(100).map(|n| Forced { point: 0, occurrence: n, value: 3 }).collect();
    let outcome = server.run(&Task { forced: &forced, ..Task::default() }).unwrap();
    assert_eq!(stdout(&outcome), "1200");
    assert_eq!((&outcome.counts[..], outcome.applied), (&[10000, 10000, 10000, 10000, 0][..], 400));
}

#[test]
fn cases_of_any_size() {
    let program = compile(
        r#"REPLAYED(1, 3);
           unsigned long __VERIFIER_nondet_ulong(void);
           int main(int count, char **list) {
             MAIN(count, list);
             unsigned long sum = 0;
             for (int i = 1; i < count; i++) sum += strlen(list[i]);
             for (unsigned long i = 0; i < sum; i++) if (__VERIFIER_nondet_ulong() != ~i) return 1;
             int c, read = 0;
             while ((c = getchar()) != EOF) read++;
             for (int i = 0; i < 50000; i++) sum += FORCED(2, 0);
             printf("%lu %d", sum, read);
             return 0;
           }"#,
    );
    let mut server = program.serve();
    for size in [0usize, 1, 1000, 300_000, 1000] {
        let arguments: Vec<OsString> = vec!["a".repeat(1000).into(); size / 1000];
        let nondet: Vec<u64> = (0..size as u64).map(|i| !i).collect();
        let forced: Vec<Forced> = (0..size as u32).map(|n| Forced { point: 2, occurrence: n, value: 2 }).collect();
        let stdin = vec![b'x'; 10 * size];
        let case =
            Task { arguments: &arguments, nondet: &nondet, forced: &forced, stdin: Some(&stdin), ..Task::default() };
        let outcome = server.run(&case).unwrap();
        assert_eq!(outcome.ending, Ending::Exited(0));
        let sum = size / 1000 * 1000 + 2 * size.min(50_000);
        assert_eq!(stdout(&outcome), format!("{sum} {}", 10 * size));
        assert_eq!(outcome.applied, size.min(50_000));
    }
}

#[test]
fn assumptions() {
    let program = compile(
        "REPLAYED(1, 0); int main(int count, char **list) { MAIN(count, list); __VERIFIER_assume(count > 1); return 3; }",
    );
    let mut server = program.serve();
    let arguments = ["a".into()];
    let violated = server.run(&Task::default()).unwrap();
    assert_eq!((violated.ending, violated.assumption_violated), (Ending::Exited(0), true));
    let held = server.run(&Task { arguments: &arguments, ..Task::default() }).unwrap();
    assert_eq!((held.ending, held.assumption_violated), (Ending::Exited(3), false));
}

#[test]
fn the_directory() {
    let program = compile("REPLAYED(1, 0); int main(void) { close(creat(\"made\", 0600)); chdir(\"/\"); return 0; }");
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        Server::start_in(&program.path, &RunLimits::default(), Some(folder.path()), Isolation::Best).unwrap();
    for _ in 0..2 {
        assert_eq!(server.run(&Task::default()).unwrap().ending, Ending::Exited(0));
        std::fs::remove_file(folder.path().join("made")).unwrap();
    }
}

#[test]
fn programs_that_do_not_serve() {
    let start = |path: &Path| Server::start(path, &RunLimits::default()).unwrap_err();
    assert!(matches!(start(Path::new("/nonexistent")), Error::Start { step: "execute it", .. }));
    assert!(matches!(start(Path::new("/bin/echo")), Error::NoServer { .. }));
    let recorded = compile("int main(void) { return 0; }");
    let error = start(&recorded.path).to_string();
    assert!(error.contains("not built to be replayed"), "{error}");
}

#[test]
fn a_run_of_its_own_and_by_hand() {
    let program = compile(
        r#"REPLAYED(2, 2);
           static int number = 42;
           int __wf_global_count = 1;
           struct { void *address; unsigned long size; } __wf_globals[] = {{&number, 4}};
           int main(int count, char **list) {
             MAIN(count, list);
             COUNT(1);
             if (fork() == 0) { COUNT(1); _exit(0); }
             wait(0);
             return count + FORCED(1, 2);
           }"#,
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(3));
    assert!(recording(&outcome).words().is_empty());
    assert_eq!(recording(&outcome).globals[0].content.as_deref(), Some(&[42, 0, 0, 0][..]));
    assert_eq!(std::process::Command::new(&program.path).arg("x").status().unwrap().code(), Some(4));
}

// ---- Recorded cases ----

/// A program with tables that records what it is given and ends in many ways.
const RECORDED: &str = r#"
    int __VERIFIER_nondet_int(void);
    static int number = 42;
    static char *name = 0;
    static const char text[5] = "abcd";
    static int twice(int n) { BLOCK(20); WORD(n); return 2 * n; }
    const int __wf_global_count = 3;
    const struct { const void *address; unsigned long size; } __wf_globals[] = {{&number, 4}, {&name, 8}, {text, 5}};
    int main(int, char **);
    const int __wf_function_count = 2;
    void *const __wf_functions[] = {main, twice};
    const int __wf_external_count = 1;
    void *const __wf_externals[] = {puts};
    __attribute__((constructor)) static void before(void) { BLOCK(30); WORD(number); }
    static void at_exit(void) { BLOCK(31); }
    int main(int count, char **list) {
      MAIN(count, list);
      BLOCK(10);
      __wf_begin();
      atexit(at_exit);
      WORD(count);
      for (int i = 1; i < count; i++) { BLOCK(11); WORD(list[i][0]); }
      int c;
      while ((c = getchar()) != EOF) { BLOCK(12); WORD(c); }
      if (name) { BLOCK(13); WORD(name[0]); }
      WORD(__wf_argument(0, 32));
      WORD(twice(number++));
      if (fork() == 0) { BLOCK(14); _exit(0); }
      wait(0);
      puts("out");
      fprintf(stderr, "err");
      switch (__VERIFIER_nondet_int()) {
        case 1: abort();
        case 2: BLOCK(15); *(volatile int *)0 = 1;
        case 3: for (unsigned long i = 0; i < 200000; i++) { BLOCK(16); WORD(i); } return 3;
        case 4: __VERIFIER_assume(0);
        case 5: BLOCK(17); __wf_threads(); BLOCK(18); return 5;
        case 6: BLOCK(19); sleep(20); _exit(99);
        case 7: __VERIFIER_nondet_int(); return __VERIFIER_nondet_int();
      }
      return 8;
    }"#;

/// What the same input gives when the program is started for it alone.
fn alone(program: &Program, case: &Task, time: Duration) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let mut run = program.run();
    run.limits.recording_mib = 1;
    run.limits.time = time;
    run.arguments = case.arguments.to_vec();
    run.nondet = case.nondet.to_vec();
    run.inputs = case.inputs.to_vec();
    if let Some(text) = case.stdin {
        let path = folder.path().join("stdin");
        std::fs::write(&path, text).unwrap();
        run.stdin = Some(path);
    }
    go(&run)
}

/// All that a recording says apart from its words and what depends on where libraries and mapped pages are.
fn facts(r: &Recording) -> impl PartialEq + Debug {
    let mut globals = r.globals.clone();
    // The pointer.
    if let Some(content) = globals[1].content.as_mut().filter(|content| content.iter().any(|&byte| byte != 0)) {
        content.fill(1);
    }
    let numbers = [r.forks, r.nondet_used, r.nondet_missing];
    (r.state, globals, r.functions.clone(), r.externals.len(), numbers, [r.entry_began, r.assumption_violated])
}

#[test]
fn a_recorded_case_is_what_a_run_records() {
    let program = compile_with(RECORDED, &["-no-pie"]);
    let mut recorder = program.recorder();
    let global = |id, value| Input::Global { id, value };
    let some_inputs = [
        Input::Argument { index: 0, value: InputValue::Bits(vec![9, 1, 0, 0]) },
        global(0, InputValue::Bits(vec![77, 0, 0, 0])),
    ];
    let other_inputs = [global(1, InputValue::Object(b"hello".to_vec()))];
    let some_arguments: Vec<OsString> = vec!["-x".into(), "long ".repeat(2000).into()];
    for turn in 0..3 {
        for way in 0..=8u64 {
            let nondet = [way, 5];
            let case = Task {
                arguments: if (way + turn) % 3 == 0 { &some_arguments } else { &[] },
                stdin: (way % 2 == turn % 2).then_some(b"ab\n"),
                nondet: if way == 8 { &[] } else { &nondet },
                inputs: [&some_inputs[..], &other_inputs, &[]][((way + turn) % 3) as usize],
                ..Task::default()
            };
            let time = if way == 6 { Duration::from_millis(200) } else { Duration::from_secs(10) };
            let served = recorder.run_within(&case, time).unwrap();
            let expected = alone(&program, &case, time);
            let name = format!("way {way}, turn {turn}");
            assert_eq!(served.ending, expected.ending, "{name}");
            assert_eq!((&served.stdout, &served.stderr), (&expected.stdout, &expected.stderr), "{name}");
            assert_eq!(served.leftovers_killed, expected.leftovers_killed, "{name}");
            let (served, expected) = (recording(&served), recording(&expected));
            assert_eq!(facts(served), facts(expected), "{name}");
            assert!(served.words() == expected.words(), "{name}: {} words", served.words().len());
        }
    }
}

#[test]
fn addresses_of_a_recorder_are_those_of_its_process() {
    let program = compile_with(RECORDED, &["-pie", "-fPIE"]);
    let mut recorder = program.recorder();
    let case = Task { nondet: &[8], ..Task::default() };
    let (first, second) = (recorder.run(&case).unwrap(), recorder.run(&case).unwrap());
    let alone = alone(&program, &case, Duration::from_secs(10));
    assert_eq!(recording(&first).globals, recording(&second).globals);
    assert_eq!(recording(&first).functions, recording(&second).functions);
    assert_eq!(recording(&first).externals, recording(&second).externals);
    assert_eq!(recording(&first).words(), recording(&alone).words());
    for (here, there) in recording(&first).globals.iter().zip(&recording(&alone).globals) {
        assert_eq!((here.size, &here.content), (there.size, &there.content));
    }
    let distance = |r: &Recording| r.functions[0].abs_diff(r.functions[1]);
    assert_eq!(distance(recording(&first)), distance(recording(&alone)));
}

#[test]
fn recorded_cases_do_not_see_each_other() {
    let program = compile(
        r#"int __VERIFIER_nondet_int(void);
           static int number = 1, counter = 0;
           static char area[100000] = {1};
           const int __wf_global_count = 2;
           const struct { void *address; unsigned long size; } __wf_globals[] = {{&number, 4}, {area, 100000}};
           int main(void) {
             int n = __VERIFIER_nondet_int();
             for (int i = 0; i < n; i++) { BLOCK(number); WORD(counter++); }
             if (area[0] != 1) return 9;
             memset(area, 2, sizeof area);
             number = 99;
             return 0;
           }"#,
    );
    let mut recorder = program.recorder();
    let inputs = [Input::Global { id: 0, value: InputValue::Bits(vec![50, 0, 0, 0]) }];
    let mut kept = vec![];
    for count in [1000, 3, 0, 70_000, 1, 0] {
        for given in [&inputs[..], &[]] {
            let outcome = recorder.run(&Task { nondet: &[count], inputs: given, ..Task::default() }).unwrap();
            assert_eq!(outcome.ending, Ending::Exited(0));
            kept.push((count, if given.is_empty() { 1 } else { 50 }, outcome));
        }
    }
    // Nor does a later case change what an earlier one left.
    for (count, number, outcome) in &kept {
        let recorded = recording(outcome);
        assert_eq!(recorded.globals[0].content.as_deref(), Some(&[*number as u8, 0, 0, 0][..]));
        assert_eq!(recorded.globals[1].content.as_ref().unwrap()[..2], [1, 0]);
        let expected: Vec<u64> = (0..*count).flat_map(|i| [*number, i]).collect();
        let seen = recorded.words();
        assert_eq!(recorded.state, if *count == 70_000 { State::SizeLimit } else { State::Complete });
        assert!(seen[..] == expected[..seen.len()] && (seen.len() == expected.len() || seen.len() > 131_000));
    }
}

#[test]
fn a_recorded_case_that_is_slow() {
    let program = compile(
        r#"int __VERIFIER_nondet_int(void);
           int main(void) { BLOCK(1); usleep(1000 * __VERIFIER_nondet_int()); BLOCK(2); return 4; }"#,
    );
    let mut recorder = program.recorder();
    let case = Task { nondet: &[400], ..Task::default() };
    let outcome = recorder.run_within(&case, Duration::from_millis(50)).unwrap();
    assert_eq!((outcome.ending, recording(&outcome).words()), (Ending::TimedOut, &[1][..]));
    assert!(outcome.wall >= Duration::from_millis(50));
    let outcome = recorder.run_within(&case, Duration::from_secs(10)).unwrap();
    assert_eq!((outcome.ending, recording(&outcome).words()), (Ending::Exited(4), &[1, 2][..]));
    assert!(outcome.wall >= Duration::from_millis(400));
    // Not even begun, perhaps.
    let outcome = recorder.run_within(&case, Duration::ZERO).unwrap();
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert!(outcome.recording.is_none_or(|r| r.words().len() <= 1));
    assert_eq!(recorder.run(&Task::default()).unwrap().ending, Ending::Exited(4));
}

#[test]
fn a_recorded_case_that_kills_its_parent_or_leaves_others() {
    let program = compile(
        r#"int __VERIFIER_nondet_int(void);
           int main(int count, char **list) {
             MAIN(count, list);
             BLOCK(1);
             int way = __VERIFIER_nondet_int();
             WORD(way);
             if (way == 1) { kill(getppid(), SIGKILL); usleep(20000); }
             if (way == 2) for (int i = 0; i < 3; i++) if (fork() == 0) FOREVER;
             BLOCK(2);
             WORD(list[1][0]);
             return 4;
           }"#,
    );
    let limits = RunLimits { recording_mib: 1, ..RunLimits::default() };
    everywhere(|isolation| {
        let mut recorder = Recorder::start_in(&program.path, &limits, None, isolation).unwrap();
        for way in [0, 1, 2, 1, 1, 0, 2, 0] {
            let arguments = ["z".into()];
            let outcome = recorder.run(&Task { nondet: &[way], arguments: &arguments, ..Task::default() }).unwrap();
            assert_eq!(outcome.ending, Ending::Exited(4), "{isolation:?}");
            assert_eq!(outcome.leftovers_killed, if way == 2 { 3 } else { 0 }, "{isolation:?}");
            assert_eq!(recording(&outcome).words(), [1, way, 2, u64::from(b'z')]);
            assert_eq!(recording(&outcome).forks, if way == 2 { 3 } else { 0 });
        }
    });
}

#[test]
fn a_case_that_takes_too_much_of_a_processor() {
    let program = compile(
        r#"int __VERIFIER_nondet_int(void);
           int main(void) {
             int way = __VERIFIER_nondet_int();
             if (way == 1) for (volatile int i = 0;; i++);
             if (way == 2) usleep(200000);
             return 4;
           }"#,
    );
    let processor = Some(Duration::from_millis(50));
    let limits = RunLimits { recording_mib: 1, processor, ..RunLimits::default() };
    let mut recorder = Recorder::start(&program.path, &limits).unwrap();
    for way in [0, 1, 2, 1, 0] {
        let outcome = recorder.run(&Task { nondet: &[way], ..Task::default() }).unwrap();
        // Who sleeps takes nothing.
        let expected = if way == 1 { Ending::Signal(libc::SIGPROF) } else { Ending::Exited(4) };
        assert_eq!(outcome.ending, expected);
    }
}

#[test]
fn a_recorder_with_little_memory_or_nothing_to_record() {
    let program = compile(
        r#"int main(void) {
             BLOCK(1);
             long mib = 0;
             while (mib < 300 && malloc(1 << 20)) mib++;
             return mib;
           }"#,
    );
    for recording_mib in [0, 1, 500] {
        let limits = RunLimits { memory_mib: 100, recording_mib, ..RunLimits::default() };
        let mut recorder = Recorder::start(&program.path, &limits).unwrap();
        for _ in 0..2 {
            let outcome = recorder.run(&Task::default()).unwrap();
            assert!(matches!(outcome.ending, Ending::Exited(80..=100)), "{:?}", outcome.ending);
            let recorded = recording(&outcome);
            match recording_mib {
                0 => assert_eq!((recorded.state, recorded.words()), (State::Off, &[][..])),
                _ => assert_eq!((recorded.state, recorded.words()), (State::Complete, &[1][..])),
            }
        }
    }
}

#[test]
fn long_recorded_cases() {
    let program = compile(
        r#"unsigned long __VERIFIER_nondet_ulong(void);
           int main(int count, char **list) {
             MAIN(count, list);
             unsigned long sum = 0, values = strtoul(list[1], 0, 10);
             for (unsigned long i = 0; i < values; i++) sum += __VERIFIER_nondet_ulong();
             for (int i = 1; i < count; i++) { BLOCK(1); WORD(strlen(list[i])); }
             WORD(sum);
             return 0;
           }"#,
    );
    let mut recorder = program.recorder();
    for size in [10u64, 300_000, 0, 1_000_000, 10] {
        let mut arguments: Vec<OsString> = vec![size.to_string().into()];
        arguments.extend((0..size / 10_000).map(|n| "a".repeat(n as usize * 100).into()));
        let nondet: Vec<u64> = (0..size).map(|i| i << 40).collect();
        let case = Task { arguments: &arguments, nondet: &nondet, ..Task::default() };
        let outcome = recorder.run(&case).unwrap();
        assert_eq!(outcome.ending, Ending::Exited(0));
        let mut expected: Vec<u64> = arguments.iter().flat_map(|a| [1, a.len() as u64]).collect();
        expected.push(nondet.iter().fold(0, |sum, n| sum.wrapping_add(*n)));
        assert_eq!(recording(&outcome).words(), expected);
        assert_eq!(recording(&outcome).nondet_used, size);
    }
}

#[test]
fn programs_that_cannot_be_served_for_recording() {
    let start = |path: &Path| Recorder::start(path, &RunLimits::default()).unwrap_err();
    assert!(matches!(start(Path::new("/nonexistent")), Error::Start { step: "execute it", .. }));
    assert!(matches!(start(Path::new("/bin/echo")), Error::NoServer { .. }));
}
