//! The way out of a loop that no round took: a search that found nothing is told by what it looked at.

use super::history::History;
use super::in_short::Teller;
use super::{Presenter, statement_control};
use std::collections::BTreeSet;
use wherefore_formula::{TermId, VarId};
use wherefore_program::Origin;
use wherefore_report::words::listed;
use wherefore_source::ControlKind;
use wherefore_trace::{Branch, BranchId};
use wherefore_wording::Position;

/// Rounds that are looked at.
const ROUNDS: usize = 64;
/// Rounds that are told.
const FEW: usize = 4;
/// The longest condition that is quoted.
const LONGEST: usize = 60;

/// A decision by which every round of a loop stayed in it.
struct Missed {
    /// Where the condition stands.
    at: Origin,
    /// Where the loop does.
    of: Origin,
    /// Positions of the decision, and what held there, in order.
    rounds: Vec<(usize, TermId)>,
}

impl Presenter<'_> {
    /// Whether a loop that a branch ends has made a round before.
    pub(super) fn begins(&self, end: BranchId) -> bool {
        let decision =
            |b: BranchId| (self.trace.branches[b.index()].activation, self.trace.branches[b.index()].decision);
        let around =
            self.trace.enclosing(self.trace.branches[end.index()].parent).any(|b| decision(b) == decision(end));
        around || self.rounds_before(end).next().is_some()
    }

    /// The rounds before the end of a loop that follow one another, the last one first.
    fn rounds_before(&self, end: BranchId) -> impl Iterator<Item = &Branch> {
        let (branches, end) = (&self.trace.branches[..end.index()], &self.trace.branches[end.index()]);
        let of = |b: &Branch| (b.activation, b.decision, b.parent);
        branches.iter().rev().filter(move |b| of(b) == of(end)).take_while(|b| b.taken != end.taken)
    }

    /// The decision that would have left a loop before it came to its end; the last one, where there are several.
    fn missed(&self, id: BranchId, history: &History) -> Option<Missed> {
        let branches = &self.trace.branches;
        let end = &branches[id.index()];
        let of = end.at?;
        let control = statement_control(self.sources.text(of.file)?, of)?;
        if !matches!(control.kind, ControlKind::While | ControlKind::For | ControlKind::DoWhile) {
            return None;
        }
        let (from, to) =
            ((control.whole.line, control.whole.column), (control.whole.end_line, control.whole.end_column));
        let inside = |at: &Origin| at.file == of.file && (from..to).contains(&(at.line, at.column));
        let ends = self.reasons(end, history);
        let stays = |branch: &Branch| {
            // What ended the loop was asked in each round as well; parts of one condition may share a place.
            let reasons = self.reasons(branch, history);
            let first = |n: usize| reasons[..n].iter().all(|(_, at, _)| *at != reasons[n].1);
            let asks = |term: &TermId| !self.trace.terms.variables(*term).is_empty();
            let ended = |at: &Option<Origin>| ends.iter().any(|(_, other, _)| other == at);
            reasons.iter().enumerate().find_map(|(n, (term, at, start))| {
                let is_other = asks(term) && !(ended(at) && first(n));
                Some((*start, *term, at.filter(inside).filter(|_| is_other)?))
            })
        };
        // A round that can be left in its midst lies around those after it; others follow one another.
        let around = self.trace.enclosing(end.parent).map(|b| &branches[b.index()]);
        let around = around.take_while(|b| b.activation == end.activation && b.at.as_ref().is_some_and(inside));
        let found: Vec<_> = around.chain(self.rounds_before(id)).filter_map(stays).take(ROUNDS).collect();
        let at = found.first()?.2;
        let same = found.iter().rev().filter(|(_, _, other)| *other == at);
        Some(Missed { at, of, rounds: same.map(|(start, term, _)| (*start, *term)).collect() })
    }
}

impl Teller<'_> {
    /// What the rounds of a loop looked at before it came to its end; why the one that came nearest did not leave the
    /// loop is asked next.
    pub(super) fn missed(&mut self, end: BranchId) -> Option<String> {
        let missed = self.p.missed(end, self.history)?;
        let source = self.p.sources.text(missed.at.file)?;
        let condition = source.text(source.operand_at(missed.at.line, missed.at.column)?);
        let read = |(start, term): &(usize, TermId)| -> BTreeSet<(VarId, Option<usize>)> {
            let read = self.p.names.read_by(*term, &self.history.state(*start)).unwrap_or_default();
            read.into_iter().map(|v| (v, self.history.last(v, *start))).collect()
        };
        let mut compared: Vec<_> = missed.rounds.iter().map(read).collect();
        // What counts rounds is not what they look at.
        let all = compared.iter().flatten();
        let counters = all.filter(|(v, set)| set.is_some_and(|p| self.history.counts(*v, p + 1))).map(|(v, _)| *v);
        let counters: BTreeSet<VarId> = counters.collect();
        compared.iter_mut().for_each(|round| round.retain(|(v, _)| !counters.contains(v)));
        // The more was compared, the nearer it came.
        let mut order: Vec<usize> = (0..compared.len()).collect();
        order.sort_by_key(|round| (compared[*round].len(), *round));
        let nearest = *order.last()?;
        let mut told = order.split_off(order.len().saturating_sub(FEW));
        told.sort();
        // What all rounds compare with does not tell them apart.
        let shared =
            |of: &(VarId, Option<usize>)| compared.len() > 1 && compared.iter().all(|round| round.contains(of));
        let looked_at = told.iter().flat_map(|round| {
            let own = compared[*round].iter().filter(|of| !shared(of));
            own.filter_map(|(v, set)| self.what_is(*v, *set, missed.rounds[*round].0))
        });
        let looked_at = grouped(looked_at.collect());
        compared[nearest].iter().for_each(|(v, _)| self.ask_for(*v, missed.rounds[nearest].0));
        if looked_at.is_empty() || looked_at.len() > told.len() + 1 || condition.len() > LONGEST {
            return None;
        }
        let (at, of) = (self.p.line_of(Some(missed.at)), self.p.line_of(Some(missed.of)));
        let none = match missed.rounds.len() {
            1 => "Its only round does not leave".to_string(),
            ROUNDS => "No round leaves".to_string(),
            n => format!("None of {n} rounds leaves"),
        };
        let looked_at = listed(&looked_at);
        let looked_at = if told.len() < missed.rounds.len() {
            format!("; at the nearest {looked_at}")
        } else {
            format!(": {looked_at}")
        };
        Some(format!("{none} the loop of {of} at `{condition}` ({at}){looked_at}"))
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
