//! Files that options name and that are pipes, as `<(...)` of a shell: what comes out of one comes once, and is read more
//! often than that. So it is read at once, and the option names a copy then.

use crate::UsageError;
use crate::options::{Command, Run};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wherefore_budget::Budget;

/// More than this is not taken from a pipe.
const LARGEST: usize = 1 << 26;
/// How long what comes from it may take, where the program could read it itself.
const PATIENCE: Duration = Duration::from_millis(500);
const STDIN: &str = "--stdin";
/// How long to wait for more.
const TICK: Duration = Duration::from_millis(2);

/// Puts copies in the place of all pipes that the options name.
///
/// # Errors
/// When one cannot be read, has too much, or the budget is over before it ends.
pub fn copy_all(command: &mut Command, budget: &Budget) -> anyhow::Result<()> {
    for (option, path) in files(command) {
        let Some(path) = path.as_mut().filter(|path| is_pipe(path)) else { continue };
        *path = copied(path, option, budget)?;
    }
    Ok(())
}

/// A file that an option names.
type Named<'a> = (&'static str, &'a mut Option<PathBuf>);

/// The files that are read for a command.
fn files(command: &mut Command) -> Vec<Named<'_>> {
    fn of_run(run: &mut Run) -> [Named<'_>; 2] {
        [(STDIN, &mut run.stdin), ("--compile-commands", &mut run.compile_commands)]
    }
    let mut files = vec![];
    match command {
        Command::Explain(it) => {
            files.extend(of_run(&mut it.run));
            files.extend([("--expect-stdout", &mut it.wanted.expect_stdout), ("--tests", &mut it.tests)]);
            files.push(("--witness", &mut it.witness));
        }
        Command::Relevant(it) => {
            files.extend(of_run(&mut it.run));
            files.extend([("--expect-stdout", &mut it.wanted.expect_stdout), ("--tests", &mut it.tests)]);
            files.push(("--witness", &mut it.witness));
        }
        Command::Diagnose(it) => {
            files.extend(of_run(&mut it.run));
            files.extend([("--expect-stdout", &mut it.wanted.expect_stdout), ("--tests", &mut it.tests)]);
            files.push(("--expect", &mut it.expect));
        }
        Command::Record(it) => files.extend(of_run(&mut it.run)),
        Command::Search(it) => files.extend(of_run(&mut it.run)),
    }
    files
}

fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|it| it.file_type().is_fifo())
}

/// The content of a pipe as a file without a name, which is there as long as we are; what does not come to an end is handed on
/// to the program, which may need no more of it.
fn copied(path: &Path, option: &str, budget: &Budget) -> anyhow::Result<PathBuf> {
    let wrong = |what: String| UsageError(format!("{option} {}: {what}", path.display()));
    let failed = |error: std::io::Error| wrong(error.to_string());
    // One that nobody writes to has nothing in it.
    let mut pipe = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(failed)?;
    let began = Instant::now();
    let mut content = vec![];
    loop {
        budget.check()?;
        let is_over = match Read::by_ref(&mut pipe).take((LARGEST + 1) as u64).read_to_end(&mut content) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => return Err(failed(error).into()),
        };
        let is_large = content.len() > LARGEST;
        if option == STDIN && (is_large || !is_over && began.elapsed() > PATIENCE) {
            return Ok(handed_on(pipe, content)?);
        }
        if is_large {
            return Err(wrong(format!("more than {} MiB come from this pipe", LARGEST >> 20)).into());
        }
        if is_over {
            break;
        }
        std::thread::sleep(TICK);
    }
    let mut copy: File = tempfile::tempfile()?;
    copy.write_all(&content)?;
    Ok(opened_again(copy.into()))
}

/// Another pipe, from which comes what was read from one, and then what comes from that.
fn handed_on(mut from: File, content: Vec<u8>) -> std::io::Result<PathBuf> {
    let (reader, mut writer) = std::io::pipe()?;
    std::thread::spawn(move || {
        // Where nobody reads any more, nobody misses it.
        let mut next = writer.write_all(&content).map(|()| 1);
        let mut buffer = vec![0; 1 << 16];
        while let Ok(1..) = next {
            next = match from.read(&mut buffer) {
                Ok(count) => writer.write_all(&buffer[..count]).map(|()| count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(TICK);
                    Ok(1)
                }
                Err(error) => Err(error),
            };
        }
    });
    Ok(opened_again(reader.into()))
}

/// The path by which a file that stays open can be opened again.
fn opened_again(file: OwnedFd) -> PathBuf {
    format!("/proc/{}/fd/{}", std::process::id(), file.into_raw_fd()).into()
}
