//! What is in a recording, however the program ends.

mod common;

use common::{compile, compile_with, go, recording, stdout};
use std::path::Path;
use wherefore_record::{Ending, Error, GlobalImage, Recording, Run, State};

#[test]
fn a_normal_end() {
    let program =
        compile(r#"int main(void) { BLOCK(1); WORD(2); printf("out"); fprintf(stderr, "err"); BLOCK(3); return 7; }"#);
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(7));
    assert_eq!(stdout(&outcome), "out");
    assert_eq!(outcome.stderr.kept, b"err");
    assert_eq!(outcome.leftovers_killed, 0);
    let recording = recording(&outcome);
    assert_eq!(recording.words(), [1, 2, 3]);
    assert_eq!(recording.state, State::Complete);
    assert_eq!(recording.forks, 0);
    assert!(!recording.entry_began && !recording.assumption_violated);
}

#[test]
fn non_pie_pie_and_static_programs() {
    for arguments in [&["-no-pie"][..], &["-pie", "-fPIE"], &["-static"], &["-static-pie", "-fPIE"]] {
        let program = compile_with("int main(void) { BLOCK(1); return 0; }", arguments);
        let outcome = program.go();
        assert_eq!(outcome.ending, Ending::Exited(0), "{arguments:?}");
        assert_eq!(recording(&outcome).words(), [1], "{arguments:?}");
    }
}

#[test]
fn deaths_keep_the_last_word() {
    for (source, signal) in [
        ("abort();", libc::SIGABRT),
        ("*(volatile int *)0 = 1;", libc::SIGSEGV),
        ("volatile int zero = 0; zero = 77 / zero;", libc::SIGFPE),
        ("kill(getpid(), SIGKILL);", libc::SIGKILL),
        ("raise(SIGTERM);", libc::SIGTERM),
    ] {
        let program = compile(&format!("int main(void) {{ BLOCK(1); WORD(0xabc); {source} }}"));
        let outcome = program.go();
        assert_eq!(outcome.ending, Ending::Signal(signal), "{source}");
        assert_eq!(recording(&outcome).words(), [1, 0xabc], "{source}");
        assert_eq!(recording(&outcome).state, State::Complete);
    }
    let program = compile("int main(void) { BLOCK(1); WORD(5); _exit(300); }");
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(44));
    assert_eq!(recording(&outcome).words(), [1, 5]);
}

#[test]
fn a_stack_overflow() {
    let program = compile(
        "int down(int n) { volatile char frame[4000]; BLOCK(n); frame[0] = n; return down(n + 1) + frame[0]; }
         int main(void) { return down(0); }",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Signal(libc::SIGSEGV));
    let words = recording(&outcome).words();
    assert!((1500..3000).contains(&words.len()), "8 MiB of stack: {}", words.len());
    assert!(words.iter().copied().eq(0..words.len() as u64));
}

#[test]
fn the_size_limit_does_no_harm() {
    let program = compile(
        r#"int main(void) {
             unsigned long sum = 0;
             for (unsigned long i = 0; i < 2000000; i++) { BLOCK(i); WORD(i); sum += i; }
             printf("%lu %lu\n", sum, HEADER[3]);
             return 3;
           }"#,
    );
    let mut run = program.run();
    run.limits.recording_mib = 1;
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(3));
    assert_eq!(stdout(&outcome), "1999999000000 1\n");
    let recording = recording(&outcome);
    assert_eq!(recording.state, State::SizeLimit);
    let words = recording.words();
    assert!((131_072..132_000).contains(&words.len()), "{}", words.len());
    assert!(words.iter().zip(0..).all(|(&word, i)| word == i / 2));
}

