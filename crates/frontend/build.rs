//! Compiles the C++ shim and links the LLVM components in use, statically: a binary of a few megabytes that starts in
//! milliseconds, where the shared libLLVM costs a tenth of a second at every start.

use std::path::{Path, PathBuf};
use std::process::Command;

const COMPONENTS: &[&str] = &[
    "core",
    "bitreader",
    "irreader",
    "linker",
    "analysis",
    "target",
    "x86codegen",
    "x86desc",
    "x86info",
    "x86asmparser",
];

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    println!("cargo:rerun-if-changed=src/debug_info.cpp");
    println!("cargo:rerun-if-changed=runtime/serve.c");
    compile_server();
    let config = llvm_config();
    let mut shim = cc::Build::new();
    shim.cpp(true).file("src/debug_info.cpp").warnings(false);
    for flag in run(&config, &["--cxxflags"]).split_whitespace() {
        // Include paths as system ones, so that warnings in LLVM's headers are not ours.
        match flag.strip_prefix("-I") {
            Some(path) => shim.flag("-isystem").flag(path),
            None => shim.flag(flag),
        };
    }
    shim.compile("wherefore_debug_info");

    println!("cargo:rustc-link-search=native={}", run(&config, &["--libdir"]).trim());
    let mut arguments = vec!["--link-static", "--libs"];
    arguments.extend(COMPONENTS);
    for library in run(&config, &arguments).split_whitespace() {
        if let Some(name) = library.strip_prefix("-l") {
            // Not copied into our own archive: the archives are large and the final link takes what it needs.
            println!("cargo:rustc-link-lib=static:-bundle={name}");
        }
    }
    // What LLVM's support library needs here; libxml2 and libz3 of `llvm-config --system-libs` are used by parts
    // that we do not link.
    for library in ["z", "zstd", "rt", "dl", "m", "stdc++"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

/// The library that is preloaded into clang.
fn compile_server() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut build = cc::Build::new();
    build.no_default_flags(true).warnings(true).extra_warnings(true).warnings_into_errors(true).opt_level(2);
    let mut command = build.get_compiler().to_command();
    command.args(["-std=c11", "-fPIC", "-shared", "runtime/serve.c", "-ldl", "-o"]).arg(out.join("serve.so"));
    let status = command.status().expect("there is a C compiler");
    assert!(status.success(), "{command:?}");
}

/// `llvm-config` of LLVM 19: under the prefix of the environment, or by its usual names.
fn llvm_config() -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_191_PREFIX").map(|p| Path::new(&p).join("bin/llvm-config"));
    let names = ["/usr/lib/llvm-19/bin/llvm-config", "llvm-config-19", "llvm-config"].map(PathBuf::from);
    for candidate in prefix.into_iter().chain(names) {
        let version = Command::new(&candidate).arg("--version").output();
        if version.is_ok_and(|v| v.stdout.starts_with(b"19.")) {
            return candidate;
        }
    }
    panic!(
        "LLVM 19 was not found; on Debian and Ubuntu: apt install llvm-19-dev libpolly-19-dev zlib1g-dev libzstd-dev"
    );
}

fn run(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("llvm-config runs");
    assert!(output.status.success(), "{program:?} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("llvm-config prints text")
}
