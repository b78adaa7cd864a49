//! Starting a supervisor: everything is prepared here, in the tool, because the supervisor may not allocate.

use crate::error::Error;
use crate::mapping::Mapping;
use crate::processes;
use crate::starter::make_supervisor;
use crate::supervisor::{MARK_BYTES, Mode, Plan, RECORDING_DESCRIPTOR, Report, Step, supervise};
use libc::{c_char, c_int, c_void};
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// The page of the report, then the supervisor's marks, then a stack for the program's process until it is the program.
/// What is not touched costs nothing.
const REPORT_BYTES: usize = 4096;
const STACK_BYTES: usize = 64 << 10;
/// What the supervisor has instead of a thread's own memory, behind its stack, and how much of that is before the place that
/// a thread's register points to.
const THREAD_BYTES: usize = 72 << 10;
const THREAD_AT: usize = 64 << 10;

/// A program to be started.
pub struct Command<'a> {
    pub executable: &'a Path,
    pub argv0: Option<&'a OsStr>,
    pub arguments: &'a [OsString],
    pub directory: Option<&'a Path>,
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
    pub recording: BorrowedFd<'a>,
    /// Where it is asked to run cases, if it serves any.
    pub control: Option<BorrowedFd<'a>>,
    pub limits: Bounds,
}

/// Limits of each process, in bytes.
#[derive(Copy, Clone)]
pub struct Bounds {
    pub address_space: u64,
    pub file: u64,
    /// Of all processes together: how many there may be.
    pub processes: usize,
    pub stack: u64,
}

/// A running supervisor. When it is dropped, it and all processes below it are gone.
pub struct Supervisor {
    process: OwnedFd,
    pid: libc::pid_t,
    mode: Mode,
    shared: Mapping,
    end: Option<End>,
    /// What the supervisor needs as long as it is there.
    _plan: Box<Held>,
    _own: Mapping,
}

/// A plan with what it points to.
struct Held {
    plan: Plan,
    _text: Text,
    _arguments: Vec<*const c_char>,
    _environment: Vec<*const c_char>,
}

// SAFETY: the pointers are to texts and memory that this value or the supervisor's mapping owns, and nobody changes.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

/// What is known once a supervisor has ended.
#[derive(Copy, Clone)]
pub struct End {
    /// Whether no process of the program can be left.
    pub thorough: bool,
    /// How many were killed after the supervisor's end.
    pub killed: usize,
}

/// What came of the attempt to start in one mode.
enum Attempt {
    Started(Supervisor),
    /// This system does not allow it.
    Refused,
}

/// Starts the program in the first of these modes that the system allows.
pub fn start(command: &Command, modes: &[Mode]) -> Result<Supervisor, Error> {
    for &mode in modes {
        match attempt(command, mode)? {
            Attempt::Started(supervisor) => return Ok(supervisor),
            Attempt::Refused => {}
        }
    }
    Err(failed(command, "no way to isolate it is allowed", io::ErrorKind::PermissionDenied.into()))
}

fn failed(command: &Command, step: &'static str, source: io::Error) -> Error {
    Error::Start { executable: command.executable.to_owned(), step, source }
}

