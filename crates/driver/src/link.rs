//! Executables: as clang links them, with a twin.

use crate::arguments::Arguments;
use crate::twin::{self, Made};
use crate::{Error, note, run};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use wherefore_carried::{self as carried, TWIN_SECTION, Twin};
use wherefore_frontend as frontend;
use wherefore_record::{SWITCH_OBJECT, Scratch};

/// Links, and adds the twin.
pub fn link(clang: &str, arguments: &Arguments) -> u8 {
    if arguments.has("-shared") {
        if let Err(status) = run(clang, &arguments.words()) {
            return status;
        }
        let what = arguments.value("-o").unwrap_or("a.out");
        note(&format!("{what}: what happens in a shared object is not recorded"));
        return 0;
    }
    let scratch = match Scratch::new() {
        Ok(scratch) => scratch,
        Err(error) => {
            note(&format!("nothing is instrumented: a temporary folder cannot be made: {error}"));
            return run(clang, &arguments.words()).err().unwrap_or(0);
        }
    };
    let switch = scratch.path().join("switch.o");
    if let Err(error) = std::fs::write(&switch, SWITCH_OBJECT) {
        note(&format!("nothing is instrumented: {}: {error}", switch.display()));
        return run(clang, &arguments.words()).err().unwrap_or(0);
    }
    let mut words = vec![switch.to_string_lossy().into_owned()];
    words.extend(arguments.words());
    if let Err(status) = run(clang, &words) {
        return status;
    }
    let output = PathBuf::from(arguments.value("-o").unwrap_or("a.out"));
    if output.is_file()
        && let Err(error) = add_twin(clang, arguments, &output, scratch.path())
    {
        let why = match error {
            Error::Frontend(frontend::Error::UnknownEntry { .. }) => {
                "its main() is not compiled from C here".to_string()
            }
            other => other.to_string(),
        };
        note(&format!("{} cannot be explained: {why}", output.display()));
    }
    0
}

fn add_twin(clang: &str, arguments: &Arguments, output: &Path, scratch: &Path) -> Result<(), Error> {
    let mut file = std::fs::read(output).map_err(Error::file(output))?;
    let damaged = |source| Error::Damaged { file: output.display().to_string(), source };
    let Some(Made { number, file: twin }) = twin::make(clang, arguments, &file, output, scratch)? else {
        return Ok(());
    };
    carried::append(&mut file, TWIN_SECTION, &Twin { number, file: &twin }.bytes()).map_err(damaged)?;
    // Beside and moved: an executable that exists is whole.
    let mut beside = output.as_os_str().to_owned();
    beside.push(format!(".wherefore-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let mode = std::fs::metadata(output).map_or(0o755, |m| m.permissions().mode());
    let moved = std::fs::write(&beside, file)
        .and_then(|()| std::fs::set_permissions(&beside, std::fs::Permissions::from_mode(mode)))
        .and_then(|()| std::fs::rename(&beside, output));
    moved.map_err(|error| {
        // What is in the way of the one may be in the way of the other.
        let _ = std::fs::remove_file(&beside);
        Error::file(output)(error)
    })
}
