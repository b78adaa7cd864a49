//! Runs with several threads: nobody writes into the words of another, however the run ends.

mod common;

use common::{Program, compile_with, go, recording};
use std::time::Duration;
use wherefore_record::{Ending, Followed, Outcome, State};

/// What a thread does: its number and then what it counts.
const WORK: &str = "static void count(long number, long times) {
  BLOCK(number);
  for (long i = 0; i < times; i++) { BLOCK(number); WORD(i); }
}
";

fn threaded(source: &str) -> Program {
    compile_with(&format!("{WORK}{source}"), &["-DTHREADED", "-pthread"])
}

/// Whether words are those of a thread: no others are among them, and none is missing up to where they end.
#[track_caller]
fn counts(words: &[u64], number: u64) {
    assert_eq!(words.first(), Some(&number), "{} words", words.len());
    for (i, pair) in words[1..].chunks(2).enumerate() {
        assert_eq!(pair, &[number, i as u64][..pair.len()], "at {i} of {}", words.len());
    }
}

fn followed(outcome: &Outcome) -> Followed {
    recording(outcome).threads.followed
}

#[test]
fn each_thread_writes_for_itself() {
    let program = threaded(
        "static void *work(void *number) { count((long)number, 100000); return 0; }
         int main(void) {
           pthread_t threads[4];
           __wf_threads();
           for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void *)(10 + i));
           count(1, 100000);
           for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
           return 0;
         }",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    let recording = recording(&outcome);
    assert_eq!((recording.state, recording.words().len()), (State::Complete, 200_001));
    counts(recording.words(), 1);
    let mut first: Vec<u64> = recording.threads.others.iter().map(|other| other.words()[0]).collect();
    first.sort_unstable();
    assert_eq!((first, recording.threads.seen), (vec![10, 11, 12, 13], 4));
    for other in &recording.threads.others {
        assert!(other.is_whole && !other.is_first && other.words().len() == 200_001);
        counts(other.words(), other.words()[0]);
    }
}

#[test]
fn the_words_are_those_of_the_thread_in_which_the_run_ends() {
    let ends = [
        ("abort();", Ending::Signal(libc::SIGABRT)),
        ("*(volatile int *)0 = 1;", Ending::Signal(libc::SIGSEGV)),
        ("raise(SIGFPE);", Ending::Signal(libc::SIGFPE)),
        ("exit(3);", Ending::Exited(3)),
    ];
    for (end, ending) in ends {
        let program = threaded(&format!(
            "static void *work(void *number) {{
               count((long)number, 50000);
               if ((long)number == 12) {{ {end} }}
               for (;;) pause();
             }}
             int main(void) {{
               pthread_t thread;
               count(1, 10);
               for (long i = 0; i < 4; i++) {{ __wf_threads(); pthread_create(&thread, 0, work, (void *)(10 + i)); }}
               for (;;) pause();
             }}"
        ));
        let outcome = program.go();
        assert_eq!(outcome.ending, ending, "{end}");
        assert_eq!(followed(&outcome), Followed::Other, "{end}");
        counts(recording(&outcome).words(), 12);
        assert_eq!(recording(&outcome).words().len(), 100_001, "{end}");
    }
}

