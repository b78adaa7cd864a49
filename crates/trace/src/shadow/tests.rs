use super::*;
use wherefore_program::Operand;

fn operand() -> Operand {
    Operand::Constant { bits: 64, value: 0 }
}

fn binary(op: BinaryOp) -> Operation {
    Operation::Binary { op, left: operand(), right: operand(), no_signed_wrap: false, no_unsigned_wrap: false }
}

fn unset(mask: u128) -> Shadow {
    Shadow { unset: mask, from: Some((7, 0)), ..Shadow::default() }
}

#[test]
fn a_pointer_plus_a_number_points_into_its_object_and_a_difference_into_none() {
    let (pointer, number) = (Shadow::pointer(3), Shadow::default());
    let of = |op, shadows: &[Shadow]| Shadow::of(&binary(op), 64, shadows, |_| 0).object;
    assert_eq!(of(BinaryOp::Add, &[pointer, number]), Some(3));
    assert_eq!(of(BinaryOp::Add, &[number, pointer]), Some(3));
    assert_eq!(of(BinaryOp::Sub, &[pointer, Shadow::pointer(4)]), None);
    assert_eq!(of(BinaryOp::Xor, &[pointer, number]), None);
}

#[test]
fn a_bit_that_settles_the_result_hides_what_is_not_set() {
    let and = Shadow::of(&binary(BinaryOp::And), 8, &[unset(0xff), Shadow::default()], |i| [0, 0x0f][i]);
    assert_eq!(and.unset, 0x0f);
    let or = Shadow::of(&binary(BinaryOp::Or), 8, &[unset(0xff), Shadow::default()], |i| [0, 0x0f][i]);
    assert_eq!(or.unset, 0xf0);
    let equal = Operation::Compare(CompareOp::Eq, operand(), operand());
    assert_eq!(Shadow::of(&equal, 1, &[unset(0x0f), Shadow::default()], |i| [0x10, 0x20][i]).unset, 0);
    assert_eq!(Shadow::of(&equal, 1, &[unset(0x0f), Shadow::default()], |i| [0x10, 0x10][i]).unset, 1);
}

#[test]
fn what_is_copied_is_as_little_set_as_it_was_and_still_comes_from_where_it_came() {
    let mut memory = ShadowMemory::default();
    memory.make(1, 16);
    memory.set(1, 4, 4);
    memory.write(1, 8, 8, Shadow::pointer(9), 0x1234);
    memory.copy((2, 100), (1, 0), 16);
    assert_eq!(memory.unset_in(2, 100, 16), vec![(100, 104, (1, 0))]);
    assert_eq!(memory.read(2, 108, 8, Some(0x1234)).object, Some(9));
    assert_eq!(memory.read(2, 108, 8, Some(0x1235)).object, None, "somebody else wrote it");
    assert_eq!(memory.read(2, 100, 8, None).unset, 0xffff_ffff);
    memory.set(2, 110, 1);
    assert_eq!(memory.read(2, 108, 8, Some(0x1234)).object, None);
}

#[test]
fn a_pointer_made_from_an_array_in_a_struct_stays_there_until_a_constant_leads_out() {
    let part = Some(Part { start: 0x1000, size: 8 });
    let pointer = Shadow { part, ..Shadow::pointer(3) };
    let index = Operand::Register(wherefore_program::RegId(0));
    let add = |right| Operation::Binary {
        op: BinaryOp::Add,
        left: index.clone(),
        right,
        no_signed_wrap: false,
        no_unsigned_wrap: false,
    };
    let of = |operation: &Operation, from: u128, step: u128| {
        Shadow::of(operation, 64, &[pointer, Shadow::default()], |i| [from, step][i]).part
    };
    let (constant, variable) = (add(operand()), add(index.clone()));
    assert_eq!(of(&constant, 0x1007, 1), part, "up to its end");
    assert_eq!(of(&constant, 0x1000, 8), None, "to the next member");
    assert_eq!(of(&constant, 0x1000, u128::from(u64::MAX)), None, "to what is around it");
    assert_eq!(of(&variable, 0x1000, 9), part, "an index is meant for the array");
    let mut memory = ShadowMemory::default();
    memory.write(1, 0, 8, pointer, 0x1000);
    assert_eq!(memory.read(1, 0, 8, Some(0x1000)), pointer);
}

#[test]
fn a_pointer_lies_in_a_range_with_any_of_its_bytes() {
    let mut memory = ShadowMemory::default();
    memory.write(1, 8, 8, Shadow::pointer(9), 0x1234);
    assert_eq!(memory.pointers_in(1, 15, 1), [(8, 9)]);
    assert_eq!(memory.pointers_in(1, 0, 9), [(8, 9)]);
    assert_eq!(memory.pointers_in(1, 16, 8), []);
    assert_eq!(memory.pointers_in(1, 0, 8), []);
}
