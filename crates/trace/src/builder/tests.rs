use super::*;
use wherefore_program::{Global, GlobalId};

const NOWHERE: Here = Here { at: None, activation: 0, scope: None };

/// A builder over an object of 16 bytes on the heap.
fn builder(program: &Program) -> (Builder<'_>, u32) {
    let mut build = Builder::new(program);
    let object = build.memory.allocate(ObjectKind::Heap { at: None, freed: false }, 0x1000, 16);
    (build, object)
}

fn range(object: u32, offset: u64, size: u64) -> Range {
    Range { object, offset, size }
}

/// Writes a constant.
fn put(build: &mut Builder, range: Range, value: u128) {
    let value = build.constant(range.size as u32 * 8, value);
    build.write(range, &value, Kind::Assign, None, NOWHERE);
}

/// The steps, as `variable := term` over `v0`, `v1`, ..., with `?` before a value from outside, `!` before an initial
/// one and `.` before bookkeeping. Each step's value is what its term gives.
fn told(build: &mut Builder) -> Vec<String> {
    let length = build.steps.len();
    let steps = build.finish_steps(length);
    let mut values = build.initial.clone();
    let mut lines = vec![];
    for step in steps {
        let Action::Assign { to, value, before, after, .. } = step.action else { panic!("only assignments are built") };
        let computed = build.terms.evaluate(value, &mut |v| values[v.0 as usize]).map(|v| v.raw());
        assert_eq!(computed, Some(after), "a step has the value of its term");
        assert_eq!(before, values[to.0 as usize], "a step knows what it overwrites");
        values[to.0 as usize] = Some(after);
        let mark = match step.kind {
            Kind::Havoc => "?",
            Kind::Thread => "t",
            Kind::Initial => "!",
            Kind::Internal => ".",
            _ => "",
        };
        lines.push(format!("{mark}v{} := {}", to.0, build.terms.display(value, &|v| format!("v{}", v.0))));
    }
    lines
}

#[test]
fn an_old_value_is_saved_where_it_is_overwritten() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    let (x, y) = (range(object, 0, 4), range(object, 4, 4));
    put(&mut build, x, 5);
    let old = build.read(x, 32, None, None, NOWHERE);
    put(&mut build, x, 7);
    put(&mut build, x, 9);
    build.write(y, &old, Kind::Assign, None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 5:32", ".v1 := v0", "v0 := 7:32", "v0 := 9:32", "v2 := v1"]);
}

#[test]
fn a_value_still_there_is_not_saved() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let value = build.read(range(object, 0, 4), 32, None, None, NOWHERE);
    put(&mut build, range(object, 8, 4), 7);
    build.write(range(object, 4, 4), &value, Kind::Assign, None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 5:32", "v1 := 7:32", "v2 := v0"]);
}

#[test]
fn an_old_value_is_saved_once_for_all_its_uses() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let old = build.read(range(object, 0, 4), 32, None, None, NOWHERE);
    put(&mut build, range(object, 0, 4), 7);
    build.write(range(object, 4, 4), &old, Kind::Assign, None, NOWHERE);
    build.write(range(object, 8, 4), &old, Kind::Assign, None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 5:32", ".v1 := v0", "v0 := 7:32", "v2 := v1", "v3 := v1"]);
}

#[test]
fn what_c_grants_is_about_the_saved_value_too() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let mut old = build.read(range(object, 0, 4), 32, None, None, NOWHERE);
    let zero = build.terms.bits(32, 0);
    let granted = build.terms.ne(old.term, zero);
    old.facts.assumes.push(granted);
    put(&mut build, range(object, 0, 4), 0);
    let now = build.refresh(&old);
    assert_eq!(build.terms.display(now.facts.assumes[0], &|v| format!("v{}", v.0)), "(not (= v1 0:32))");
}

#[test]
fn a_narrow_write_replaces_a_part_of_its_cell() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 0x1122_3344);
    put(&mut build, range(object, 1, 1), 0xaa);
    let whole = build.read(range(object, 0, 4), 32, None, None, NOWHERE);
    assert_eq!(whole.concrete, 0x1122_aa44);
    let part = build.read(range(object, 2, 2), 16, None, None, NOWHERE);
    assert_eq!(part.concrete, 0x1122);
    assert_eq!(build.variables.len(), 1);
    assert_eq!(told(&mut build).len(), 2);
}

#[test]
fn a_wide_access_reads_and_writes_several_cells() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 2), 0x2211);
    put(&mut build, range(object, 2, 2), 0x4433);
    let wide = build.read(range(object, 0, 4), 32, None, None, NOWHERE);
    assert_eq!((wide.concrete, wide.facts.reads.len()), (0x4433_2211, 2));
    put(&mut build, range(object, 0, 4), 0xddcc_bbaa);
    assert_eq!(build.current_value(VarId(0)), Some(0xbbaa));
    assert_eq!(build.current_value(VarId(1)), Some(0xddcc));
    assert_eq!(told(&mut build).len(), 4);
}

