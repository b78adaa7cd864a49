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

#[test]
fn what_unseen_code_left_is_copied_and_printed() {
    let library =
        "#include <stdio.h>\nchar *text(int n) {\n  static char t[20];\n  sprintf(t, \"code%d\", n);\n  return t;\n}\n";
    let program = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\nchar *text(int);\nint main(void) {\n  \
                   char own[32], shown[40];\n  memcpy(own, text(2), 8);\n  sprintf(shown, \"<%s>\", own);\n  \
                   assert(strcmp(shown, \"<code3>\") == 0);\n  return 0;\n}\n";
    let directory = built(library, program);
    let told = told(directory.path(), &["./seen"]);
    assert!(told.contains("own is \"code2\" since line 7: memcpy(own, text(2), 8)"), "{told}");
}

#[test]
fn libraries_are_found_beside_the_executable_wherever_it_is() {
    let library = "int half(int n) { return n / 2; }\n";
    let program = "#include <assert.h>\nint half(int);\nint main(void) {\n  int n = half(5);\n  assert(n == 3);\n  return 0;\n}\n";
    let directory = built(library, program);
    let (before, after) = (directory.path(), directory.path().join("moved"));
    std::fs::create_dir(&after).expect("a folder");
    for file in ["seen", "libunseen.so"] {
        std::fs::rename(before.join(file), after.join(file)).expect("it is moved");
    }
    assert!(told(before, &["moved/seen"]).contains("n is 2 since line 4: n = half(5)"));
    let kept = before.join("kept");
    let run = Command::new(after.join("seen")).env("WHEREFORE_RECORD", &kept).output().expect("it starts");
    assert_eq!(run.status.code(), None, "{}", String::from_utf8_lossy(&run.stderr));
    let files = std::fs::read_dir(&kept).expect("recordings").map(|file| file.expect("an entry").path());
    let recording = files.into_iter().find(|file| file.extension().is_some()).expect("a recording");
    assert!(told(before, &[&recording.to_string_lossy()]).contains("n is 2 since line 4: n = half(5)"));
}

#[test]
fn what_the_dynamic_loader_refuses_is_no_run() {
    let program = "int half(int);\nint main(void) { return half(0); }\n";
    let directory = built("int half(int n) { return n / 2; }\n", program);
    let here = directory.path();
    let refused = |arguments: &[&str], words: &str| {
        let said = said(here, arguments);
        assert!(matches!(said.status, Some(1 | 2)), "{arguments:?}: {:?} {}", said.status, said.stdout);
        let told = format!("the dynamic loader ends the program: {words}");
        assert!(said.stderr.contains(&told), "{arguments:?}: {}", said.stderr);
    };
    // Linked with what is not found without its directory.
    std::fs::write(here.join("tests"), "1\n2\n").expect("a file is written");
    let diagnose = ["diagnose", "seen.c", "-L", ".", "-l", "unseen", "--tests", "tests", "--expect", "tests"];
    let missing = "error while loading shared libraries: libunseen.so: cannot open shared object file";
    refused(&diagnose, missing);
    // What a library lacks is only found when it is called.
    std::fs::write(here.join("unseen.c"), "int deep(int);\nint half(int n) { return deep(n); }\n").expect("a file");
    let shared = ["-shared", "-fPIC", "-o", "libunseen.so", "unseen.c"];
    assert!(Command::new("clang-19").current_dir(here).args(shared).status().expect("clang starts").success());
    refused(&["explain", "./seen"], "symbol lookup error: ");
    std::fs::remove_file(here.join("libunseen.so")).expect("it is removed");
    for command in ["explain", "search", "record", "relevant"] {
        refused(&[command, "./seen"], missing);
    }
}

/// A library that prints by itself, calls back, and writes past the library's stream.
const PRINTING: &str = "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\nstatic void (*back)(int);\n\
                        void on(void (*f)(int)) { back = f; }\n\
                        void show(int n) { printf(\"value %d\\n\", n); back(n); printf(\"done %d\\n\", n); }\n\
                        void raw(const char *t) { fflush(stdout); write(1, t, strlen(t)); }\n\
                        int quiet(int n) { return n + 1; }\n";
const PRINTS: &str = "#include <stdio.h>\nvoid on(void (*)(int));\nvoid show(int);\nvoid raw(const char *);\nint quiet(int);\n\
                      static void each(int n) {\n  printf(\"each %d\\n\", n * 2);\n}\n\
                      int main(int argc, char **argv) {\n  int n = quiet(argc);\n  on(each);\n  printf(\"a\\n\");\n  show(n - 1);\n  \
                      printf(\"b %d\\n\", quiet(n));\n  raw(\"raw\\n\");\n  show(7);\n  raw(\"raw\\n\");\n  puts(\"c\");\n  return 0;\n}\n";

#[test]
fn what_unseen_code_prints_is_put_down_to_its_call() {
    let directory = built(PRINTING, PRINTS);
    let here = directory.path();
    let printed = Command::new(here.join("seen")).output().expect("it starts").stdout;
    let printed = String::from_utf8(printed).expect("text");
    let unseen = "what departs is written by code that is not seen, called here";
    let cases = [
        ("value 1", "value 9", "seen.c:13:3: prints \"1\" where \"9\" is expected", true),
        ("each 2", "each 5", "seen.c:7:3: prints \"2\" where \"5\" is expected", false),
        ("done 1", "done 5", "code that is not seen writes that, called in line 13 or 14", false),
        ("b 3", "b 4", "seen.c:14:3: prints \"3\" where \"4\" is expected", false),
        ("raw\nvalue", "war\nvalue", "code that is not seen writes that, called in line 15 or 16", false),
        ("done 7\nraw", "done 7\nwar", "code that is not seen writes that, called in line 16 or 17", false),
        ("c\n", "d\n", "seen.c:18:3: prints \"c\" where \"d\" is expected", false),
    ];
    for (from, to, headline, is_unseen) in cases {
        std::fs::write(here.join("expected"), printed.replace(from, to)).expect("a file is written");
        let told = told(here, &["--expect-stdout", "expected", "./seen"]);
        assert!(told.contains(headline), "{from}: {told}");
        assert_eq!(told.contains(unseen), is_unseen, "{from}: {told}");
    }
    // What the call was given is followed.
    std::fs::write(here.join("expected"), printed.replace("value 1", "value 9")).expect("a file is written");
    let told = told(here, &["--expect-stdout", "expected", "./seen"]);
    assert!(told.contains("n is 2 since line 10: n = quiet(argc)"), "{told}");
}