fn attempt(command: &Command, mode: Mode) -> Result<Attempt, Error> {
    let fail = |step| move |source| failed(command, step, source);
    let text = Text::new(command)?;
    let shared = Mapping::shared(REPORT_BYTES + MARK_BYTES + STACK_BYTES).map_err(fail("share memory"))?;
    // Not what the supervisor's children would share.
    let own = Mapping::private(STACK_BYTES + THREAD_BYTES).map_err(fail("get memory for its supervisor"))?;
    let report: *mut Report = shared.pointer().cast();
    // SAFETY: the memory is ours, aligned to a page and large enough.
    unsafe { report.write(Report::default()) };
    let tool = open_process(std::process::id() as libc::pid_t).map_err(fail("watch this process"))?;
    let arguments = pointers(&text.arguments);
    let environment = pointers(&text.environment);
    // SAFETY: these calls only return numbers.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let plan = Plan {
        mode,
        report,
        // SAFETY: one past the end of the mapping, where a stack that grows down begins.
        stack_top: unsafe { shared.pointer().add(shared.length()) }.cast(),
        // SAFETY: within the mapping, behind the report.
        marks: unsafe { shared.pointer().add(REPORT_BYTES) },
        most_processes: most_processes(command.limits.processes),
        tool: std::process::id() as libc::pid_t,
        tool_descriptor: tool.as_raw_fd(),
        user_map: format!("{user} {user} 1\n").into_bytes(),
        group_map: format!("{group} {group} 1\n").into_bytes(),
        descriptors: [
            Some(command.stdin),
            Some(command.stdout),
            Some(command.stderr),
            Some(command.recording),
            command.control,
        ]
        .map(|d| d.map_or(-1, |d| d.as_raw_fd())),
        limits: limits(command.limits, mode).map_err(fail("read the limits"))?,
        directory: text.directory.as_ref().map_or(ptr::null(), |d| d.as_ptr()),
        executable: text.executable.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
    };
    let held = Box::new(Held { plan, _text: text, _arguments: arguments, _environment: environment });
    // SAFETY: both are within the mapping.
    let (stack, thread) = unsafe { (own.pointer().add(STACK_BYTES), own.pointer().add(STACK_BYTES + THREAD_AT)) };
    let (pid, process) = match make_supervisor(&held.plan, stack, thread) {
        Ok(ids) => ids,
        Err(e) if mode != Mode::Subreaper && is_refusal(&e) => return Ok(Attempt::Refused),
        Err(e) => return Err(failed(command, "make a process for it", e)),
    };
    let mut supervisor = Supervisor { process, pid, mode, shared, end: None, _plan: held, _own: own };
    // Only the first steps can be refused, and in a user namespace alone; a started program is not waited for.
    if mode == Mode::UserNamespace {
        supervisor.wait_for_start();
        if let Some((Step::Users, _)) = supervisor.report().failure() {
            supervisor.stop();
            return Ok(Attempt::Refused);
        }
    }
    Ok(Attempt::Started(supervisor))
}

/// Whether an error of `clone` means that namespaces are not allowed or not known here.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EPERM | libc::EINVAL | libc::ENOSPC | libc::EUSERS | libc::ENOSYS | libc::EACCES)
    )
}

/// Makes the supervisor's process. It shares our memory, since a copy of what a search may have come to takes long, and all
/// that we write afterwards would have to be copied too; `stack` is the end of a stack for it, `thread` what it has for the
/// memory of a thread: a failing call of the library must not change our own error number.
pub(crate) fn clone_supervisor(plan: &Plan, stack: *mut u8, thread: *mut u8) -> io::Result<(libc::pid_t, OwnedFd)> {
    let namespaces = match plan.mode {
        Mode::Namespace => libc::CLONE_NEWPID,
        Mode::UserNamespace => libc::CLONE_NEWPID | libc::CLONE_NEWUSER,
        Mode::Subreaper => 0,
    };
    prepare_thread(thread)?;
    // No signal at its end: other code that waits for any child does not get this one.
    let flags = namespaces | libc::CLONE_PIDFD | libc::CLONE_VM | libc::CLONE_SETTLS;
    let argument = ptr::from_ref(plan).cast_mut().cast();
    let mut descriptor: c_int = -1;
    let mut all = MaybeUninit::uninit();
    let mut old = MaybeUninit::uninit();
    // SAFETY: the sets are local and filled before use. The new process has all signals blocked, a stack of its own, and a
    // plan that stays until it has ended. It never returns, and of our memory it writes only what is meant for it.
    let pid = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
        let pid = libc::clone(be_supervisor, stack.cast(), flags, argument, &raw mut descriptor, thread);
        let error = *libc::__errno_location();
        libc::pthread_sigmask(libc::SIG_SETMASK, old.as_ptr(), ptr::null_mut());
        *libc::__errno_location() = error;
        pid
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system just opened the descriptor for us.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

extern "C" fn be_supervisor(plan: *mut c_void) -> c_int {
    // SAFETY: this is the process made by `clone_supervisor`, with its plan.
    unsafe { supervise(&*plan.cast_const().cast::<Plan>()) }
}

/// Makes zeros the memory of a thread, as far as the library's calls of the system look at it: itself, by two names. What
/// is the thread's own, such as its error number, lies before that.
fn prepare_thread(at: *mut u8) -> io::Result<()> {
    let own: usize;
    // SAFETY: the first word of a thread's memory is its address; the memory given has room for both words.
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) own, options(nostack, readonly, preserves_flags));
        let before = own.wrapping_sub(libc::__errno_location() as usize);
        if before == 0 || before > THREAD_AT {
            return Err(io::ErrorKind::Unsupported.into());
        }
        at.cast::<usize>().write(at as usize);
        at.cast::<usize>().add(2).write(at as usize);
    }
    Ok(())
}

