//! Programs of Boogie, interpreted: what operators give, against what they should give.

use wherefore_boogie::read;
use wherefore_case::Given;
use wherefore_interpret::{GaveUp, Integers, Limits, Ran, Run, run};
use wherefore_program::{Slot, points};
use wherefore_record::{Ending, Forced};

/// Interprets the procedure `p` of a text.
fn ran(text: &str, nondet: &[u64], forced: &[Forced], limits: Limits) -> Ran {
    let boogie = read("p.bpl", text).unwrap_or_else(|problems| panic!("{problems}"));
    let program = boogie.program("p").expect("a procedure");
    let given = Given { nondet: nondet.to_vec(), ..Given::default() };
    let entry = program.function("p").expect("it is there");
    let integers = Integers::Unlimited;
    run(&Run { program: &program, entry, given: &given, tables: None, forced, integers, limits })
}

/// Every assertion of a body holds.
fn holds(declarations: &str, assertions: &[String]) {
    let body = assertions.iter().map(|a| format!("  assert {a};\n")).collect::<String>();
    let text = format!("{declarations}\nprocedure p() {{\n{body}}}\n");
    let ran = ran(&text, &[], &[], Limits::default());
    assert_eq!(ran.gave_up, None);
    let words = ran.outcome.recording.expect("a recording").words().len();
    assert_eq!(ran.outcome.ending, Ending::Exited(0), "after {words} words of\n{text}");
}

#[test]
fn rests_are_never_negative() {
    let mut all = vec![];
    for x in -7i64..=7 {
        for y in (-3i64..=3).filter(|y| *y != 0) {
            let (q, r) = (x.div_euclid(y), x.rem_euclid(y));
            // Once with constants, once with what is not known when the program is read.
            all.push(format!("({x}) div ({y}) == {q} && ({x}) mod ({y}) == {r}"));
            all.push(format!("id({x}) div id({y}) == {q} && id({x}) mod id({y}) == {r}"));
        }
    }
    holds("function id(x: int): int { if x > 100 then 0 else x }", &all);
}

#[test]
fn bit_vectors_are_as_smt_lib_has_them() {
    const WIDTH: u32 = 3;
    let signed = |v: u64| if v >= 4 { v as i64 - 8 } else { v as i64 };
    let low = |v: i64| (v & 7) as u64;
    type Of = Box<dyn Fn(u64, u64) -> u64>;
    let operations: Vec<(&str, Of)> = vec![
        ("bvadd", Box::new(move |a, b| low(a as i64 + b as i64))),
        ("bvsub", Box::new(move |a, b| low(a as i64 - b as i64))),
        ("bvmul", Box::new(move |a, b| low(a as i64 * b as i64))),
        ("bvand", Box::new(|a, b| a & b)),
        ("bvor", Box::new(|a, b| a | b)),
        ("bvxor", Box::new(|a, b| a ^ b)),
        ("bvudiv", Box::new(|a, b| a.checked_div(b).unwrap_or(7))),
        ("bvurem", Box::new(|a, b| a.checked_rem(b).unwrap_or(a))),
        (
            "bvsdiv",
            Box::new(move |a, b| match signed(b) {
                0 => {
                    if signed(a) < 0 {
                        1
                    } else {
                        7
                    }
                }
                by => low(signed(a) / by),
            }),
        ),
        ("bvsrem", Box::new(move |a, b| if b == 0 { a } else { low(signed(a) % signed(b)) })),
        ("bvshl", Box::new(move |a, b| if b >= 3 { 0 } else { low((a << b) as i64) })),
        ("bvlshr", Box::new(|a, b| if b >= 3 { 0 } else { a >> b })),
        ("bvashr", Box::new(move |a, b| low(signed(a) >> b.min(3)))),
    ];
    type Orders = Box<dyn Fn(u64, u64) -> bool>;
    let orders: Vec<(&str, Orders)> = vec![
        ("bvult", Box::new(|a, b| a < b)),
        ("bvuge", Box::new(|a, b| a >= b)),
        ("bvslt", Box::new(move |a, b| signed(a) < signed(b))),
        ("bvsge", Box::new(move |a, b| signed(a) >= signed(b))),
    ];
    let ty = format!("bv{WIDTH}");
    let declare = |name: &str, result: &str| {
        format!("function {{:bvbuiltin \"{name}\"}} {name}(a: {ty}, b: {ty}) returns ({result});\n")
    };
    let declarations: String = (operations.iter().map(|(name, _)| declare(name, &ty)))
        .chain(orders.iter().map(|(name, _)| declare(name, "bool")))
        .chain(["function {:bvbuiltin \"sign_extend 2\"} wider(a: bv3) returns (bv5);\n".to_string()])
        .collect();
    let mut all = vec![];
    for a in 0..8u64 {
        for b in 0..8u64 {
            for (name, of) in &operations {
                all.push(format!("{name}({a}bv3, {b}bv3) == {}bv3", of(a, b)));
            }
            for (name, of) in &orders {
                all.push(format!("{name}({a}bv3, {b}bv3) == {}", of(a, b)));
            }
            all.push(format!("{a}bv3 ++ {b}bv3 == {}bv6", a << 3 | b));
        }
        all.push(format!("wider({a}bv3) == {}bv5", signed(a) & 31));
        all.push(format!("{a}bv3[2:1] == {}bv1", a >> 1 & 1));
    }
    holds(&declarations, &all);
}

