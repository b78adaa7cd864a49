//! One run of a program: start, watch, end, collect.

use crate::disk;
use crate::error::Error;
use crate::input::{encode_inputs, encode_nondet};
use crate::loader;
use crate::output::{Captured, Drain, pipe};
use crate::processes;
use crate::recording::Recording;
use crate::start::{Bounds, Command, Supervisor, start};
use crate::supervisor::Mode;
use crate::watch::{BUFFER, Event, Watched, watch};
use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::time::{Duration, Instant};
use wherefore_budget::{Budget, Stop};
use wherefore_case::{Given, Input};

/// A run to be made. Start from [`Run::new`] and change what is different.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The program; a relative path counts from the current directory, the search path is not used.
    pub executable: &'a Path,
    /// Its name for itself; `None`: the path as given.
    pub argv0: Option<OsString>,
    /// Its arguments, from the first on.
    pub arguments: Vec<OsString>,
    /// Its standard input; `None`: nothing.
    pub stdin: Option<PathBuf>,
    /// Values of `__VERIFIER_nondet_*` calls in order, as bit patterns.
    pub nondet: Vec<u64>,
    /// Values of parameters and globals.
    pub inputs: Vec<Input>,
    /// How much it may use.
    pub limits: RunLimits,
    /// Where it runs; `None`: in the current directory.
    pub directory: Option<PathBuf>,
    /// How it is kept apart.
    pub isolation: Isolation,
    /// Who looks at it on its way.
    pub look: Option<Look<'a>>,
}

/// Looks at a run on its way, now and then, and says whether enough was seen. Given are how long it has run and the
/// beginning of its recording, of which the last words may not be written yet.
#[derive(Copy, Clone)]
pub struct Look<'a>(pub &'a dyn Fn(Duration, &Recording) -> bool);

impl fmt::Debug for Look<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Look")
    }
}

/// So many words of a recording are shown to whoever looks at a run.
pub const SHOWN_WORDS: usize = 1 << 20;

impl<'a> Run<'a> {
    /// A run without arguments and inputs.
    pub fn new(executable: &'a Path) -> Run<'a> {
        Run {
            executable,
            argv0: None,
            arguments: vec![],
            stdin: None,
            nondet: vec![],
            inputs: vec![],
            limits: RunLimits::default(),
            directory: None,
            isolation: Isolation::default(),
            look: None,
        }
    }

    /// Gives it its arguments and values. Standard input is a file, which is not ours to write.
    pub fn give(&mut self, given: &Given) {
        self.arguments.clone_from(&given.arguments);
        self.nondet.clone_from(&given.nondet);
        self.inputs.clone_from(&given.inputs);
    }
}

/// How much a run may use.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// Wall-clock time.
    pub time: Duration,
    /// What a case of a server may take of a processor, however many others there are: it ends by `SIGPROF` then, and the
    /// server goes on.
    pub processor: Option<Duration>,
    /// What all work of the command may use; a run ends with it.
    pub budget: Budget,
    /// Memory of each of its processes, apart from the recording.
    pub memory_mib: u64,
    /// Room for its stack.
    pub stack_kib: u64,
    /// Size of the recorded words, as whoever reads them has them in memory; in the file they are much less. 0: record
    /// nothing, which is faster. Less if the disk has less.
    pub recording_mib: u64,
    /// What it may write to standard output and standard error together.
    pub output_mib: u64,
    /// How much of each of them is kept.
    pub kept_kib: u64,
    /// Size of each file it writes.
    pub file_mib: u64,
    /// How many processes it may have at a time. They are counted now and then; a program that multiplies fast meets
    /// a bound of the kernel at some thousand more, except for root before Linux 6.14 or without a PID namespace.
    pub processes: usize,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits {
            time: Duration::from_secs(10),
            processor: None,
            budget: Budget::unlimited(),
            memory_mib: 4096,
            stack_kib: 8 << 10,
            recording_mib: 2048,
            output_mib: 64,
            kept_kib: 4096,
            file_mib: 1024,
            processes: 512,
        }
    }
}

