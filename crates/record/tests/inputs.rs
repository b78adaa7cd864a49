//! What a program is given: arguments, standard input, nondeterministic values, parameters and globals.

mod common;

use common::{compile, go, recording, stdout};
use wherefore_record::{Ending, Input, InputValue};

#[test]
fn arguments_and_name() {
    let program = compile(
        r#"int main(int count, char **arguments) { for (int i = 0; i < count; i++) printf("[%s]", arguments[i]); }"#,
    );
    let mut run = program.run();
    run.arguments = vec!["a b".into(), "".into(), "ü".into()];
    let path = program.path.display();
    assert_eq!(stdout(&go(&run)), format!("[{path}][a b][][ü]"));
    run.argv0 = Some("me".into());
    assert_eq!(stdout(&go(&run)), "[me][a b][][ü]");
}

#[test]
fn standard_input() {
    let program =
        compile("int main(void) { int c, n = 0; while ((c = getchar()) != EOF) { putchar(c); n++; } return n; }");
    assert_eq!(program.go().ending, Ending::Exited(0));
    let mut run = program.run();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    std::fs::write(&path, "some text").unwrap();
    run.stdin = Some(path);
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(9));
    assert_eq!(stdout(&outcome), "some text");
    // A pipe that nobody writes to is the program's problem, not ours.
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    run.stdin = Some(path);
    assert_eq!(go(&run).ending, Ending::Exited(0));
}

#[test]
fn the_directory() {
    let program = compile(
        r#"int main(void) { char path[4096]; puts(getcwd(path, sizeof path)); fclose(fopen("written", "w")); }"#,
    );
    let folder = tempfile::tempdir().unwrap();
    let mut run = program.run();
    run.directory = Some(folder.path().to_owned());
    let outcome = go(&run);
    let expected = folder.path().canonicalize().unwrap();
    assert_eq!(stdout(&outcome).trim_end(), expected.to_str().unwrap());
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["written"]);
}

#[test]
fn nondeterministic_values() {
    let program = compile(
        r#"int __VERIFIER_nondet_int(void);
           unsigned __VERIFIER_nondet_uint(void);
           char __VERIFIER_nondet_char(void);
           _Bool __VERIFIER_nondet_bool(void);
           _Bool __VERIFIER_nondet__Bool(void);
           float __VERIFIER_nondet_float(void);
           double __VERIFIER_nondet_double(void);
           unsigned long __VERIFIER_nondet_ulong(void);
           void *__VERIFIER_nondet_pointer(void);
           void __VERIFIER_nondet_memory(void *, size_t);
           int main(void) {
             printf("%d ", __VERIFIER_nondet_int());
             printf("%u ", __VERIFIER_nondet_uint());
             printf("%d ", __VERIFIER_nondet_char());
             printf("%d ", __VERIFIER_nondet_bool());
             printf("%d ", __VERIFIER_nondet__Bool());
             printf("%g ", __VERIFIER_nondet_float());
             printf("%g ", __VERIFIER_nondet_double());
             printf("%lx ", __VERIFIER_nondet_ulong());
             printf("%p ", __VERIFIER_nondet_pointer());
             char text[4];
             __VERIFIER_nondet_memory(text, 3);
             text[3] = 0;
             printf("%s ", text);
             printf("%d", __VERIFIER_nondet_int());
             printf("%lu", __VERIFIER_nondet_ulong());
           }"#,
    );
    let mut run = program.run();
    run.nondet = vec![
        -5i32 as u32 as u64,
        0xffff_ffff,
        0x80,
        2,
        0,
        u64::from(1.5f32.to_bits()),
        (-0.25f64).to_bits(),
        u64::MAX,
        0x1234,
        97,
        98,
        99,
    ];
    let outcome = go(&run);
    assert_eq!(stdout(&outcome), "-5 4294967295 -128 1 0 1.5 -0.25 ffffffffffffffff 0x1234 abc 00");
    assert_eq!(recording(&outcome).nondet_used, 12);
    assert_eq!(recording(&outcome).nondet_missing, 2);
}

