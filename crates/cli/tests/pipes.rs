//! Options that name pipes, as `<(...)` of a shell makes them: what comes out of one comes once.

mod common;

use common::{Said, wherefore};
use std::fs::File;
use std::io::{PipeReader, PipeWriter, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

const DOUBLES: &str = "#include <stdio.h>\nint main(void) {\n  int n;\n  if (scanf(\"%d\", &n) != 1)\n    return 3;\n  \
                       n = n * 2;\n  printf(\"%d\\n\", n);\n  return 0;\n}\n";
const ADDS: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  \
                    printf(\"%d\\n\", atoi(argv[1]) + 2);\n  return 0;\n}\n";

/// The path of a pipe.
fn path(pipe: &PipeReader) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), pipe.as_raw_fd())
}

/// A pipe with a text in it and nobody who writes more.
fn filled(text: &str) -> PipeReader {
    let (reader, mut writer): (PipeReader, PipeWriter) = std::io::pipe().expect("a pipe");
    writer.write_all(text.as_bytes()).expect("it has room");
    reader
}

fn said(program: &str, arguments: &[&str]) -> Said {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("p.c"), program).expect("the program is written");
    let (command, rest) = arguments.split_first().expect("a command");
    let mut wherefore = wherefore();
    wherefore.current_dir(directory.path()).args([command, "p.c"]).args(rest);
    wherefore.output().expect("wherefore starts").into()
}

#[test]
fn each_is_read_once() {
    for command in ["explain", "relevant", "diagnose"] {
        let (input, output) = (filled("4\n"), filled("9\n"));
        let said = said(DOUBLES, &[command, "--stdin", &path(&input), "--expect-stdout", &path(&output)]);
        assert_eq!(said.status, Some(0), "{command}: {}{}", said.stdout, said.stderr);
        assert!(said.stdout.contains("prints \"8\" where \"9\" is expected"), "{command}: {}", said.stdout);
        assert!(said.stdout.contains("when standard input is \"4\""), "{command}: {}", said.stdout);
    }
    let (tests, expected) = (filled("3\n4\n"), filled("4\n5\n"));
    let said = said(ADDS, &["diagnose", "--tests", &path(&tests), "--expect", &path(&expected)]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("2 of 2 tests fail; a change of one statement passes all tests"), "{}", said.stdout);
}

#[test]
fn one_that_does_not_end_is_the_programs_to_read() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let waits = said(DOUBLES, &["explain", "--timeout", "3", "--stdin", &path(&reader)]);
    assert!(waits.stdout.contains("it waits in scanf()"), "{}{}", waits.stdout, waits.stderr);
    let mut more = File::from(OwnedFd::from(writer));
    more.write_all(b"5 ").expect("it has room");
    let reads = said(DOUBLES, &["explain", "--expect-status", "1", "--stdin", &path(&reader)]);
    assert!(reads.stdout.contains("the exit status is 0, not 1"), "{}{}", reads.stdout, reads.stderr);
}

#[test]
fn one_without_an_end_is_no_text_to_compare_with() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let zeros = std::thread::spawn(move || while writer.write_all(&[b'0'; 1 << 16]).is_ok() {});
    let said = said(DOUBLES, &["explain", "--expect-stdout", &path(&reader)]);
    drop(reader);
    zeros.join().expect("nobody reads any more");
    assert_eq!(said.status, Some(2), "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("more than 64 MiB come from this pipe"), "{}", said.stderr);
}

/// A directory is no pipe, and what is not there is said.
#[test]
fn other_files_are_what_they_were() {
    let missing = said(DOUBLES, &["explain", "--expect-stdout", "missing"]);
    assert_eq!(missing.status, Some(2), "{}", missing.stderr);
    assert!(missing.stderr.contains("--expect-stdout missing: No such file"), "{}", missing.stderr);
    let here = said(DOUBLES, &["explain", "--stdin", Path::new(".").to_str().expect("text")]);
    assert!(here.stderr.contains("--stdin .: this is a directory"), "{}", here.stderr);
}