fn open_process(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: a plain system call; what it returns is a new descriptor of ours, closed in executed programs.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, pid, 0) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor as RawFd)),
        }
    }
}

impl Supervisor {
    /// What becomes readable when the supervisor has ended.
    pub fn descriptor(&self) -> RawFd {
        self.process.as_raw_fd()
    }

    /// Its process id.
    pub fn pid(&self) -> libc::pid_t {
        self.pid
    }

    /// How it keeps the program's processes together.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What it tells.
    pub fn report(&self) -> &Report {
        // SAFETY: `attempt` put a report there; all its fields are atomic.
        unsafe { &*self.shared.pointer().cast::<Report>() }
    }

    /// Whether the program itself is stopped, as far as can be seen.
    pub fn program_is_stopped(&self) -> bool {
        match self.mode {
            // Inside it has another number; it is the only child, unless it leaves others.
            Mode::Namespace | Mode::UserNamespace => processes::has_stopped_child(self.pid),
            Mode::Subreaper => processes::is_stopped(self.report().program.load(SeqCst)),
        }
    }

    /// Ends the supervisor and all processes below it, if they have not ended yet, and waits until they are gone.
    pub fn stop(&mut self) -> End {
        if self.end.is_none() {
            if self.mode == Mode::Subreaper {
                // It must end the others before itself.
                self.signal(libc::SIGTERM);
                if !self.wait(Duration::from_secs(3)) {
                    self.signal(libc::SIGKILL);
                }
            } else {
                self.signal(libc::SIGKILL);
            }
        }
        self.reap()
    }

