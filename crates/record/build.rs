//! Compiles the runtime to relocatable objects that are embedded in the library.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=runtime");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for name in ["runtime", "switch", "kept"] {
        let objects = object_of(&format!("runtime/{name}.c"));
        let [object] = objects.as_slice() else {
            panic!("one source gives one object, not {objects:?}");
        };
        std::fs::copy(object, out.join(format!("{name}.o"))).expect("the object can be copied in OUT_DIR");
    }
}

fn object_of(source: &str) -> Vec<PathBuf> {
    cc::Build::new()
        .file(source)
        .no_default_flags(true)
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .flag("-std=c11")
        .flag("-O2")
        // Position independent: the same object links into PIE and non-PIE programs.
        .flag("-fPIC")
        .flag("-fno-stack-protector")
        // The program may define its own memcpy and the like, instrumented; no loop here may turn into a call of it.
        .flag("-fno-builtin")
        .flag_if_supported("-fno-tree-loop-distribute-patterns")
        .flag("-U_FORTIFY_SOURCE")
        .flag("-fno-asynchronous-unwind-tables")
        .flag("-fno-ident")
        .flag("-g0")
        .compile_intermediates()
}
