//! Contents against arrays of bytes.

use super::*;
use crate::native::Dice;
use crate::parts::Variables;
use wherefore_formula::{Sort, VarId};

fn kind(rest: Rest) -> Kind {
    Kind { address: 0x1000, front: 0, size: 32, limit: None, constant: false, declared: None, rest }
}

fn read(content: &mut Content, terms: &mut Terms, kind: &Kind, offset: u64, bytes: u32) -> TermId {
    content.read(terms, kind, &mut Variables::default(), offset, bytes)
}

/// Writes numbers into a content and into bytes.
fn scribble(dice: &mut Dice, terms: &mut Terms, content: &mut Content, bytes: &mut [u8; 32], times: u64) {
    for _ in 0..times {
        let size = 1 << dice.below(5);
        let at = dice.below(33 - size);
        let number = (0..size).fold(0u128, |n, _| n << 8 | u128::from(dice.below(256)));
        let value = terms.bits(size as u32 * 8, number);
        content.write(terms, at, value);
        bytes[at as usize..(at + size) as usize].copy_from_slice(&number.to_le_bytes()[..size as usize]);
    }
}

fn expected(bytes: &[u8; 32], at: u64, size: u64) -> u128 {
    bytes[at as usize..(at + size) as usize].iter().rev().fold(0, |n, b| n << 8 | u128::from(*b))
}

#[test]
fn reads_see_the_last_writes_of_all_widths_and_overlaps() {
    let mut dice = Dice::new(1);
    let mut terms = Terms::new();
    let kind = kind(Rest::Zero);
    for _ in 0..100 {
        let mut bytes = [0; 32];
        let mut content = Content::new(&terms);
        scribble(&mut dice, &mut terms, &mut content, &mut bytes, 12);
        for size in [1, 2, 4, 8, 16] {
            for at in 0..=32 - size {
                let value = read(&mut content, &mut terms, &kind, at, size as u32);
                assert_eq!(terms.constant(value), Some(expected(&bytes, at, size)), "{size} bytes at {at}");
            }
        }
    }
}

#[test]
fn cells_never_overlap() {
    let mut dice = Dice::new(2);
    let mut terms = Terms::new();
    for _ in 0..200 {
        let mut content = Content::new(&terms);
        scribble(&mut dice, &mut terms, &mut content, &mut [0; 32], 10);
        let cells: Vec<(u64, u32)> = content.cells.iter().map(|(at, cell)| (*at, cell.bytes)).collect();
        assert!(cells.windows(2).all(|w| w[0].0 + u64::from(w[0].1) <= w[1].0), "{cells:?}");
        assert!(content.cells.values().all(|cell| terms.width(cell.value) == cell.bytes * 8));
    }
}

#[test]
fn merged_contents_are_one_or_the_other() {
    let mut dice = Dice::new(3);
    let mut terms = Terms::new();
    let condition = terms.var(VarId(1000), Sort::Bool);
    let kind = kind(Rest::Zero);
    for _ in 0..60 {
        let mut common = [0; 32];
        let mut start = Content::new(&terms);
        scribble(&mut dice, &mut terms, &mut start, &mut common, 5);
        let (mut a, mut b) = (start.clone(), start);
        let (mut in_a, mut in_b) = (common, common);
        scribble(&mut dice, &mut terms, &mut a, &mut in_a, 4);
        scribble(&mut dice, &mut terms, &mut b, &mut in_b, 4);
        a.merge(&mut terms, &kind, &mut Variables::default(), condition, b);
        for at in 0..=28 {
            let value = read(&mut a, &mut terms, &kind, at, 4);
            for (chosen, bytes) in [(1, in_a), (0, in_b)] {
                let found = terms.evaluate(value, &mut |_| Some(chosen)).map(|v| v.raw());
                assert_eq!(found, Some(expected(&bytes, at, 4)), "at {at} where the condition is {chosen}");
            }
        }
    }
}

#[test]
fn what_was_freed_on_one_way_is_freed_there() {
    let mut terms = Terms::new();
    let condition = terms.var(VarId(0), Sort::Bool);
    let mut a = Content::new(&terms);
    let mut b = Content::new(&terms);
    b.alive = terms.truth(false);
    a.merge(&mut terms, &kind(Rest::Zero), &mut Variables::default(), condition, b);
    assert_eq!(a.alive, condition);
}

#[test]
fn bytes_nobody_has_written_are_those_of_the_image() {
    let mut terms = Terms::new();
    let kind = kind(Rest::Image([1u8, 2, 3, 4].into()));
    let mut content = Content::new(&terms);
    let value = read(&mut content, &mut terms, &kind, 1, 2);
    assert_eq!(terms.constant(value), Some(0x0302));
    let value = read(&mut content, &mut terms, &kind, 2, 4);
    assert_eq!(terms.constant(value), Some(0x0403), "zeros behind it");
}

#[test]
fn undefined_bytes_are_the_same_each_time_they_are_read() {
    let mut terms = Terms::new();
    let kind = kind(Rest::Undefined);
    let mut content = Content::new(&terms);
    let mut variables = Variables::default();
    let word = content.read(&mut terms, &kind, &mut variables, 0, 4);
    let again = content.read(&mut terms, &kind, &mut variables, 0, 4);
    let low = content.read(&mut terms, &kind, &mut variables, 0, 1);
    assert_eq!((word, variables.unknowns().len()), (again, 1));
    assert_eq!(low, terms.extract(word, 0, 8));
    let other = content.read(&mut terms, &kind, &mut variables, 4, 4);
    assert_ne!(word, other);
}

#[test]
fn ranges_are_cut_where_they_overlap() {
    assert_eq!(pieces(vec![(0, 4), (4, 4)]), [(0, 4), (4, 4)]);
    assert_eq!(pieces(vec![(0, 4), (2, 4)]), [(0, 2), (2, 2), (4, 2)]);
    assert_eq!(pieces(vec![(0, 8), (2, 1), (12, 2)]), [(0, 2), (2, 1), (3, 5), (12, 2)]);
}

#[test]
fn a_range_is_a_part_of_the_cell_around_it() {
    let mut terms = Terms::new();
    let mut content = Content::new(&terms);
    let word = terms.bits(32, 7);
    content.write(&mut terms, 4, word);
    assert_eq!(content.around(5, 2).map(|(at, cell)| (at, cell.value)), Some((4, word)));
    assert_eq!((content.around(5, 4), content.around(2, 1)), (None, None));
}