/// How a program is kept from what is not its own.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// In a PID namespace where the system allows it, otherwise as in [`Isolation::Subreaper`]. `/proc` still shows
    /// the processes outside; only `/proc/self` is the program's own.
    #[default]
    Best,
    /// In a PID namespace of a user namespace, as an ordinary user may make it, or else an error.
    UserNamespace,
    /// By a supervisor that adopts orphans. Nothing keeps the program from signalling other processes of the user.
    Subreaper,
}

/// How a run ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With an exit status.
    Exited(i32),
    /// By a signal.
    Signal(i32),
    /// It was stopped at [`RunLimits::time`].
    TimedOut,
    /// It was stopped at [`RunLimits::output_mib`].
    OutputLimit,
    /// It was stopped at [`RunLimits::processes`].
    ProcessLimit,
    /// It was stopped at [`RunLimits::file_mib`].
    FileLimit,
    /// It was stopped because [`RunLimits::budget`] is over.
    Stopped(Stop),
    /// It was stopped because whoever looked at it ([`Run::look`]) had seen enough.
    SeenEnough,
    /// The supervisor was killed, so how the program ended is not known. What was found of it has been killed.
    SupervisorLost,
    /// It was not run natively, and came to something that whoever ran it does not know.
    Unsupported,
}

impl Ending {
    /// An end as `waitpid` tells it.
    pub(crate) fn from_status(status: i32) -> Ending {
        match libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)) {
            // The limit is ours, not the program's doing.
            Some(libc::SIGXFSZ) => Ending::FileLimit,
            Some(signal) => Ending::Signal(signal),
            None => Ending::Exited(libc::WEXITSTATUS(status)),
        }
    }
}

/// What a run did.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// What was recorded; `None` if the program is not an instrumented one, or did not get as far as its start.
    pub recording: Option<Recording>,
    /// How long it took, from before its start until no process of it was left.
    pub wall: Duration,
    /// How many of its processes were still there when it had ended or was stopped, and were killed.
    pub leftovers_killed: usize,
}

