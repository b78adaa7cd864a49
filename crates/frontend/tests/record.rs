//! Instrumented programs behave as plain ones, and what they record fits their model.

mod support;

use std::os::unix::process::ExitStatusExt;
use support::walk::{Walk, walk};
use support::{build, build_text, run_plain};

const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

/// Runs a program both ways, compares, and walks the recording.
fn check(names: &[&str]) -> Walk {
    let built = build(names);
    let (output, recording) = built.run(&[], &[]);
    let plain = run_plain(names, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&plain.stdout), "standard output");
    assert_eq!(output.status, plain.status, "exit status");
    walk(&built.build.program, &recording)
}

macro_rules! same {
    ($($name:ident: $files:expr, $surprises:expr),* $(,)?) => { $(
        #[test]
        fn $name() {
            let walk = check(&$files);
            assert!(walk.blocks > 0 && !walk.cut, "{walk:?}");
            assert_eq!(walk.surprises, $surprises, "{walk:?}");
        }
    )* };
}

// The number counts loads of memory that a library wrote: sorting, `strcpy`, the list of variadic arguments.
same! {
    arithmetic: ["arithmetic.c"], 0,
    control: ["control.c"], 0,
    globals: ["globals.c"], 0,
    structs: ["structs.c"], 0,
    floats: ["floats.c"], 0,
    vla: ["vla.c"], 0,
    builtins: ["builtins.c"], 0,
    uninitialised: ["uninitialised.c"], 0,
    machine: ["machine.c"], 0,
    old: ["old.c"], 0,
    computed: ["computed.c"], 0,
    own_builtin: ["own_builtin.c"], 0,
    two_files: ["two_a.c", "two_b.c"], 0,
    strings: ["strings.c"], 0,
}

#[test]
fn libraries_write_memory() {
    for names in [["pointers.c"], ["variadic.c"]] {
        let walk = check(&names);
        assert!(walk.surprises > 0 && !walk.cut, "{names:?} {walk:?}");
    }
}

#[test]
fn jumps_over_frames() {
    let built = build(&["jumps.c"]);
    let (output, _) = built.run(&[], &[]);
    let plain = run_plain(&["jumps.c"], &[]);
    assert_eq!(output.stdout, plain.stdout);
    assert_eq!(output.status, plain.status);
}

#[test]
fn a_crash_leaves_the_address() {
    let built = build(&["crash.c"]);
    let (output, recording) = built.run(&[], &[]);
    assert_eq!(output.status.signal(), Some(SIGSEGV));
    assert!(walk(&built.build.program, &recording).cut);
    // The last word is the address that could not be read: `value` is at offset 0 of a null pointer.
    assert_eq!(recording.words.last(), Some(&0));
}

#[test]
fn a_division_by_zero_is_reached() {
    let built = build(&["divide.c"]);
    let (output, recording) = built.run(&[], &[]);
    assert_eq!(output.status.signal(), Some(SIGFPE));
    let walk = walk(&built.build.program, &recording);
    assert!(walk.cut, "{walk:?}");
    let ratio = built.build.program.function("ratio").expect("it exists");
    let number = built.build.program.functions[ratio.index()].first_block;
    assert_eq!(recording.words.last(), Some(&(0xB10C << 48 | u64::from(number))));
}

#[test]
fn recording_stops_when_full() {
    let text = "int main(void) { volatile int x = 0; for (;;) x++; }";
    let built = build_text(text, "main").expect("it builds");
    let (output, recording) = built.run(&[], &[("WF_SIZE", "0x180000")]);
    assert_eq!(output.status.code(), Some(99));
    let walk = walk(&built.build.program, &recording);
    assert!(walk.cut && walk.blocks > 10_000, "{walk:?}");
}

#[test]
fn long_blocks_ask_for_room() {
    // One block of thousands of words, and a frame of hundreds of escaping variables.
    let mut text = String::from("int g; void use(int *p) { g += *p; }\nint main(void) {\n");
    for n in 0..400 {
        text += &format!("  int v{n} = {n}; use(&v{n});\n");
    }
    text += &"  g++;\n".repeat(2000);
    text += "  return g % 100;\n}\n";
    let built = build_text(&text, "main").expect("it builds");
    let (output, recording) = built.run(&[], &[]);
    assert_eq!(output.status.code(), Some((400 * 399 / 2 + 2000) % 100));
    assert!(!walk(&built.build.program, &recording).cut);
    // No run of words without a question may be longer than the room behind the limit, wherever the limit falls.
    for size in (0x101000..0x110000).step_by(0x1000 - 8 * 7) {
        let size = format!("{size:#x}");
        let (output, recording) = built.run(&[], &[("WF_SIZE", &size)]);
        assert!(matches!(output.status.code(), Some(99)), "{size}: {:?}", output.status);
        assert!(walk(&built.build.program, &recording).cut);
    }
}

#[test]
fn deep_recursion_asks_for_room() {
    let text = "int g; int f(int n) { g += n; int r = n ? f(n - 1) + g : 0; g -= r; return r; }\n\
                int main(void) { return f(3000) & 63; }";
    let built = build_text(text, "main").expect("it builds");
    let (output, recording) = built.run(&[], &[]);
    assert!(output.status.code().is_some());
    assert!(!walk(&built.build.program, &recording).cut);
    for size in (0x101000..0x120000).step_by(0x1000 - 8 * 5) {
        let (output, _) = built.run(&[], &[("WF_SIZE", &format!("{size:#x}"))]);
        assert!(matches!(output.status.code(), Some(99)), "{size:#x}: {:?}", output.status);
    }
}

#[test]
fn another_entry() {
    let text = "#include <stdio.h>\n\
                int seen;\n\
                int target(char c, unsigned long l, float f, double d, const char *p) {\n\
                  printf(\"%d %lu %g %g %d\\n\", c, l, f, d, p == 0); seen = 1; return 7;\n\
                }\n\
                int main(void) { return target(1, 2, 3, 4, 0) + 1; }";
    let built = build_text(text, "target").expect("it builds");
    let float = 1.5f32.to_bits().to_string();
    let double = (-2.25f64).to_bits().to_string();
    let arguments = [("WF_ARG0", "0xff"), ("WF_ARG1", "77"), ("WF_ARG2", &*float), ("WF_ARG3", &*double)];
    let (output, recording) = built.run(&[], &arguments);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "-1 77 1.5 -2.25 1\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(!walk(&built.build.program, &recording).cut);
}
