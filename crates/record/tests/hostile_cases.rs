//! Served programs that do what they can to disturb: each case must be told truly, and the next one must not notice.
//!
//! As in `hostile.rs`, each program is harmless even if the code under test fails.

mod common;

use common::{
    PATIENCE, Program, compile, do_part, everywhere, kill_hanging, leaves_nothing, marker, recording, run_clean,
    survivors,
};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use wherefore_record::{CaseOutcome, Ending, Error, Isolation, Recorder, RunLimits, Server, Task};

/// Without arguments the program says what it finds; with some it does what it is compiled for.
const HEAD: &str = r#"
REPLAYED(2, 1);
static int look(void) {
  int c, n = 0;
  while ((c = getchar()) != EOF) n++;
  if (n != 5) return 90;
  for (int i = 0; i < 3; i++) if (fcntl(i, F_GETFL) & (O_NONBLOCK | O_APPEND)) return 91;
  for (int i = 3; i < 200; i++) if (fcntl(i, F_GETFD) >= 0) return 92;
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, 0, &blocked);
  for (int i = 1; i < 32; i++) if (sigismember(&blocked, i)) return 93;
  if (getpgrp() != getpid()) return 94;
  if (waitpid(-1, 0, WNOHANG) >= 0 || errno != ECHILD) return 95;
  COUNT(1);
  BLOCK(40);
  WORD(n);
  printf("fine");
  fprintf(stderr, "quiet");
  return 7;
}
#define MISBEHAVE(code) \
  int main(int count, char **list) { MAIN(count, list); if (count < 3) return look(); COUNT(0); BLOCK(41); code }
"#;

fn misbehaving(code: &str) -> Program {
    compile(&format!("{HEAD}MISBEHAVE({code})"))
}

fn limits() -> RunLimits {
    // Less than the programs would go on by themselves, and enough for a program that ends, however busy the machine.
    RunLimits { time: Duration::from_secs(15), output_mib: 8, kept_kib: 10, processes: 100, ..RunLimits::default() }
}

fn start(program: &Program, isolation: Isolation) -> Server {
    Server::start_in(&program.path, &limits(), None, isolation).unwrap()
}

/// The case in which the program does it, between two in which it looks.
fn misbehave(program: &Program, isolation: Isolation) -> CaseOutcome {
    misbehave_within(program, isolation, limits().time)
}

fn misbehave_within(program: &Program, isolation: Isolation, time: Duration) -> CaseOutcome {
    let mut server = start(program, isolation);
    let marker = marker();
    let outcome = misbehave_in(&mut server, &marker, time);
    drop(server);
    if isolation == Isolation::Best {
        misbehave_recorded(program, &marker, time);
    }
    assert_eq!(survivors(&program.path.display().to_string()), Vec::<String>::new());
    outcome
}

/// The same for a program that hangs, until it has got as far as it is wanted to get before its time is up.
fn hang(program: &Program, isolation: Isolation, is_there: impl Fn(&CaseOutcome) -> bool) -> CaseOutcome {
    for time in PATIENCE {
        let outcome = misbehave_within(program, isolation, time);
        assert_eq!(outcome.ending, Ending::TimedOut);
        if is_there(&outcome) {
            return outcome;
        }
    }
    panic!("it did not get far enough in {PATIENCE:?}");
}

/// The same with a recorder, which shares most with a server; only what is particular to it is looked at.
fn misbehave_recorded(program: &Program, word: &str, time: Duration) {
    let mut recorder = Recorder::start(&program.path, &RunLimits { recording_mib: 1, ..limits() }).unwrap();
    for turn in 0..4 {
        let arguments: Vec<OsString> = if turn % 2 == 1 { vec![word.into(), "x".into()] } else { vec![word.into()] };
        let case = Task { arguments: &arguments, stdin: Some(b"12345"), ..Task::default() };
        let outcome = recorder.run_within(&case, if turn % 2 == 1 { time } else { limits().time });
        if turn % 2 == 1 {
            match outcome {
                Ok(outcome) => match outcome.ending {
                    // Perhaps it has not got there yet.
                    Ending::TimedOut => assert!(outcome.recording.is_none_or(|r| [41].starts_with(r.words()))),
                    _ => assert_eq!(recording(&outcome).words(), [41]),
                },
                // It wrote over the recording.
                Err(Error::Recording(_)) => {}
                Err(error) => panic!("{error}"),
            }
        } else {
            let outcome = outcome.unwrap();
            assert_eq!(outcome.ending, Ending::Exited(7), "turn {turn}");
            assert_eq!((&outcome.stdout.kept[..], &outcome.stderr.kept[..]), (&b"fine"[..], &b"quiet"[..]));
            assert_eq!((recording(&outcome).words(), outcome.leftovers_killed), (&[40, 5][..], 0));
        }
    }
}

