//! Executables of `wherefore cc` as programs: what they carry is put where a compiler would have put it.

use std::collections::HashMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use wherefore_carried::{self as carried, Entry, PROGRAM_SECTION};
use wherefore_frontend::Error;

/// What an executable carries.
pub(crate) struct Carried {
    /// The instrumented executable.
    pub twin: PathBuf,
    /// Files of LLVM IR.
    pub files: Vec<PathBuf>,
    /// The arguments to link them with.
    pub linked: Vec<String>,
    /// Texts of the sources, by their absolute paths.
    pub sources: HashMap<String, String>,
}

/// Where a twin that lies by itself has what leads to the directory of its executable.
const BESIDE: &str = "../origin";

/// How an ELF file begins.
const ELF: &[u8] = b"\x7fELF";

impl Carried {
    /// What the only file of a program carries; none where it is no executable.
    pub fn of(files: &[PathBuf], scratch: &Path) -> Result<Option<Carried>, Error> {
        let [file] = files else { return Ok(None) };
        // A file that cannot be read is not there for the compiler either.
        let Some(content) = std::fs::read(file).ok().filter(|content| content.starts_with(ELF)) else {
            return Ok(None);
        };
        let usage = |what: &str| Error::Usage(format!("{}: {what}", file.display()));
        let damaged = |error: carried::Damaged| usage(&error.to_string());
        let (twin, origin) = match carried::twin_of(&content).map_err(damaged)? {
            Some(twin) => (twin.file, "."),
            None => (&content[..], BESIDE),
        };
        let entries = match carried::section(twin, PROGRAM_SECTION).map_err(damaged)? {
            Some(section) => carried::read(section).map_err(damaged)?,
            None => vec![],
        };
        let linked = entries.iter().find_map(|entry| if let Entry::Linked(words) = entry { Some(words) } else { None });
        let Some(linked) = linked else {
            return Err(usage("it does not carry its program; build it with CC=\"wherefore cc\""));
        };
        let unwritable = |source| Error::Io { what: scratch.display().to_string(), source };
        let whole = file.canonicalize().map_err(unwritable)?;
        let origin = whole.parent().unwrap_or(&whole).join(origin);
        std::os::unix::fs::symlink(origin, scratch.join(carried::ORIGIN)).map_err(unwritable)?;
        // Under its own name: programs say it in what they print.
        let folder = scratch.join("twin");
        std::fs::create_dir(&folder).map_err(unwritable)?;
        let path = folder.join(file.file_name().unwrap_or("program".as_ref()));
        std::fs::write(&path, twin).map_err(unwritable)?;
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).map_err(unwritable)?;
        let mut all = Carried { twin: path.clone(), files: vec![], linked: linked.clone(), sources: HashMap::new() };
        for entry in &entries {
            match entry {
                Entry::Module(module) => {
                    let bitcode = scratch.join(format!("{}.bc", all.files.len()));
                    std::fs::write(&bitcode, &module.bitcode).map_err(unwritable)?;
                    all.files.push(bitcode);
                }
                Entry::Source(source) => {
                    all.sources.insert(source.path.clone(), String::from_utf8_lossy(&source.text).into_owned());
                }
                Entry::Linked(_) => {}
            }
        }
        Ok(Some(all))
    }
}
