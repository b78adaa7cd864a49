//! `wherefore cc` in the place of clang: a project as people have them, built by make, run as it is, recorded, and explained
//! when nothing but the executable is left.

mod common;

use common::{Said, wherefore};
use std::path::Path;
use std::process::Command;

/// Files of a project: an archive of two members one of which is never used and defines again what the other does,
/// assembler, a file that cannot be instrumented, arguments from a file.
const PROJECT: [(&str, &str); 8] = [
    (
        "main.c",
        r#"#include <stdio.h>
#include <stdlib.h>
#include "list.h"
int scale(int);
int jumps(int);
int main(int argc, char **argv) {
    struct item *list = 0;
    for (int i = 1; i < argc; i++)
        list = push(list, atoi(argv[i]));
    printf("%d\n", jumps(scale(total(list))));
    struct item *found = find(list, WANTED);
    printf("%d\n", found->value);
    return found->value == 8;
}
"#,
    ),
    (
        "list.h",
        "struct item { int value; struct item *next; };\n\
         struct item *push(struct item *, int);\nint total(struct item *);\nstruct item *find(struct item *, int);\n",
    ),
    (
        "list.c",
        r#"#include <stdlib.h>
#include "list.h"
struct item *push(struct item *rest, int value) {
    struct item *one = malloc(sizeof *one);
    one->value = value;
    one->next = rest;
    return one;
}
int total(struct item *list) {
    int sum = 0;
    for (; list; list = list->next)
        sum += list->value;
    return sum;
}
struct item *find(struct item *list, int value) {
    while (list && list->value < value)
        list = list->next;
    return list;
}
"#,
    ),
    ("twice.c", "int total(void *list) { return list ? -1 : -2; }\nint never(void) { return 1; }\n"),
    ("scale.S", ".globl scale\nscale:\nlea (%rdi,%rdi), %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n"),
    (
        "jumps.c",
        "int jumps(int n) {\n    asm goto(\"cmpl $0, %0\\n\\tjl %l1\" : : \"r\"(n) : \"cc\" : negative);\n    return n;\n\
         negative:\n    return -n;\n}\n",
    ),
    ("flags", "-DWANTED=7 -Wall\n'-DUNUSED=a b'"),
    (
        "Makefile",
        "CFLAGS = -O2 @flags\nprog: main.o jumps.o scale.o libx.a\n\t$(CC) $(CFLAGS) -o $@ main.o jumps.o scale.o -L. -lx\n\
         libx.a: list.o twice.o\n\t$(AR) rc $@ list.o twice.o\nmain.o: list.h\n",
    ),
];

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(directory.join(name), text).expect("a file is written");
    }
}

fn in_directory(directory: &Path, program: &str, arguments: &[&str]) -> Said {
    let mut command = if program == "wherefore" { wherefore() } else { Command::new(program) };
    command.current_dir(directory).args(arguments).output().expect("it starts").into()
}

/// The project, built; what make said.
fn built(directory: &Path) -> Said {
    write(directory, &PROJECT);
    let cc = format!("CC={} cc", env!("CARGO_BIN_EXE_wherefore"));
    let said = in_directory(directory, "make", &["-s", &cc]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    said
}

/// The recordings in a directory.
fn recordings(directory: &Path) -> Vec<std::path::PathBuf> {
    let Ok(files) = std::fs::read_dir(directory) else { return vec![] };
    let files = files.map(|file| file.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|e| e == "recording")).collect()
}

