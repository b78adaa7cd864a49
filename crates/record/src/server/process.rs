//! A started server: what it is asked, what it answers, what becomes of it.

use super::case::Encoded;
use super::case_file::CaseFile;
use super::streams::Streams;
use super::{Request, Settings};
use crate::error::Error;
use crate::loader;
use crate::output::Captured;
use crate::processes;
use crate::runner::{Ending, RunLimits, ending, mib, start_isolated};
use crate::start::{Bounds, Command, Supervisor};
use crate::supervisor::Mode;
use crate::watch::{BUFFER, Event, TICK, Watched, poll, watch};
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// How long a server may take until it is ready.
const START_TIME: Duration = Duration::from_secs(10);

/// A process that runs cases. When it is dropped, it and all processes of it are gone.
pub(super) struct Process {
    /// What it knows itself by.
    name: String,
    supervisor: Supervisor,
    control: UnixStream,
    streams: Streams,
    file: CaseFile,
    buffer: Vec<u8>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "server under {}", self.supervisor.pid())
    }
}

/// What came of a case.
pub(super) enum Turn {
    /// It ended and left nothing.
    Clean(Finished),
    /// It ended and the server with it.
    Last(Finished),
    /// The server ended, or can say no more, and what became of the case is not known.
    Lost,
}

/// A case that is over. What it left in the file is still there.
pub(super) struct Finished {
    pub ending: Ending,
    pub stdout: Captured,
    pub stderr: Captured,
    /// How long it took.
    pub wall: Duration,
    /// How many other processes of it were still there.
    pub leftovers: usize,
}

/// What a server tells, as `runtime/server.h` numbers it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Answer {
    Ready,
    /// The case ended, with this status.
    Ended(i32),
    /// The same, and processes of it are still there.
    Leftovers(i32),
    /// No process could be made for it, for this reason.
    Refused(i32),
    /// The server is gone.
    None,
}

fn failed(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Watch { action, source }
}

impl Process {
    /// Starts a server for cases of up to `room` bytes and waits until it is ready.
    pub fn start(settings: &Settings, room: u64) -> Result<Process, Error> {
        let limits = &settings.limits;
        let keep = usize::try_from(limits.kept_kib.saturating_mul(1024)).unwrap_or(usize::MAX);
        let streams = Streams::new(keep).map_err(failed("make its standard streams"))?;
        let file = CaseFile::new(room, settings.purpose).map_err(failed("share memory with it"))?;
        let (control, far) = UnixStream::pair().map_err(failed("connect with it"))?;
        let [stdin, stdout, stderr] = streams.descriptors();
        let command = Command {
            executable: &settings.executable,
            argv0: None,
            arguments: &[],
            directory: settings.directory.as_deref(),
            stdin,
            stdout,
            stderr,
            recording: file.descriptor(),
            control: Some(far.as_fd()),
            limits: Bounds {
                address_space: mib(limits.memory_mib).saturating_add(file.bytes()),
                file: mib(limits.file_mib),
                processes: limits.processes,
                stack: limits.stack_kib << 10,
            },
        };
        let supervisor = start_isolated(&command, settings.isolation)?;
        drop(far);
        let name = settings.executable.to_string_lossy().into_owned();
        let mut process = Process { name, supervisor, control, streams, file, buffer: vec![0; BUFFER] };
        process.wait_until_ready(settings)?;
        Ok(process)
    }