/// Words of all lengths, in loops and out of them, through many windows; a descriptor that is not its own is closed by the
/// program on the way.
#[test]
fn all_words_are_read_as_they_were_written() {
    let program = compile(
        r#"int main(void) {
             unsigned long random = 88172645463325252ul;
             for (unsigned long i = 0; i < 200000; i++) {
               random ^= random << 13; random ^= random >> 7; random ^= random << 17;
               BLOCK(0xB10Cul << 48 | i % 5 << (i % 3));
               WORD(0x7ffe00001000 + 8 * (i % 100));
               WORD(random >> random % 64);
               if (i % 7 == 0) WORD(-i);
               if (i == 1000) close(900);
             }
             return 3;
           }"#,
    );
    let mut random = 88172645463325252u64;
    let mut expected = vec![];
    for i in 0..200_000u64 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        expected.extend([0xB10C << 48 | (i % 5) << (i % 3), 0x7ffe_0000_1000 + 8 * (i % 100), random >> (random % 64)]);
        if i % 7 == 0 {
            expected.push(i.wrapping_neg());
        }
    }
    let outcome = go(&program.run());
    assert_eq!(outcome.ending, Ending::Exited(3));
    assert_eq!(recording(&outcome).state, State::Complete);
    assert!(recording(&outcome).words() == expected);
}

#[test]
fn blocks_may_write_a_page_beyond_the_limit() {
    let program = compile(
        "int main(void) {
           for (unsigned long i = 0; i < 100000; i++) { BLOCK(i); for (int k = 1; k < 512; k++) WORD(k); }
           return 0;
         }",
    );
    let mut run = program.run();
    run.limits.recording_mib = 1;
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(recording(&outcome).words().len() % 512, 0);
}

#[test]
fn errno_is_preserved() {
    let program = compile("int main(void) { errno = 77; __wf_full(); __wf_threads(); __wf_full(); return errno; }");
    assert_eq!(program.go().ending, Ending::Exited(77));
    let program = compile("int main(void) { return errno; }");
    assert_eq!(program.go().ending, Ending::Exited(0));
}

#[test]
fn a_forked_child_is_not_recorded() {
    for call in ["fork", "vfork"] {
        let program = compile(&format!(
            r#"int main(void) {{
                 BLOCK(1);
                 for (int i = 0; i < 2; i++) {{
                   errno = 5;
                   if ({call}() == 0) {{
                     for (int k = 0; k < 100000; k++) {{ BLOCK(99); WORD(98); }}
                     _exit(errno);
                   }}
                   int status;
                   wait(&status);
                   BLOCK(2);
                   WORD(WEXITSTATUS(status));
                 }}
                 return 0;
               }}"#
        ));
        let outcome = program.go();
        assert_eq!(outcome.ending, Ending::Exited(0));
        assert_eq!(recording(&outcome).words(), [1, 2, 5, 2, 5]);
        assert_eq!(recording(&outcome).forks, 2);
        assert_eq!(recording(&outcome).state, State::Complete);
    }
}

