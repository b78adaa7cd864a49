//! The process between the tool and the program, and the program up to its `execve`.
//!
//! The supervisor shares the tool's memory and goes its own way in it, so from [`supervise`] on only calls that are safe in
//! a signal handler are allowed: no allocation, no locks, no panics, everything prepared in a [`Plan`] before.
//!
//! In a PID namespace ([`Mode::Namespace`], [`Mode::UserNamespace`]) the supervisor is its first process: the program
//! and its descendants cannot signal it, see nothing outside, and none of them outlives it, which the kernel sees to.
//! Where namespaces are not allowed ([`Mode::Subreaper`]) the supervisor adopts every orphan and ends them itself; a
//! process of no use in between, the shield, takes what the program does to its parent.
//!
//! When the tool dies the supervisor gets a signal: SIGKILL in a namespace, SIGTERM to clean up first otherwise.

use libc::{c_char, c_int, c_void, pid_t};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::SeqCst};

/// How the program's processes are kept together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A PID namespace, which takes privileges.
    Namespace,
    /// A PID namespace in a user namespace, which many systems allow to everybody.
    UserNamespace,
    /// Neither.
    Subreaper,
}

/// What the supervisor tells the tool, in memory they share.
#[derive(Default)]
pub struct Report {
    /// The [`Step`] that failed; 0: none.
    failed: AtomicU32,
    /// Why, as an error number.
    error: AtomicI32,
    /// The program's process, as the supervisor numbers it.
    pub program: AtomicI32,
    /// Whether the program has ended.
    pub done: AtomicBool,
    /// How, as `waitpid` tells it.
    pub status: AtomicI32,
    /// Processes that were alive when the program had ended.
    pub leftovers: AtomicU32,
}

/// A step on the way to the program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Everything that is particular to a user namespace.
    Users = 1,
    Shield,
    Fork,
    Directory,
    Descriptors,
    Limits,
    Execute,
}

impl Step {
    /// What could not be done, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Step::Users => "set up a user namespace",
            Step::Shield => "start a process for the program",
            Step::Fork => "make a process for the program",
            Step::Directory => "enter its directory",
            Step::Descriptors => "connect its standard streams",
            Step::Limits => "set its limits",
            Step::Execute => "execute it",
        }
    }

    const ALL: [Step; 7] =
        [Step::Users, Step::Shield, Step::Fork, Step::Directory, Step::Descriptors, Step::Limits, Step::Execute];
}

impl Report {
    fn fail(&self, step: Step) {
        // SAFETY: the location is this thread's own.
        self.error.store(unsafe { *libc::__errno_location() }, SeqCst);
        self.failed.store(step as u32, SeqCst);
    }

    /// The step that failed and the error number.
    pub fn failure(&self) -> Option<(Step, i32)> {
        let failed = self.failed.load(SeqCst);
        let step = Step::ALL.into_iter().find(|&s| s as u32 == failed)?;
        Some((step, self.error.load(SeqCst)))
    }
}

/// Everything the supervisor and the program need. The pointers stay valid until the supervisor has ended.
pub struct Plan {
    pub mode: Mode,
    /// In shared memory.
    pub report: *const Report,
    /// End of a stack for the program's process until its `execve`.
    pub stack_top: *mut c_void,
    /// Room for [`MARK_BYTES`], for the supervisor alone.
    pub marks: *mut u8,
    /// What to write to the namespace's own `pid_max`; empty where that would be the whole system's.
    pub most_processes: Vec<u8>,
    /// The tool's process id and a descriptor for it.
    pub tool: pid_t,
    pub tool_descriptor: c_int,
    /// Lines for `/proc/self/uid_map` and `gid_map`.
    pub user_map: Vec<u8>,
    pub group_map: Vec<u8>,
    /// What becomes 0, 1, 2, [`RECORDING_DESCRIPTOR`] and [`CONTROL_DESCRIPTOR`]; the last is -1 if there is none.
    pub descriptors: [c_int; 5],
    pub limits: Vec<(libc::__rlimit_resource_t, libc::rlimit)>,
    /// Null: stay.
    pub directory: *const c_char,
    pub executable: *const c_char,
    pub arguments: *const *const c_char,
    pub environment: *const *const c_char,
}

/// Where the program's runtime finds the recording.
pub const RECORDING_DESCRIPTOR: c_int = 3;

/// Where the runtime of a server is asked to run cases.
pub const CONTROL_DESCRIPTOR: c_int = 4;

impl Plan {
    fn report(&self) -> &Report {
        // SAFETY: whoever made the plan keeps the shared memory mapped.
        unsafe { &*self.report }
    }
}

