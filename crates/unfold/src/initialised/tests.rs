use super::*;

/// The names of locals that may be read before they are written.
fn unset(source: &str) -> Vec<String> {
    let program = wherefore_fixtures::program(source);
    let function = &program.functions[program.function("main").expect("a main function").index()];
    let needed = read_before_written(function);
    let names = function.locals.iter().zip(needed).filter(|(_, needed)| *needed);
    names.filter_map(|(local, _)| local.name.clone()).collect()
}

#[test]
fn a_local_written_first_on_every_way_is_set() {
    let source = "int main(int argc, char **argv) { int x, y; if (argc) x = 1; else x = 2; y = x; return y; }";
    assert_eq!(unset(source), Vec::<String>::new());
}

#[test]
fn a_local_written_on_one_way_only_may_be_unset() {
    assert_eq!(unset("int main(int argc, char **argv) { int x; if (argc) x = 1; return x; }"), ["x"]);
}

#[test]
fn a_local_written_in_a_loop_may_be_unset_behind_it() {
    let source = "int main(int argc, char **argv) { int x; while (argc--) x = argc; return x; }";
    assert_eq!(unset(source), ["x"]);
}

#[test]
fn a_part_written_is_not_the_whole() {
    let source = "struct s { int a, b; };\nint main(void) { struct s x; x.a = 1; return x.b; }";
    assert_eq!(unset(source), ["x"]);
}