#[test]
fn a_first_read_of_unknown_memory_is_an_initial_value() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    let value = build.read(range(object, 0, 4), 32, Some(41), None, NOWHERE);
    assert_eq!((value.concrete, build.initial[0]), (41, Some(41)));
    assert_eq!(told(&mut build), Vec::<String>::new());
}

#[test]
fn a_value_that_nobody_wrote_comes_from_outside_where_it_is_read() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let value = build.read(range(object, 0, 4), 32, Some(6), None, NOWHERE);
    assert_eq!(value.concrete, 6);
    assert_eq!(told(&mut build), ["v0 := 5:32", "?v0 := 6:32"]);
}

#[test]
fn a_value_that_nobody_wrote_comes_from_the_call_outside_since() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let position = build.steps.len();
    build
        .outside_of
        .insert(object, Outside { position, here: NOWHERE, given: Default::default(), writes: Writes::Itself });
    put(&mut build, range(object, 8, 4), 1);
    build.read(range(object, 0, 4), 32, Some(6), None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 5:32", "?v0 := 6:32", "v1 := 1:32"]);
}

#[test]
fn a_call_before_the_last_write_is_not_where_a_value_comes_from() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 8, 4), 1);
    build.last_outside =
        Some(Outside { position: 0, here: NOWHERE, given: Default::default(), writes: Writes::Itself });
    put(&mut build, range(object, 0, 4), 5);
    build.read(range(object, 0, 4), 32, Some(6), None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 1:32", "v1 := 5:32", "?v1 := 6:32"]);
}

#[test]
fn what_may_have_been_written_outside_is_new_although_it_is_the_same() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let outside =
        Outside { position: build.steps.len(), here: NOWHERE, given: Default::default(), writes: Writes::Itself };
    build.forget(object, 0, 4, &outside);
    build.read(range(object, 0, 4), 32, Some(5), None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 5:32", "?v0 := 5:32"]);
}

#[test]
fn a_part_written_outside_leaves_the_rest_of_its_cell() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 0x1122_3344);
    build.read(range(object, 1, 1), 8, Some(0xff), None, NOWHERE);
    assert_eq!(build.current_value(VarId(0)), Some(0x1122_ff44));
    assert_eq!(told(&mut build).len(), 2);
}

#[test]
fn a_fill_of_unseen_bytes_takes_effect_where_it_was() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    let byte = build.constant(8, 0x7f);
    build.fill(range(object, 0, 16), &byte, Kind::Assign, None, NOWHERE);
    put(&mut build, range(object, 8, 4), 1);
    let value = build.read(range(object, 4, 2), 16, None, None, NOWHERE);
    assert_eq!(value.concrete, 0x7f7f);
    assert_eq!(told(&mut build), ["v1 := 32639:16", "v0 := 1:32"]);
}

#[test]
fn the_latest_fill_counts() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    for byte in [1, 2] {
        let byte = build.constant(8, byte);
        build.fill(range(object, 0, 16), &byte, Kind::Assign, None, NOWHERE);
    }
    assert_eq!(build.read(range(object, 4, 1), 8, None, None, NOWHERE).concrete, 2);
}

#[test]
fn fills_that_overlap_are_put_together() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    for (byte, offset, size) in [(7, 0, 16), (1, 0, 2)] {
        let byte = build.constant(8, byte);
        build.fill(range(object, offset, size), &byte, Kind::Assign, None, NOWHERE);
    }
    let value = build.read(range(object, 0, 4), 32, Some(0x0707_0101), None, NOWHERE);
    assert_eq!(value.concrete, 0x0707_0101);
    assert_eq!(told(&mut build), ["v0 := 117899521:32"], "nothing comes from outside");
}

#[test]
fn of_a_fill_and_a_later_copy_of_a_part_the_recorded_value_is_known_only() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    let byte = build.constant(8, 7);
    build.fill(range(object, 0, 8), &byte, Kind::Assign, None, NOWHERE);
    build.copy(range(object, 0, 2), range(object, 8, 2), Kind::Assign, &Facts::default(), None, NOWHERE);
    let value = build.read(range(object, 0, 4), 32, Some(0x0707_2211), None, NOWHERE);
    assert_eq!(value.concrete, 0x0707_2211);
    assert_eq!(told(&mut build), ["?v0 := 117907985:32"]);
}

#[test]
fn a_fill_of_known_bytes_writes_them() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let byte = build.constant(8, 0xff);
    build.fill(range(object, 0, 2), &byte, Kind::Assign, None, NOWHERE);
    assert_eq!(build.current_value(VarId(0)), Some(0xffff));
    assert_eq!(told(&mut build).len(), 2);
}

