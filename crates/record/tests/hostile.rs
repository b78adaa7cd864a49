//! Programs that do what they can to get away. None may, and the run must tell the truth about each.
//!
//! Each program is harmless even if the code under test fails: it ends by its own clock, bounds what it makes, and
//! looks at whom it kills.

mod common;

use common::{
    PATIENCE, compile, compile_with, do_part, everywhere, go, go_hanging, go_marked, kill_hanging, leaves_nothing,
    recording, run_clean, stdout, try_go,
};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use wherefore_record::{Ending, Isolation, Run};

#[test]
fn a_hang_with_children_in_the_background() {
    let program = compile(
        "int main(void) { BLOCK(1); for (int i = 0; i < 3; i++) if (fork() == 0) { setsid(); if (fork()) FOREVER; FOREVER; } alarm(20); for (;;); }",
    );
    everywhere(|isolation| {
        let all = if isolation == Isolation::Subreaper { 7 } else { 6 };
        let outcome = go_hanging(program.run_in(isolation), |outcome| outcome.leftovers_killed >= all);
        assert_eq!(recording(&outcome).words(), [1]);
        assert_eq!(outcome.leftovers_killed, all);
        assert!(outcome.wall >= PATIENCE[0]);
    });
}

#[test]
fn a_program_that_stops_itself() {
    let program = compile(
        "int main(void) { BLOCK(1); if (fork() == 0) { sleep(20); kill(getppid(), SIGKILL); _exit(0); } raise(SIGSTOP); }",
    );
    everywhere(|isolation| {
        go_hanging(program.run_in(isolation), |outcome| recording(outcome).words() == [1]);
    });
}

#[test]
fn a_daemon() {
    // The daemon keeps the standard output open; it must not keep us waiting.
    let program = compile(
        r#"int main(void) {
             if (fork() == 0) {
               setsid();
               if (fork()) _exit(0);
               signal(SIGTERM, SIG_IGN); signal(SIGHUP, SIG_IGN);
               FOREVER;
             }
             wait(0);
             printf("started");
             return 4;
           }"#,
    );
    everywhere(|isolation| {
        let outcome = go_marked(program.run_in(isolation));
        assert_eq!(outcome.ending, Ending::Exited(4));
        assert_eq!(stdout(&outcome), "started");
        assert_eq!(outcome.leftovers_killed, 1);
        assert!(outcome.wall < Duration::from_secs(15), "{:?}", outcome.wall);
    });
}

#[test]
fn a_flood_of_output() {
    let program = compile(
        r#"int main(void) { static char junk[65536]; memset(junk, 'x', sizeof junk); alarm(20); for (;;) write(1, junk, sizeof junk); }"#,
    );
    everywhere(|isolation| {
        let mut run = program.run_in(isolation);
        run.limits.output_mib = 8;
        run.limits.kept_kib = 10;
        let outcome = go_marked(run);
        assert_eq!(outcome.ending, Ending::OutputLimit);
        assert_eq!(outcome.stdout.kept, vec![b'x'; 10 << 10]);
        assert!(outcome.stdout.bytes > 8 << 20 && outcome.stdout.bytes < 12 << 20);
        assert!(!outcome.stdout.complete());
    });
}

#[test]
fn much_output_within_the_limit_is_counted() {
    let program = compile(
        r#"int main(void) { for (int i = 0; i < 100000; i++) { printf("%09d\n", i); fprintf(stderr, "e"); } return 1; }"#,
    );
    let mut run = program.run();
    run.limits.kept_kib = 1;
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(1));
    assert_eq!((outcome.stdout.bytes, outcome.stderr.bytes), (1_000_000, 100_000));
    assert!(outcome.stdout.kept.starts_with(b"000000000\n000000001\n"));
    assert_eq!(outcome.stdout.kept.len(), 1024);
}

#[test]
fn a_memory_hog_gets_no_more() {
    let program = compile(
        r#"int main(void) {
             long mib = 0;
             char *p;
             while ((p = malloc(1 << 20))) { memset(p, 1, 1 << 20); mib++; if (mib > 300) return 1; }
             BLOCK(mib);
             return 0;
           }"#,
    );
    let mut run = program.run();
    run.limits.memory_mib = 100;
    let outcome = go(&run);
    assert_eq!(outcome.ending, Ending::Exited(0));
    let mib = recording(&outcome).words()[0];
    assert!((80..=100).contains(&mib), "{mib}");
}