#[test]
fn threads_end_the_recording_but_not_the_program() {
    let program = compile_with(
        r#"static void *work(void *from) { for (long i = 0; i < 300000; i++) { BLOCK(7); WORD(i); WORD(i); } return 0; }
           int main(void) {
             pthread_t threads[4];
             BLOCK(1);
             __wf_threads();
             for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
             work(0);
             for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
             printf("fine");
             return 0;
           }"#,
        &["-pthread"],
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(stdout(&outcome), "fine");
    assert_eq!(recording(&outcome).state, State::Threads);
    assert_eq!(recording(&outcome).words(), [1]);
}

#[test]
fn tables() {
    let program = compile(
        r#"static int number = 42;
           static char text[11] = "0123456789";
           static char big[20 << 20];
           extern int missing __attribute__((weak));
           int __wf_global_count = 5;
           struct { void *address; unsigned long size; } __wf_globals[] =
             {{&number, 4}, {text, 11}, {big, sizeof big}, {&missing, 4}, {&text[3], 1}};
           int main(void);
           int __wf_function_count = 1;
           void *__wf_functions[] = {main};
           int __wf_external_count = 2;
           void *__wf_externals[] = {abort, &missing};
           int main(void) { BLOCK(1); WORD(main); WORD(&number); WORD(abort); number = 0; return 0; }"#,
    );
    let outcome = program.go();
    let recording = recording(&outcome);
    let [1, main, number, abort] = *recording.words() else {
        panic!("{:?}", recording.words());
    };
    assert_eq!(recording.functions, [main]);
    assert_eq!(recording.externals, [abort, 0]);
    let text = recording.globals[1].address;
    let image =
        |address, size, content: Option<&[u8]>| GlobalImage { address, size, content: content.map(<[u8]>::to_vec) };
    assert_eq!(recording.globals[0], image(number, 4, Some(&[42, 0, 0, 0])));
    assert_eq!(recording.globals[1], image(text, 11, Some(b"0123456789\0")));
    assert_eq!(recording.globals[2], image(recording.globals[2].address, 20 << 20, None));
    assert_eq!(recording.globals[3], image(0, 4, None));
    assert_eq!(recording.globals[4], image(text + 3, 1, Some(b"3")));
}

#[test]
fn the_same_addresses_in_every_run() {
    let program =
        compile("int main(void) { int local; BLOCK(1); WORD(&local); WORD(malloc(10)); WORD(main); return 0; }");
    // Where the system forbids it, a program sees that in its personality.
    let fixed = compile(
        r#"#include <sys/personality.h>
           int main(void) { return personality(0xffffffff) & ADDR_NO_RANDOMIZE ? 0 : 1; }"#,
    );
    if fixed.go().ending == Ending::Exited(0) {
        assert_eq!(recording(&program.go()).words(), recording(&program.go()).words());
    }
}

#[test]
fn code_before_main_is_recorded() {
    let program = compile(
        "__attribute__((constructor)) static void before(void) { BLOCK(1); }
         __attribute__((destructor)) static void after(void) { BLOCK(3); }
         int main(void) { BLOCK(2); return 0; }",
    );
    assert_eq!(recording(&program.go()).words(), [1, 2, 3]);
}

#[test]
fn a_program_with_its_own_library_functions() {
    let program = compile(
        "void *memcpy(void *to, const void *from, size_t n) { BLOCK(8); abort(); }
         void *memset(void *to, int c, size_t n) { BLOCK(8); abort(); }
         ssize_t read(int file, void *to, size_t n) { BLOCK(8); abort(); }
         ssize_t write(int file, const void *from, size_t n) { BLOCK(8); abort(); }
         int close(int file) { BLOCK(8); abort(); }
         static int number = 4;
         int __wf_global_count = 1;
         struct { void *address; unsigned long size; } __wf_globals[] = {{&number, 4}};
         int main(void) { BLOCK(1); return 0; }",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(recording(&outcome).words(), [1]);
}

#[test]
fn the_program_does_not_see_the_recorder() {
    let program = compile(
        r#"extern char **environ;
           int main(int count, char **arguments, char **environment) {
             for (char **e = environ; *e; e++) if (strstr(*e, "WHEREFORE")) return 1;
             for (char **e = environment; *e; e++) if (strstr(*e, "WHEREFORE")) return 2;
             if (!getenv("PATH")) return 3;
             for (int file = 3; file < 64; file++) if (fcntl(file, F_GETFD) >= 0) return 4;
             BLOCK(1);
             if (count > 1) execl("/proc/self/exe", "again", (char *)0);
             return 0;
           }"#,
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    // Executed again by itself it is not recorded.
    let mut run = program.run();
    run.arguments.push("x".into());
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(recording(&outcome).words(), [1]);
}

#[test]
fn by_hand_a_program_just_works() {
    let program = compile(
        r#"int __VERIFIER_nondet_int(void);
           int main(void) {
             for (int i = 0; i < 1000000; i++) { BLOCK(1); WORD(2); }
             if (fork() == 0) { for (int i = 0; i < 1000000; i++) BLOCK(1); _exit(0); }
             wait(0);
             return __VERIFIER_nondet_int() + __wf_argument(0, 32);
           }"#,
    );
    let run = |variables: &[(&str, &str)]| {
        let mut command = std::process::Command::new(&program.path);
        command.envs(variables.iter().copied()).status().unwrap().code()
    };
    assert_eq!(run(&[]), Some(0));
    assert_eq!(run(&[("WHEREFORE_NONDET", "14"), ("WHEREFORE_INPUTS", "a0=03")]), Some(23));
    assert_eq!(run(&[("WHEREFORE_RECORDING", "/nonexistent")]), Some(0));
    assert_eq!(run(&[("WHEREFORE_RECORDING", "fd:77")]), Some(0));
    // A file of any size that is there is recorded into.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    for size in [0, 100, 4096, 8192, 1 << 20] {
        std::fs::File::create(&path).unwrap().set_len(size).unwrap();
        assert_eq!(run(&[("WHEREFORE_RECORDING", path.to_str().unwrap())]), Some(0), "{size}");
        let begin = std::fs::read(&path).unwrap();
        assert_eq!(begin.starts_with(b"WHEREFOR"), size >= 4096);
    }
}

#[test]
fn nothing_recorded_on_request() {
    let program =
        compile("int __VERIFIER_nondet_int(void); int main(void) { BLOCK(1); return __VERIFIER_nondet_int(); }");
    let mut run = program.run();
    run.limits.recording_mib = 0;
    run.nondet = vec![9];
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(9));
    let recording = recording(&outcome);
    assert_eq!(recording.state, State::Off);
    assert_eq!(recording.nondet_used, 1);
    assert!(recording.words().is_empty());
}

#[test]
fn programs_that_are_not_instrumented() {
    let outcome = go(&Run::new(Path::new("/bin/echo")));
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(stdout(&outcome), "\n");
    assert!(outcome.recording.is_none());
}

#[test]
fn through_a_script_the_first_program_is_recorded() {
    let program = compile("int main(int count, char **arguments) { BLOCK(count); return 0; }");
    let script = program.path.with_file_name("script");
    let path = program.path.display();
    std::fs::write(&script, format!("#!/bin/sh\n{path} a b\n{path}\n")).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let outcome = go(&Run::new(&script));
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(recording(&outcome).words(), [3]);
}

#[test]
fn programs_that_cannot_start() {
    let folder = tempfile::tempdir().unwrap();
    for (path, expected) in [
        (Path::new("/nonexistent/program"), "execute it: No such file"),
        (folder.path(), "execute it: Permission denied"),
        (Path::new("/etc/passwd"), "execute it: Permission denied"),
    ] {
        common::everywhere(|isolation| {
            let mut run = Run::new(path);
            run.isolation = isolation;
            let error = common::try_go(&run).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(path.to_str().unwrap()), "{error}");
        });
    }
    let program = compile("int main(void) { return 0; }");
    let mut run = program.run();
    run.directory = Some("/nonexistent".into());
    assert!(matches!(common::try_go(&run), Err(Error::Start { step: "enter its directory", .. })));
    let mut run = program.run();
    run.stdin = Some("/nonexistent".into());
    assert!(matches!(common::try_go(&run), Err(Error::File { action: "open", .. })));
    let mut run = program.run();
    run.arguments = vec!["a\0b".into()];
    assert!(matches!(common::try_go(&run), Err(Error::ZeroByte { .. })));
    let mut run = program.run();
    run.arguments = vec!["a".repeat(1 << 20).into()];
    assert!(matches!(common::try_go(&run), Err(Error::Start { step: "execute it", .. })));
    assert!(matches!(wherefore_record::run(&program.run(), Path::new("/nonexistent")), Err(Error::File { .. })));
}