#[test]
fn a_copy_has_the_cells_of_its_source() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    put(&mut build, range(object, 4, 2), 6);
    build.copy(range(object, 8, 6), range(object, 0, 6), Kind::Assign, &Facts::default(), None, NOWHERE);
    assert_eq!(told(&mut build), ["v0 := 5:32", "v1 := 6:16", "v2 := v0", "v3 := v1"]);
}

#[test]
fn overlapping_bytes_are_copied_as_if_all_were_read_first() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    for i in 0..4 {
        put(&mut build, range(object, i, 1), u128::from(i) + 1);
    }
    build.copy(range(object, 1, 3), range(object, 0, 3), Kind::Assign, &Facts::default(), None, NOWHERE);
    let bytes = (0..4).map(|i| build.current_value(VarId(i)));
    assert_eq!(bytes.collect::<Vec<_>>(), [Some(1), Some(1), Some(2), Some(3)]);
    assert_eq!(told(&mut build).len(), 4 + 3 + 2, "two old values are saved");
}

#[test]
fn a_copy_of_unseen_bytes_is_found_out_later() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    build.copy(range(object, 8, 4), range(object, 0, 4), Kind::Assign, &Facts::default(), None, NOWHERE);
    let value = build.read(range(object, 8, 4), 32, Some(17), None, NOWHERE);
    assert_eq!(value.concrete, 17);
    assert_eq!(told(&mut build), ["v0 := v1"]);
    assert_eq!(build.initial[1], Some(17), "the source had the value from the start");
}

#[test]
fn a_copy_whose_source_has_changed_since_keeps_the_recorded_value() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    build.copy(range(object, 8, 4), range(object, 0, 4), Kind::Assign, &Facts::default(), None, NOWHERE);
    put(&mut build, range(object, 0, 4), 99);
    let value = build.read(range(object, 8, 4), 32, Some(17), None, NOWHERE);
    assert_eq!(value.concrete, 17);
    assert_eq!(told(&mut build), ["?v1 := 17:32", "v0 := 99:32"]);
}

/// A program with one global of four bytes.
fn with_global(constant: bool) -> Program {
    let global = Global {
        symbol: "g".into(),
        name: Some("g".into()),
        function: None,
        scope: vec![],
        ctype: None,
        size: 4,
        constant,
        external: false,
        origin: None,
    };
    Program { globals: vec![global], ..Program::default() }
}

#[test]
fn a_global_has_its_initial_value_before_the_first_step() {
    let program = with_global(false);
    let (mut build, object) = builder(&program);
    let global = build.memory.allocate(ObjectKind::Global(GlobalId(0)), 0x2000, 4);
    build.images.push(Some(vec![1, 2, 3, 4]));
    put(&mut build, range(object, 0, 4), 5);
    let value = build.read(range(global, 0, 4), 32, Some(0x0403_0201), None, NOWHERE);
    assert_eq!(value.concrete, 0x0403_0201);
    assert_eq!(told(&mut build), ["!v1 := 67305985:32", "v0 := 5:32"]);
}

#[test]
fn an_initial_value_is_there_before_it_is_saved() {
    let program = with_global(false);
    let (mut build, object) = builder(&program);
    let global = build.memory.allocate(ObjectKind::Global(GlobalId(0)), 0x2000, 4);
    build.images.push(Some(vec![3, 0, 0, 0]));
    // `x = g--` as the first statement of all.
    let old = build.read(range(global, 0, 4), 32, Some(3), None, NOWHERE);
    put(&mut build, range(global, 0, 4), 2);
    build.write(range(object, 0, 4), &old, Kind::Store, None, NOWHERE);
    assert_eq!(told(&mut build), ["!v0 := 3:32", ".v1 := v0", "v0 := 2:32", "v2 := v1"]);
}

#[test]
fn a_literal_is_a_value_and_no_variable() {
    let mut program = with_global(true);
    program.globals[0].name = None;
    let (mut build, _) = builder(&program);
    let global = build.memory.allocate(ObjectKind::Global(GlobalId(0)), 0x2000, 4);
    build.images.push(Some(vec![1, 2, 3, 4]));
    let value = build.read(range(global, 1, 2), 16, Some(0x0302), None, NOWHERE);
    assert_eq!(build.terms.constant(value.term), Some(0x0302));
    assert_eq!(build.variables.len(), 0);
}

