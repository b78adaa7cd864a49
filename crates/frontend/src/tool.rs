//! Compilers and linkers as processes: within the budget, and gone with us.

mod server;

use crate::Error;
use server::Server;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use wherefore_budget::{Budget, Stop};

/// What a compiler needs at least, in bytes.
const LEAST_MEMORY: u64 = 256 << 20;

/// How a compiler says that memory is short.
const SHORT_OF_MEMORY: [&str; 3] = ["LLVM ERROR: out of memory", "virtual memory exhausted", "std::bad_alloc"];

/// How a tool ended, and what it said.
pub(crate) struct Ended {
    pub status: ExitStatus,
    pub said: String,
}

/// Runs a tool to its end, or until the budget is over: then it is killed, with all it started.
pub(crate) fn run(command: &mut Command, budget: &Budget) -> Result<Ended, Error> {
    budget.check()?;
    let memory = budget.room_left().map(|bytes| bytes.max(LEAST_MEMORY));
    let served = Server::find(command).and_then(|server| served(server, command, memory, budget));
    budget.check()?;
    let mut ended = served.map_or_else(|| alone(command, memory, budget), Ok)?;
    if !ended.status.success() && ended.said.trim().is_empty() {
        // It was killed, or has crashed.
        ended.said = format!("{} says nothing: {}\n", command.get_program().display(), ended.status);
    }
    if memory.is_some() && !ended.status.success() && SHORT_OF_MEMORY.iter().any(|words| ended.said.contains(words)) {
        return Err(Stop::Memory.into());
    }
    Ok(ended)
}

/// Has a server run a tool; `None` if that dies.
fn served(mut server: Server, command: &Command, memory: Option<u64>, budget: &Budget) -> Option<Ended> {
    let registered = budget.on_stop(killing(server.group()));
    let ended = server.run(command, memory);
    drop(registered);
    let (status, said) = ended.ok()?;
    server.put_back();
    Some(Ended { status, said: String::from_utf8_lossy(&said).into_owned() })
}

/// Runs a tool as a process of ours.
fn alone(command: &mut Command, memory: Option<u64>, budget: &Budget) -> Result<Ended, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    // SAFETY: the closure makes system calls only.
    unsafe {
        command.pre_exec(move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if let Some(bytes) = memory {
                let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
                libc::setrlimit(libc::RLIMIT_DATA, &limit);
            }
            Ok(())
        });
    }
    let mut child = command.spawn().map_err(Error::io(&name))?;
    let group = child.id() as libc::pid_t;
    let registered = budget.on_stop(killing(group));
    let mut said = vec![];
    let read = child.stderr.take().map_or(Ok(0), |mut from| from.read_to_end(&mut said));
    wait_for(group);
    drop(registered);
    let status = child.wait().map_err(Error::io(&name))?;
    read.map_err(Error::io(&name))?;
    budget.check()?;
    Ok(Ended { status, said: String::from_utf8_lossy(&said).into_owned() })
}

/// Kills a group of processes, as long as its leader is not waited for.
fn killing(group: libc::pid_t) -> impl Fn() + Send + Sync + 'static {
    // SAFETY: a plain system call.
    move || unsafe {
        libc::kill(-group, libc::SIGKILL);
    }
}

/// Waits for a child's end and lets it be: its number is not given to another yet.
fn wait_for(child: libc::pid_t) {
    let mut information = std::mem::MaybeUninit::<libc::siginfo_t>::uninit();
    let options = libc::WEXITED | libc::WNOWAIT;
    // SAFETY: there is room for the information, which is not looked at.
    while unsafe { libc::waitid(libc::P_PID, child as libc::id_t, information.as_mut_ptr(), options) } != 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, budget: &Budget) -> Result<Ended, Error> {
        run(Command::new("sh").args(["-c", script]), budget)
    }

    #[test]
    fn what_a_tool_says_is_kept() {
        let ended = shell("echo no; echo yes >&2; exit 3", &Budget::unlimited()).unwrap();
        assert_eq!((ended.status.code(), ended.said.as_str()), (Some(3), "yes\n"));
        let killed = run(Command::new("sh").args(["-c", "kill -9 $$"]), &Budget::unlimited()).unwrap();
        assert_eq!(killed.said, "sh says nothing: signal: 9 (SIGKILL)\n");
    }

    /// A compilation of a file, with a number in it.
    fn compilation(dir: &std::path::Path, number: usize, more: &[&str]) -> Command {
        let mut command = Command::new("clang-19");
        command.args(["-c", "-emit-llvm", "-g", "-O0"]).args(more).arg(format!("-DN={number}"));
        command.arg(dir.join("f.c")).arg("-o").arg(dir.join("f.bc"));
        command
    }

    #[test]
    fn files_that_a_compiler_compiles_in_turn_have_nothing_of_each_other() {
        let budget = Budget::unlimited();
        let dir = tempfile::tempdir().unwrap();
        let text =
            "#include <stdio.h>\n#if N % 3 == 1\n#error no\n#endif\nint f(int a) { return printf(\"%d\", a + N); }\n";
        std::fs::write(dir.path().join("f.c"), text).unwrap();
        // More than one copy of the compiler takes.
        for number in 0..40 {
            let more: &[&str] = match number % 5 {
                4 => &["-mllvm", "-inline-threshold=7"],
                3 => &["-Wall", "-fno-builtin-printf"],
                _ => &[],
            };
            let outcome = |served: bool| {
                drop(std::fs::remove_file(dir.path().join("f.bc")));
                let mut command = compilation(dir.path(), number, more);
                let ended = if served { run(&mut command, &budget) } else { alone(&mut command, None, &budget) };
                let Ended { status, said } = ended.unwrap();
                (status.code(), said, std::fs::read(dir.path().join("f.bc")).ok())
            };
            let (served, alone) = (outcome(true), outcome(false));
            assert_eq!((served.0, &served.1), (alone.0, &alone.1), "{number}");
            assert!(served.2 == alone.2, "another file is made, {number}");
            assert_eq!(served.2.is_some(), number % 3 != 1);
        }
    }

    #[test]
    fn a_compiler_that_is_kept_loaded_says_what_it_would_say() {
        let budget = Budget::unlimited();
        // The second time it is there already.
        for _ in 0..2 {
            let ended = run(Command::new("clang-19").args(["-c", "/nowhere/at/all.c"]), &budget).unwrap();
            assert!(!ended.status.success() && ended.said.contains("no such file"), "{}", ended.said);
        }
        let ended = run(Command::new("sh").args(["-c", "echo $A >&2; exit 4"]).env("A", "b c"), &budget).unwrap();
        assert_eq!((ended.status.code(), ended.said.as_str()), (Some(4), "b c\n"));
    }

    #[test]
    fn a_tool_is_killed_with_its_children() {
        let budget = Budget::unlimited();
        let part = budget.clone();
        // The pipe is closed only once the second process is gone too.
        let running = std::thread::spawn(move || shell("echo >&2; sleep 1000 & wait", &part).map(|_| ()));
        budget.stop(Stop::Interrupted);
        assert!(matches!(running.join().unwrap(), Err(Error::Stopped(Stop::Interrupted))));
    }

    #[test]
    fn memory_that_is_short_is_a_limit() {
        let budget = Budget::new(None, Some(1 << 30));
        let said = shell("echo 'LLVM ERROR: out of memory' >&2; exit 1", &budget);
        assert!(matches!(said, Err(Error::Stopped(Stop::Memory))));
    }
}