    /// Waits until the supervisor has ended, which it does after all below it.
    pub fn reap(&mut self) -> End {
        if let Some(end) = self.end {
            return end;
        }
        let mut information = MaybeUninit::<libc::siginfo_t>::zeroed();
        let options = libc::WEXITED | libc::__WALL;
        loop {
            let id = self.process.as_raw_fd() as libc::id_t;
            // SAFETY: there is room for the information; the process is our child and not reaped yet.
            let result = unsafe { libc::waitid(libc::P_PIDFD, id, information.as_mut_ptr(), options) };
            if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break;
            }
        }
        // SAFETY: zeros are valid, and the call fills in what a child's end has.
        let (code, status) = unsafe {
            let information = information.assume_init();
            (information.si_code, information.si_status())
        };
        let mut end =
            End { thorough: self.mode != Mode::Subreaper || (code, status) == (libc::CLD_EXITED, 0), killed: 0 };
        let program = self.report().program.load(SeqCst);
        if !end.thorough && program > 0 {
            end.killed = processes::kill_session(program);
        }
        self.end = Some(end);
        end
    }

    fn signal(&self, signal: c_int) {
        // SAFETY: a plain system call. It fails only if the process has ended, which is what is wanted.
        unsafe {
            let none = ptr::null::<libc::siginfo_t>();
            libc::syscall(libc::SYS_pidfd_send_signal, self.process.as_raw_fd(), signal, none, 0);
        }
    }

    /// Waits for the supervisor's end; false if it did not come in time.
    fn wait(&self, time: Duration) -> bool {
        let end = std::time::Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(std::time::Instant::now());
            let mut poll = libc::pollfd { fd: self.descriptor(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one entry, which is live.
            if unsafe { libc::poll(&mut poll, 1, left.as_millis() as c_int) } > 0 {
                return true;
            }
            if left.is_zero() {
                return false;
            }
        }
    }

    /// Waits until the program's process exists or cannot.
    fn wait_for_start(&self) {
        while self.report().program.load(SeqCst) == 0 && self.report().failure().is_none() {
            if self.wait(Duration::from_micros(0)) {
                return;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The zero-terminated texts a program gets.
struct Text {
    executable: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    directory: Option<CString>,
}

impl Text {
    fn new(command: &Command) -> Result<Text, Error> {
        // The program may start in another directory, and the PATH is no business of ours.
        let absolute: PathBuf =
            std::path::absolute(command.executable).map_err(|e| failed(command, "find the current directory", e))?;
        let argv0 = command.argv0.unwrap_or(command.executable.as_os_str());
        let mut arguments = vec![terminated(argv0, "argument 0")?];
        for (index, argument) in command.arguments.iter().enumerate() {
            arguments.push(terminated(argument, &format!("argument {}", index + 1))?);
        }
        let mut environment = vec![];
        for (name, value) in std::env::vars_os() {
            if !name.as_bytes().starts_with(b"WHEREFORE_") {
                let variable = [name.as_bytes(), b"=", value.as_bytes()].concat();
                environment.push(terminated(OsStr::from_bytes(&variable), "the environment")?);
            }
        }
        let recording = format!("WHEREFORE_RECORDING=fd:{RECORDING_DESCRIPTOR}");
        environment.push(terminated(OsStr::new(&recording), "the environment")?);
        let directory = command.directory.map(|d| terminated(d.as_os_str(), "the directory"));
        Ok(Text {
            executable: terminated(absolute.as_os_str(), "the path of the program")?,
            arguments,
            environment,
            directory: directory.transpose()?,
        })
    }
}

fn terminated(text: &OsStr, what: &str) -> Result<CString, Error> {
    CString::new(text.as_bytes()).map_err(|_| Error::ZeroByte { what: what.to_owned() })
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let texts = texts.iter().map(|t| t.as_ptr());
    texts.chain([ptr::null()]).collect()
}

/// A bound that the kernel itself keeps, for `pid_max` of a PID namespace, which has one of its own since Linux 6.14;
/// before that the file would change the whole system, so nothing is written then. Threads count too, hence the room.
fn most_processes(processes: usize) -> Vec<u8> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    match version(&release) {
        Some(version) if version >= (6, 14) => {
            format!("{}\n", processes.saturating_add(1024).min(1 << 22)).into_bytes()
        }
        _ => vec![],
    }
}

/// The first two numbers of a kernel's release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The limits to set: never above what this process may set.
fn limits(bounds: Bounds, mode: Mode) -> io::Result<Vec<(libc::__rlimit_resource_t, libc::rlimit)>> {
    // The system counts all processes of a user, in a user namespace only those inside; it does not count root's.
    let others = match mode {
        Mode::UserNamespace => 0,
        Mode::Namespace | Mode::Subreaper => u64::from(processes::system_tasks()),
    };
    let mut limits = vec![];
    for (resource, wanted) in [
        (libc::RLIMIT_AS, bounds.address_space),
        (libc::RLIMIT_FSIZE, bounds.file),
        // No core file. 0 would still start a handler where cores are piped to one; 1 is the kernel's word for
        // neither.
        (libc::RLIMIT_CORE, 1),
        (libc::RLIMIT_STACK, bounds.stack),
        (libc::RLIMIT_NPROC, (bounds.processes as u64).saturating_add(others + 1024)),
    ] {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit has room for the answer.
        if unsafe { libc::getrlimit(resource, &mut limit) } != 0 {
            return Err(io::Error::last_os_error());
        }
        limit.rlim_cur = wanted.min(limit.rlim_max);
        if resource != libc::RLIMIT_STACK {
            limit.rlim_max = limit.rlim_cur;
        }
        limits.push((resource, limit));
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases() {
        assert_eq!(version("6.18.44-fc-v445\n"), Some((6, 18)));
        assert_eq!(version("5.9-rc1"), Some((5, 9)));
        assert_eq!(version(""), None);
        assert_eq!(version("six"), None);
    }
}