fn misbehave_in(server: &mut Server, word: &str, time: Duration) -> CaseOutcome {
    let mut found = None;
    for turn in 0..4 {
        let arguments: Vec<OsString> = if turn % 2 == 1 { vec![word.into(), "x".into()] } else { vec![word.into()] };
        let case = Task { arguments: &arguments, stdin: Some(b"12345"), ..Task::default() };
        let outcome = server.run_within(&case, if turn % 2 == 1 { time } else { limits().time }).unwrap();
        if turn % 2 == 1 {
            found = Some(outcome);
        } else {
            assert_eq!(outcome.ending, Ending::Exited(7), "turn {turn}");
            assert_eq!((&outcome.stdout.kept[..], &outcome.stderr.kept[..]), (&b"fine"[..], &b"quiet"[..]));
            assert_eq!((&outcome.counts[..], outcome.applied), (&[0, 1][..], 0));
        }
    }
    found.unwrap()
}

#[test]
fn a_hang() {
    let program = misbehaving("printf(\"a\"); fflush(stdout); alarm(20); for (;;);");
    everywhere(|isolation| {
        let outcome = hang(&program, isolation, |outcome| outcome.stdout.kept == b"a");
        assert_eq!(outcome.counts, [1, 0]);
    });
}

#[test]
fn a_hang_with_children() {
    let program = misbehaving(
        "for (int i = 0; i < 3; i++) if (fork() == 0) { setsid(); if (fork()) FOREVER; FOREVER; } FOREVER;",
    );
    everywhere(|isolation| {
        hang(&program, isolation, |outcome| outcome.counts == [1, 0]);
    });
}

#[test]
fn a_program_that_stops_itself() {
    let program = misbehaving("alarm(20); raise(SIGSTOP); return 0;");
    everywhere(|isolation| {
        hang(&program, isolation, |outcome| outcome.counts == [1, 0]);
    });
}

#[test]
fn a_flood() {
    let program = misbehaving(
        "static char junk[65536]; memset(junk, 'x', sizeof junk); alarm(20); for (;;) write(1, junk, sizeof junk);",
    );
    everywhere(|isolation| {
        let outcome = misbehave(&program, isolation);
        assert_eq!(outcome.ending, Ending::OutputLimit);
        assert_eq!(outcome.stdout.kept, vec![b'x'; 10 << 10]);
        assert!(outcome.stdout.bytes > 8 << 20 && outcome.stdout.bytes < 12 << 20);
    });
}

#[test]
fn much_output_within_the_limit() {
    let program =
        misbehaving("for (int i = 0; i < 100000; i++) { printf(\"%09d\\n\", i); fprintf(stderr, \"e\"); } return 1;");
    let mut server = Server::start(&program.path, &limits()).unwrap();
    let outcome = misbehave_in(&mut server, "x", limits().time);
    assert_eq!(outcome.ending, Ending::Exited(1));
    assert_eq!((outcome.stdout.bytes, outcome.stderr.bytes), (1_000_000, 100_000));
}

#[test]
fn a_daemon() {
    let program = misbehaving(
        r#"printf("started");
           fflush(stdout);
           if (fork() == 0) {
             setsid();
             if (fork()) _exit(0);
             signal(SIGTERM, SIG_IGN); signal(SIGHUP, SIG_IGN);
             for (int i = 0; i < 2000; i++) { usleep(10000); write(1, "daemon", 6); COUNT(0); }
             _exit(99);
           }
           wait(0);
           return 4;"#,
    );
    everywhere(|isolation| {
        let outcome = misbehave(&program, isolation);
        assert_eq!((outcome.ending, &outcome.counts[..]), (Ending::Exited(4), &[1, 0][..]));
        assert!(outcome.stdout.kept.starts_with(b"started"));
    });
}