#[test]
fn files_and_cores_are_bounded() {
    let program = compile(
        r#"int main(void) {
             FILE *file = fopen("large", "w");
             static char junk[1 << 20];
             for (int i = 0; i < 100; i++) fwrite(junk, sizeof junk, 1, file);
             return 0;
           }"#,
    );
    let folder = tempfile::tempdir().unwrap();
    let mut run = program.run();
    run.directory = Some(folder.path().to_owned());
    run.limits.file_mib = 2;
    assert_eq!(go(&run).ending, Ending::FileLimit);
    assert_eq!(std::fs::metadata(folder.path().join("large")).unwrap().len(), 2 << 20);
    let program = compile("int main(void) { abort(); }");
    let folder = tempfile::tempdir().unwrap();
    let mut run = program.run();
    run.directory = Some(folder.path().to_owned());
    go(&run);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn killing_its_group() {
    let program = compile("int main(void) { BLOCK(1); if (fork() == 0) FOREVER; kill(0, SIGKILL); FOREVER; }");
    everywhere(|isolation| {
        let outcome = go_marked(program.run_in(isolation));
        assert_eq!(outcome.ending, Ending::Signal(libc::SIGKILL));
        assert_eq!(recording(&outcome).words(), [1]);
    });
}

#[test]
fn killing_its_parent() {
    let program = compile(
        r#"int main(void) {
             if (fork() == 0) { setsid(); FOREVER; }
             BLOCK(1);
             kill(getppid(), SIGTERM); kill(getppid(), SIGKILL);
             usleep(20000);
             BLOCK(2);
             printf("alive");
             return 6;
           }"#,
    );
    everywhere(|isolation| {
        let outcome = go_marked(program.run_in(isolation));
        assert_eq!(outcome.ending, Ending::Exited(6), "{isolation:?}");
        assert_eq!(stdout(&outcome), "alive");
        assert_eq!(recording(&outcome).words(), [1, 2]);
        assert_eq!(outcome.leftovers_killed, 1);
    });
}

#[test]
fn killing_every_parent() {
    // Where nothing but an adopting supervisor protects us, it is lost, and that is said. The program kills its parent
    // and the one that adopts it, if that is a copy of this test but not the test itself, whose number it is given.
    let program = compile(
        r#"static void line(int pid, char *to) {
             char path[64];
             sprintf(path, "/proc/%d/cmdline", pid);
             int file = open(path, O_RDONLY);
             memset(to, 0, 4096);
             read(file, to, 4095);
             close(file);
           }
           int main(int count, char **arguments) {
             static char first[4096], second[4096];
             int shield = getppid(), test = atoi(arguments[2]);
             line(shield, first);
             BLOCK(1);
             if (shield == test || shield < 3) return 50;
             kill(shield, SIGKILL);
             for (int i = 0; i < 1000 && getppid() == shield; i++) usleep(1000);
             int supervisor = getppid();
             line(supervisor, second);
             if (supervisor == test || supervisor < 3 || memcmp(first, second, 4096)) return 51;
             kill(supervisor, SIGKILL);
             FOREVER;
           }"#,
    );
    let mut run = program.run();
    run.isolation = Isolation::Subreaper;
    run.arguments = vec![std::process::id().to_string().into()];
    let outcome = go_marked(run);
    assert_eq!(outcome.ending, Ending::SupervisorLost);
    assert_eq!(outcome.leftovers_killed, 1);
    assert_eq!(recording(&outcome).words(), [1]);
}

#[test]
fn killing_everything() {
    // Only where a namespace keeps it in, which it looks at itself: it would kill this test otherwise.
    let program = compile(
        "int main(void) {
           if (getpid() != 2 || getppid() != 1) return 9;
           fork();
           BLOCK(1);
           kill(-1, SIGKILL);
           return 5;
         }",
    );
    everywhere(|isolation| {
        let ending = go_marked(program.run_in(isolation)).ending;
        let expected = match isolation {
            Isolation::Subreaper => ending == Ending::Exited(9),
            _ => matches!(ending, Ending::Exited(5 | 9) | Ending::Signal(libc::SIGKILL)),
        };
        assert!(expected, "{isolation:?} {ending:?}");
    });
}

#[test]
fn closing_all_files() {
    let program = compile(
        "int main(void) { for (int i = 0; i < 1000; i++) close(i); for (int i = 0; i < 500000; i++) BLOCK(i); return 2; }",
    );
    everywhere(|isolation| {
        let outcome = go_marked(program.run_in(isolation));
        assert_eq!(outcome.ending, Ending::Exited(2));
        assert_eq!(recording(&outcome).words().len(), 500_000);
    });
}

