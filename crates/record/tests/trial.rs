//! Trials: many cases in one process do what each does in a process of its own.

mod common;

use common::{Program, compile};
use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_record::{Ending, Input, InputValue, RunLimits, Server, Task, Trial, Verdict, Wanted};

/// Tells the runtime of a variable that chooses.
const CHOSEN: &str = r#"
REPLAYED(2, 0);
unsigned chosen;
const int __wf_global_count = 1;
const struct { void *address; unsigned long size; } __wf_globals[] = {{&chosen, 4}};
"#;

struct Given {
    arguments: Vec<OsString>,
    stdin: Vec<u8>,
}

fn given(arguments: &[&str], stdin: &str) -> Given {
    Given { arguments: arguments.iter().map(OsString::from).collect(), stdin: stdin.into() }
}

fn task(given: &Given) -> Task<'_> {
    let argv0 = Some(OsStr::new("program"));
    Task { arguments: &given.arguments, stdin: Some(&given.stdin), argv0, ..Task::default() }
}

fn serve(program: &Program) -> Server {
    let limits = RunLimits { processor: Some(Duration::from_millis(200)), ..RunLimits::default() };
    Server::start(&program.path, &limits).unwrap()
}

fn program(body: &str) -> Program {
    compile(&format!("{CHOSEN}\n{body}"))
}

/// What a case does alone, with a choice.
fn alone(server: &mut Server, given: &Given, choice: u32) -> Option<Expected> {
    let inputs = [Input::Global { id: 0, value: InputValue::Bits(choice.to_le_bytes().to_vec()) }];
    let outcome = server.run(&Task { inputs: &inputs, ..task(given) }).unwrap();
    match outcome.ending {
        Ending::Exited(status) => Some(Expected { stdout: Some(outcome.stdout.kept), status: Some(status) }),
        _ => None,
    }
}

/// For each choice which cases do what they do alone with choice 0; the trial and processes of their own have to agree.
fn agreed(program: &Program, cases: &[Given], choices: &[u32]) -> Vec<Verdict> {
    let mut server = serve(program);
    let expected: Vec<Expected> = cases.iter().map(|c| alone(&mut server, c, 0).expect("it ends")).collect();
    let wanted: Vec<Wanted> =
        cases.iter().zip(&expected).map(|(c, expected)| Wanted { task: task(c), expected, needed: vec![] }).collect();
    let trial = Trial::new(&wanted, &program.path, Some(0), true).unwrap();
    let verdicts = server.try_choices(&trial, choices, &Budget::unlimited()).unwrap();
    for (choice, verdict) in choices.iter().zip(&verdicts) {
        let mut passes = |n: usize| alone(&mut server, &cases[n], *choice).as_ref() == Some(&expected[n]);
        let bits = (0..cases.len()).map(|n| u64::from(passes(n)) << n).sum();
        assert!(matches!(*verdict, Verdict::NotKnown) || *verdict == Verdict::Each(bits), "{choice}: {verdict:?}");
    }
    verdicts
}

#[test]
fn each_case_finds_the_memory_as_it_was() {
    let program = program(
        r#"int count = 7, zero, *kept; static char large[1 << 20];
           static int local(int n) { volatile int unset; if (n) unset = n; return unset; }
           static int deep(int n) { char room[4096]; memset(room, n, sizeof room); return n ? deep(n - 1) : room[9]; }
           int main(int n, char **list) {
             static int times = 3;
             MAIN(n, list);
             char text[100] = "";
             if (scanf("%99s", text) != 1) puts("nothing");
             kept = realloc(kept, 4 * (size_t)(n * 50000));
             printf("%d %d %d %d %s %d\n", count++, zero++, times++, (int)large[n], text, local(n > 2 ? 5 : 0) != 99);
             large[n] = 3; large[500000] = 1; kept[n * 49999] = 1;
             char *big = malloc(400000); memset(big, 1, 400000); big = realloc(big, 900000);
             if (n > 1) { list[1][0] = 'X'; setenv("A", "b", 1); srand(7); printf("%s %d", list[1], rand()); }
             deep(300);
             fprintf(stderr, "to be read by nobody\n");
             if (chosen == 1 && n > 1) count = 1000;
             return chosen == 2 ? count : 4;
           }"#,
    );
    let cases = [given(&[], "abc"), given(&["one"], ""), given(&["two", "three"], "x y"), given(&[], "")];
    let verdicts = agreed(&program, &cases, &[0, 1, 2, 0, 1, 2, 3]);
    let all = Verdict::Each(15);
    assert_eq!(verdicts, [all, all, Verdict::Each(0), all, all, Verdict::Each(0), all]);
}