#[test]
fn children_that_nobody_waits_for() {
    // They are over before the case is: no reason for a new server, whose first case would be process 3.
    let program = misbehaving(
        r#"for (int i = 0; i < 5; i++) if (fork() == 0) _exit(0);
           usleep(100000);
           printf("%d", getpid());
           return 0;"#,
    );
    everywhere(|isolation| {
        let outcome = misbehave(&program, isolation);
        assert_eq!(outcome.ending, Ending::Exited(0));
        let id: u32 = String::from_utf8_lossy(&outcome.stdout.kept).parse().unwrap();
        assert!(id > 8, "{isolation:?} {id}");
    });
}

#[test]
fn closing_and_writing_anywhere() {
    let program = misbehaving(
        r#"char junk[64];
           memset(junk, 0xff, sizeof junk);
           for (int i = 3; i < 1000; i++) { write(i, junk, sizeof junk); ftruncate(i, 0); }
           for (int i = 0; i < 1000; i++) close(i);
           return 3;"#,
    );
    everywhere(|isolation| assert_eq!(misbehave(&program, isolation).ending, Ending::Exited(3)));
}

#[test]
fn changing_the_streams() {
    let program = misbehaving(
        r#"for (int i = 0; i < 3; i++) fcntl(i, F_SETFL, O_NONBLOCK | O_APPEND | O_ASYNC);
           fcntl(1, F_SETPIPE_SZ, 4096);
           if (write(0, "x", 1) >= 0) return 1;
           int again = open("/proc/self/fd/0", O_RDWR);
           write(again, "much longer than it was", 23);
           ftruncate(again, 100);
           lseek(0, 77, SEEK_SET);
           int input = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);
           write(1, "swallowed", 9);
           char junk[16];
           return read(input, junk, 9);"#,
    );
    // What one reads from the pipe the other does not, so nothing more is said of the output.
    everywhere(|isolation| assert!(matches!(misbehave(&program, isolation).ending, Ending::Exited(n) if n != 1)));
}

#[test]
fn scribbling_over_what_is_shared() {
    let program = misbehaving(
        r#"for (int i = 0; i < 512 + 100; i++) HEADER[i] = ~0ul;
           memset((void *)0x310000000000, 0xff, 4096);
           _exit(5);"#,
    );
    everywhere(|isolation| {
        let outcome = misbehave(&program, isolation);
        assert_eq!(outcome.ending, Ending::Exited(5));
        assert_eq!(outcome.counts, [u32::MAX; 2]);
    });
}

#[test]
fn killing_its_group() {
    let program = misbehaving("if (fork() == 0) FOREVER; kill(0, SIGKILL); FOREVER;");
    everywhere(|isolation| {
        assert_eq!(misbehave(&program, isolation).ending, Ending::Signal(libc::SIGKILL));
    });
}

#[test]
fn killing_its_parent() {
    let program = misbehaving(
        r#"if (fork() == 0) { setsid(); FOREVER; }
           kill(getppid(), SIGTERM);
           kill(getppid(), SIGKILL);
           usleep(20000);
           printf("alive");
           return 6;"#,
    );
    everywhere(|isolation| {
        let outcome = misbehave(&program, isolation);
        assert_eq!((outcome.ending, &outcome.stdout.kept[..]), (Ending::Exited(6), &b"alive"[..]), "{isolation:?}");
        assert_eq!(outcome.counts, [1, 0]);
    });
}

#[test]
fn stopping_its_parent() {
    let program = misbehaving("kill(getppid(), SIGSTOP); printf(\"done\"); return 6;");
    everywhere(|isolation| {
        // The shield of a subreaper can be stopped too, and then there is nobody to tell.
        if isolation != Isolation::Subreaper {
            // The time is up before it is run again without a server, so it is short where that is enough.
            let outcomes = PATIENCE.iter().map(|time| misbehave_within(&program, isolation, *time));
            let outcome = outcomes.into_iter().find(|o| o.ending != Ending::TimedOut).expect("it ends");
            assert_eq!((outcome.ending, &outcome.stdout.kept[..]), (Ending::Exited(6), &b"done"[..]));
        }
    });
}

#[test]
fn killing_everything() {
    // Only where a namespace keeps it in, which it looks at itself: it would kill this test otherwise.
    let program = misbehaving("if (getppid() > 2 || getpid() > 40) return 9; fork(); kill(-1, SIGKILL); return 5;");
    everywhere(|isolation| {
        let ending = misbehave(&program, isolation).ending;
        let expected = match isolation {
            Isolation::Subreaper => ending == Ending::Exited(9),
            _ => matches!(ending, Ending::Exited(5 | 9) | Ending::Signal(libc::SIGKILL)),
        };
        assert!(expected, "{isolation:?} {ending:?}");
    });
}

