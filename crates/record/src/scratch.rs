//! Folders for what is made on the way. They go with whoever made them; what a killed one left, the next one removes.
//!
//! A folder is locked for as long as its owner lives, since the system takes locks back however that ends. One that
//! nobody holds is nobody's.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How the names of folders begin.
const PREFIX: &str = "wherefore-";

/// Where recordings are written fastest: there is no disk behind.
const MEMORY: &str = "/dev/shm";

/// How often one tries to make a folder beside those who sweep, with a few milliseconds between.
const PATIENCE: u32 = 400;

/// How often one tries to remove a folder in which somebody may be at work, with a moment between.
const REMOVALS: u32 = 100;

/// What is to be removed, also by [`remove_all`].
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);

/// A folder of one's own. It is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Locked.
    _owned: File,
}

/// A file that is removed when this is dropped: it is not what it should become yet.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Scratch {
    /// A new folder where files are fast. Those that nobody owns any more are removed.
    ///
    /// # Errors
    /// When none can be made.
    pub fn new() -> io::Result<Scratch> {
        Scratch::new_in(Path::new(MEMORY)).or_else(|_| Scratch::new_in(&std::env::temp_dir()))
    }

    /// The same in this folder.
    ///
    /// # Errors
    /// When none can be made.
    pub fn new_in(base: &Path) -> io::Result<Scratch> {
        let shelf = File::open(base)?;
        if lock(&shelf, libc::LOCK_EX) {
            sweep(base);
        }
        // While anybody makes one, nobody sweeps: a new folder is without a lock for a moment.
        share(&shelf)?;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let path = loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("{PREFIX}{}-{number}", std::process::id()));
            // Known before it is there: the process may die at any moment.
            paths().push(path.clone());
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => break path,
                Err(e) => {
                    paths().retain(|other| *other != path);
                    if e.kind() != io::ErrorKind::AlreadyExists {
                        return Err(e);
                    }
                }
            }
        };
        let owned = File::open(&path)?;
        match lock(&owned, libc::LOCK_EX) {
            true => Ok(Scratch { path, _owned: owned }),
            false => Err(io::Error::other("somebody else has taken the new folder")),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        forget(&self.path);
    }
}

impl Unfinished {
    /// Takes over a file.
    pub fn new(path: PathBuf) -> Unfinished {
        paths().push(path.clone());
        Unfinished(path)
    }

    /// It is finished: it gets its name, whatever had that before.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn finish(self, to: &Path) -> io::Result<()> {
        fs::rename(&self.0, to)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        forget(&self.0);
    }
}

/// Removes all there are: the process is about to leave without a word to their owners.
pub fn remove_all() {
    for path in std::mem::take(&mut *paths()) {
        // Somebody may just be making a file in there.
        for _ in 0..REMOVALS {
            if remove(&path).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Removes a path that is not needed any more. Where that fails, the next command tries again.
fn forget(path: &Path) {
    paths().retain(|other| other != path);
    let _ = remove(path);
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

/// Removes the folders of those that were killed.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours
            && is_folder
            && let Ok(folder) = File::open(entry.path())
            && lock(&folder, libc::LOCK_EX)
        {
            // Another user's stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Locks a folder if nobody else has; says whether that is so.
fn lock(folder: &File, how: libc::c_int) -> bool {
    // SAFETY: the descriptor is open.
    unsafe { libc::flock(folder.as_raw_fd(), how | libc::LOCK_NB) == 0 }
}

/// Locks a folder together with others who do so; whoever sweeps has it for a moment only, unless he was stopped.
fn share(folder: &File) -> io::Result<()> {
    for _ in 0..PATIENCE {
        if lock(folder, libc::LOCK_SH) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(io::ErrorKind::WouldBlock.into())
}

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is just made is nobody's for a moment; who sweeps then must not take it.
    #[test]
    fn nobody_sweeps_while_folders_are_made() {
        let base = tempfile::tempdir().unwrap();
        let gone = |_: u32| (0..200).filter(|_| !Scratch::new_in(base.path()).unwrap().path().exists()).count();
        let gone: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || gone(n))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(gone, 0);
    }

    #[test]
    fn a_folder_goes_with_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(base.path()).unwrap();
        fs::write(scratch.path().join("file"), "text").unwrap();
        let other = Scratch::new_in(base.path()).unwrap();
        assert!(scratch.path().join("file").exists(), "it is owned");
        assert_ne!(scratch.path(), other.path());
        drop((scratch, other));
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_nobody_owns_is_removed_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        for name in ["wherefore-1-0", "wherefore-2-7", "another"] {
            fs::create_dir(base.path().join(name)).unwrap();
            fs::write(base.path().join(name).join("file"), "text").unwrap();
        }
        fs::write(base.path().join("wherefore-file"), "text").unwrap();
        let scratch = Scratch::new_in(base.path()).unwrap();
        let mut left: Vec<_> = fs::read_dir(base.path()).unwrap().map(|e| e.unwrap().path()).collect();
        left.sort();
        let mut expected = vec![base.path().join("another"), base.path().join("wherefore-file")];
        expected.push(scratch.path().to_owned());
        expected.sort();
        assert_eq!(left, expected);
    }

    #[test]
    fn a_file_is_there_once_it_is_finished() {
        let base = tempfile::tempdir().unwrap();
        let (beside, path) = (base.path().join(".new"), base.path().join("file"));
        fs::write(&beside, "text").unwrap();
        drop(Unfinished::new(beside.clone()));
        assert!(!beside.exists());
        fs::write(&beside, "text").unwrap();
        Unfinished::new(beside.clone()).finish(&path).unwrap();
        assert!(path.exists() && !beside.exists());
    }
}
