//! The file a recording is mapped from: without a name, so it is gone with its last user, however that ends.

use crate::error::Error;
use crate::layout::{AREA_BYTES, AREAS, MOST_EVENTS, PAGE, TABLE_ROOM, event_bytes, header, round_up};
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Left free on the disk.
const RESERVE: u64 = 64 << 20;
/// With less room for events than this a recording is not worth trying.
const LEAST_EVENTS: u64 = 4 << 20;

/// A file with the inputs in it, ready to be mapped by the runtime, and its size in bytes. It is sparse: only what the
/// program writes takes space. `event_mib` of 0 means that nothing but the inputs is needed.
pub fn create(directory: &Path, event_mib: u64, inputs: &str, nondet: &str) -> Result<(File, u64), Error> {
    let text_end = round_up(PAGE + (inputs.len() + nondet.len()) as u64);
    let mut events = event_mib.saturating_mul(1 << 20).min(MOST_EVENTS);
    let (mut size, mut areas) = (text_end, 0);
    if events > 0 {
        // A page that finds no space on the disk would kill the program with SIGBUS: the limit comes first.
        let available = available_bytes(directory)?;
        let free = available.saturating_sub(RESERVE + TABLE_ROOM);
        if free < events && free < LEAST_EVENTS {
            return Err(Error::NoSpace { directory: directory.to_owned(), available });
        }
        events = events.min(free);
        areas = if free - events < AREAS * AREA_BYTES { 0 } else { AREAS };
        size += TABLE_ROOM + event_bytes(events) + areas * AREA_BYTES;
    }
    let file = unnamed_file(directory).map_err(|e| Error::file("create a recording in", directory, e))?;
    let mut words = [0u64; header::WORDS];
    words[header::INPUT_BYTES] = inputs.len() as u64;
    words[header::NONDET_BYTES] = nondet.len() as u64;
    words[header::EVENT_BYTES] = if events > 0 { event_bytes(events) } else { 0 };
    words[header::MOST_WORDS] = events / 8;
    words[header::AREAS] = areas;
    words[header::OFF] = u64::from(events == 0);
    let header: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
    file.set_len(size)
        .and_then(|()| file.write_all_at(&header, 0))
        .and_then(|()| file.write_all_at(inputs.as_bytes(), PAGE))
        .and_then(|()| file.write_all_at(nondet.as_bytes(), PAGE + inputs.len() as u64))
        .map_err(|e| Error::file("write a recording in", directory, e))?;
    Ok((file, size))
}

fn unnamed_file(directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(directory) {
        // File systems without unnamed files answer with one of these.
        Err(e) if matches!(e.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) => {}
        result => return result,
    }
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".wherefore-{}-{number}", std::process::id()));
        match options.clone().create_new(true).open(&path) {
            Ok(file) => return std::fs::remove_file(&path).map(|()| file),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

fn available_bytes(directory: &Path) -> Result<u64, Error> {
    let path = std::ffi::CString::new(directory.as_os_str().as_bytes())
        .map_err(|_| Error::ZeroByte { what: format!("the path {}", directory.display()) })?;
    let mut answer = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path is zero-terminated and the answer has room.
    if unsafe { libc::statvfs(path.as_ptr(), answer.as_mut_ptr()) } != 0 {
        let source = io::Error::last_os_error();
        return Err(Error::file("see the space left in", directory, source));
    }
    // SAFETY: the call succeeded, so it filled the answer.
    let answer = unsafe { answer.assume_init() };
    Ok(answer.f_bavail.saturating_mul(answer.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_no_name_and_takes_no_space() {
        use std::os::unix::fs::MetadataExt;
        let directory = tempfile::tempdir().unwrap();
        let (file, size) = create(directory.path(), 512, "a0=1;", "2").unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        let metadata = file.metadata().unwrap();
        assert_eq!(metadata.len(), size);
        assert!(metadata.blocks() * 512 < 64 << 10, "{} blocks", metadata.blocks());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = create(Path::new("/nonexistent/here"), 1, "", "").unwrap_err();
        assert!(error.to_string().contains("/nonexistent/here"), "{error}");
    }
}