#[test]
fn all_ways_to_end() {
    let program = program(
        r#"#include <assert.h>
           static int forever(int n) { return n + forever(n + 1); }
           int main(int n, char **list) {
             MAIN(n, list);
             printf("begins %d\n", n);
             switch (chosen) {
             case 1: exit(1);
             case 2: abort();
             case 3: *(volatile int *)8 = 1;
             case 4: return forever(1);
             case 5: for (;;) ;
             case 6: for (;;) puts("flood");
             case 7: assert(!"here");
             case 8: return 5 / (n - 1);
             case 9: _exit(0);
             case 10: raise(SIGTERM);
             case 11: free(&n);
             case 12: fflush(stdout); _exit(0);
             case 13: printf("more");
             case 14: memset(&n - 1000, 1, 100000);
             case 15: for (;;) if (!malloc(1 << 20)) abort();
             case 16: fclose(stdout);
             }
             return 0;
           }"#,
    );
    let choices: Vec<u32> = (0..=16).chain([0]).collect();
    let verdicts = agreed(&program, &[given(&[], ""), given(&["a"], "")], &choices);
    let both = Verdict::Each(3);
    assert_eq!(verdicts[0], both);
    assert_eq!(verdicts[12], both);
    assert_eq!(verdicts[17], both, "what others did before is gone");
    let known = verdicts.iter().filter(|v| **v != Verdict::NotKnown).count();
    assert!(known >= 16, "{verdicts:?}");
}

#[test]
fn what_is_left_in_a_stream_is_judged_as_it_would_be_written() {
    let program = program(
        r#"#include <wchar.h>
           static void say(void) { printf("1\n"); }
           static void say_otherwise(void) { printf("2\n"); }
           static void change(int status, void *what) { _exit(status + 1); }
           __attribute__((destructor)) static void last(void) { if (chosen == 9) printf("late"); }
           static char room[BUFSIZ];
           int main(int n, char **list) {
             char text[10] = "";
             MAIN(n, list);
             switch (chosen) {
             case 1: atexit(say); return 0;
             case 2: atexit(say_otherwise); return 0;
             case 3: setvbuf(stdout, 0, _IONBF, 0); break;
             case 4: setvbuf(stdout, room, _IOFBF, sizeof room); break;
             case 5: setvbuf(stdout, 0, _IOLBF, 0); break;
             case 6: wprintf(L"1\n"); return 0;
             case 7: setvbuf(stderr, room, _IOFBF, sizeof room); fputs("to nobody", stderr); break;
             case 8: printf("1"); fflush(stdout); printf("\n"); return 0;
             case 10: printf("1\n"); return 256;
             case 11: on_exit(change, 0); break;
             case 12: for (int i = 0; i < 5000; i++) putchar('1'); return 0;
             case 13: if (scanf("%9s", text) == 1) printf("%s\n", text); return 0;
             case 14: printf("1\n"); quick_exit(0);
             case 15: fclose(stdout); return 0;
             case 16: fwrite("1\n\0", 1, 3, stdout); return 0;
             case 17: stdin = 0; break;
             }
             printf("1\n");
             return 0;
           }"#,
    );
    let verdicts = agreed(&program, &[given(&[], "1 2"), given(&["a"], "2 1")], &(0..18).collect::<Vec<_>>());
    let passing: Vec<u32> = (0..).zip(&verdicts).filter(|(_, v)| **v == Verdict::Each(3)).map(|(n, _)| n).collect();
    assert_eq!(passing, [0, 1, 3, 4, 5, 6, 7, 8, 10, 17], "{verdicts:?}");
    assert_eq!(verdicts[13], Verdict::Each(1), "the second reads something else");
    let unknown = verdicts.iter().filter(|v| **v == Verdict::NotKnown).count();
    assert_eq!((unknown, verdicts[15]), (1, Verdict::NotKnown), "only what closes a stream cannot be undone");
}

#[test]
fn what_cannot_be_undone_is_not_known() {
    let program = program(
        r#"int main(int n, char **list) {
             if (chosen == 1) fopen("/dev/null", "r");
             if (chosen == 2) if (!fork()) _exit(0);
             if (chosen == 3) signal(SIGINT, SIG_IGN);
             if (chosen == 4) close(0);
             if (chosen == 5) sleep(1);
             if (chosen == 6) write(7, "x", 1);
             puts("x");
             return 0;
           }"#,
    );
    let verdicts = agreed(&program, &[given(&[], "")], &[0, 1, 2, 3, 4, 5, 6, 0]);
    let well = Verdict::Each(1);
    let unknown = Verdict::NotKnown;
    assert_eq!(verdicts, [well, unknown, unknown, unknown, unknown, unknown, unknown, well]);
}

