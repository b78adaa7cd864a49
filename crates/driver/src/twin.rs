//! The instrumented twin of an executable: made of the bitcode of all that the link took, and of the rest as it is.

use crate::arguments::{Argument, Arguments, Kind};
use crate::{Error, compile, note};
use std::io::Write;
use std::path::{Path, PathBuf};
use wherefore_budget::Budget;
use wherefore_carried::{self as carried, Entry, Module, PROGRAM_SECTION, SECTION, Source};
use wherefore_frontend::{self as frontend, Compiled, Instrument, Options};
use wherefore_record::{Checksum, KEPT_OBJECT, RUNTIME_OBJECT};

/// A twin.
pub struct Made {
    /// Tells it from others.
    pub number: u64,
    /// The executable.
    pub file: Vec<u8>,
}

/// A compiled file of the program.
struct Part {
    module: Module,
    /// The argument it comes from; of an archive's member none.
    argument: Option<usize>,
    bitcode: PathBuf,
}

/// Makes the twin of an executable that was linked; none where nothing in it can be instrumented.
pub fn make(
    clang: &str,
    arguments: &Arguments,
    linked: &[u8],
    output: &Path,
    scratch: &Path,
) -> Result<Option<Made>, Error> {
    let mut parts = parts(clang, arguments, linked, output, scratch)?;
    if arguments.mentions("--whole-archive") {
        // The linker would take them once more.
        parts.retain(|part| part.argument.is_some());
    }
    if parts.is_empty() {
        return Ok(None);
    }
    if arguments.mentions("--wrap") {
        note(&format!("{}: nothing is instrumented where the linker is to wrap functions", output.display()));
        return Ok(None);
    }
    let whole = std::path::absolute(output).map_err(Error::file(output))?;
    let origin = scratch.join(carried::ORIGIN);
    std::os::unix::fs::symlink(whole.parent().unwrap_or(&whole), &origin).map_err(Error::file(&origin))?;
    let mut left_out = vec![];
    let kept = scratch.join("kept.o");
    std::fs::write(&kept, KEPT_OBJECT).map_err(Error::file(&kept))?;
    let (compiled, words, executable) = loop {
        let (compiled, words) = match compiled(arguments, &parts, &kept, scratch) {
            Ok(compiled) => compiled,
            Err(error) => {
                let before = parts.len();
                left_out.extend(leave_out(&mut parts));
                if parts.len() == before || parts.is_empty() {
                    return Err(error);
                }
                continue;
            }
        };
        let executable = compiled.executable(Instrument::Record)?;
        let file = std::fs::read(&executable.path).map_err(Error::file(&executable.path))?;
        // What the optimiser had inlined needs its definition here: such members are taken as well.
        let mut more = modules(&file).unwrap_or_default();
        more.retain(|module| !left_out.contains(module) && !parts.iter().any(|part| part.module == *module));
        if more.is_empty() || arguments.mentions("--whole-archive") {
            break (compiled, words, executable);
        }
        for module in more {
            let bitcode = scratch.join(format!("{}-more.bc", parts.len()));
            std::fs::write(&bitcode, &module.bitcode).map_err(Error::file(&bitcode))?;
            parts.push(Part { module, argument: None, bitcode });
        }
    };
    let mut file = std::fs::read(&executable.path).map_err(Error::file(&executable.path))?;
    let mut entries: Vec<Entry> = parts.into_iter().map(|part| Entry::Module(part.module)).collect();
    entries.extend(sources(&compiled).map(Entry::Source));
    entries.push(Entry::Linked(words));
    let carried: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    let damaged = |source| Error::Damaged { file: executable.path.display().to_string(), source };
    carried::append(&mut file, PROGRAM_SECTION, &carried).map_err(damaged)?;
    let mut sum = Checksum::default();
    sum.write_all(&file).map_err(Error::file(output))?;
    Ok(Some(Made { number: sum.value(), file }))
}

/// The compiled files that the link took: of C files among the arguments, of objects among them, and of archives what the
/// executable has besides.
fn parts(clang: &str, arguments: &Arguments, linked: &[u8], output: &Path, scratch: &Path) -> Result<Vec<Part>, Error> {
    let mut found: Vec<(Module, Option<usize>)> = vec![];
    let mut of_objects = vec![];
    for (number, argument) in arguments.all.iter().enumerate() {
        let name = &argument.words[0];
        match argument.input {
            Some(kind @ (Kind::Source | Kind::Preprocessed)) => {
                let bitcode = scratch.join("source.bc");
                match compile::module(clang, arguments, name, kind, &bitcode) {
                    Ok(module) => found.push((module, Some(number))),
                    Err(error) => note(&format!("{name} cannot be explained: {error}")),
                }
            }
            Some(Kind::Linked) => {
                // What cannot be read, or is no object, the linker has understood otherwise.
                let modules = std::fs::read(name).ok().and_then(|file| modules(&file)).unwrap_or_default();
                of_objects.extend(modules.into_iter().map(|module| (module, Some(number))));
            }
            _ => {}
        }
    }
    let taken = modules(linked).unwrap_or_default();
    let members = taken.into_iter().filter(|module| !of_objects.iter().any(|(known, _)| known == module));
    let members: Vec<_> = members.map(|module| (module, None)).collect();
    found.extend(of_objects);
    found.extend(members);
    let mut parts = vec![];
    for (number, (module, argument)) in found.into_iter().enumerate() {
        let bitcode = scratch.join(format!("{number}.bc"));
        std::fs::write(&bitcode, &module.bitcode).map_err(Error::file(output))?;
        parts.push(Part { module, argument, bitcode });
    }
    Ok(parts)
}