#[test]
fn a_project_is_built_run_recorded_and_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path();
    let said = built(directory);
    assert!(said.stderr.contains("jumps.c is not recorded: "), "{}", said.stderr);
    assert!(said.stderr.contains("asm goto"), "{}", said.stderr);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);

    // By itself it is an ordinary program.
    let before: Vec<_> =
        std::fs::read_dir(directory).expect("the folder").map(|f| f.expect("an entry").path()).collect();
    let passing = in_directory(directory, "./prog", &["9", "7", "1"]);
    assert_eq!((passing.status, passing.stdout.as_str(), passing.stderr.as_str()), (Some(0), "34\n7\n", ""));
    assert_eq!(in_directory(directory, "./prog", &["1"]).status, None, "it dies of a signal");
    assert_eq!(std::fs::read_dir(directory).expect("the folder").count(), before.len(), "it leaves no files");

    // Recorded, only what fails is kept.
    let kept = directory.join("kept");
    let recorded = |arguments: &[&str]| -> Said {
        let mut command = Command::new(directory.join("prog"));
        command
            .current_dir(directory)
            .env("WHEREFORE_RECORD", &kept)
            .args(arguments)
            .output()
            .expect("it starts")
            .into()
    };
    let again = recorded(&["9", "7", "1"]);
    assert_eq!((again.status, again.stdout.as_str(), again.stderr.as_str()), (Some(0), "34\n7\n", ""));
    assert_eq!(recordings(&kept), Vec::<std::path::PathBuf>::new());
    assert_eq!(recorded(&["1"]).status, None);
    assert_eq!(recorded(&["8"]).status, Some(1));
    assert_eq!(recordings(&kept).len(), 2);

    // Nothing but the executable, and nothing but the recordings, is needed.
    for (name, _) in PROJECT {
        std::fs::remove_file(directory.join(name)).expect("a file is removed");
    }
    for name in ["main.o", "jumps.o", "scale.o", "list.o", "twice.o", "libx.a"] {
        std::fs::remove_file(directory.join(name)).expect("an object is removed");
    }
    let explained = in_directory(directory, "wherefore", &["explain", "./prog", "--", "1"]);
    assert_eq!(explained.status, Some(0), "{}", explained.stderr);
    assert!(
        explained.stdout.starts_with("main.c:12:5: reads 4 bytes through found, which is NULL"),
        "{}",
        explained.stdout
    );
    assert!(explained.stdout.contains("17 | list = list->next;"), "{}", explained.stdout);
    std::fs::rename(directory.join("prog"), directory.join("moved")).expect("it is moved");
    let mut headlines: Vec<String> = vec![];
    for recording in recordings(&kept) {
        let explained = in_directory(directory, "wherefore", &["explain", &recording.to_string_lossy()]);
        assert_eq!(explained.status, Some(0), "{}{}", explained.stdout, explained.stderr);
        headlines.extend(explained.stdout.lines().next().map(str::to_string));
    }
    headlines.sort();
    assert!(headlines[0].starts_with("main.c:12:5: reads 4 bytes through found"), "{headlines:?}");
    assert!(headlines[1].contains("the exit status is 1, not 0, when argv[1] is \"8\""), "{headlines:?}");
}

#[test]
fn tests_of_an_executable_are_diagnosed() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path();
    let program = "#include <stdlib.h>\nint larger(int a, int b) {\n    int m = a;\n    if (b < a)\n        m = b;\n    return m;\n}\n\
                   int main(int c, char **v) { return c < 3 ? 9 : larger(atoi(v[1]), atoi(v[2])); }\n";
    write(directory, &[("max.c", program)]);
    let cc = in_directory(directory, "wherefore", &["cc", "-O2", "max.c", "-o", "max"]);
    assert_eq!((cc.status, cc.stderr.as_str()), (Some(0), ""));
    std::fs::create_dir(directory.join("tests")).expect("a folder");
    let tests = [
        ("a.args", "1 2"),
        ("a.status", "2"),
        ("b.args", "4 3"),
        ("b.status", "4"),
        ("c.args", "5 5"),
        ("c.status", "5"),
    ];
    write(&directory.join("tests"), &tests);
    let said = in_directory(directory, "wherefore", &["diagnose", "./max", "--tests", "tests", "-q"]);
    assert_eq!(said.status, Some(0), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("max.c: 2 of 3 tests fail"), "{}", said.stdout);
    assert!(said.stdout.contains("max.c:4:"), "{}", said.stdout);
}