#[test]
fn a_program_that_multiplies() {
    // It stops by itself at 300: a test must not depend on the bound it tests to leave the machine usable.
    let program = misbehaving(
        r#"volatile int *made = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
           for (;;) { if (__sync_add_and_fetch(made, 1) > 300) FOREVER; fork(); }"#,
    );
    everywhere(|isolation| {
        let ending = misbehave(&program, isolation).ending;
        assert!(matches!(ending, Ending::ProcessLimit | Ending::TimedOut), "{ending:?}");
    });
}

#[test]
fn processes_that_keep_moving() {
    let program = misbehaving(
        r#"volatile int *made = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
           if (fork() == 0) while (++*made < 20000) { int next = fork(); if (next) _exit(next < 0); }
           while (*made < 100) usleep(1000);
           return *made >= 20000;"#,
    );
    everywhere(|isolation| assert_eq!(misbehave(&program, isolation).ending, Ending::Exited(0), "{isolation:?}"));
}

#[test]
fn a_memory_hog_gets_no_more() {
    let program = misbehaving(
        r#"long mib = 0;
           char *p;
           while ((p = malloc(1 << 20))) { memset(p, 1, 1 << 20); mib++; if (mib > 300) return 201; }
           return mib;"#,
    );
    let limits = RunLimits { memory_mib: 100, ..limits() };
    let mut server = Server::start(&program.path, &limits).unwrap();
    let ending = misbehave_in(&mut server, "x", limits.time).ending;
    assert!(matches!(ending, Ending::Exited(80..=100)), "{ending:?}");
}

#[test]
fn the_thread_that_started_it_is_gone() {
    let program = misbehaving("printf(\"%d\", getppid()); fflush(stdout); return 1;");
    everywhere(|isolation| {
        let parent = |server: &mut Server| {
            let outcome = misbehave_in(server, "x", limits().time);
            assert_eq!(outcome.ending, Ending::Exited(1));
            outcome.stdout.kept
        };
        let started = || {
            let mut server = start(&program, isolation);
            (parent(&mut server), server)
        };
        let (before, mut server) = std::thread::scope(|scope| scope.spawn(started).join().unwrap());
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(parent(&mut server), before, "the same process serves on");
    });
}

#[test]
fn many_servers_at_a_time() {
    let program = misbehaving("printf(\"%s\", list[1]); fflush(stdout); if (fork() == 0) FOREVER; return 1;");
    let program = &program;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mut server = Server::start(&program.path, &RunLimits::default()).unwrap();
                for turn in 0..10 {
                    let word = format!("{thread}.{turn}");
                    let outcome = misbehave_in(&mut server, &word, limits().time);
                    assert_eq!((outcome.ending, outcome.stdout.kept), (Ending::Exited(1), word.into_bytes()));
                }
            });
        }
    });
}

#[test]
fn part() {
    let hang = |program: &Path, ready: OsString, isolation: Isolation| {
        let mut server = Server::start_in(program, &RunLimits::default(), None, isolation).unwrap();
        server.run(&Task { arguments: &["1".into(), ready], ..Task::default() }).unwrap();
    };
    do_part(hang, leave_nothing);
}

#[test]
fn the_tool_is_killed() {
    let program = misbehaving(
        "if (fork() == 0) { setsid(); if (fork()) _exit(0); FOREVER; } wait(0); close(creat(list[2], 0600)); FOREVER;",
    );
    // The server, the case and what it leaves.
    kill_hanging(&program, 3);
}

#[test]
fn no_child_and_no_descriptor_is_left() {
    run_clean();
}

/// Servers of all kinds.
fn leave_nothing() {
    let daemon = misbehaving("if (fork() == 0) { setsid(); FOREVER; } return 0;");
    let killer = misbehaving("kill(getppid(), SIGKILL); return 0;");
    leaves_nothing("wherefore", || {
        everywhere(|isolation| {
            for program in [&daemon, &killer] {
                misbehave(program, isolation);
            }
            Server::start_in("/bin/echo".as_ref(), &limits(), None, isolation).unwrap_err();
            Recorder::start_in("/bin/echo".as_ref(), &limits(), None, isolation).unwrap_err();
            Server::start_in(&daemon.path, &limits(), Some("/nonexistent".as_ref()), isolation).unwrap_err();
        });
    });
}