    fn wait_until_ready(&mut self, settings: &Settings) -> Result<(), Error> {
        let descriptors = [self.control.as_raw_fd(), self.supervisor.descriptor()];
        let began = Instant::now();
        loop {
            let left = START_TIME.saturating_sub(began.elapsed());
            let [told, ended] = poll(descriptors, left.min(TICK)).map_err(failed("wait for it"))?;
            settings.limits.budget.check()?;
            if told || ended || left.is_zero() {
                break;
            }
        }
        let no_server = |reason| Error::NoServer { executable: settings.executable.clone(), reason };
        if self.answer().map_err(failed("ask it"))? == Answer::Ready {
            return if self.file.learn() { Ok(()) } else { Err(no_server("it is not built to be replayed")) };
        }
        self.supervisor.stop();
        match self.supervisor.report().failure() {
            Some((step, error)) => Err(Error::Start {
                executable: settings.executable.clone(),
                step: step.describe(),
                source: io::Error::from_raw_os_error(error),
            }),
            None => {
                let [_, stderr] = self.streams.finish(&mut self.buffer).map_err(failed("read its output"))?;
                // How it ended may not be told yet.
                loader::refused(&self.name, Ending::Exited(loader::STATUS), &stderr)?;
                Err(no_server("it does not say that it is ready"))
            }
        }
    }

    /// Whether it is alive and has room for a case.
    pub fn can_take(&self, case: &Encoded) -> bool {
        self.has_room(case.bytes())
    }

    /// Whether it is alive and has room for so many bytes.
    pub fn has_room(&self, bytes: u64) -> bool {
        let ended = poll([self.supervisor.descriptor()], Duration::ZERO);
        matches!(ended, Ok([false])) && self.file.has_room(bytes)
    }

    /// Runs a trial, whose results are in the file then; false if the process is gone with it.
    pub fn run_trial(&mut self, trial: &[u8], limits: &RunLimits) -> Result<bool, Error> {
        self.streams.prepare(&[]).map_err(failed("give it its input"))?;
        self.file.write_trial(trial, limits.processor);
        let (began, tasks) = (Instant::now(), processes::system_tasks());
        if !self.ask(Request::Try).map_err(failed("ask it"))? {
            return Ok(false);
        }
        let answer = Some(self.control.as_raw_fd());
        let watched = Watched { supervisor: &self.supervisor, answer, limits, began, tasks, look: &|| false };
        let Streams { stdout, stderr, .. } = &mut self.streams;
        let event = watch(&watched, stdout, stderr, &mut self.buffer).map_err(failed("wait for it"))?;
        if event != Event::Answer {
            self.supervisor.stop();
            return Ok(false);
        }
        self.streams.finish(&mut self.buffer).map_err(failed("read its output"))?;
        match self.answer().map_err(failed("ask it"))? {
            Answer::Ended(_) => Ok(true),
            Answer::Refused(error) => Err(failed("make a process for the case")(io::Error::from_raw_os_error(error))),
            _ => Ok(false),
        }
    }

    /// What the last case left.
    pub fn file(&self) -> &CaseFile {
        &self.file
    }

    /// Runs a case.
    pub fn run(&mut self, case: &Encoded, request: Request, limits: &RunLimits) -> Result<Turn, Error> {
        self.streams.prepare(case.stdin).map_err(failed("give it its input"))?;
        self.file.write(case, limits.processor);
        let (began, tasks) = (Instant::now(), processes::system_tasks());
        if !self.ask(request).map_err(failed("ask it"))? {
            return Ok(Turn::Lost);
        }
        let answer = (request == Request::Fork).then(|| self.control.as_raw_fd());
        let watched = Watched { supervisor: &self.supervisor, answer, limits, began, tasks, look: &|| false };
        let Streams { stdout, stderr, .. } = &mut self.streams;
        let event = watch(&watched, stdout, stderr, &mut self.buffer).map_err(failed("wait for it"))?;
        match request {
            Request::Fork => self.after_fork(event, began),
            Request::Become | Request::Try => self.after_end(event, began),
        }
    }

