//! Rounds of loops, shortened for the reader.

use std::collections::HashMap;

use crate::model::{Loc, Step, StepKind};

/// A step to show, or rounds that are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folded {
    /// Show the step with this index.
    Step(usize),
    /// Rounds of a loop between the first and the last one, which are shown.
    Rounds {
        /// How many rounds are left out.
        rounds: u64,
        /// The indices of the first step left out and of the first one after.
        steps: std::ops::Range<usize>,
    },
    /// Show the last one of these steps: the others hand on its value.
    PassedOn(std::ops::Range<usize>),
}

impl Folded {
    /// The steps that this stands for.
    pub fn steps(&self) -> std::ops::Range<usize> {
        match self {
            Folded::Step(index) => *index..index + 1,
            Folded::Rounds { steps, .. } | Folded::PassedOn(steps) => steps.clone(),
        }
    }
}

/// How much is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Middle rounds, where there are many.
    Middle,
    /// All rounds but the last one, and the steps that only hand on a value.
    Much,
}

/// The longest loop body, in steps that matter, that is recognized.
const LONGEST_ROUND: usize = 64;

/// Replaces rounds of repeated sequences of statements by [`Folded::Rounds`].
///
/// With [`Folding::Middle`], where the same statements follow each other three times or more, the first and the last
/// round stay; with [`Folding::Much`], where they do so twice or more, the last one. Inner loops are folded first and
/// their rounds are not counted when outer ones are compared. Nothing is folded that would save the reader less than
/// two steps.
pub fn fold(steps: &[&Step], folding: Folding) -> Vec<Folded> {
    let mut numbers = HashMap::new();
    let mut items: Vec<Item> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let key = number(&mut numbers, Key::of(step));
        match items.last_mut() {
            // What only hands on a value is told with where it arrives.
            Some(last) if folding == Folding::Much && same_value(steps[index - 1], step) => {
                (last.key, last.steps.end) = (key, index + 1);
            }
            _ => items.push(Item { key, steps: index..index + 1, rounds: None }),
        }
    }
    loop {
        let (next, changed) = fold_once(&items, folding, &mut |body| number(&mut numbers, Key::Rounds(body)));
        items = next;
        if !changed {
            break;
        }
    }
    let show = |item: Item| match item.rounds {
        Some(rounds) => Folded::Rounds { rounds, steps: item.steps },
        None if item.steps.len() > 1 => Folded::PassedOn(item.steps),
        None => Folded::Step(item.steps.start),
    };
    items.into_iter().map(show).collect()
}

/// Whether two steps hand on the same value.
fn same_value(a: &Step, b: &Step) -> bool {
    let value = |step: &Step| {
        let text = step.value.as_ref().or(step.note.as_ref())?;
        text.rsplit(' ').next().map(str::to_string)
    };
    a.passes_on && b.passes_on && value(a).is_some() && value(a) == value(b)
}

/// What makes two steps executions of the same statement.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key<'s> {
    Step(StepKind, &'s Loc, &'s str),
    Rounds(Vec<usize>),
}

impl<'s> Key<'s> {
    fn of(step: &'s Step) -> Key<'s> {
        Key::Step(step.kind, &step.at, &step.text)
    }
}

/// A small number for each different key.
fn number<'s>(numbers: &mut HashMap<Key<'s>, usize>, key: Key<'s>) -> usize {
    let next = numbers.len();
    *numbers.entry(key).or_insert(next)
}

/// A step, or rounds left out by an earlier pass.
#[derive(Clone)]
struct Item {
    key: usize,
    steps: std::ops::Range<usize>,
    rounds: Option<u64>,
}

/// One pass from left to right that folds the repetition with the shortest round at each place.
fn fold_once(items: &[Item], folding: Folding, name: &mut dyn FnMut(Vec<usize>) -> usize) -> (Vec<Item>, bool) {
    let mut out: Vec<Item> = Vec::new();
    let mut at = 0;
    let mut changed = false;
    while at < items.len() {
        let Some((length, rounds)) = repetition(&items[at..], folding) else {
            out.push(items[at].clone());
            at += 1;
            continue;
        };
        let end = at + length * rounds;
        let first = if folding == Folding::Middle { length } else { 0 };
        let hidden = &items[at + first..end - length];
        out.extend_from_slice(&items[at..at + first]);
        out.push(Item {
            key: name(items[at..at + length].iter().map(|item| item.key).collect()),
            steps: hidden[0].steps.start..hidden[hidden.len() - 1].steps.end,
            rounds: Some((hidden.len() / length) as u64),
        });
        out.extend_from_slice(&items[end - length..end]);
        at = end;
        changed = true;
    }
    (out, changed)
}

