//! What cannot be built, and what is said about it.

mod support;

use std::path::PathBuf;
use support::{build_text, program_path, try_build};
use wherefore_frontend::Error;

fn error(text: &str, entry: &str) -> Error {
    build_text(text, entry).err().expect("it does not build")
}

#[test]
fn compile_errors_are_clangs() {
    let Error::CompileFailed { stderr } = error("int main(void) { return x; }", "main") else {
        panic!("another error")
    };
    assert!(stderr.contains("test.c:1:25: error: use of undeclared identifier 'x'"), "{stderr}");
}

#[test]
fn missing_files_and_odd_ones() {
    let missing = PathBuf::from("tests/programs/none.c");
    assert!(
        matches!(try_build(std::slice::from_ref(&missing), "main", &[]), Err(Error::NoSuchFile(p)) if p == missing)
    );
    assert!(matches!(try_build(&[], "main", &[]), Err(Error::Usage(_))));
    assert!(matches!(try_build(&[PathBuf::from("Cargo.toml")], "main", &[]), Err(Error::Usage(_))));
}

#[test]
fn entries() {
    let text = "struct s { int a; }; static int f(struct s s) { return s.a; }\n\
                struct big { int a[9]; }; struct big g(void) { struct big b = {{0}}; return b; }\n\
                int h(long double x) { return (int)x; }\n\
                int use(void) { struct s s = {1}; return f(s); }";
    let say = |entry: &str| error(text, entry).to_string();
    assert_eq!(say("main"), "there is no function `main` with a body; there are: g, h, use, f");
    assert!(say("f").ends_with("test.c:1: `f` cannot be the entry: it needs a struct for `s`"), "{}", say("f"));
    assert!(say("g").ends_with("test.c:2: `g` cannot be the entry: it needs room for the struct it returns"));
    assert!(say("h").ends_with("test.c:3: `h` cannot be the entry: it needs a long double for `x`"));
}

#[test]
fn unsupported_is_located() {
    let text = "int main(void) {\n  __asm__ goto (\"jmp %l0\" :::: out);\n  return 1;\nout:\n  return 2;\n}";
    let message = error(text, "main").to_string();
    assert!(message.contains("test.c:2:") && message.contains("asm goto"), "{message}");
}

#[test]
fn link_errors_are_the_linkers() {
    let error = error("extern int nowhere; int main(void) { return nowhere; }", "main");
    let Error::LinkFailed { stderr } = error else { panic!("{error}") };
    assert!(stderr.contains("undefined reference to") && stderr.contains("nowhere'"), "{stderr}");
}

#[test]
fn two_definitions_do_not_link() {
    let inputs = [program_path("crash.c"), program_path("divide.c")];
    let Err(Error::CompileFailed { stderr }) = try_build(&inputs, "main", &[]) else { panic!("another result") };
    assert!(stderr.contains("divide.c") && stderr.contains("main"), "{stderr}");
}

#[test]
fn old_c_is_retried_and_said() {
    let built = build_text("int main(void) { int restrict = 3; return restrict; }", "main").expect("gnu89 accepts it");
    let [message] = built.build.messages.as_slice() else { panic!("{:?}", built.build.messages) };
    assert!(message.starts_with("compiled as gnu89: ") && message.contains("test.c:1:"), "{message}");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("test.c");
    std::fs::write(&file, "int main(void) { int restrict = 3; return restrict; }").expect("the file is written");
    assert!(matches!(try_build(&[file], "main", &["-std=c11"]), Err(Error::CompileFailed { .. })));
}

#[test]
fn warnings_for_those_who_ask() {
    let built = try_build(&[program_path("uninitialised.c")], "main", &["-Wall", "-Wextra"]).expect("it builds");
    assert!(built.build.messages.iter().any(|m| m.contains("unused parameter 'argv'")), "{:?}", built.build.messages);
}

#[test]
fn bitcode_and_text_are_read() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for name in ["t.bc", "t.ll"] {
        let file = dir.path().join(name);
        let kind = if name == "t.bc" { "-c" } else { "-S" };
        let status = std::process::Command::new("clang-19")
            .args(["-O0", "-g", "-emit-llvm", kind, "-Xclang", "-disable-O0-optnone"])
            .arg(program_path("divide.c"))
            .arg("-o")
            .arg(&file)
            .status();
        assert!(status.expect("clang runs").success());
        let built = try_build(&[file], "main", &[]).expect("it builds");
        assert_eq!(built.build.program.files, ["tests/programs/divide.c"]);
    }
    let broken = dir.path().join("broken.ll");
    std::fs::write(&broken, "define i32 @main() { ret i33 0 }").expect("the file is written");
    assert!(matches!(try_build(&[broken], "main", &[]), Err(Error::CompileFailed { .. })));
}
