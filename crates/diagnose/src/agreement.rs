//! Whether the formula is about the runs that were seen: before it is believed, it must do what the program did.

use crate::formula::{FormulaOracle, Known};
use wherefore_formula::TermId;
use wherefore_solver::Answer;
use wherefore_unfold::{Expected, Fault, Observation, TestInput};

/// What a run of a test was seen to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// It ended with this output and status.
    Ended(Expected),
    /// It died.
    Died(Fault),
    /// It failed in another way: it did not end, or was killed by somebody else.
    Failed,
}

/// What the formula says of the unchanged program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// It does what it was seen to do.
    Same,
    /// It does something undefined, such as reading outside an object, so that what it was seen to do is an accident.
    Undefined,
    /// It cannot do what it was seen to do: the formula is not about that run.
    Different,
    /// Nobody knows, for this reason.
    Undecided(String),
}

impl Agreement {
    /// Whether there was no time to find out.
    pub fn is_out_of_time(&self) -> bool {
        matches!(self, Agreement::Undecided(why) if matches!(why.as_str(), "interrupted" | "out of time"))
    }

    /// Whether the formula says anything about the run.
    pub fn is_some(&self) -> bool {
        matches!(self, Agreement::Same | Agreement::Undefined)
    }
}

impl FormulaOracle {
    /// Compares the formula with a run of a test. What nothing determines (what was never initialised, what unknown
    /// functions give) is fixed to values with which the unchanged program does what it was seen to do.
    pub fn agree(&mut self, test: usize, input: &TestInput, seen: &Seen) -> Agreement {
        let does = self.unfolding.observe(&mut self.unfolding.evaluation(input));
        if let Some(does) = does {
            return self.compare(&does, seen);
        }
        // Fresh memory is mostly zero; that is tried first, and is the same whatever solver is asked.
        let zero = self.unfolding.unknowns.iter().map(|(var, sort)| (*var, *sort, 0)).collect();
        let (does, known) = self.met(input, zero);
        if does.is_some_and(|does| self.compare(&does, seen) == Agreement::Same) {
            self.fix_unknowns(test, known);
            return Agreement::Same;
        }
        let wanted = match seen {
            Seen::Ended(expected) => expected.clone(),
            Seen::Died(_) | Seen::Failed => Expected::default(),
        };
        let observed = self.unfolding.test(input, &wanted).passes;
        let does = match seen {
            Seen::Ended(_) => observed,
            Seen::Died(_) | Seen::Failed => self.unfolding.terms.not(observed),
        };
        let mut solver = self.solver(test, does);
        let selectors = self.unfolding.selectors.clone();
        match solver.check(&self.unfolding.terms, &selectors) {
            Answer::Sat => {}
            Answer::Unsat => return Agreement::Different,
            Answer::Unknown(reason) => return Agreement::Undecided(reason.to_string()),
        }
        let terms = &self.unfolding.terms;
        let value = |var, sort| solver.value(terms, var, sort).unwrap_or(0);
        let unknowns = self.unfolding.unknowns.iter().map(|(var, sort)| (*var, *sort, value(*var, *sort))).collect();
        let known = self.met(input, unknowns).1;
        self.fix_unknowns(test, known);
        Agreement::Same
    }

    fn compare(&self, does: &Observation, seen: &Seen) -> Agreement {
        let fault = match does {
            Observation::Ends { .. } => None,
            Observation::Fails(number) => Some(self.unfolding.failures[*number].fault),
        };
        match (fault, seen) {
            (None, Seen::Ended(expected)) if does.passes(expected) => Agreement::Same,
            (Some(fault), Seen::Died(death)) if fault == *death => Agreement::Same,
            // Natively it went on after that.
            (Some(Fault::Memory), _) => Agreement::Undefined,
            _ => Agreement::Different,
        }
    }

    /// What the unchanged program does with values of what nothing determines, and those of them that it met: only they
    /// are known from a run.
    fn met(&mut self, input: &TestInput, mut unknowns: Vec<Known>) -> (Option<Observation>, Vec<Known>) {
        let mut run = self.unfolding.evaluation(input);
        for (var, _, value) in &unknowns {
            run.set(*var, *value);
        }
        let does = self.unfolding.observe(&mut run);
        let variables: Vec<TermId> =
            unknowns.iter().map(|(var, sort, _)| self.unfolding.terms.var(*var, *sort)).collect();
        let mut met = variables.into_iter().map(|variable| run.asked(variable));
        unknowns.retain(|_| met.next() == Some(true));
        (does, unknowns)
    }
}
