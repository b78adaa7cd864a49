//! What nobody has set: which parts of the same object were.

use super::Presenter;
use super::history::History;
use std::collections::BTreeSet;
use wherefore_formula::VarId;
use wherefore_program::Origin;
use wherefore_report::words::listed;
use wherefore_trace::{Kind, Storage};
use wherefore_wording::Position;

/// More parts than these are no list that somebody reads.
const MOST: usize = 4;

impl Presenter<'_> {
    /// `m.state and m.coins are set at line 22, m.price is not`; `unset` stands for that nobody has set a part.
    pub fn set_beside(&self, unset: VarId, at: usize, history: &History) -> Option<String> {
        let Storage::Unset { of } = self.trace.variables[unset.0 as usize].storage else { return None };
        let failing = self.trace.failure.as_ref()?.activation;
        // Each local is called as in its own function.
        let owner = match self.trace.variables[of.0 as usize].storage {
            Storage::Local { activation, .. } => activation,
            _ => failing,
        };
        let state = history.state(at);
        let here = Position { activation: owner, at_entry: false, values: &state };
        let own = self.spoken(of, here)?;
        let others = (0..self.trace.variables.len() as u32).map(VarId);
        let others = others.filter(|v| *v != of && self.trace.same_object(*v, of));
        let mut set: BTreeSet<(Option<Origin>, String)> = BTreeSet::new();
        for v in others {
            let Some(step) = history.last(v, at).map(|p| &self.trace.steps[p]) else { continue };
            if matches!(step.kind, Kind::Assign | Kind::Store | Kind::Havoc | Kind::Thread) {
                set.insert((self.first_set(v, at, history), self.spoken(v, here)?));
            }
        }
        if set.is_empty() || set.len() > MOST {
            return None;
        }
        let places: BTreeSet<String> = set.iter().map(|(at, _)| self.line_of(*at)).collect();
        let one = if places.len() == 1 { places.first() } else { None };
        let told = |(at, name): &(Option<Origin>, String)| match one {
            Some(_) => name.clone(),
            None => format!("{name} ({})", self.line_of(*at)),
        };
        let names: Vec<String> = set.iter().map(told).collect();
        let place = one.map_or(String::new(), |place| format!(" at {place}"));
        let inside = if owner == failing { String::new() } else { format!("In {} ", self.call_text(owner)) };
        let are = if names.len() == 1 { "is" } else { "are" };
        Some(format!("{inside}{} {are} set{place}, {own} is not", listed(&names)))
    }

    /// Where a variable was set first.
    fn first_set(&self, v: VarId, before: usize, history: &History) -> Option<Origin> {
        let earlier = |p: &usize| history.last(v, *p);
        std::iter::successors(history.last(v, before), earlier).last().and_then(|p| self.trace.steps[p].at)
    }
}
