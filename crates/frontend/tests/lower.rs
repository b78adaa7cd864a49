//! Golden dumps of lowered programs.

mod support;

use support::build;

fn dump(names: &[&str]) -> String {
    wherefore_program::print(&build(names).build.program)
}

macro_rules! golden {
    ($($name:ident: $files:expr),* $(,)?) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(dump(&$files));
        }
    )* };
}

golden! {
    arithmetic: ["arithmetic.c"],
    control: ["control.c"],
    globals: ["globals.c"],
    structs: ["structs.c"],
    pointers: ["pointers.c"],
    floats: ["floats.c"],
    strings: ["strings.c"],
    variadic: ["variadic.c"],
    vla: ["vla.c"],
    builtins: ["builtins.c"],
    uninitialised: ["uninitialised.c"],
    machine: ["machine.c"],
    old: ["old.c"],
    computed: ["computed.c"],
    own_builtin: ["own_builtin.c"],
    two_files: ["two_a.c", "two_b.c"],
}
