//! Cases: what a served program is given, and what is told of it.

mod common;

use common::{compile, compile_with, recording};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Instant;
use wherefore_record::{
    Captured, Case, CaseOutcome, Ending, Error, Forced, Input, InputValue, Isolation, RunLimits, Server,
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
    let outcome = server.run(&Case::default()).unwrap();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(stdout(&outcome), format!("[{path}]"));
    assert_eq!(text(&outcome.stderr), format!("{path} program"));
    let arguments: Vec<OsString> = vec!["a b".into(), "".into(), "ü".into()];
    let case =
        Case { arguments: &arguments, argv0: Some(OsStr::new("x/me")), stdin: Some(b"some text"), ..Case::default() };
    let outcome = server.run(&case).unwrap();
    assert_eq!(outcome.ending, Ending::Exited(9));
    assert_eq!(stdout(&outcome), "[x/me][a b][][ü]some text");
    assert_eq!(text(&outcome.stderr), "x/me me");
    assert_eq!(stdout(&server.run(&Case::default()).unwrap()), format!("[{path}]"));
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
        let case = Case {
            arguments: &arguments,
            stdin: (n % 3 == 0).then_some(line.as_bytes()),
            nondet: &[u64::from(n) + 7],
            forced: &forced[..(n % 2) as usize],
            ..Case::default()
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
        let outcome = server.run(&Case { inputs, nondet, forced, ..Case::default() }).unwrap();
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
        let outcome = server.run(&Case { forced: &forced, ..Case::default() }).unwrap();
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
        let outcome = server.run(&Case { arguments: &arguments, ..Case::default() }).unwrap();
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
    let case = Case { arguments: &arguments, forced: &forced, ..Case::default() };
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
        let outcome = server.run(&Case { arguments: &arguments, ..Case::default() }).unwrap();
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
            let case = Case { argv0: Some(OsStr::new("\u{7}")), forced: &forced, ..Case::default() };
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
    let outcome = server.run(&Case { forced: &forced, ..Case::default() }).unwrap();
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
            Case { arguments: &arguments, nondet: &nondet, forced: &forced, stdin: Some(&stdin), ..Case::default() };
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
    let violated = server.run(&Case::default()).unwrap();
    assert_eq!((violated.ending, violated.assumption_violated), (Ending::Exited(0), true));
    let held = server.run(&Case { arguments: &arguments, ..Case::default() }).unwrap();
    assert_eq!((held.ending, held.assumption_violated), (Ending::Exited(3), false));
}

#[test]
fn the_directory() {
    let program = compile("REPLAYED(1, 0); int main(void) { close(creat(\"made\", 0600)); chdir(\"/\"); return 0; }");
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        Server::start_in(&program.path, &RunLimits::default(), Some(folder.path()), Isolation::Best).unwrap();
    for _ in 0..2 {
        assert_eq!(server.run(&Case::default()).unwrap().ending, Ending::Exited(0));
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