/// The life of the supervisor.
///
/// # Safety
/// Must be called in a process of its own, made by `clone` with all signals blocked and the memory of a thread, with a plan
/// whose pointers are valid. As the tool's memory is shared, nothing here may allocate or take a lock.
pub unsafe fn supervise(plan: &Plan) -> ! {
    let signal = match plan.mode {
        Mode::Namespace | Mode::UserNamespace => libc::SIGKILL,
        Mode::Subreaper => libc::SIGTERM,
    };
    // SAFETY: plain system calls on values and live memory; all are safe after a fork of a threaded process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal);
        // The tool may have died before that.
        let mut tool = libc::pollfd { fd: plan.tool_descriptor, events: libc::POLLIN, revents: 0 };
        if libc::poll(&mut tool, 1, 0) != 0 {
            libc::_exit(1);
        }
        libc::setsid();
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        match plan.mode {
            Mode::Namespace => in_namespace(plan),
            Mode::UserNamespace => {
                if !map_users(plan) {
                    plan.report().fail(Step::Users);
                    libc::_exit(1);
                }
                in_namespace(plan)
            }
            Mode::Subreaper => as_subreaper(plan),
        }
    }
}

/// Gives the user and group the same numbers inside the user namespace as outside.
unsafe fn map_users(plan: &Plan) -> bool {
    // SAFETY: see `write_file`.
    unsafe {
        write_file(c"/proc/self/setgroups".as_ptr(), b"deny")
            && write_file(c"/proc/self/uid_map".as_ptr(), &plan.user_map)
            && write_file(c"/proc/self/gid_map".as_ptr(), &plan.group_map)
    }
}

unsafe fn write_file(path: *const c_char, content: &[u8]) -> bool {
    // SAFETY: the path is zero-terminated, the content is live, the descriptor is ours.
    unsafe {
        let file = libc::open(path, libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let written = libc::write(file, content.as_ptr().cast(), content.len());
        let error = *libc::__errno_location();
        libc::close(file);
        *libc::__errno_location() = error;
        written == content.len() as isize
    }
}

unsafe fn in_namespace(plan: &Plan) -> ! {
    let report = plan.report();
    // SAFETY: plain system calls on values and live memory.
    unsafe {
        // Without permission, counting must do.
        if !plan.most_processes.is_empty() {
            write_file(c"/proc/sys/kernel/pid_max".as_ptr(), &plan.most_processes);
        }
        let program = start_program(plan);
        close_all();
        loop {
            let mut status = 0;
            let ended = libc::waitpid(-1, &mut status, libc::__WALL);
            if ended == program {
                report.status.store(status, SeqCst);
                report.done.store(true, SeqCst);
                break;
            }
            if ended < 0 && *libc::__errno_location() != libc::EINTR {
                break;
            }
        }
        // Those that have ended are no leftovers. Not for ever: they may come faster than they are reaped.
        for _ in 0..1000 {
            if libc::waitpid(-1, ptr::null_mut(), libc::__WALL | libc::WNOHANG) <= 0 {
                break;
            }
        }
        // All of the namespace, at once; only the first process is exempt.
        libc::kill(-1, libc::SIGKILL);
        while libc::waitpid(-1, ptr::null_mut(), libc::__WALL) > 0 {
            report.leftovers.fetch_add(1, SeqCst);
        }
        libc::_exit(0)
    }
}

unsafe fn as_subreaper(plan: &Plan) -> ! {
    let report = plan.report();
    // SAFETY: plain system calls on values and live memory.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        let shield = libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as pid_t;
        if shield == 0 {
            be_shield(plan);
        }
        if shield < 0 {
            report.fail(Step::Shield);
            libc::_exit(1);
        }
        close_all();
        let mut stopped = false;
        while !stopped && !report.done.load(SeqCst) {
            stopped = wait_for_signal(plan, 1000) || libc::getppid() != plan.tool;
            let mut status = 0;
            loop {
                let ended = libc::waitpid(-1, &mut status, libc::__WALL | libc::WNOHANG);
                if ended <= 0 {
                    // Without children there is nothing to wait for.
                    stopped |= ended < 0;
                    break;
                }
                // The program was adopted because it killed the shield.
                if ended == report.program.load(SeqCst) {
                    report.status.store(status, SeqCst);
                    report.done.store(true, SeqCst);
                }
            }
        }
        end_children(plan);
        libc::_exit(0)
    }
}

/// Starts the program and waits for it.
unsafe fn be_shield(plan: &Plan) -> ! {
    let report = plan.report();
    // SAFETY: plain system calls on values and live memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let program = start_program(plan);
        close_all();
        loop {
            let mut status = 0;
            let ended = libc::waitpid(-1, &mut status, libc::__WALL);
            if ended == program {
                report.status.store(status, SeqCst);
                report.done.store(true, SeqCst);
                libc::_exit(0);
            }
            if ended < 0 && *libc::__errno_location() != libc::EINTR {
                libc::_exit(1);
            }
        }
    }
}

