//! Lowered programs: well formed, and for small ones as they are.

use std::path::{Path, PathBuf};
use wherefore_boogie::read;
use wherefore_program::{print, validate};

fn files() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/boogie");
    let of = |directory: &str| std::fs::read_dir(tests.join(directory)).expect("a directory");
    let mut all: Vec<PathBuf> = ["figures", "relevant", "corpus"]
        .iter()
        .flat_map(|d| of(d))
        .map(|entry| entry.expect("a file").path())
        .collect();
    all.sort();
    all
}

#[test]
fn every_program_is_well_formed_from_every_procedure() {
    assert!(files().len() > 25);
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a text");
        let boogie = read("x.bpl", &text).unwrap_or_else(|problems| panic!("{}: {problems}", file.display()));
        for procedure in boogie.procedures() {
            let program = boogie.program(procedure).expect("it has a body");
            assert_eq!(validate(&program), [], "{} from {procedure}", file.display());
        }
    }
}

#[test]
fn statements_become_commands_with_their_places() {
    let text = "var g: int;\nprocedure p(x: int) returns (r: bool)\n  modifies g;\n{\n  havoc g;\n  r := g < x;\n  assert r;\n}\n";
    let program = read("x.bpl", text).expect("it is understood").program("p").expect("a procedure");
    insta::assert_snapshot!(print(&program));
}

#[test]
fn a_variable_begins_with_any_value_only_where_it_is_read_before_it_is_set() {
    let names = |text: &str| {
        let program = read("x.bpl", text).expect("it is understood").program("p").expect("a procedure");
        program.undefined.into_iter().map(|one| one.name).collect::<Vec<_>>()
    };
    assert_eq!(names("procedure p() { var x: int; x := 1; assert x > 0; }"), Vec::<String>::new());
    assert_eq!(names("procedure p() { var x: int; assert x > 0; }"), ["havoc x"]);
    let either = "procedure p() { var x: int, y: bool; if (*) { x := 1; } assert x > 0; }";
    assert_eq!(names(either), ["*", "havoc x"]);
}
