//! A compiler that is loaded once and makes a copy of itself for each file, as `runtime/serve.c` says.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/serve.so"));

/// How long clang may take to start.
const START: Duration = Duration::from_secs(5);

/// Those that have nothing to do.
static IDLE: Mutex<Vec<Server>> = Mutex::new(vec![]);

/// Whether there can be none: then each tool is started on its own.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// A loaded compiler.
pub struct Server {
    process: Child,
    socket: UnixStream,
}

impl Server {
    /// One that has nothing to do; for clang itself a new one if need be.
    pub fn find(command: &Command) -> Option<Server> {
        let idle = IDLE.lock().ok()?.pop();
        if idle.is_some() || !is_clang(command) || REFUSED.load(Relaxed) {
            return idle;
        }
        let started = Server::start(command.get_program());
        REFUSED.fetch_or(started.is_err(), Relaxed);
        started.ok()
    }

    fn start(clang: &OsStr) -> io::Result<Server> {
        // Where somebody else is preloaded, we do not know who.
        if std::env::var_os("LD_PRELOAD").is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (ours, theirs) = UnixStream::pair()?;
        let mut library = File::from(memory_file()?);
        library.write_all(LIBRARY)?;
        // What has no server inside says its version and is gone.
        let process = Command::new(clang)
            .arg("--version")
            .env("LD_PRELOAD", "/proc/self/fd/1")
            .stdin(OwnedFd::from(theirs))
            .stdout(library)
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let mut server = Server { process, socket: ours };
        server.socket.set_read_timeout(Some(START))?;
        server.socket.read_exact(&mut [0])?;
        server.socket.set_read_timeout(None)?;
        Ok(server)
    }

    /// The group of all its processes.
    pub fn group(&self) -> libc::pid_t {
        self.process.id() as libc::pid_t
    }

    /// Runs a tool with so many bytes of memory; how it ended and what it said.
    ///
    /// # Errors
    /// When the server is gone, of itself or since it was killed.
    pub fn run(&mut self, command: &Command, memory: Option<u64>) -> io::Result<(ExitStatus, Vec<u8>)> {
        let mut texts: Vec<u8> = vec![];
        let mut add = |parts: &[&OsStr]| {
            parts.iter().for_each(|part| texts.extend(part.as_bytes()));
            texts.push(0);
        };
        add(&[command.get_program()]);
        command.get_args().for_each(|argument| add(&[argument]));
        let settings: Vec<_> = command.get_envs().filter_map(|(name, value)| Some((name, value?))).collect();
        settings.iter().for_each(|(name, value)| add(&[name, "=".as_ref(), value]));
        let counts = [u32::from(!is_clang(command)), 1 + command.get_args().len() as u32, settings.len() as u32];
        let mut request = memory.unwrap_or(0).to_ne_bytes().to_vec();
        request.extend(counts.into_iter().chain([texts.len() as u32]).flat_map(u32::to_ne_bytes));
        request.append(&mut texts);
        self.socket.write_all(&request)?;
        let mut word = || -> io::Result<u32> {
            let mut bytes = [0; 4];
            self.socket.read_exact(&mut bytes)?;
            Ok(u32::from_ne_bytes(bytes))
        };
        let (status, bytes) = (word()?, word()?);
        let mut said = vec![0; bytes as usize];
        self.socket.read_exact(&mut said)?;
        Ok((ExitStatus::from_raw(status as i32), said))
    }

    /// Keeps it for others.
    pub fn put_back(self) {
        if let Ok(mut idle) = IDLE.lock() {
            idle.push(self);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SAFETY: a plain system call; the group exists until its leader is waited for.
        unsafe { libc::kill(-self.group(), libc::SIGKILL) };
        // It is gone in any case.
        drop(self.process.wait());
    }
}

fn is_clang(command: &Command) -> bool {
    command.get_program().as_bytes().starts_with(b"clang")
}

fn memory_file() -> io::Result<OwnedFd> {
    // SAFETY: the name is zero-terminated; what is returned is a new descriptor of ours.
    unsafe {
        match libc::memfd_create(c"serve".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}