#[test]
fn nobody_writes_a_constant_with_a_name() {
    let program = with_global(true);
    let (mut build, object) = builder(&program);
    let global = build.memory.allocate(ObjectKind::Global(GlobalId(0)), 0x2000, 4);
    build.images.push(Some(vec![1, 2, 3, 4]));
    put(&mut build, range(object, 0, 4), 5);
    let outside = Outside { position: 1, here: NOWHERE, given: Default::default(), writes: Writes::Itself };
    build.outside_of.insert(global, outside.clone());
    build.read(range(global, 0, 2), 16, Some(0x0201), None, NOWHERE);
    build.forget(global, 0, 4, &outside);
    build.read(range(global, 0, 2), 16, Some(0x0201), None, NOWHERE);
    assert_eq!(told(&mut build), ["!v1 := 513:16", "v0 := 5:32"]);
}

#[test]
fn a_range_is_set_when_every_byte_was_written() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    assert!(build.is_unset(range(object, 0, 4)));
    put(&mut build, range(object, 0, 2), 1);
    assert!(build.is_unset(range(object, 0, 4)) && !build.is_unset(range(object, 0, 2)));
    put(&mut build, range(object, 2, 2), 1);
    assert!(!build.is_unset(range(object, 0, 4)));
}

#[test]
fn steps_behind_the_end_are_dropped_with_what_was_inserted_there() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 0, 4), 5);
    let old = build.read(range(object, 0, 4), 32, None, None, NOWHERE);
    put(&mut build, range(object, 4, 4), 6);
    put(&mut build, range(object, 0, 4), 7);
    build.write(range(object, 8, 4), &old, Kind::Assign, None, NOWHERE);
    assert_eq!(build.finish_steps(1).len(), 1);
}

#[test]
fn what_a_copy_shows_its_source_was() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 8, 8), 1);
    // A copy of a copy over what is known: nobody knows yet what is copied.
    build.copy(range(object, 8, 8), range(object, 0, 8), Kind::Assign, &Facts::default(), None, NOWHERE);
    let other = build.memory.allocate(ObjectKind::Heap { at: None, freed: false }, 0x2000, 8);
    put(&mut build, range(other, 0, 8), 2);
    build.copy(range(other, 0, 8), range(object, 8, 8), Kind::Assign, &Facts::default(), None, NOWHERE);
    put(&mut build, range(object, 8, 8), 3);
    let value = build.read(range(other, 0, 8), 64, Some(7), None, NOWHERE);
    assert_eq!(value.concrete, 7);
    let source = build.memory.cell_at(object, 0).expect("a cell").variable;
    assert_eq!(build.initial[source.0 as usize], Some(7));
    assert_eq!(told(&mut build), ["v0 := 1:64", "v0 := v1", "v2 := 2:64", "v2 := v0", "v0 := 3:64"]);
}

#[test]
fn what_moves_within_an_object_is_known_with_what_is_kept_of_it() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 4, 4), 1);
    put(&mut build, range(object, 8, 4), 2);
    build.copy(range(object, 4, 4), range(object, 0, 4), Kind::Assign, &Facts::default(), None, NOWHERE);
    build.copy(range(object, 4, 8), range(object, 0, 8), Kind::Assign, &Facts::default(), None, NOWHERE);
    assert_eq!(build.read(range(object, 8, 4), 32, Some(5), None, NOWHERE).concrete, 5);
    assert_eq!(build.read(range(object, 4, 4), 32, Some(5), None, NOWHERE).concrete, 5);
    assert_eq!(told(&mut build).last().map(String::as_str), Some("v1 := v3"));
}

#[test]
fn a_copy_into_a_part_of_a_variable_is_known_with_it() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 8, 8), 0x1111_2222_3333_4444);
    build.copy(range(object, 10, 2), range(object, 0, 2), Kind::Assign, &Facts::default(), None, NOWHERE);
    let value = build.read(range(object, 8, 8), 64, Some(0x1111_2222_abcd_4444), None, NOWHERE);
    assert_eq!(value.concrete, 0x1111_2222_abcd_4444);
    let source = build.memory.cell_at(object, 0).expect("a cell").variable;
    assert_eq!(build.initial[source.0 as usize], Some(0xabcd));
    assert_eq!(told(&mut build).len(), 2);
}

#[test]
fn a_copy_of_what_a_call_gave_is_known_by_the_copy() {
    let program = Program::default();
    let (mut build, object) = builder(&program);
    put(&mut build, range(object, 8, 8), 1);
    let given = std::rc::Rc::new(Facts::default());
    let outside = Outside { position: 1, here: NOWHERE, given, writes: Writes::Itself };
    build.outside_of.insert(object, outside);
    build.copy(range(object, 8, 8), range(object, 0, 8), Kind::Assign, &Facts::default(), None, NOWHERE);
    assert_eq!(build.read(range(object, 8, 8), 64, Some(9), None, NOWHERE).concrete, 9);
    assert_eq!(told(&mut build), ["v0 := 1:64", "?v1 := 9:64", "v0 := v1"]);
}
