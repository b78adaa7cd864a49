//! A program of `tests/everyday` with what is expected of its answer:
//!
//! ```text
//! run: ARGUMENTS               of `wherefore explain`, after the files
//! stdin: TEXT                  standard input, with \n
//! fails: KIND[|KIND]           the kind of the failure
//! class: WORDS, WORDS          what a programmer would call it
//! memory: ERROR [OFFSET SIZE]  the memory error; offset of the access and size of the object, in bytes
//! detected: TOOL TOOL          which of asan and valgrind see it
//! fixed: TEXT                  what a line marked CAUSE has to be, one for each such line
//! ```
//! Lines are marked by a comment at their end, `/* CAUSE FAILS */`: CAUSE is to blame, FAILS is where it shows, the object
//! was MADE here and FREED there. The expected output is a file `NAME.out` beside the program.

use crate::common::{Program, workspace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A place as it is compared: the name of a file without its directory, and a line.
pub type Place = (String, u64);

/// What a memory error is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryError {
    pub error: String,
    /// Offset of the access in the object, and the object's size.
    pub extent: Option<(i64, u64)>,
}

pub struct Everyday {
    pub name: String,
    program: Program,
    sources: Vec<(PathBuf, String)>,
}

impl Everyday {
    pub fn read(name: &str) -> Everyday {
        let program = Program::read("everyday", name);
        let read = |path: &PathBuf| (path.clone(), std::fs::read_to_string(path).expect("a source"));
        let sources = program.files.iter().map(read).collect();
        Everyday { name: name.into(), program, sources }
    }

    /// The names of all programs.
    pub fn names() -> Vec<String> {
        let directory = workspace().join("tests/everyday");
        let listed = std::fs::read_dir(directory).expect("the programs").map(|e| e.expect("a file").path());
        let programs = listed.filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "c"));
        let names: BTreeSet<String> = programs.map(|p| name_of(&p.with_extension(""))).collect();
        names.into_iter().collect()
    }

    /// The arguments of `wherefore explain`, in the directory of the workspace: how much of a story fits a screen must not
    /// depend on where that is.
    pub fn arguments(&self, scratch: &Path) -> Vec<String> {
        let here = workspace();
        let files = self.program.files.iter().map(|f| f.strip_prefix(&here).unwrap_or(f).to_path_buf());
        self.arguments_for(&files.collect::<Vec<_>>(), scratch)
    }

    fn arguments_for(&self, files: &[PathBuf], scratch: &Path) -> Vec<String> {
        let mut arguments: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        if let Some(text) = self.input() {
            let file = scratch.join(format!("{}.stdin", self.name));
            std::fs::write(&file, text).expect("standard input is written");
            arguments.extend(["--stdin".into(), file.display().to_string()]);
        }
        if let Some(file) = self.expected_output() {
            arguments.extend(["--expect-stdout".into(), file.display().to_string()]);
        }
        arguments.extend(self.words().iter().map(|w| w.to_string()));
        arguments
    }

    fn words(&self) -> Vec<&str> {
        self.one("run").split_whitespace().collect()
    }

    /// Whether it says how long it may take.
    pub fn has_timeout(&self) -> bool {
        self.words().contains(&"--timeout")
    }

    /// The arguments of the program itself.
    pub fn program_arguments(&self) -> Vec<&str> {
        let words = self.words();
        let split = words.iter().position(|w| *w == "--").map_or(words.len(), |at| at + 1);
        words[split..].to_vec()
    }

    /// Standard input.
    pub fn input(&self) -> Option<String> {
        self.program.one("stdin").map(|text| text.replace("\\n", "\n"))
    }

    /// The file with the output that is expected.
    pub fn expected_output(&self) -> Option<PathBuf> {
        Some(self.program.main.with_extension("out")).filter(|file| file.exists())
    }

    fn one(&self, word: &str) -> &str {
        self.program.one(word).unwrap_or_else(|| panic!("{}: no `{word}`", self.name))
    }

    /// The kinds of failure that are right.
    pub fn kinds(&self) -> Vec<&str> {
        self.one("fails").split('|').collect()
    }

    /// What a programmer would call the failure.
    pub fn classes(&self) -> Vec<&str> {
        self.one("class").split(", ").collect()
    }

    pub fn memory(&self) -> Option<MemoryError> {
        let mut words = self.program.one("memory")?.split_whitespace();
        let error = words.next().expect("memory: ERROR").to_string();
        let mut number = || words.next().map(|w| w.parse::<i64>().expect("memory: ERROR OFFSET SIZE"));
        let extent = number().zip(number()).map(|(offset, size)| (offset, size as u64));
        Some(MemoryError { error, extent })
    }

    /// Whether a tool sees the memory error.
    pub fn is_detected_by(&self, tool: &str) -> bool {
        self.program.one("detected").is_some_and(|tools| tools.split_whitespace().any(|t| t == tool))
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.program.files
    }

    /// The places of a mark.
    pub fn marked(&self, mark: &str) -> Vec<Place> {
        let lines = |(path, text): &(PathBuf, String)| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            let lines = (1..).zip(text.lines());
            lines.filter(|(_, l)| is_marked(l, mark)).map(|(n, _)| (name.clone(), n)).collect::<Vec<_>>()
        };
        self.sources.iter().flat_map(lines).collect()
    }

    /// The program without its bug, written into a directory, and the arguments of its run.
    pub fn repaired(&self, scratch: &Path) -> Vec<String> {
        let mut repairs = self.program.all("fixed").iter();
        let directory = scratch.join(&self.name);
        std::fs::create_dir_all(&directory).expect("a directory");
        let mut files = vec![];
        for (path, text) in &self.sources {
            let mut fixed = String::new();
            for line in text.lines() {
                let repair = is_marked(line, "CAUSE").then(|| repairs.next().expect("a repair of each cause"));
                fixed += repair.map_or(line, String::as_str);
                fixed.push('\n');
            }
            let file = directory.join(path.file_name().expect("a file"));
            std::fs::write(&file, fixed).expect("a source is written");
            files.push(file);
        }
        assert!(repairs.next().is_none(), "{}: a repair of no cause", self.name);
        let beside = self.program.main.parent().expect("a directory");
        let mut arguments = self.arguments_for(&files, scratch);
        arguments.splice(files.len()..files.len(), ["--cc-arg".into(), format!("-I{}", beside.display())]);
        arguments
    }
}

/// Whether the comment at the end of a line has a mark.
fn is_marked(line: &str, mark: &str) -> bool {
    let comment = line.trim_end().strip_suffix(" */").and_then(|l| l.rsplit_once("/* "));
    comment.is_some_and(|(_, words)| words.split(' ').any(|word| word == mark))
}

/// The last part of a path.
pub fn name_of(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}