#[test]
fn what_clang_does_is_handed_through() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path();
    write(
        directory,
        &[
            ("a.c", "#include \"a.h\"\nint main(void) { return N; }\n"),
            ("a.h", "#define N 3\n"),
            ("bad.c", "int x = ;\n"),
        ],
    );
    for arguments in [
        &["--version"][..],
        &["-dumpmachine"],
        &["-print-search-dirs"],
        &["-E", "a.c"],
        &["-M", "a.c"],
        &["-S", "a.c", "-o", "-"],
        &["-c", "bad.c"],
        &["bad.c", "-o", "bad"],
        &["missing.o", "-o", "bad"],
        &["-Wall", "-c", "a.c", "-Wunknown-flag"],
        &["-c"],
    ] {
        let clang = in_directory(directory, "clang-19", arguments);
        let ours = in_directory(directory, "wherefore", &[&["cc"], arguments].concat());
        assert_eq!((ours.status, ours.stdout), (clang.status, clang.stdout), "{arguments:?}");
        // A linker names temporary files.
        if !arguments.contains(&"missing.o") {
            assert_eq!(ours.stderr, clang.stderr, "{arguments:?}");
        }
    }
    // Dependencies are those of the compilation that was asked for.
    let said = in_directory(directory, "wherefore", &["cc", "-MMD", "-MF", "deps", "-c", "-o", "a.o", "a.c"]);
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(directory.join("deps")).expect("dependencies"), "a.o: a.c a.h\n");
    // Compiled and linked in one, from an object of several, and with a shared object.
    let said = in_directory(directory, "wherefore", &["cc", "-r", "a.o", "-o", "joined.o"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let said = in_directory(directory, "wherefore", &["cc", "joined.o", "-o", "joined"]);
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
    assert_eq!(in_directory(directory, "./joined", &[]).status, Some(3));
    let explained = in_directory(directory, "wherefore", &["explain", "./joined", "--expect-status", "0"]);
    assert!(explained.stdout.starts_with("a.c:2:18: the exit status is 3, not 0"), "{}", explained.stdout);
    let said = in_directory(directory, "wherefore", &["cc", "-shared", "-fPIC", "a.c", "-o", "liba.so"]);
    assert_eq!(said.status, Some(0));
    assert_eq!(said.stderr, "wherefore: note: liba.so: what happens in a shared object is not recorded\n");
}

#[test]
fn what_is_no_program_is_refused() {
    let said = common::run(&["c++", "a.cpp"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("C++"), "{}", said.stderr);
    let said = common::run(&["explain", "/bin/true"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("wherefore cc"), "{}", said.stderr);
}

#[test]
fn a_compilation_database_is_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path();
    std::fs::create_dir(directory.join("build")).expect("a folder");
    write(
        directory,
        &[
            ("half.c", "int half(int n) {\n    return n / DIVISOR;\n}\n"),
            ("main.c", "int half(int);\nint main(void) { return half(8); }\n"),
        ],
    );
    let database = format!(
        r#"[{{"directory": "{0}/build", "file": "../half.c", "command": "cc -O2 -DDIVISOR=0 -o half.o -c ../half.c"}},
            {{"directory": "{0}", "file": "main.c", "arguments": ["cc", "-c", "main.c"]}},
            {{"directory": "{0}", "file": "main.c", "arguments": ["cc", "-fPIC", "-c", "main.c"]}},
            {{"directory": "{0}", "file": "other.cpp", "command": "c++ -c other.cpp"}}]"#,
        directory.display()
    );
    write(directory, &[("build/compile_commands.json", &database)]);
    let explain = ["explain", "--compile-commands", "build/compile_commands.json"];
    let said = in_directory(directory, "wherefore", &explain);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.starts_with("half.c:2:5: division by zero"), "{}", said.stdout);
    write(directory, &[("build/compile_commands.json", "[]")]);
    let said = in_directory(directory, "wherefore", &explain);
    assert_eq!((said.status, said.stderr.contains("it has no C files")), (Some(2), true), "{}", said.stderr);
}