/// Makes a run. The recording's file is in `directory`, without a name. When this returns, however it does, no process
/// of the program is left.
///
/// # Errors
/// When the run cannot be made, as the dynamic loader may find as late as at a call, or its recording is unusable; never for
/// what the program does.
pub fn run(run: &Run, directory: &Path) -> Result<Outcome, Error> {
    let stdin = open_stdin(run.stdin.as_deref())?;
    let inputs = encode_inputs(&run.inputs);
    let nondet = encode_nondet(&run.nondet);
    let (file, size) = disk::create(directory, run.limits.recording_mib, &inputs, &nondet)?;

    let failed = |action| move |source| Error::Watch { action, source };
    let keep = usize::try_from(run.limits.kept_kib.saturating_mul(1024)).unwrap_or(usize::MAX);
    let (stdout, stdout_writer) = pipe().map_err(failed("make a pipe"))?;
    let (stderr, stderr_writer) = pipe().map_err(failed("make a pipe"))?;
    let mut stdout = Drain::new(stdout, keep).map_err(failed("prepare a pipe"))?;
    let mut stderr = Drain::new(stderr, keep).map_err(failed("prepare a pipe"))?;

    let began = Instant::now();
    let tasks = processes::system_tasks();
    let command = Command {
        executable: run.executable,
        argv0: run.argv0.as_deref(),
        arguments: &run.arguments,
        directory: run.directory.as_deref(),
        stdin: stdin.as_fd(),
        stdout: stdout_writer.as_fd(),
        stderr: stderr_writer.as_fd(),
        recording: file.as_fd(),
        control: None,
        limits: Bounds {
            address_space: mib(run.limits.memory_mib).saturating_add(size),
            file: mib(run.limits.file_mib),
            processes: run.limits.processes,
            stack: run.limits.stack_kib << 10,
        },
    };
    let mut supervisor = start_isolated(&command, run.isolation)?;
    drop((stdout_writer, stderr_writer));

    let mut buffer = vec![0; BUFFER];
    let look = |looks: Look| {
        // What cannot be read yet may be at the next look.
        let shown = Recording::beginning(&file, SHOWN_WORDS).ok().flatten();
        shown.is_some_and(|recording| looks.0(began.elapsed(), &recording))
    };
    let look = || run.look.is_some_and(look);
    let watched = Watched { supervisor: &supervisor, answer: None, limits: &run.limits, began, tasks, look: &look };
    let event = watch(&watched, &mut stdout, &mut stderr, &mut buffer).map_err(failed("wait for it"))?;
    let (end, stopped, mut leftovers) = match event {
        // All but the program itself.
        Event::Limit(ending) => {
            let alive = processes::count_descendants(supervisor.pid());
            (supervisor.stop(), Some(ending), alive.saturating_sub(1))
        }
        Event::Ended | Event::Answer => {
            let end = supervisor.reap();
            (end, None, supervisor.report().leftovers.load(SeqCst) as usize)
        }
    };
    leftovers += end.killed;
    let wall = began.elapsed();
    if let Some((step, error)) = supervisor.report().failure() {
        return Err(Error::Start {
            executable: run.executable.to_owned(),
            step: step.describe(),
            source: io::Error::from_raw_os_error(error),
        });
    }
    for drain in [&mut stdout, &mut stderr] {
        drain.take(u64::MAX, &mut buffer).map_err(failed("read its output"))?;
    }
    let (ending, recording, stderr) = (ending(&supervisor, stopped), Recording::from_file(&file)?, stderr.finish());
    let name = run.argv0.as_deref().unwrap_or(run.executable.as_os_str());
    loader::refused(&name.to_string_lossy(), ending, &stderr)?;
    Ok(Outcome { ending, stdout: stdout.finish(), stderr, recording, wall, leftovers_killed: leftovers })
}

/// Starts in the best mode; what this system refused once is not tried again.
pub(crate) fn start_isolated(command: &Command, isolation: Isolation) -> Result<Supervisor, Error> {
    const MODES: [Mode; 3] = [Mode::Namespace, Mode::UserNamespace, Mode::Subreaper];
    static FIRST: AtomicUsize = AtomicUsize::new(0);
    match isolation {
        Isolation::Subreaper => start(command, &[Mode::Subreaper]),
        Isolation::UserNamespace => start(command, &[Mode::UserNamespace]),
        Isolation::Best => {
            let first = FIRST.load(Relaxed);
            let supervisor = start(command, &MODES[first..])?;
            let used = MODES.iter().position(|&m| m == supervisor.mode()).unwrap_or(first);
            FIRST.store(used, Relaxed);
            Ok(supervisor)
        }
    }
}

fn open_stdin(path: Option<&Path>) -> Result<File, Error> {
    let path = path.unwrap_or(Path::new("/dev/null"));
    // Opening a pipe without a writer must not block us; reading from it is the program's affair.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .map_err(|e| Error::file("open", path, e))?;
    // SAFETY: the descriptor is open; only its flags change.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, 0) } != 0 {
        return Err(Error::file("prepare", path, io::Error::last_os_error()));
    }
    Ok(file)
}

pub(crate) fn mib(count: u64) -> u64 {
    count.saturating_mul(1 << 20)
}

/// How it ended: by itself, if the supervisor saw that, also when it was about to be stopped.
pub(crate) fn ending(supervisor: &Supervisor, stopped: Option<Ending>) -> Ending {
    let report = supervisor.report();
    if !report.done.load(SeqCst) {
        return stopped.unwrap_or(Ending::SupervisorLost);
    }
    Ending::from_status(report.status.load(SeqCst))
}
