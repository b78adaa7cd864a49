//! To the leading one.

use super::Bits;
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::logic::Logic;

/// The distances to try, as powers of two: together they reach over all bits but one.
fn stages(width: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).take_while(move |&stage| 1 << stage < width).collect::<Vec<_>>().into_iter().rev()
}

/// Whether the bits in front are zero.
fn starts_with_zeros<L: Logic>(logic: &mut L, bits: &[L::Bit], count: usize) -> L::Bit {
    !logic.or_all(bits[bits.len() - count..].iter().copied())
}

/// The bits moved up where the condition is set.
fn moved_if<L: Logic>(logic: &mut L, condition: L::Bit, bits: &[L::Bit], distance: usize) -> Bits<L> {
    let mut moved = logic.number(distance, 0);
    moved.extend_from_slice(&bits[..bits.len() - distance]);
    logic.choose(condition, &moved, bits)
}

/// Moves the highest one to the top. Gives the bits and how far they were moved.
pub(super) fn normalise<L: Logic>(logic: &mut L, bits: &[L::Bit]) -> (Bits<L>, Bits<L>) {
    let mut bits = bits.to_vec();
    let mut moved = vec![];
    for stage in stages(bits.len()) {
        let is_far = starts_with_zeros(logic, &bits, 1 << stage);
        bits = moved_if(logic, is_far, &bits, 1 << stage);
        moved.push(is_far);
    }
    moved.reverse();
    (bits, moved)
}

/// Moves the highest one towards the top, but not further than there is room. Gives the bits and the room that is left.
///
/// To take the large distances first is right also where the room ends it: the rest of the room is then below the
/// distance just tried.
pub(super) fn normalise_within<L: Logic>(logic: &mut L, bits: &[L::Bit], room: &[L::Bit]) -> (Bits<L>, Bits<L>) {
    let (mut bits, mut room) = (bits.to_vec(), room.to_vec());
    for stage in stages(bits.len()) {
        let is_far = starts_with_zeros(logic, &bits, 1 << stage);
        let has_room = logic.or_all(room[stage..].iter().copied());
        let moves = logic.and(is_far, has_room);
        bits = moved_if(logic, moves, &bits, 1 << stage);
        // One less, counted in this distance: all ones are added.
        let minus_one = vec![moves; room.len() - stage];
        let less = logic.add(&room[stage..], &minus_one);
        room[stage..].copy_from_slice(&less);
    }
    (bits, room)
}
