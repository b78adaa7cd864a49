//! Programs that call a shared object, which is not instrumented: what it computes, writes and prints is code that is not
//! seen.

mod common;

use common::{Said, wherefore};
use std::path::Path;
use std::process::Command;

/// A directory with a shared object and an executable of `wherefore cc` that uses it.
fn built(library: &str, program: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    std::fs::write(here.join("seen.c"), program).expect("a file is written");
    std::fs::write(here.join("unseen.c"), library).expect("a file is written");
    let shared = ["-shared", "-fPIC", "-o", "libunseen.so", "unseen.c"];
    let clang = Command::new("clang-19").current_dir(here).args(shared).status().expect("clang starts");
    assert!(clang.success(), "the shared object is built");
    let linked = said(here, &["cc", "-o", "seen", "seen.c", "-L.", "-lunseen", "-Wl,-rpath,$ORIGIN"]);
    assert_eq!(linked.status, Some(0), "{}", linked.stderr);
    directory
}

fn said(directory: &Path, arguments: &[&str]) -> Said {
    wherefore().current_dir(directory).args(arguments).output().expect("wherefore starts").into()
}

/// The text for people without its line breaks.
fn told(directory: &Path, arguments: &[&str]) -> String {
    let said = said(directory, &[&["explain"], arguments].concat());
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    said.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}
