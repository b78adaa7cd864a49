//! A command compiles its program once, whatever it does with it, and looks at its options once.

mod common;

use common::{Said, wherefore};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PROGRAM: &str = "#include <assert.h>\nint f(int x) {\n  int y = x * 2;\n  if (x > 5)\n    y = x;\n  assert(y == x * 2);\n  return y;\n}\n";

/// A folder with a program, and a compiler that cannot be kept loaded and writes down each file it compiles.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("prog.c"), PROGRAM).expect("a file is written");
        let tools = directory.path().join("tools");
        std::fs::create_dir(&tools).expect("a directory");
        let log = directory.path().join("log");
        let script = format!(
            "#!/bin/sh\nunset LD_PRELOAD\ncase \" $* \" in *' -c '*) echo run >> '{}';; esac\nexec '{}' \"$@\"\n",
            log.display(),
            clang().display()
        );
        let path = tools.join("clang-19");
        std::fs::write(&path, script).expect("a file is written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it becomes executable");
        Place { directory }
    }

    /// What a command says, and how often it runs the compiler.
    fn run(&self, arguments: &[&str]) -> (Said, usize) {
        let log = self.directory.path().join("log");
        std::fs::write(&log, "").expect("a file is written");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = wherefore();
        command.current_dir(self.directory.path()).args(arguments);
        command.env("PATH", format!("{}:{path}", self.directory.path().join("tools").display()));
        let said = command.output().expect("wherefore starts").into();
        (said, std::fs::read_to_string(&log).expect("a log").lines().count())
    }
}

fn clang() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a search path");
    let found = std::env::split_paths(&path).map(|dir| dir.join("clang-19")).find(|file| Path::is_file(file));
    found.expect("clang-19 is installed")
}

#[test]
fn a_program_is_compiled_once() {
    let place = Place::new();
    let given = ["--entry", "f", "--input", "x=7"];
    let commands: [(&[&str], i32, std::ops::RangeInclusive<usize>); 9] = [
        (&[&["explain", "prog.c"], &given[..]].concat(), 0, 1..=1),
        // Searches for inputs, and runs again with what it finds.
        (&["explain", "prog.c", "--entry", "f"], 0, 1..=1),
        (&["search", "prog.c", "--entry", "f"], 0, 1..=1),
        (&[&["record", "prog.c"], &given[..]].concat(), 0, 1..=1),
        (&["explain", "wherefore.recording"], 0, 0..=0),
        // Edits are compiled as well: all of them together, and those that may be shown once more, each alone.
        (&[&["diagnose", "prog.c"], &given[..]].concat(), 0, 2..=80),
        // Searches for inputs too.
        (&["diagnose", "prog.c", "--entry", "f"], 0, 2..=80),
        (&[&["diagnose", "prog.c", "--encoding", "flow-sensitive"], &given[..]].concat(), 0, 1..=1),
        // Another program is compiled as well.
        (
            &[&["diagnose", "prog.c", "--reference", "prog.c", "--entry", "f", "--input"], &["x=1"][..]].concat(),
            3,
            2..=2,
        ),
    ];
    for (arguments, status, runs) in commands {
        let (said, compiled) = place.run(arguments);
        assert_eq!(said.status, Some(status), "{arguments:?}: {}{}", said.stdout, said.stderr);
        assert!(runs.contains(&compiled), "{arguments:?}: {compiled}");
    }
}

#[test]
fn limits_that_are_none_are_refused_by_all_commands() {
    let place = Place::new();
    for command in ["explain", "diagnose", "search", "record"] {
        for wrong in [
            "--timeout=nan",
            "--timeout=-1",
            "--timeout=0",
            "--timeout=inf",
            "--timeout=soon",
            "--memory=0",
            "--memory=-1",
        ] {
            let (said, compiled) = place.run(&[command, "prog.c", wrong]);
            assert_eq!((said.status, compiled), (Some(2), 0), "{command} {wrong}: {}", said.stderr);
            assert!(!said.stderr.contains("panicked") && said.stdout.is_empty(), "{command} {wrong}: {}", said.stderr);
        }
        let (said, _) = place.run(&[command, "prog.c", "--entry", "f", "--timeout=1e300", "--input", "x=1"]);
        assert!(matches!(said.status, Some(0 | 3)), "{command}: {}{}", said.stdout, said.stderr);
    }
    for wrong in ["--limit=0", "--max-size=0", "--jobs=-1", "--jobs=99999999", "--unwind=-1"] {
        let (said, compiled) = place.run(&["diagnose", "prog.c", wrong]);
        assert_eq!((said.status, compiled), (Some(2), 0), "{wrong}: {}", said.stderr);
    }
}