#[test]
fn a_program_that_multiplies() {
    // It stops by itself at 300: a test must not depend on the bound it tests to leave the machine usable.
    let program = compile(
        "int main(void) {
           volatile int *made = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
           for (;;) { if (__sync_add_and_fetch(made, 1) > 300) FOREVER; fork(); }
         }",
    );
    everywhere(|isolation| {
        let mut run = program.run_in(isolation);
        run.limits.processes = 100;
        run.limits.time = Duration::from_secs(15);
        let outcome = go_marked(run);
        // Other tests' processes come and go, so the count of the whole system, which is looked at first, may miss it.
        assert!(matches!(outcome.ending, Ending::ProcessLimit | Ending::TimedOut), "{:?}", outcome.ending);
        assert!(outcome.leftovers_killed >= 100, "{}", outcome.leftovers_killed);
    });
}

#[test]
fn processes_that_keep_moving() {
    // Each forks the next and ends: none is there for long. The 20000th is the last.
    let program = compile(
        "int main(void) {
           volatile int *made = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
           if (fork() == 0) while (++*made < 20000) { int next = fork(); if (next) _exit(next < 0); }
           while (*made < 100) usleep(1000);
           return *made >= 20000;
         }",
    );
    everywhere(|isolation| {
        assert_eq!(go_marked(program.run_in(isolation)).ending, Ending::Exited(0), "{isolation:?}");
    });
}

#[test]
fn signals_are_as_in_a_shell() {
    let program = compile(
        r#"int main(void) {
             sigset_t blocked;
             sigprocmask(SIG_BLOCK, 0, &blocked);
             for (int i = 1; i < 32; i++) {
               struct sigaction action;
               if (sigismember(&blocked, i)) return i;
               if (sigaction(i, 0, &action) == 0 && action.sa_handler != SIG_DFL) return 100 + i;
             }
             return 0;
           }"#,
    );
    assert_eq!(program.go().ending, Ending::Exited(0));
}

#[test]
fn many_runs_at_a_time() {
    let program = compile(
        r#"int main(int count, char **arguments) { BLOCK(count); printf("%s", arguments[1]); fflush(stdout); if (fork() == 0) FOREVER; return 1; }"#,
    );
    let program = &program;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for turn in 0..25 {
                    let text = format!("{thread}.{turn}");
                    let mut run = program.run();
                    run.arguments = vec![text.clone().into()];
                    let outcome = go(&run);
                    assert_eq!(outcome.ending, Ending::Exited(1));
                    assert_eq!(stdout(&outcome), text);
                    assert_eq!(outcome.leftovers_killed, 1);
                    assert_eq!(recording(&outcome).words(), [2]);
                }
            });
        }
    });
}

#[test]
fn part() {
    let hang = |program: &Path, ready: OsString, isolation: Isolation| {
        let mut run = Run::new(program);
        run.isolation = isolation;
        run.arguments = vec![ready];
        go(&run);
    };
    do_part(hang, leave_nothing);
}

#[test]
fn the_tool_is_killed() {
    let program = compile(
        r#"int main(int count, char **arguments) {
             if (fork() == 0) { setsid(); if (fork()) _exit(0); FOREVER; }
             wait(0);
             close(creat(arguments[1], 0600));
             FOREVER;
           }"#,
    );
    kill_hanging(&program, 2);
}

#[test]
fn no_child_and_no_descriptor_is_left() {
    run_clean();
}

/// Runs of all kinds.
fn leave_nothing() {
    let daemon = compile("int main(void) { if (fork() == 0) { setsid(); FOREVER; } BLOCK(1); return 0; }");
    let hang = compile_with("int main(void) { fork(); BLOCK(1); FOREVER; }", &["-static"]);
    leaves_nothing("deleted", || {
        everywhere(|isolation| {
            for program in [&daemon, &hang] {
                let mut run = program.run_in(isolation);
                run.limits.time = Duration::from_millis(50);
                go(&run);
                let mut run = Run::new("/nonexistent".as_ref());
                run.isolation = isolation;
                try_go(&run).unwrap_err();
                let mut run = program.run_in(isolation);
                run.directory = Some("/nonexistent".into());
                try_go(&run).unwrap_err();
            }
        });
    });
}