/// Waits for a child's end or the tool's wish to stop; true for the latter. Others may send SIGTERM too; it counts only
/// from the tool.
unsafe fn wait_for_signal(plan: &Plan, milliseconds: i64) -> bool {
    // SAFETY: the set and the information are local; all signals are blocked, so they wait here.
    unsafe {
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        libc::sigaddset(set.as_mut_ptr(), libc::SIGTERM);
        let timeout = libc::timespec { tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000 };
        let mut information = MaybeUninit::<libc::siginfo_t>::zeroed();
        let signal = libc::sigtimedwait(set.as_ptr(), information.as_mut_ptr(), &timeout);
        signal == libc::SIGTERM && information.assume_init().si_pid() == plan.tool
    }
}

/// Ends and reaps every descendant.
unsafe fn end_children(plan: &Plan) {
    let report = plan.report();
    let mut killed = false;
    loop {
        // SAFETY: plain system calls on values and live memory.
        unsafe {
            loop {
                let ended = libc::waitpid(-1, ptr::null_mut(), libc::__WALL | libc::WNOHANG);
                if ended == 0 {
                    break;
                }
                if ended < 0 {
                    return;
                }
                if killed {
                    report.leftovers.fetch_add(1, SeqCst);
                }
            }
            kill_descendants(plan.marks);
            killed = true;
            wait_for_signal(plan, 5);
        }
    }
}

/// One bit for each process id there can be.
pub const MARK_BYTES: usize = (1 << 22) / 8;

/// Sends SIGKILL to every descendant of this process, not only to its children: a program that multiplies would win
/// against one generation at a time. `marks` is [`MARK_BYTES`] long.
unsafe fn kill_descendants(marks: *mut u8) {
    // SAFETY: the caller answers for the marks, which nobody else uses; the rest are plain system calls on local
    // memory whose length is given.
    unsafe {
        let marks = std::slice::from_raw_parts_mut(marks, MARK_BYTES);
        let own = libc::getpid();
        let mut text = [0u8; 32];
        // A /proc of another PID namespace has other numbers.
        let length = libc::readlink(c"/proc/self".as_ptr(), text.as_mut_ptr().cast(), text.len());
        if number(text.get(..length.max(0) as usize).unwrap_or(&[])) != Some(own) {
            return;
        }
        let proc = libc::open(c"/proc".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC);
        if proc < 0 {
            return;
        }
        marks.fill(0);
        mark(marks, own);
        // Parents usually have lower numbers and come first; the second time finds the others.
        for _ in 0..2 {
            libc::lseek(proc, 0, libc::SEEK_SET);
            kill_marked(proc, own, marks);
        }
        libc::close(proc);
    }
}

/// Goes through `/proc` once, marks the children of what is marked, and kills them.
unsafe fn kill_marked(proc: c_int, own: pid_t, marks: &mut [u8]) {
    let mut entries = [0u8; 16 << 10];
    let mut text = [0u8; 512];
    loop {
        // SAFETY: the buffer has the length given.
        let filled = unsafe { libc::syscall(libc::SYS_getdents64, proc, entries.as_mut_ptr(), entries.len()) };
        let Some(mut rest) = entries.get(..filled.max(0) as usize).filter(|e| !e.is_empty()) else {
            return;
        };
        // In an entry the length is at 16 and the name, which ends with a zero byte, begins at 19.
        while let (Some(&[low, high]), Some(name)) = (rest.get(16..18), rest.get(19..)) {
            let length = u16::from_ne_bytes([low, high]) as usize;
            if let Some(pid) = number(name)
                && pid != own
            {
                // SAFETY: plain system calls. The number may have gone to another process since it was read; the
                // descriptor stands for one process, and that it has the same parent is looked up after it is opened.
                unsafe {
                    let process = libc::syscall(libc::SYS_pidfd_open, pid, 0) as c_int;
                    if process >= 0 {
                        if parent(proc, name, &mut text).is_some_and(|p| is_marked(marks, p)) {
                            mark(marks, pid);
                            let none = ptr::null::<libc::siginfo_t>();
                            libc::syscall(libc::SYS_pidfd_send_signal, process, libc::SIGKILL, none, 0);
                        }
                        libc::close(process);
                    }
                }
            }
            rest = rest.get(length.max(1)..).unwrap_or(&[]);
        }
    }
}

fn mark(marks: &mut [u8], pid: pid_t) {
    if let Some(byte) = marks.get_mut(pid as usize / 8) {
        *byte |= 1 << (pid as usize % 8);
    }
}