#[test]
fn more_values_than_an_environment_could_hold() {
    let program = compile(
        r#"unsigned long __VERIFIER_nondet_ulong(void);
           int main(void) { for (unsigned long i = 0; i < 400000; i++) if (__VERIFIER_nondet_ulong() != ~i) return 1; return 0; }"#,
    );
    let mut run = program.run();
    run.nondet = (0..400_000).map(|i: u64| !i).collect();
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(recording(&outcome).nondet_used, 400_000);
}

#[test]
fn the_program_may_define_its_own() {
    let program = compile(
        "int __VERIFIER_nondet_int(void) { return 8; } void reach_error(void) { _exit(__VERIFIER_nondet_int()); } int main(void) { reach_error(); }",
    );
    assert_eq!(program.go().ending, Ending::Exited(8));
}

#[test]
fn what_verifiers_provide() {
    for (call, ending, text) in [
        ("__VERIFIER_error()", Ending::Signal(6), "__VERIFIER_error was reached\n"),
        ("reach_error()", Ending::Signal(6), "reach_error was reached\n"),
        ("__VERIFIER_assert(0)", Ending::Signal(6), "__VERIFIER_assert failed\n"),
        ("__VERIFIER_assert(1)", Ending::Exited(9), ""),
        ("__VERIFIER_assume(1)", Ending::Exited(9), ""),
        ("__VERIFIER_assume(0)", Ending::Exited(0), ""),
        ("__VERIFIER_atomic_begin(); __VERIFIER_atomic_end()", Ending::Exited(9), ""),
    ] {
        let program = compile(&format!("int main(void) {{ BLOCK(1); {call}; return 9; }}"));
        let outcome = program.go();
        assert_eq!(outcome.ending, ending, "{call}");
        assert_eq!(String::from_utf8_lossy(&outcome.stderr.kept), text);
        let recording = recording(&outcome);
        assert_eq!(recording.words(), [1]);
        assert_eq!(recording.assumption_violated, call == "__VERIFIER_assume(0)");
    }
}

#[test]
fn parameters_and_globals() {
    let program = compile(
        r#"static int number = 1;
           static char text[8] = "abcdefg";
           static char *pointer = "before";
           int __wf_global_count = 3;
           struct { void *address; unsigned long size; } __wf_globals[] = {{&number, 4}, {text, 8}, {&pointer, 8}};
           __attribute__((constructor)) static void change(void) { number = 77; }
           int main(void) {
             if (number != 77) return 1;
             __wf_begin();
             printf("%d %s %s|", number, text, pointer);
             printf("%ld %s %lx %lx %lu", (long)__wf_argument(0, 64), (char *)__wf_argument(1, 64),
                    __wf_argument(2, 8), __wf_argument(2, 32), __wf_argument(3, 32));
             printf("|%d", (char *)__wf_argument(1, 64) == (char *)__wf_argument(1, 64));
             return 0;
           }"#,
    );
    let bits = |bytes: &[u8]| InputValue::Bits(bytes.to_vec());
    let mut run = program.run();
    run.inputs = vec![
        Input::Argument { index: 0, value: bits(&(-3i64).to_le_bytes()) },
        Input::Global { id: 0, value: bits(&[5, 1, 0, 0, 9, 9]) },
        Input::Argument { index: 1, value: InputValue::Object(b"hello; a0=1".to_vec()) },
        Input::Global { id: 1, value: bits(b"XY") },
        Input::Global { id: 2, value: InputValue::Object(b"after".to_vec()) },
        Input::Global { id: 99, value: bits(b"no such global") },
        Input::Argument { index: 2, value: bits(&[0x34, 0x12]) },
    ];
    let outcome = go(&run);
    assert_eq!(stdout(&outcome), "261 XYcdefg after|-3 hello; a0=1 34 1234 0|1");
    let recording = recording(&outcome);
    assert!(recording.entry_began);
    // The recording knows the globals as they were set.
    assert_eq!(recording.globals[0].content.as_deref(), Some(&[5, 1, 0, 0][..]));
    assert_eq!(recording.globals[1].content.as_deref(), Some(&b"XYcdefg\0"[..]));
}
