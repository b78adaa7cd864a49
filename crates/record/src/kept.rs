//! Recordings that processes left by themselves (`WHEREFORE_RECORD`): the mapped file as it was when the process ended, with
//! a word about that in its header page.

use crate::error::{Error, RecordingError};
use crate::layout::{MAGIC, PAGE, kept};
use crate::recording::Recording;
use crate::runner::Ending;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The executables lie below the directory of the recordings (`runtime/switch.c`): `.programs`, a directory for each that
/// executables came from, one for each program, its name.
const PARTS: usize = 4;

/// A recording that a process left.
#[derive(Debug)]
pub struct Kept {
    /// What was recorded.
    pub recording: Recording,
    /// The process.
    pub pid: u32,
    /// How it ended; `None` if it had no say: it was killed, became another program, or has not ended yet.
    pub ending: Option<Ending>,
    /// Whether it has not ended yet, as far as can be seen.
    pub is_running: bool,
    /// The instrumented executable that it ran.
    pub executable: PathBuf,
    /// Its arguments, with its own name first; the first ones where they are very long.
    pub arguments: Vec<OsString>,
}

/// Whether a file is a recording that a process left.
pub fn is_kept(path: &Path) -> bool {
    let mut start = [0; 8];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == MAGIC.to_le_bytes()
}

impl Kept {
    /// Reads one.
    ///
    /// # Errors
    /// When it cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Kept, Error> {
        let unreadable = |e| Error::file("read", path, e);
        let mut file = File::open(path).map_err(unreadable)?;
        let mut page = vec![];
        file.by_ref().take(PAGE).read_to_end(&mut page).map_err(unreadable)?;
        if page.len() < PAGE as usize {
            return Err(RecordingError::Truncated { part: "header" }.into());
        }
        let words: Vec<u64> = page.as_chunks().0[..kept::WORDS].iter().map(|word| u64::from_le_bytes(*word)).collect();
        let text = &page[kept::TEXT..];
        let length = usize::try_from(words[kept::TEXT_BYTES]).unwrap_or(usize::MAX).min(text.len());
        let mut parts = text[..length].split(|byte| *byte == 0).map(|part| OsString::from_vec(part.to_vec()));
        let executable = beside(path, PathBuf::from(parts.next().unwrap_or_default()));
        let mut arguments: Vec<OsString> = parts.collect();
        // Each has a zero byte behind it, also the last.
        arguments.pop();
        let pid = words[kept::PID] as u32;
        let ending = match words[kept::HOW] {
            kept::EXITED => Some(Ending::Exited(words[kept::NUMBER] as i32)),
            kept::SIGNALLED => Some(Ending::Signal(words[kept::NUMBER] as i32)),
            _ => None,
        };
        let is_running = std::fs::read_link(format!("/proc/{pid}/exe"))
            .is_ok_and(|running| ending.is_none() && running == executable.canonicalize().unwrap_or_default());
        let recording = Recording::from_file(&file)?.ok_or(RecordingError::NotARecording)?;
        Ok(Kept { recording, pid, ending, is_running, executable, arguments })
    }
}

/// The executable as it stands in the directory of the recordings, wherever that is now.
fn beside(recording: &Path, executable: PathBuf) -> PathBuf {
    let parts: Vec<_> = executable.iter().rev().take(PARTS).collect();
    let directory = recording.parent().unwrap_or(Path::new("."));
    let moved = parts.into_iter().rev().fold(directory.to_owned(), |path, part| path.join(part));
    if moved.is_file() { moved } else { executable }
}
