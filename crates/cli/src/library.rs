//! What a reader need not be told about library functions.

/// Whether what a function gives is an input of the run, or a fresh object: nothing that could be looked into.
pub fn is_input(callee: &str) -> bool {
    const INPUTS: [&str; 26] = [
        "aligned_alloc",
        "calloc",
        "clock",
        "fgetc",
        "fgets",
        "fread",
        "fscanf",
        "getc",
        "getchar",
        "getdelim",
        "getenv",
        "getline",
        "getpid",
        "gets",
        "malloc",
        "memalign",
        "rand",
        "random",
        "read",
        "realloc",
        "scanf",
        "setjmp",
        "_setjmp",
        "sigsetjmp",
        "time",
        "vscanf",
    ];
    let name = callee.trim_start_matches("__isoc99_").trim_start_matches("__isoc23_");
    callee.starts_with("__VERIFIER_nondet") || INPUTS.contains(&name)
}