fn is_marked(marks: &[u8], pid: pid_t) -> bool {
    let byte = marks.get(pid as usize / 8).copied().unwrap_or(0);
    byte & 1 << (pid as usize % 8) != 0
}

/// The number that the text consists of, up to its end or a zero byte.
fn number(text: &[u8]) -> Option<pid_t> {
    let mut value: pid_t = 0;
    let mut digits = 0;
    for &byte in text.iter().take_while(|&&b| b != 0) {
        if !byte.is_ascii_digit() || digits == 9 {
            return None;
        }
        value = value.wrapping_mul(10).wrapping_add(pid_t::from(byte.wrapping_sub(b'0')));
        digits += 1;
    }
    (digits > 0).then_some(value)
}

/// The parent of the process with this directory in `/proc`.
unsafe fn parent(proc: c_int, name: &[u8], buffer: &mut [u8; 512]) -> Option<pid_t> {
    let mut path = [0u8; 32];
    let digits = name.iter().take_while(|b| b.is_ascii_digit());
    // The rest of the path stays zero.
    for (to, &from) in path.iter_mut().take(20).zip(digits.chain(b"/stat")) {
        *to = from;
    }
    // SAFETY: the path is zero-terminated; the buffer has the length given.
    let length = unsafe {
        let file = libc::openat(proc, path.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let length = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
        libc::close(file);
        length
    };
    let text = buffer.get(..length.max(0) as usize)?;
    // `pid (any name) state parent ...`
    let after = text.iter().rposition(|&b| b == b')')?;
    let mut fields = text.get(after.wrapping_add(2)..)?.split(|&b| b == b' ');
    number(fields.nth(1)?)
}

/// The supervisor holds no pipe open and no directory busy.
unsafe fn close_all() {
    // SAFETY: nothing in this process uses a descriptor afterwards.
    unsafe {
        libc::syscall(libc::SYS_close_range, 0, c_int::MAX, 0);
        libc::chdir(c"/".as_ptr());
    }
}

/// Makes the program's process and returns its id when it is the program. Does not return where that is impossible.
unsafe fn start_program(plan: &Plan) -> pid_t {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = ptr::from_ref(plan).cast_mut().cast();
    // SAFETY: the new process uses this process's memory on a stack of its own while this one waits for its execve or
    // end; it only reads the plan.
    let program = unsafe { libc::clone(be_program, plan.stack_top, flags, argument) };
    if program < 0 {
        plan.report().fail(Step::Fork);
        // SAFETY: plain system call.
        unsafe { libc::_exit(1) };
    }
    program
}

extern "C" fn be_program(plan: *mut c_void) -> c_int {
    // SAFETY: `start_program` gives its plan.
    let plan = unsafe { &*plan.cast_const().cast::<Plan>() };
    // SAFETY: this is the process made by `start_program`.
    let failed = unsafe { become_program(plan) };
    plan.report().fail(failed);
    127
}

/// Prepares the process and executes the program; returns only where that fails.
unsafe fn become_program(plan: &Plan) -> Step {
    // SAFETY: plain system calls on values, local memory and the plan's, which is valid.
    unsafe {
        // Here and not in the parent, which the program may kill at once.
        plan.report().program.store(libc::getpid(), SeqCst);
        // A session of its own: signals to its group stay in it.
        libc::setsid();
        if !plan.directory.is_null() && libc::chdir(plan.directory) != 0 {
            return Step::Directory;
        }
        // First out of the way of the numbers they are to have.
        let mut high = [-1; 5];
        for (to, &from) in high.iter_mut().zip(plan.descriptors.iter().filter(|&&d| d >= 0)) {
            *to = libc::fcntl(from, libc::F_DUPFD_CLOEXEC, 10);
            if *to < 0 {
                return Step::Descriptors;
            }
        }
        let mut next = 0;
        for &from in high.iter().filter(|&&d| d >= 0) {
            if libc::dup2(from, next) < 0 {
                return Step::Descriptors;
            }
            next += 1;
        }
        if libc::syscall(libc::SYS_close_range, next, c_int::MAX, 0) != 0 {
            return Step::Descriptors;
        }
        for (resource, limit) in &plan.limits {
            if libc::setrlimit(*resource, limit) != 0 {
                return Step::Limits;
            }
        }
        // Where memory runs out altogether, it is the program that goes; without permission, it is as before.
        write_file(c"/proc/self/oom_score_adj".as_ptr(), b"1000");
        // The same addresses in every run, where the system permits it.
        let personality = libc::personality(0xffff_ffff);
        libc::personality((personality | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong);
        // What the tool ignores or blocks is its own business.
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(plan.executable, plan.arguments, plan.environment);
        Step::Execute
    }
}
