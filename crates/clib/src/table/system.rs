//! `<time.h>`, `<unistd.h>`, `<getopt.h>`, `<signal.h>`, `<errno.h>`, `<locale.h>` and what belongs to files.

use crate::function::Access::{Reads, Writes};
use crate::function::Channel::Descriptor;
use crate::function::Extent::{Fixed, Open, String, StringUpTo};
use crate::function::{Callback, Function, Gives, symbol};

/// Size of a `struct tm`.
const TM: u64 = 56;

const fn of_values(name: &'static str, arguments: usize) -> Function {
    Function::new(name, arguments).gives(Gives::OfValues)
}

pub(super) const ROWS: &[Function] = &[
    // ---- time ----
    of_values("difftime", 2),
    Function::new("mktime", 1).like(&["timegm"]).accesses(&[Writes(0, Fixed(TM))]),
    // What they return is an object of the library, written anew by each call.
    Function::new("gmtime", 1).like(&["localtime"]).accesses(&[Reads(0, Fixed(8))]).writes_elsewhere(),
    Function::new("gmtime_r", 2).like(&["localtime_r"]).accesses(&[Reads(0, Fixed(8)), Writes(1, Fixed(TM))]),
    Function::new("asctime", 1).accesses(&[Reads(0, Fixed(TM))]).writes_elsewhere(),
    Function::new("ctime", 1).accesses(&[Reads(0, Fixed(8))]).writes_elsewhere(),
    Function::new("strftime", 4).accesses(&[Writes(0, StringUpTo(1)), Reads(2, String), Reads(3, Fixed(TM))]),
    Function::new("clock_gettime", 2).accesses(&[Writes(1, Fixed(16))]).nondeterministic(),
    Function::new("gettimeofday", 2).accesses(&[Writes(0, Fixed(16))]).nondeterministic().optional(&[0]),
    Function::new("nanosleep", 2).like(&["thrd_sleep"]).accesses(&[Reads(0, Fixed(16))]),
    Function::new("clock_nanosleep", 4).accesses(&[Reads(2, Fixed(16))]),
    Function::new("sched_yield", 0),
    Function::new("sleep", 1).like(&["usleep"]),
    Function::new("alarm", 1).unsettles(),
    // ---- options ----
    // What is found is in variables of the library.
    Function::new("getopt", 3).accesses(&[Reads(2, String)]).writes_elsewhere(),
    Function::new("getopt_long", 5)
        .like(&["getopt_long_only"])
        .accesses(&[Reads(2, String), Reads(3, Open), Writes(4, Fixed(4))])
        .writes_elsewhere()
        .optional(&[4]),
    // ---- processes ----
    Function::new("getppid", 0).like(&["getuid", "geteuid", "getgid", "getegid"]).nondeterministic(),
    Function::new("fork", 0).nondeterministic().unsettles(),
    Function::new("wait", 1).accesses(&[Writes(0, Fixed(4))]).nondeterministic().optional(&[0]),
    Function::new("waitpid", 3).accesses(&[Writes(1, Fixed(4))]).nondeterministic().optional(&[1]),
    Function::new("kill", 2).unsettles(),
    Function::new("sysconf", 1),
    Function::new("gethostname", 2).accesses(&[Writes(0, StringUpTo(1))]).nondeterministic(),
    // ---- descriptors and files ----
    Function::new("close", 1).moves(Descriptor(0)),
    Function::new("dup", 1).like(&["fsync"]),
    Function::new("dup2", 2).moves(Descriptor(1)),
    Function::new("pipe", 1).accesses(&[Writes(0, Fixed(8))]),
    Function::new("lseek", 3).like(&["lseek64"]).moves(Descriptor(0)),
    Function::new("ftruncate", 2),
    Function::new("getcwd", 2).accesses(&[Writes(0, StringUpTo(1))]).optional(&[0]),
    Function::new("chdir", 1).like(&["rmdir"]).accesses(&[Reads(0, String)]),
    Function::new("mkdir", 2).like(&["chmod"]).accesses(&[Reads(0, String)]),
    Function::new("readlink", 3).accesses(&[Reads(0, String), Writes(1, Open)]),
    Function::new("stat", 2).like(&["lstat", "stat64", "lstat64"]).accesses(&[Reads(0, String), Writes(1, Fixed(144))]),
    Function::new("fstat", 2).like(&["fstat64"]).accesses(&[Writes(1, Fixed(144))]),
    Function::new("opendir", 1).accesses(&[Reads(0, String)]),
    Function::new("readdir", 1).like(&["readdir64"]).writes_elsewhere().nondeterministic().handle(0),
    Function::new("closedir", 1).handle(0),
    Function::new("dirfd", 1).handle(0),
    Function::new("fdopendir", 1),
    Function::new("fdatasync", 1),
    Function::new("fchmod", 2),
    Function::new("fchown", 3),
    Function::new("umask", 1),
    Function::new("fcntl", 2).symbols(&[symbol("fcntl64")]).variadic().writes_elsewhere(),
    Function::new("openat", 3).symbols(&[symbol("openat64")]).variadic().accesses(&[Reads(1, String)]),
    Function::new("unlinkat", 3).accesses(&[Reads(1, String)]),
    Function::new("futimens", 2).accesses(&[Reads(1, Open)]).optional(&[1]),
    Function::new("futimesat", 3).accesses(&[Reads(1, String), Reads(2, Open)]).optional(&[1, 2]),
    Function::new("utimensat", 4).accesses(&[Reads(1, String), Reads(2, Open)]).optional(&[1, 2]),
    Function::new("utimes", 2).accesses(&[Reads(0, String), Reads(1, Open)]).optional(&[1]),
    // ---- signals, errors, places ----
    Function::new("raise", 1).writes_elsewhere(),
    Function::new("sigemptyset", 1).like(&["sigfillset"]).accesses(&[Writes(0, Fixed(128))]),
    Function::new("sigaddset", 2).like(&["sigdelset"]).accesses(&[Writes(0, Fixed(128))]),
    Function::new("sigprocmask", 3).accesses(&[Reads(1, Fixed(128)), Writes(2, Fixed(128))]).optional(&[1, 2]),
    // The functions are members of what an argument points to.
    Function::new("sigaction", 3)
        .accesses(&[Reads(1, Fixed(152)), Writes(2, Fixed(152))])
        .writes_elsewhere()
        .calls_back(Callback::Later(1))
        .optional(&[1, 2])
        .unsettles(),
    Function::new("__errno_location", 0).gives(Gives::Indifferent),
    Function::new("sigismember", 2).accesses(&[Reads(0, Fixed(128))]),
    Function::new("nl_langinfo", 1),
    Function::new("setlocale", 2).accesses(&[Reads(1, String)]).optional(&[1]),
];