#[test]
fn the_first_failure_ends_a_choice() {
    let program = program(
        r#"int main(int n, char **list) {
             int c = getchar();
             COUNT(1);
             putchar(chosen && c == '7' ? 'x' : c);
             return 0;
           }"#,
    );
    let texts: Vec<String> = (0..10).map(|n| n.to_string()).collect();
    let cases: Vec<Given> = texts.iter().map(|text| given(&[], text)).collect();
    let expected: Vec<Expected> =
        texts.iter().map(|text| Expected { stdout: Some(text.clone().into()), status: Some(0) }).collect();
    let wanted = |needed: Vec<Vec<u32>>| -> Vec<Wanted<'_>> {
        let one = |(case, expected)| Wanted { task: task(case), expected, needed: needed.clone() };
        cases.iter().zip(&expected).map(one).collect()
    };
    let mut server = serve(&program);
    let budget = Budget::unlimited();
    let trial = Trial::new(&wanted(vec![vec![0, 1]]), &program.path, Some(0), false).unwrap();
    let verdicts = server.try_choices(&trial, &[0, 1, 2, 0], &budget).unwrap();
    assert_eq!(verdicts, [Verdict::Passes, Verdict::Fails(7), Verdict::Fails(7), Verdict::Passes]);
    assert_eq!(server.try_choices(&trial, &[], &budget).unwrap(), []);
    let nothing = Trial::new(&[], &program.path, Some(0), false).unwrap();
    assert_eq!(server.try_choices(&nothing, &[1], &budget).unwrap(), [Verdict::Passes]);
    // The first block is never executed.
    let trial = Trial::new(&wanted(vec![vec![1], vec![0]]), &program.path, Some(0), false).unwrap();
    assert_eq!(server.try_choices(&trial, &[0], &budget).unwrap(), [Verdict::Fails(0)]);
}

#[test]
fn an_assumption_that_does_not_hold_ends_a_case_well() {
    let program = program(
        r#"void __VERIFIER_assume(int);
           int __VERIFIER_nondet_int(void);
           int main(void) { __VERIFIER_assume(chosen != 1); return __VERIFIER_nondet_int(); }"#,
    );
    let expected = Expected { stdout: None, status: Some(3) };
    let case = Wanted { task: Task { nondet: &[3], ..Task::default() }, expected: &expected, needed: vec![] };
    let trial = Trial::new(&[case], &program.path, Some(0), false).unwrap();
    let verdicts = serve(&program).try_choices(&trial, &[0, 1], &Budget::unlimited()).unwrap();
    assert_eq!(verdicts, [Verdict::Passes, Verdict::Passes]);
}

#[test]
fn a_budget_that_is_over_ends_a_trial() {
    let program = program("int main(void) { for (volatile int i = 0; i < 30000000; i++) ; return 0; }");
    let expected = Expected { stdout: None, status: Some(0) };
    let case = Wanted { task: Task::default(), expected: &expected, needed: vec![] };
    let trial = Trial::new(&[case], &program.path, Some(0), false).unwrap();
    let began = Instant::now();
    let budget = Budget::new(Some(Duration::from_millis(300)), None);
    let mut server = serve(&program);
    let verdicts = server.try_choices(&trial, &(0..1000).collect::<Vec<_>>(), &budget).unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(verdicts.last(), Some(&Verdict::NotTried));
    assert!(matches!(server.run(&Task::default()).unwrap().ending, Ending::Exited(0)), "the next one has a server");
}

#[test]
fn signals_that_are_held_back_are_remembered() {
    let program = program(
        r#"int main(int n, char **list) {
             sigset_t set, old;
             sigemptyset(&set);
             sigaddset(&set, SIGUSR1);
             if (chosen) sigprocmask(SIG_BLOCK, &set, 0);
             sigprocmask(SIG_BLOCK, 0, &old);
             if (chosen == 2) raise(SIGUSR1);
             printf("%d\n", sigismember(&old, SIGUSR1));
             return 0;
           }"#,
    );
    let verdicts = agreed(&program, &[given(&[], "")], &[0, 1, 0, 2]);
    assert_eq!(verdicts[..3], [Verdict::Each(1), Verdict::Each(0), Verdict::Each(1)]);
}