/// The compiled files that an object or executable carries.
fn modules(file: &[u8]) -> Option<Vec<Module>> {
    let entries = carried::read(carried::section(file, SECTION).ok()??).ok()?;
    let module = |entry| if let Entry::Module(module) = entry { Some(module) } else { None };
    Some(entries.into_iter().filter_map(module).collect())
}

/// The parts as one program, and the arguments to link it with.
fn compiled(
    arguments: &Arguments,
    parts: &[Part],
    kept: &Path,
    scratch: &Path,
) -> Result<(Compiled, Vec<String>), Error> {
    let words = link_words(arguments, parts);
    let files: Vec<PathBuf> = parts.iter().map(|part| part.bitcode.clone()).collect();
    let mut linked = vec![kept.to_string_lossy().into_owned()];
    linked.extend(words.iter().cloned());
    let options = Options {
        entry: "main".into(),
        clang_args: vec![],
        error_label: None,
        linked: Some(linked),
        runtime_object: RUNTIME_OBJECT.to_vec(),
        budget: Budget::unlimited(),
    };
    Ok((frontend::compile(&files, &options, scratch)?, words))
}

/// Leaves out those that cannot be instrumented, with all that comes in the same object, and says which.
fn leave_out(parts: &mut Vec<Part>) -> Vec<Module> {
    let failed = |part: &Part| match frontend::can_lower(&part.bitcode) {
        Ok(()) => false,
        Err(error) => {
            note(&format!("{} is not recorded: {error}", part.module.name));
            true
        }
    };
    let (failed, rest): (Vec<Part>, Vec<Part>) = std::mem::take(parts).into_iter().partition(failed);
    let object_failed =
        |part: &Part| part.argument.is_some_and(|object| failed.iter().any(|f| f.argument == Some(object)));
    let (beside, rest): (Vec<Part>, Vec<Part>) = rest.into_iter().partition(object_failed);
    *parts = rest;
    failed.into_iter().chain(beside).map(|part| part.module).collect()
}

/// The arguments of the twin's link: all but what is instrumented, and what the executable itself is about.
fn link_words(arguments: &Arguments, parts: &[Part]) -> Vec<String> {
    let mut words = vec![];
    for (number, argument) in arguments.all.iter().enumerate() {
        let first = argument.words[0].as_str();
        let replaced = parts.iter().any(|part| part.argument == Some(number));
        let about = ["-o", "-x", "-M", "-Wp,-M", "-Wl,-Map", "-Wl,--dependency-file", "-save-temps"]
            .iter()
            .any(|start| first.starts_with(start));
        if replaced || about || matches!(first, "-pie" | "-c" | "-v" | "-s") {
            continue;
        }
        match first {
            "-static-pie" => words.push("-static".into()),
            _ => words.extend(absolute(argument)),
        }
    }
    words.iter().map(|word| carried::with_origin(word)).collect()
}

/// An argument that means the same in any directory.
fn absolute(argument: &Argument) -> Vec<String> {
    let whole = |path: &str| std::path::absolute(path).map_or(path.to_string(), |p| p.to_string_lossy().into_owned());
    match &argument.words[..] {
        [file] if argument.input.is_some() => vec![whole(file)],
        [option, directory] if option == "-L" => vec![format!("-L{}", whole(directory))],
        [word] if word.len() > 2 && word.starts_with("-L") => vec![format!("-L{}", whole(&word[2..]))],
        words => words.to_vec(),
    }
}

/// The texts of the program's files, apart from those of the system.
fn sources(compiled: &Compiled) -> impl Iterator<Item = Source> {
    let of_system = |path: &Path| path.starts_with("/usr");
    compiled.program().files.iter().filter_map(move |name| {
        let path = std::path::absolute(name).ok().filter(|path| !of_system(path))?;
        let text = std::fs::read(&path).ok()?;
        Some(Source { path: path.to_string_lossy().into_owned(), text })
    })
}