#[test]
fn a_program_that_scribbles_over_its_recording() {
    for (scribble, complaint) in [
        ("HEADER[0] = 5;", "not a recording"),
        ("HEADER[1] = 5;", "damaged"),
        ("HEADER[3] = 9;", "damaged"),
        ("HEADER[8] = ~0ul;", "damaged"),
        ("HEADER[9] = 9;", "version 9"),
        ("HEADER[512] = ~0ul;", "cut off"),
    ] {
        let program = compile(&format!("int main(void) {{ BLOCK(1); {scribble} return 0; }}"));
        let error = common::try_go(&program.run()).unwrap_err().to_string();
        assert!(error.contains(complaint), "{scribble} {error}");
    }
}

#[test]
fn written_and_read() {
    let program = compile(
        "static int number = 42;
         int __wf_global_count = 1;
         struct { void *address; unsigned long size; } __wf_globals[] = {{&number, 4}};
         int main(void) { for (int i = 0; i < 200000; i++) { BLOCK(i); } return 0; }",
    );
    let outcome = program.go();
    let mut saved = vec![];
    recording(&outcome).write(&mut saved).unwrap();
    assert!(saved.len() < 8 * 200_000 + 4096);
    let loaded = Recording::read(&saved[..]).unwrap();
    assert_eq!(loaded.words(), recording(&outcome).words());
    assert_eq!(loaded.globals, recording(&outcome).globals);
    saved.push(b'x');
    assert!(Recording::read(&saved[..]).is_err());
}

