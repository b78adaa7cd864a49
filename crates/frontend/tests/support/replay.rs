//! Programs built to be replayed, and the points in them.

use super::program_path;
use std::path::PathBuf;
use tempfile::TempDir;
use wherefore_frontend::{Build, Error, Instrument, Options};
use wherefore_program::{Origin, Point, Program, Slot};
use wherefore_record::{CaseOutcome, Forced, RUNTIME_OBJECT, RunLimits, Server, Task};

/// A program that is served.
pub struct Served {
    pub build: Build,
    pub server: Server,
    pub points: Vec<Point>,
    text: String,
    /// Holds the executable.
    pub dir: TempDir,
}

pub fn try_build(inputs: &[PathBuf], entry: &str, instrument: Instrument, dir: &TempDir) -> Result<Build, Error> {
    let options = Options {
        entry: entry.to_string(),
        clang_args: vec![],
        error_label: None,
        linked: None,
        runtime_object: RUNTIME_OBJECT.to_vec(),
        budget: Default::default(),
    };
    wherefore_frontend::build(inputs, &options, instrument, dir.path())
}

/// Serves a program of `tests/programs`.
pub fn serve(names: &[&str]) -> Served {
    let inputs: Vec<PathBuf> = names.iter().map(|n| program_path(n)).collect();
    serve_files(&inputs, "main", String::new())
}

/// Serves a program of `tests/programs` that only counts, for the lines of its source.
pub fn serve_counting(names: &[&str]) -> (Build, Server, TempDir) {
    let inputs: Vec<PathBuf> = names.iter().map(|n| program_path(n)).collect();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let build = try_build(&inputs, "main", Instrument::Count, &dir).expect("it builds");
    let server = Server::start(&build.executable, &RunLimits::default()).expect("the program serves");
    (build, server, dir)
}

/// Serves a program given as text.
pub fn serve_text(text: &str, entry: &str) -> Served {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("test.c");
    std::fs::write(&file, text).expect("the file is written");
    serve_files(&[file], entry, text.to_string())
}

fn serve_files(inputs: &[PathBuf], entry: &str, text: String) -> Served {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let build = try_build(inputs, entry, Instrument::Replay, &dir).unwrap_or_else(|e| panic!("{inputs:?}: {e}"));
    let points = wherefore_program::points(&build.program);
    assert_eq!(build.forceable.len(), points.len());
    let server = Server::start(&build.executable, &RunLimits::default()).expect("the program serves");
    Served { build, server, points, text, dir }
}

impl Served {
    /// Runs a case without arguments.
    pub fn run(&mut self, forced: &[Forced]) -> CaseOutcome {
        self.server.run(&Task { forced, ..Task::default() }).expect("the case runs")
    }

    /// The points of that slot in the line with the comment `/*mark*/`.
    pub fn points(&self, mark: &str, slot: Slot) -> Vec<u32> {
        let mark = format!("/*{mark}*/");
        let line = 1 + self.text.lines().position(|l| l.contains(&mark)).expect("the mark is there") as u32;
        let at = |point: Point| origin(&self.build.program, point).map(|at| at.line);
        let all = (0..).zip(&self.points);
        all.filter(|(_, point)| point.slot == slot && at(**point) == Some(line)).map(|(number, _)| number).collect()
    }

    /// The only one of them.
    pub fn point(&self, mark: &str, slot: Slot) -> u32 {
        match self.points(mark, slot)[..] {
            [point] => point,
            ref found => panic!("{mark} {slot:?}: {found:?}"),
        }
    }
}

/// Where the command of a point comes from.
pub fn origin(program: &Program, point: Point) -> Option<Origin> {
    let block = &program.functions[point.function.index()].blocks[point.block.index()];
    match point.command {
        Some(command) => block.commands[command as usize].at,
        None => block.terminator.at,
    }
}

/// What a case wrote to standard output.
pub fn stdout(outcome: &CaseOutcome) -> String {
    String::from_utf8_lossy(&outcome.stdout.kept).into_owned()
}
