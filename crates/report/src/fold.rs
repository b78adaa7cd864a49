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

/// Steps one after the other that only hand on a value are one item.
pub fn pass_on(items: &[Folded], steps: &[Step]) -> Vec<Folded> {
    let mut out: Vec<Folded> = Vec::new();
    for item in items {
        let hands_on = |item: &Folded| match item {
            Folded::Step(index) => steps[*index].passes_on,
            Folded::PassedOn(_) => true,
            Folded::Rounds { .. } => false,
        };
        match out.last_mut() {
            Some(last) if hands_on(last) && hands_on(item) => {
                *last = Folded::PassedOn(last.steps().start..item.steps().end);
            }
            _ => out.push(item.clone()),
        }
    }
    out
}

/// The longest loop body, in steps that matter, that is recognized.
const LONGEST_ROUND: usize = 64;

/// Replaces the middle rounds of repeated sequences of statements by [`Folded::Rounds`].
///
/// Where the same statements follow each other three times or more, the first and the last round stay. Inner loops are
/// folded first and their rounds are not counted when outer ones are compared. Nothing is folded that would save the
/// reader less than two steps.
pub fn fold(steps: &[Step]) -> Vec<Folded> {
    let mut numbers = HashMap::new();
    let step_items = steps.iter().enumerate();
    let mut items: Vec<Item> = step_items
        .map(|(index, step)| Item { key: number(&mut numbers, Key::of(step)), steps: index..index + 1, rounds: None })
        .collect();
    loop {
        let (next, changed) = fold_once(&items, &mut |body| number(&mut numbers, Key::Rounds(body)));
        items = next;
        if !changed {
            break;
        }
    }
    let show = |item: Item| match item.rounds {
        Some(rounds) => Folded::Rounds { rounds, steps: item.steps },
        None => Folded::Step(item.steps.start),
    };
    items.into_iter().map(show).collect()
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
fn fold_once(items: &[Item], name: &mut dyn FnMut(Vec<usize>) -> usize) -> (Vec<Item>, bool) {
    let mut out: Vec<Item> = Vec::new();
    let mut at = 0;
    let mut changed = false;
    while at < items.len() {
        let Some((length, rounds)) = repetition(&items[at..]) else {
            out.push(items[at].clone());
            at += 1;
            continue;
        };
        let end = at + length * rounds;
        let hidden = &items[at + length..end - length];
        out.extend_from_slice(&items[at..at + length]);
        out.push(Item {
            key: name(items[at..at + length].iter().map(|item| item.key).collect()),
            steps: hidden[0].steps.start..hidden[hidden.len() - 1].steps.end,
            rounds: Some(rounds as u64 - 2),
        });
        out.extend_from_slice(&items[end - length..end]);
        at = end;
        changed = true;
    }
    (out, changed)
}

/// The length of the shortest sequence that the items start with repeated often enough, and how often.
fn repetition(items: &[Item]) -> Option<(usize, usize)> {
    (1..=LONGEST_ROUND.min(items.len() / 3)).find_map(|length| {
        let same = items.iter().zip(&items[length..]).take_while(|(a, b)| a.key == b.key).count();
        let rounds = same / length + 1;
        let hidden: usize = if rounds < 3 { 0 } else { (rounds - 2) * length };
        // Rounds that an earlier pass left out are no round of their own.
        let real = items[..length].iter().any(|item| item.rounds.is_none());
        (hidden >= 2 && real).then_some((length, rounds))
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

    /// The lines shown, with `(n)` for n rounds left out.
    fn folded(lines: &[u32]) -> String {
        let show = |item: &Folded| match item {
            Folded::Step(index) => lines[*index].to_string(),
            Folded::Rounds { rounds, .. } => format!("({rounds})"),
            Folded::PassedOn(_) => unreachable!("nothing is handed on here"),
        };
        fold(&steps(lines)).iter().map(show).collect::<Vec<_>>().join(" ")
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
        let found = fold(&steps(&[1, 4, 5, 4, 5, 4, 5, 4, 5, 9]));
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
        let found = fold(&loops);
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
            let found = fold(&steps(&lines));
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
    fn same_line_but_another_statement() {
        let mut two = steps(&[7, 7, 7, 7]);
        two[1].at.column = 9;
        two[3].at.column = 9;
        assert_eq!(fold(&two).len(), 4);
    }

    #[test]
    fn long_runs_are_quick() {
        let lines: Vec<u32> = (0..200_000).map(|at| 3 + at % 3).collect();
        assert_eq!(fold(&steps(&lines)).len(), 3 + 1 + 3 + lines.len() % 3);
    }
}