#[test]
fn what_is_written_over_is_worth_nothing() {
    // The number of cases, as the runtime reads it.
    let program = program(
        r#"int main(int n, char **list) {
             if (chosen == 1) *(volatile unsigned long *)0x300000001000 = 1;
             return n > 2;
           }"#,
    );
    let expected = Expected { stdout: None, status: Some(0) };
    let cases = [given(&[], ""), given(&["a", "b", "c"], "")];
    let wanted = |given| Wanted { task: task(given), expected: &expected, needed: vec![] };
    let wanted: Vec<Wanted> = cases.iter().map(wanted).collect();
    let trial = Trial::new(&wanted, &program.path, Some(0), false).unwrap();
    let verdicts = serve(&program).try_choices(&trial, &[1], &Budget::unlimited()).unwrap();
    assert_eq!(verdicts, [Verdict::NotKnown]);
}

#[test]
fn what_passing_cases_execute_is_counted_for_each() {
    let program = program(
        r#"int main(int n, char **list) {
             MAIN(n, list);
             COUNT(0);
             for (int i = 1; i < n; i++) COUNT(1);
             if (n == 5) fopen("/dev/null", "r");
             printf("%d\n", n);
             return n;
           }"#,
    );
    let cases = [given(&["a"], ""), given(&["a", "b"], ""), given(&[], ""), given(&["a"; 4], ""), given(&["a"; 5], "")];
    let mut server = serve(&program);
    let mut expected: Vec<Expected> = cases.iter().map(|c| alone(&mut server, c, 0).expect("it ends")).collect();
    expected[1].status = Some(1);
    let wanted: Vec<Wanted> =
        cases.iter().zip(&expected).map(|(c, expected)| Wanted { task: task(c), expected, needed: vec![] }).collect();
    let counted = server.count_passing(&Trial::new(&wanted, &program.path, None, false).unwrap()).unwrap();
    // One that fails says nothing; one that cannot be undone ends what is known.
    assert_eq!(counted, [Some(vec![1, 1]), None, Some(vec![1, 0]), None, None]);
    for (case, counts) in cases.iter().zip(counted) {
        let single = server.run(&task(case)).unwrap().counts;
        assert!(counts.is_none_or(|counts| counts == single), "{single:?}");
    }
}

#[test]
fn a_failed_assertion_is_told_as_the_library_tells_it_where_somebody_reads_that() {
    let body = r#"#include <assert.h>
       static void handler(int n) { (void)n; _exit(0); }
       int main(int n, char **list) {
         MAIN(n, list);
         if (chosen == 1) signal(SIGABRT, handler);
         if (chosen) assert(!"here");
         return 0;
       }"#;
    let plain = program(body);
    let cases = [given(&[], ""), given(&["a"], "")];
    // What a handler makes of it is seen alone only.
    let verdicts = agreed(&plain, &cases, &[0, 1, 2]);
    assert_eq!(verdicts, [Verdict::Each(3), Verdict::NotKnown, Verdict::Each(0)]);
    let inputs = [Input::Global { id: 0, value: InputValue::Bits(vec![2, 0, 0, 0]) }];
    let outcome = serve(&plain).run(&Task { inputs: &inputs, ..task(&cases[0]) }).unwrap();
    let said = String::from_utf8(outcome.stderr.kept).unwrap();
    assert!(said.contains("main: Assertion `!\"here\"' failed"), "{said}");

    let own = "void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { _exit(0 * (a == b) * (c + !d)); }";
    let verdicts = agreed(&program(&format!("{own}\n{body}")), &cases, &[0, 2]);
    assert_eq!(verdicts, [Verdict::Each(3), Verdict::Each(3)], "a program may have its own");
}

#[test]
fn each_case_finds_the_arithmetic_as_it_was() {
    let program = program(
        r#"static void set(unsigned flags) { __asm__ volatile("ldmxcsr %0" : : "m"(flags)); }
           int main(int n, char **list) {
             MAIN(n, list);
             unsigned flags; unsigned short x87;
             __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(flags), "=m"(x87));
             volatile double zero = 0, one = 1;
             volatile long double three = 3;
             printf("%x %x %d %.20Lg\n", flags, x87, one / 3 * 3 == one, 1 / three);
             if (chosen != 1) { set(0x1f80 | 0x6000); x87 = 0x27f | 0x800; __asm__ volatile("fldcw %0" : : "m"(x87)); }
             zero = one / zero;
             return chosen == 2;
           }"#,
    );
    let cases = [given(&[], ""), given(&["a"], ""), given(&["b", "c"], "")];
    let (all, none) = (Verdict::Each(7), Verdict::Each(0));
    assert_eq!(agreed(&program, &cases, &[0, 1, 2, 0, 1]), [all, all, none, all, all]);
}
