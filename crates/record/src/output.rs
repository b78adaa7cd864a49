//! What a program writes to a pipe: the start is kept, all of it is counted.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Output of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    /// The first bytes, up to [`RunLimits::kept_kib`](crate::RunLimits::kept_kib).
    pub kept: Vec<u8>,
    /// How many bytes there were in all.
    pub bytes: u64,
}

impl Captured {
    /// Whether all of the output was kept.
    pub fn complete(&self) -> bool {
        self.kept.len() as u64 == self.bytes
    }
}

/// A pipe whose two ends are closed in programs that are executed.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    // SAFETY: the array has room for the two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system just gave us these descriptors, and nobody else has them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// The reading end of a pipe and what came out of it.
pub struct Drain {
    /// `None` once all writers are gone.
    file: Option<File>,
    keep: usize,
    captured: Captured,
}

impl Drain {
    /// Reads from `end`, which it makes non-blocking, and keeps the first `keep` bytes.
    pub fn new(end: OwnedFd, keep: usize) -> io::Result<Drain> {
        // SAFETY: the descriptor is open; only the flag of our end is set.
        if unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Drain { file: Some(File::from(end)), keep, captured: Captured::default() })
    }

    /// What to wait for; -1, which is never ready, at the end.
    pub fn descriptor(&self) -> RawFd {
        self.file.as_ref().map_or(-1, |f| f.as_raw_fd())
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.captured.bytes
    }

    /// Takes what is in the pipe now, but not much more than `most` bytes.
    pub fn take(&mut self, most: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = self.captured.bytes;
        while let Some(file) = &mut self.file {
            match file.read(buffer) {
                Ok(0) => self.file = None,
                Ok(length) => {
                    let room = self.keep.saturating_sub(self.captured.kept.len());
                    let kept = &buffer[..length.min(room)];
                    self.captured.kept.extend_from_slice(kept);
                    self.captured.bytes += length as u64;
                    if self.captured.bytes - start >= most {
                        return Ok(());
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// All that came; what comes from now on is counted anew.
    pub fn finish(&mut self) -> Captured {
        std::mem::take(&mut self.captured)
    }
}