    /// What became of a case that had a process of its own.
    fn after_fork(&mut self, event: Event, began: Instant) -> Result<Turn, Error> {
        let held = event == Event::Limit(Ending::TimedOut) && self.supervisor.program_is_stopped();
        let mut leftovers = 0;
        if event != Event::Answer {
            // All but the case itself.
            leftovers = self.others().saturating_sub(1) + self.supervisor.stop().killed;
        }
        // Also where it is stopped: the case may just have ended.
        let answer = self.answer().map_err(failed("ask it"))?;
        match (answer, event) {
            (Answer::Ended(status), Event::Answer) => {
                Ok(Turn::Clean(self.finished(Ending::from_status(status), began, 0)?))
            }
            (Answer::Ended(status) | Answer::Leftovers(status), _) => {
                if event == Event::Answer {
                    leftovers = self.others() + self.supervisor.stop().killed;
                }
                Ok(Turn::Last(self.finished(Ending::from_status(status), began, leftovers)?))
            }
            (Answer::Refused(error), _) => {
                Err(failed("make a process for the case")(io::Error::from_raw_os_error(error)))
            }
            (Answer::Ready | Answer::None, Event::Limit(ending)) if !held => {
                Ok(Turn::Last(self.finished(ending, began, leftovers)?))
            }
            (Answer::Ready | Answer::None, _) => Ok(Turn::Lost),
        }
    }

    /// What became of a case that was the server itself.
    fn after_end(&mut self, event: Event, began: Instant) -> Result<Turn, Error> {
        let (stopped, leftovers) = match event {
            Event::Limit(ending) => (Some(ending), self.others() + self.supervisor.stop().killed),
            Event::Ended | Event::Answer => {
                let killed = self.supervisor.reap().killed;
                (None, self.supervisor.report().leftovers.load(SeqCst) as usize + killed)
            }
        };
        let ending = ending(&self.supervisor, stopped);
        Ok(Turn::Last(self.finished(ending, began, leftovers)?))
    }

    /// How many processes there are apart from those that are always there.
    fn others(&self) -> usize {
        let own = match self.supervisor.mode() {
            Mode::Namespace | Mode::UserNamespace => 1,
            // The shield too.
            Mode::Subreaper => 2,
        };
        processes::count_descendants(self.supervisor.pid()).saturating_sub(own)
    }

    /// What is known of a case that is over.
    fn finished(&mut self, ending: Ending, began: Instant, leftovers: usize) -> Result<Finished, Error> {
        let [stdout, stderr] = self.streams.finish(&mut self.buffer).map_err(failed("read its output"))?;
        loader::refused(&self.name, ending, &stderr)?;
        Ok(Finished { ending, stdout, stderr, wall: began.elapsed(), leftovers })
    }

    /// Asks for something; false if nobody is there.
    fn ask(&self, request: Request) -> io::Result<bool> {
        let letter = match request {
            Request::Fork => b'f',
            Request::Become => b'b',
            Request::Try => b't',
        };
        // SAFETY: one live byte. Not `write`, which would end us with a signal where the other side is gone.
        let sent = unsafe { libc::send(self.control.as_raw_fd(), (&raw const letter).cast(), 1, libc::MSG_NOSIGNAL) };
        match sent {
            1 => Ok(true),
            _ => match io::Error::last_os_error() {
                e if matches!(e.raw_os_error(), Some(libc::EPIPE | libc::ECONNRESET)) => Ok(false),
                e => Err(e),
            },
        }
    }

    /// What it has told; does not wait.
    fn answer(&self) -> io::Result<Answer> {
        let mut message = [0i32; 2];
        let length = size_of_val(&message);
        // SAFETY: the message has that length.
        let received =
            unsafe { libc::recv(self.control.as_raw_fd(), message.as_mut_ptr().cast(), length, libc::MSG_DONTWAIT) };
        if received < 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::EAGAIN | libc::ECONNRESET) => Ok(Answer::None),
                _ => Err(error),
            };
        }
        Ok(match (received as usize == length, message) {
            (true, [0, _]) => Answer::Ready,
            (true, [1, status]) => Answer::Ended(status),
            (true, [2, status]) => Answer::Leftovers(status),
            (true, [3, error]) => Answer::Refused(error),
            _ => Answer::None,
        })
    }
}
