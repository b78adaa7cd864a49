//! The standard streams of a server. All its cases have the same, so what a case does to them is undone before the next.

use super::case_file::memory_file;
use crate::output::{Captured, Drain, pipe};
use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

pub(super) struct Streams {
    /// What the program reads, for writing.
    input: File,
    /// The same as the program has it.
    stdin: File,
    /// The program's ends of the pipes.
    writers: [OwnedFd; 2],
    /// Our ends of them.
    pub stdout: Drain,
    pub stderr: Drain,
}

impl Streams {
    /// Streams of which the first `keep` bytes of output are kept.
    pub fn new(keep: usize) -> io::Result<Streams> {
        let input = memory_file(c"wherefore-input", 0)?;
        // Opened again: the program may read it only.
        let stdin = File::open(format!("/proc/self/fd/{}", input.as_raw_fd()))?;
        let (stdout, stdout_writer) = pipe()?;
        let (stderr, stderr_writer) = pipe()?;
        Ok(Streams {
            input,
            stdin,
            writers: [stdout_writer, stderr_writer],
            stdout: Drain::new(stdout, keep)?,
            stderr: Drain::new(stderr, keep)?,
        })
    }

    /// What the program has as 0, 1 and 2.
    pub fn descriptors(&self) -> [BorrowedFd<'_>; 3] {
        [self.stdin.as_fd(), self.writers[0].as_fd(), self.writers[1].as_fd()]
    }

    /// Makes them as new, with this input.
    pub fn prepare(&mut self, input: &[u8]) -> io::Result<()> {
        self.input.set_len(0)?;
        self.input.write_all_at(input, 0)?;
        self.stdin.rewind()?;
        for descriptor in self.descriptors() {
            // SAFETY: the descriptor is open; only flags such as O_NONBLOCK change.
            if unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFL, 0) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// All that was written.
    pub fn finish(&mut self, buffer: &mut [u8]) -> io::Result<[Captured; 2]> {
        self.stdout.take(u64::MAX, buffer)?;
        self.stderr.take(u64::MAX, buffer)?;
        Ok([self.stdout.finish(), self.stderr.finish()])
    }
}