#[test]
fn a_stack_that_overflows_in_a_small_thread() {
    let program = threaded(
        "static int deep(int n) { volatile char room[500]; room[0] = n; BLOCK(12); return deep(n + 1) + room[0]; }
         static void *work(void *nothing) { return (void *)(long)deep(0); }
         int main(void) {
           pthread_t thread;
           pthread_attr_t small;
           pthread_attr_init(&small);
           pthread_attr_setstacksize(&small, 16384);
           __wf_threads();
           pthread_create(&thread, &small, work, 0);
           pthread_join(thread, 0);
           return 0;
         }",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Signal(libc::SIGSEGV));
    assert_eq!((followed(&outcome), recording(&outcome).words()[0]), (Followed::Other, 12));
}

#[test]
fn threads_for_which_there_is_no_room_go_on() {
    let program = threaded(
        "static void *work(void *number) { count((long)number, 1000); return number; }
         int main(void) {
           pthread_t threads[500];
           pthread_attr_t small;
           pthread_attr_init(&small);
           pthread_attr_setstacksize(&small, 65536);
           long sum = 0;
           for (int round = 0; round < 5; round++) {
             for (long i = 0; i < 100; i++) pthread_create(&threads[i], &small, work, (void *)i);
             count(1, 100);
             void *number;
             for (int i = 0; i < 100; i++) { pthread_join(threads[i], &number); sum += (long)number; }
           }
           WORD(sum);
           return 0;
         }",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    let recording = recording(&outcome);
    assert_eq!((recording.threads.seen, recording.threads.others.len()), (500, 32));
    assert_eq!((recording.words().len(), recording.words().last()), (5 * 201 + 1, Some(&(5 * 4950))));
}

#[test]
fn threads_that_come_later_take_the_room_of_those_that_have_ended() {
    let program = threaded(
        "static void *work(void *number) { count((long)number, 40000); if ((long)number == 299) abort(); return 0; }
         int main(void) {
           pthread_t thread;
           count(1, 10);
           for (long i = 100; i < 300; i++) { pthread_create(&thread, 0, work, (void *)i); pthread_join(thread, 0); }
           return 0;
         }",
    );
    let outcome = program.go();
    assert_eq!((outcome.ending, followed(&outcome)), (Ending::Signal(libc::SIGABRT), Followed::Other));
    let recording = recording(&outcome);
    counts(recording.words(), 299);
    assert_eq!((recording.threads.seen, recording.threads.others.len()), (200, 32));
    for other in &recording.threads.others {
        counts(other.words(), other.words()[0]);
        assert!(other.is_first || other.words()[0] > 267 && other.words().len() == 80_001);
    }
}

/// Runs of each kind; `MANY` in the environment chooses others.
const RUNS: usize = 50;

/// Other threads write at full speed when the first one, or one of them, ends the run.
#[test]
fn nothing_is_damaged_where_others_write_at_full_speed() {
    let source = |main: &str, work: &str| {
        format!(
            "static void *work(void *number) {{ long n = (long)number; count(n, n == 11 ? {work} : 1l << 40); abort(); }}
             int main(void) {{
               pthread_t thread;
               __wf_threads();
               for (long i = 0; i < 3; i++) pthread_create(&thread, 0, work, (void *)(10 + i));
               count(1, {main});
               abort();
             }}"
        )
    };
    let runs = std::env::var("MANY").map_or(RUNS, |many| many.parse().unwrap());
    for (main, work, number, words) in [("40000", "1l << 40", 1, 80_001), ("1l << 40", "40000", 11, 80_001)] {
        let program = threaded(&source(main, work));
        for _ in 0..runs {
            let outcome = program.go();
            assert_eq!(outcome.ending, Ending::Signal(libc::SIGABRT));
            let recording = recording(&outcome);
            assert_eq!(recording.words().len(), words);
            counts(recording.words(), number);
            // Those that had not begun have none.
            recording.threads.others.iter().for_each(|other| counts(other.words(), other.words()[0]));
        }
    }
}

#[test]
fn a_run_that_is_killed_at_any_time_can_be_read() {
    let program = threaded(
        "static void *work(void *number) { count((long)number, 1l << 40); return 0; }
         int main(void) {
           pthread_t thread;
           for (long i = 0; i < 3; i++) { __wf_threads(); pthread_create(&thread, 0, work, (void *)(10 + i)); }
           count(1, 1l << 40);
           return 0;
         }",
    );
    for time in 0..20 {
        let mut run = program.run();
        run.limits.time = Duration::from_millis(1 + 7 * time);
        let outcome = go(&run);
        assert_eq!(outcome.ending, Ending::TimedOut);
        // It may have been killed before it began.
        if outcome.recording.as_ref().is_some_and(|r| !r.words().is_empty()) {
            counts(recording(&outcome).words(), 1);
        }
    }
}

#[test]
fn threads_that_only_a_library_knows() {
    // No call that starts threads is seen: what the thread runs asks for its own room.
    let program = threaded(
        "static void called(union sigval number) { count(number.sival_int, 70000); kill(getpid(), SIGUSR1); }
         #include <time.h>
         static volatile int done;
         static void finish(int signal) { done = 1; }
         int main(void) {
           signal(SIGUSR1, finish);
           timer_t timer;
           struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 12};
           event.sigev_notify_function = called;
           timer_create(CLOCK_MONOTONIC, &event, &timer);
           struct itimerspec soon = {.it_value.tv_nsec = 1000000};
           timer_settime(timer, 0, &soon, 0);
           BLOCK(1);
           for (long i = 0; !done; i++) { BLOCK(1); WORD(i); }
           return 0;
         }",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!((recording(&outcome).threads.starts, recording(&outcome).threads.seen), (0, 1));
    counts(recording(&outcome).threads.others[0].words(), 12);
    counts(recording(&outcome).words(), 1);
}

#[test]
fn a_thread_forks() {
    let program = threaded(
        "static void *work(void *number) {
           count(10, 50000);
           for (int i = 0; i < 5; i++) {
             int status = 0;
             if (fork() == 0) { count(99, 100000); _exit(7); }
             wait(&status);
             BLOCK(10);
             WORD(WEXITSTATUS(status) == 7 ? 50000 + i : 0);
           }
           abort();
         }
         int main(void) {
           pthread_t thread;
           __wf_threads();
           pthread_create(&thread, 0, work, 0);
           count(1, 1l << 40);
         }",
    );
    let outcome = program.go();
    assert_eq!((outcome.ending, recording(&outcome).forks), (Ending::Signal(libc::SIGABRT), 5));
    assert_eq!(recording(&outcome).words().len(), 100_011);
    counts(recording(&outcome).words(), 10);
}

#[test]
fn handlers_of_signals_run_on_any_thread() {
    let program = threaded(
        "static void handle(int signal) { BLOCK(77); }
         static void *work(void *number) { count((long)number, 300000); return 0; }
         int main(void) {
           pthread_t threads[3];
           signal(SIGALRM, handle);
           struct itimerval often = {{0, 300}, {0, 300}};
           setitimer(ITIMER_REAL, &often, 0);
           for (long i = 0; i < 3; i++) { __wf_threads(); pthread_create(&threads[i], 0, work, (void *)(10 + i)); }
           count(1, 300000);
           for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
           return 0;
         }
        ",
    );
    let outcome = program.go();
    assert_eq!(outcome.ending, Ending::Exited(0));
    let words: Vec<u64> = recording(&outcome).words().iter().copied().filter(|word| *word != 77).collect();
    // What it counts itself is all that looks like the number of another thread.
    assert!(words.iter().filter(|word| (10..=12).contains(*word)).count() <= 3);
    assert!(words.len() > 590_000, "{} words", words.len());
}