#[test]
fn the_runtime_names_no_place() {
    let here = env!("CARGO_MANIFEST_DIR").as_bytes();
    let object = wherefore_record::RUNTIME_OBJECT;
    assert!(object.starts_with(b"\x7fELF"));
    for place in [here, b"/tmp/", b"/home/", b"/usr/"] {
        assert!(!object.windows(place.len()).any(|w| w == place));
    }
}

/// What is put back counts as well: who reads a recording has it all in memory.
#[test]
fn the_size_limit_is_that_of_all_words() {
    let program = compile(
        r#"const int __wf_shape_count = 7;
           const unsigned long __wf_shapes[] = {0xB10Cul << 48 | 1, 0, 2, 0, 77, 0, 78};
           int main(int count, char **arguments) {
             for (int i = 0; i < 60000; i++) BLOCK(0xB10Cul << 48 | 1);
             return 0;
           }"#,
    );
    let mut run = program.run();
    for (mib, state) in [(1, State::SizeLimit), (2, State::Complete)] {
        run.limits.recording_mib = mib;
        let outcome = go(&run);
        let recording = recording(&outcome);
        assert_eq!(recording.state, state);
        let all = if mib == 1 { 131_072 + 512 } else { 180_000 };
        assert_eq!(recording.words().len(), all);
        assert!(recording.words().iter().zip([0xB10C << 48 | 1, 77, 78].iter().cycle()).all(|(a, b)| a == b));
    }
}

/// Wherever it is killed, what it has written is there, once.
#[test]
fn a_program_that_is_killed_at_any_moment() {
    let program = compile("int main(void) { for (unsigned long i = 0;; i++) { BLOCK(i); WORD(~i); } }");
    let mut most = 0;
    for number in 0..40 {
        let mut run = program.run();
        run.limits.recording_mib = 1024;
        run.limits.time = std::time::Duration::from_micros(3000 + 997 * number);
        let outcome = go(&run);
        assert_eq!(outcome.ending, Ending::TimedOut);
        let words = outcome.recording.as_ref().map_or(&[][..], |recording| recording.words());
        let (rounds, last) = words.as_chunks::<2>();
        assert!(rounds.iter().zip(0..).all(|(&[a, b], i)| (a, b) == (i, !i)), "{} words", words.len());
        assert!(last.first().is_none_or(|&last| last == rounds.len() as u64));
        most = most.max(words.len());
    }
    assert!(most > 100_000, "several windows: {most} words");
}
