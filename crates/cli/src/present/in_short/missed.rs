//! The way out of a loop that no round took: a search that found nothing is told by what it looked at.

use super::Teller;
use crate::present::history::History;
use crate::present::{Presenter, statement_control};
use std::collections::BTreeSet;
use wherefore_formula::{TermId, VarId};
use wherefore_program::Origin;
use wherefore_report::words::listed;
use wherefore_source::ControlKind;
use wherefore_trace::{Branch, BranchId};
use wherefore_wording::Position;

/// Branches of rounds that are looked at.
const ROUNDS: usize = 4096;
/// Rounds that are told.
const FEW: usize = 4;
/// The longest condition that is quoted.
const LONGEST: usize = 60;

/// The decisions by which the rounds of a loop stayed in it.
struct Missed {
    /// Where the condition stands, and what it is.
    at: Origin,
    condition: String,
    /// Where the loop stands.
    of: Origin,
    /// The rounds that came to the condition, and how many there were in all; nothing where those are too many to count.
    rounds: Vec<Round>,
    all: Option<usize>,
}

/// How a round stayed in its loop.
struct Round {
    /// Where it was decided, in the trace and in the source.
    position: usize,
    at: Origin,
    /// What decided: of `a && b` what was looked at last.
    held: TermId,
    /// How much was looked at: the more, the nearer it came.
    looked_at: usize,
}

impl Presenter<'_> {
    /// Whether a loop that a branch ends has made a round before.
    pub(super) fn begins(&self, end: BranchId) -> bool {
        let (branches, end) = (&self.trace.branches[..end.index()], &self.trace.branches[end.index()]);
        let same = |b: &&Branch| (b.activation, b.decision) == (end.activation, end.decision);
        branches.iter().rev().find(same).is_some_and(|before| before.taken != end.taken)
    }

    /// The branches that were taken in the rounds before the end of a loop, the last one first; nothing where the branch
    /// ends no loop. A round that can be left in its midst lies around those after it; others follow one another.
    fn rounds_before(&self, end: BranchId) -> Option<Vec<&Branch>> {
        let (branches, end) = (&self.trace.branches[..end.index()], &self.trace.branches[end.index()]);
        let of = end.at?;
        let control = statement_control(self.sources.text(of.file)?, of)?;
        if !matches!(control.kind, ControlKind::While | ControlKind::For | ControlKind::DoWhile) {
            return None;
        }
        let inside = |at: Origin| at.file == of.file && control.whole.contains(at.line, at.column);
        let around = self.trace.enclosing(end.parent).map(|b| &branches[b.index()]);
        let around = around.take_while(|b| b.activation == end.activation && b.at.is_some_and(inside));
        let same = |b: &&Branch| (b.activation, b.decision, b.parent) == (end.activation, end.decision, end.parent);
        let before = branches.iter().rev().filter(same);
        let again = |b: &&Branch| (b.decision, b.taken) != (end.decision, end.taken);
        Some(around.take_while(again).chain(before.take_while(again)).take(ROUNDS).collect())
    }

    /// The decision that would have left a loop before it came to its end; the last one, where there are several.
    fn missed(&self, id: BranchId, reached: Option<Origin>, history: &History) -> Option<Missed> {
        let end = &self.trace.branches[id.index()];
        let (of, rounds) = (end.at?, self.rounds_before(id)?);
        let source = self.sources.text(of.file)?;
        let whole = statement_control(source, of).filter(|c| c.kind != ControlKind::DoWhile)?.whole;
        if reached.is_some_and(|at| at.file == of.file && whole.contains(at.line, at.column)) {
            // The loop goes on.
            return None;
        }
        let heads = rounds.iter().filter(|b| b.decision == end.decision).count();
        let all = (rounds.len() < ROUNDS).then_some(heads);
        let ends = self.reasons(end, history);
        let asked = |branch: &Branch| {
            // What ended the loop was asked in each round as well; parts of one condition may share a place.
            let reasons = self.reasons(branch, history);
            let first = |n: usize| reasons[..n].iter().all(|(_, at, _)| *at != reasons[n].1);
            let ended = |at: &Option<Origin>| ends.iter().any(|(_, other, _)| other == at);
            let asks = |term: TermId| !self.trace.terms.variables(term).is_empty();
            let others = (0..reasons.len()).filter(|n| asks(reasons[*n].0) && !(ended(&reasons[*n].1) && first(*n)));
            others.map(|n| reasons[n]).collect::<Vec<_>>()
        };
        let mut missed: Vec<Round> = vec![];
        let mut open: Option<Round> = None;
        for branch in rounds {
            let reasons = asked(branch);
            let read = reasons.iter().map(|(term, ..)| self.trace.terms.variables(*term).len()).sum::<usize>();
            open = open.map(|round| Round { looked_at: round.looked_at + read, ..round }).or_else(|| {
                let (held, _, position) = reasons.last().copied()?;
                Some(Round { position, held, looked_at: read, at: branch.at? })
            });
            // The head of the loop begins the round.
            if branch.decision == end.decision {
                missed.extend(open.take());
            }
        }
        missed.reverse();
        // What a `switch` is over is no condition.
        let condition = |at: Origin| statement_control(source, at).filter(|c| c.kind != ControlKind::Switch)?.condition;
        let at = missed.last()?.at;
        let asked = condition(at)?;
        missed.retain(|round| condition(round.at) == Some(asked));
        Some(Missed { at, condition: source.text(asked), of, rounds: missed, all })
    }
}