#[test]
fn maps_keep_their_cells_apart() {
    let text = "var m: [int, bool]bv8; var n: [bv64][int]int;
procedure p() modifies m, n; {
  var i: int, j: int;
  while (i < 4) {
    m[i, true] := 1bv8; m[i, false] := 2bv8;
    j := 0;
    while (j < 4) { n[7bv64][j] := i * 10 + j; j := j + 1; }
    i := i + 1;
  }
  assert m[3, true] == 1bv8 && m[3, false] == 2bv8 && m[4, true] == 0bv8;
  assert n[7bv64][2] == 32 && n[8bv64][2] == 0;
  assert m[0, true := 9bv8][0, true] == 9bv8 && m[0, true := 9bv8][1, true] == 1bv8;
}";
    let ran = ran(text, &[], &[], Limits::default());
    assert_eq!((ran.gave_up, ran.outcome.ending), (None, Ending::Exited(0)));
}

#[test]
fn what_leaves_its_range_gives_up_with_its_place() {
    let text = "procedure p() {\n  var x: int;\n  havoc x;\n  x := x + 1;\n}\n";
    let ran = ran(text, &[i64::MAX as u64], &[], Limits::default());
    let Some(GaveUp { at: Some(at), what }) = ran.gave_up else { panic!("it went on") };
    assert_eq!((at.line, what.as_str()), (4, "a number leaves the range of 64 bits"));
    assert_eq!(ran.outcome.ending, Ending::Unsupported);
}

#[test]
fn a_run_that_does_not_end_is_stopped_at_its_limit() {
    let text = "procedure p() { while (true) { } }";
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let ran = ran(text, &[], &[], limits);
    assert_eq!(ran.outcome.ending, Ending::TimedOut);
    let budget = wherefore_budget::Budget::counting(3);
    let ran = self::ran(text, &[], &[], Limits { budget, ..Limits::default() });
    assert!(matches!(ran.outcome.ending, Ending::Stopped(_)), "{:?}", ran.outcome.ending);
}

#[test]
fn a_value_is_forced_at_one_execution() {
    let text =
        "procedure p() {\n  var i: int;\n  i := 0;\n  while (i < 5) {\n    i := i + 1;\n    assert i != 3;\n  }\n}\n";
    assert_eq!(ran(text, &[], &[], Limits::default()).outcome.ending, Ending::Signal(6));
    // The third execution of line 5 gives 9 in place of 3.
    let program = read("p.bpl", text).expect("it is understood").program("p").expect("a procedure");
    let is_it = |point: &wherefore_program::Point| {
        let block = &program.functions[0].blocks[point.block.index()];
        point.slot == Slot::Value
            && point.command.is_some_and(|n| block.commands[n as usize].at.is_some_and(|at| at.line == 5))
    };
    let point = points(&program).iter().position(is_it).expect("line 5 sets something") as u32;
    let ran = ran(text, &[], &[Forced { point, occurrence: 2, value: 9 }], Limits::default());
    assert_eq!((ran.applied, ran.outcome.ending), (1, Ending::Exited(0)));
}