/// The length of the shortest sequence that the items start with repeated often enough, and how often.
fn repetition(items: &[Item], folding: Folding) -> Option<(usize, usize)> {
    let shown = if folding == Folding::Middle { 2 } else { 1 };
    (1..=LONGEST_ROUND.min(items.len() / (shown + 1))).find_map(|length| {
        let same = items.iter().zip(&items[length..]).take_while(|(a, b)| a.key == b.key).count();
        let rounds = same / length + 1;
        let hidden: usize = if rounds <= shown { 0 } else { (rounds - shown) * length };
        // Rounds that an earlier pass left out are no round of their own.
        let real = items[..length].iter().filter(|item| item.rounds.is_none()).count();
        (hidden >= 2 && real > 0 && (folding == Folding::Middle || real >= 2 || rounds > 3)).then_some((length, rounds))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(lines: &[u32]) -> Vec<Step> {
        let step = |&line: &u32| Step {
            at: Loc { file: "t.c".into(), line, ..Loc::default() },
            text: format!("x = {line}"),
            ..Step::default()
        };
        lines.iter().map(step).collect()
    }

    fn fold_all(steps: &[Step]) -> Vec<Folded> {
        fold(&steps.iter().collect::<Vec<_>>(), Folding::Middle)
    }

    /// The lines shown, with `(n)` for n rounds left out.
    fn folded(lines: &[u32]) -> String {
        let show = |item: &Folded| match item {
            Folded::Step(index) => lines[*index].to_string(),
            Folded::Rounds { rounds, .. } => format!("({rounds})"),
            Folded::PassedOn(_) => unreachable!("nothing is handed on here"),
        };
        fold_all(&steps(lines)).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_does_not_repeat_stays() {
        assert_eq!(folded(&[]), "");
        assert_eq!(folded(&[1]), "1");
        assert_eq!(folded(&[1, 2, 3, 2, 4]), "1 2 3 2 4");
        assert_eq!(folded(&[1, 2, 1, 2]), "1 2 1 2");
    }

    #[test]
    fn rounds_of_one_statement() {
        assert_eq!(folded(&[5, 5, 5]), "5 5 5");
        assert_eq!(folded(&[5, 5, 5, 5]), "5 (2) 5");
        assert_eq!(folded(&[1, 5, 5, 5, 5, 5, 9]), "1 5 (3) 5 9");
    }

    #[test]
    fn rounds_of_several_statements() {
        assert_eq!(folded(&[1, 4, 5, 4, 5, 4, 5, 9]), "1 4 5 (1) 4 5 9");
        assert_eq!(folded(&[4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6]), "4 5 6 (2) 4 5 6");
    }

    #[test]
    fn a_round_cut_short_is_shown() {
        assert_eq!(folded(&[4, 5, 4, 5, 4, 5, 4, 9]), "4 5 (1) 4 5 4 9");
    }

    #[test]
    fn inner_loops_first() {
        let round = [2, 5, 5, 5, 5, 3];
        let lines = [&[1], round.repeat(5).as_slice(), &[9]].concat();
        assert_eq!(folded(&lines), "1 2 5 (2) 5 3 (3) 2 5 (2) 5 3 9");
    }

    #[test]
    fn inner_loops_of_different_length() {
        let round = |n: usize| [vec![2], vec![5; n], vec![3]].concat();
        let lines = [round(4), round(5), round(6), round(7)].concat();
        assert_eq!(folded(&lines), "2 5 (2) 5 3 (2) 2 5 (5) 5 3");
    }

    #[test]
    fn the_steps_left_out_are_told() {
        let found = fold_all(&steps(&[1, 4, 5, 4, 5, 4, 5, 4, 5, 9]));
        assert!(found.contains(&Folded::Rounds { rounds: 2, steps: 3..7 }));
        let shown = found.iter().filter(|item| matches!(item, Folded::Step(_))).count();
        assert_eq!(shown + 4, 10);
    }

    #[test]
    fn rounds_that_differ_in_what_is_said_of_them() {
        let mut loops = steps(&[4, 5, 4, 5, 4, 5, 4, 5]);
        for (index, step) in loops.iter_mut().enumerate() {
            step.note = Some(format!("passes n = {index}"));
            step.value = Some(index.to_string());
            step.invariant = Some(format!("n == {index}"));
            step.position = index as u64;
        }
        let found = fold_all(&loops);
        assert_eq!(found.len(), 5);
        assert!(found.contains(&Folded::Rounds { rounds: 2, steps: 2..6 }));
    }

    #[test]
    fn calls_deeper_and_deeper() {
        // The call, then the condition in each activation; then the way back.
        assert_eq!(folded(&[9, 3, 4, 3, 4, 3, 4, 3, 4, 2, 4, 4, 4, 4, 10]), "9 3 4 (2) 3 4 2 4 (2) 4 10");
    }

    /// Everything is shown or left out, in order, and a whole round stands before and after what is left out.
    #[test]
    fn the_first_and_the_last_round_stay() {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..3000 {
            let mut next = |limit: u64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random % limit
            };
            let alphabet = 1 + next(4);
            let mut lines: Vec<u32> = Vec::new();
            for _ in 0..1 + next(5) {
                let round: Vec<u32> = (0..1 + next(4)).map(|_| 1 + next(alphabet) as u32).collect();
                lines.extend(round.repeat(1 + next(6) as usize));
            }
            let found = fold_all(&steps(&lines));
            let mut at = 0;
            for item in &found {
                match item {
                    Folded::Step(index) => {
                        assert_eq!(*index, at, "{lines:?}: {found:?}");
                        at += 1;
                    }
                    Folded::Rounds { rounds, steps } => {
                        assert!(*rounds > 0 && steps.start == at && steps.len() >= 2, "{lines:?}: {found:?}");
                        assert_eq!(lines[steps.start], lines[steps.end], "{lines:?}: {found:?}");
                        assert_eq!(lines[steps.start - 1], lines[steps.end - 1], "{lines:?}: {found:?}");
                        at = steps.end;
                    }
                    Folded::PassedOn(_) => unreachable!("nothing is handed on here"),
                }
            }
            assert_eq!(at, lines.len(), "{lines:?}: {found:?}");
        }
    }

    #[test]
    fn where_room_is_scarce_one_round_stays() {
        let much = |lines: &[u32]| {
            let steps = steps(lines);
            fold(&steps.iter().collect::<Vec<_>>(), Folding::Much)
        };
        assert_eq!(much(&[4, 5, 4, 5, 9]).len(), 4);
        assert_eq!(much(&[4, 5, 4, 5, 9])[0], Folded::Rounds { rounds: 1, steps: 0..2 });
        assert_eq!(much(&[4, 4, 9]).len(), 3, "nothing is saved");
    }

    #[test]
    fn what_is_handed_on_is_told_where_it_arrives() {
        let mut calls = steps(&[1, 2, 3, 4]);
        for (index, value) in [(1, "returns 7"), (2, "x = 7"), (3, "y = 8")] {
            calls[index].passes_on = true;
            calls[index].value = Some(value.into());
        }
        let folded = fold(&calls.iter().collect::<Vec<_>>(), Folding::Much);
        assert_eq!(folded, [Folded::Step(0), Folded::PassedOn(1..3), Folded::Step(3)]);
        assert_eq!(fold_all(&calls).len(), 4);
    }

    #[test]
    fn same_line_but_another_statement() {
        let mut two = steps(&[7, 7, 7, 7]);
        two[1].at.column = 9;
        two[3].at.column = 9;
        assert_eq!(fold_all(&two).len(), 4);
    }

    #[test]
    fn long_runs_are_quick() {
        let lines: Vec<u32> = (0..200_000).map(|at| 3 + at % 3).collect();
        assert_eq!(fold_all(&steps(&lines)).len(), 3 + 1 + 3 + lines.len() % 3);
    }
}