impl Teller<'_> {
    /// What the rounds of a loop looked at before it came to its end; why the one that came nearest did not leave the
    /// loop is asked next.
    pub(super) fn missed(&mut self, end: BranchId, reached: Option<Origin>) -> Option<String> {
        let mut missed = self.p.missed(end, reached, self.history)?;
        let came = missed.rounds.len();
        // The more was looked at, the nearer it came.
        let least = missed.rounds.iter().map(|round| round.looked_at).min()?;
        let mut order: Vec<usize> = (0..came).collect();
        order.sort_by_key(|round| (missed.rounds[*round].looked_at, *round));
        let told = order.split_off(came.saturating_sub(FEW));
        let nearest = told.last().map(|last| missed.rounds[*last].position)?;
        let mut number = 0..;
        missed.rounds.retain(|_| told.contains(&number.next().expect("one for each")));
        let differ = missed.rounds.iter().any(|round| round.looked_at > least);
        let read = |round: &Round| -> BTreeSet<(VarId, Option<usize>)> {
            let read = self.p.names.read_by(round.held, &self.history.state(round.position)).unwrap_or_default();
            read.into_iter().map(|v| (v, self.history.last(v, round.position))).collect()
        };
        let mut compared: Vec<_> = missed.rounds.iter().map(read).collect();
        // What counts rounds is not what they look at.
        let all = compared.iter().flatten();
        let counters = all.filter(|(v, set)| set.is_some_and(|p| self.history.counts(*v, p + 1))).map(|(v, _)| *v);
        let counters: BTreeSet<VarId> = counters.collect();
        compared.iter_mut().for_each(|round| round.retain(|(v, _)| !counters.contains(v)));
        // What all rounds compare with does not tell them apart.
        let shared =
            |of: &(VarId, Option<usize>)| compared.len() > 1 && compared.iter().all(|round| round.contains(of));
        let looked_at = missed.rounds.iter().zip(&compared).flat_map(|(round, read)| {
            let own = read.iter().filter(|of| !shared(of));
            own.filter_map(|(v, set)| self.what_is(*v, *set, round.position))
        });
        let looked_at = grouped(looked_at.collect());
        let near = missed.rounds.iter().position(|round| round.position == nearest)?;
        compared[near].iter().for_each(|(v, _)| self.ask_for(*v, nearest));
        if looked_at.is_empty() || looked_at.len() > told.len() + 1 || missed.condition.len() > LONGEST {
            return None;
        }
        let (at, of) = (self.p.line_of(Some(missed.at)), self.p.line_of(Some(missed.of)));
        let none = match (came, missed.all) {
            (1, Some(1)) => format!("The only round of the loop of {of} does not leave it"),
            (n, Some(all)) if n == all => format!("None of {n} rounds leaves the loop of {of}"),
            (1, Some(_)) => format!("The only round that comes to it does not leave the loop of {of}"),
            (n, Some(_)) => format!("None of the {n} rounds that come to it leaves the loop of {of}"),
            (_, None) => format!("No round leaves the loop of {of}"),
        };
        let looked_at = match (came > FEW, differ) {
            (false, _) => format!(": {}", listed(&looked_at)),
            (true, true) => format!("; at the nearest {}", listed(&looked_at)),
            (true, false) => format!("; at last {}", listed(&looked_at)),
        };
        Some(format!("{none} at `{}` ({at}){looked_at}", missed.condition))
    }

    /// A variable and what it is at a position: the whole text where it is a character of one.
    fn what_is(&self, variable: VarId, set: Option<usize>, at: usize) -> Option<(String, String)> {
        let here = self.history.state(at);
        let position = Position { activation: self.seen_from(at), at_entry: false, values: &here };
        let name = self.p.spoken(variable, position)?;
        let text = self.text_of(variable, set, at, &name, position);
        text.or_else(|| Some((name, self.p.names.plain_value(variable, self.history.value(variable, at)?, position)?)))
    }
}

/// `a[0] is 3`, `a[1] is 5`; what has one name is said at once: `p->id is 3, 5 and 4`.
fn grouped(all: Vec<(String, String)>) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = vec![];
    for (name, value) in all {
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, values)) if values.last() == Some(&value) => {}
            Some((_, values)) => values.push(value),
            None => groups.push((name, vec![value])),
        }
    }
    groups.into_iter().map(|(name, values)| format!("{name} is {}", listed(&values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_one_name_is_said_at_once() {
        let pairs = |all: &[(&str, &str)]| grouped(all.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect());
        assert_eq!(pairs(&[("a[0]", "3"), ("a[1]", "5")]), ["a[0] is 3", "a[1] is 5"]);
        assert_eq!(pairs(&[("p->id", "3"), ("p->id", "5"), ("p->id", "5"), ("p->id", "4")]), ["p->id is 3, 5 and 4"]);
    }
}
