//! The search: run, see which ways were not gone, ask for inputs that go one, run again.

use crate::agenda::Agenda;
use crate::attempt::Attempt;
use crate::chosen::{Chosen, Source};
use crate::evaluate::{CHOICES, evaluate};
use crate::form::Form;
use crate::found::{Error, Failure, Found, Limit, Obstacle, Progress, Tried};
use crate::library;
use crate::path::{Path, Why};
use crate::pointed::{left_out, pointed};
use crate::solve::{Question, Solution, Solving};
use crate::space::Space;
use crate::subject::{By, Limits, Subject};
use crate::tree::{NodeId, Tree};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use wherefore_case::{Expected, Given};
use wherefore_formula::{TermId, Terms, VarId};
use wherefore_program::{BlockId, Callee, Command, FunctionId, Origin, Program};
use wherefore_record::{Ending, Outcome, Recording, State, Threads};
use wherefore_trace::{
    self as trace, Analysis, Followed, GlobalImage, Recorded, Stopped, Threads as OtherThreads, follow,
};
use wherefore_unfold::Image;

/// Runs the program with some inputs, and with more patience the higher the number: with more time, and more recorded.
pub type Runner<'a> = &'a mut dyn FnMut(&Given, u32) -> Result<Outcome, wherefore_record::Error>;

/// Distance from an object, in bytes, at which an access is sure to hit nothing.
const FAR: u128 = 1 << 30;
/// How patient one gets with runs that did not end, and with how many of them each time.
const PATIENCE: u32 = 2;
const PATIENT: usize = 2;
/// The signal of `abort`.
const SIGABRT: i32 = 6;
/// Runs without a failure after which the formula of the program is asked.
const MANY_RUNS: usize = 200;
/// Nondeterministic values that a run asks for beyond this number are told only when they are not 0.
const TOLD: usize = 64;

/// Search inputs that make a program fail.
///
/// The order is fixed: ways into code that was not seen yet come first, then each place of the program in turn. The same
/// program gives the same answer, as long as no limit of time is reached.
///
/// # Errors
/// When the program cannot be run.
pub fn search(
    subject: &Subject,
    runner: Runner,
    limits: &Limits,
    progress: &mut dyn FnMut(Progress),
) -> Result<Found, Error> {
    let mut search = Search {
        subject,
        runner,
        limits,
        progress,
        space: Space::default(),
        analysis: Analysis::new(subject.program),
        tree: Tree::default(),
        solving: Solving::new(subject.program, &limits.budget),
        runs: vec![],
        endless: HashSet::new(),
        patience: 0,
        aside: vec![],
        attempted: HashSet::new(),
        agenda: Agenda::default(),
        gone: HashSet::new(),
        images: None,
        found: Found::default(),
    };
    let number = |text: &OsString| text.to_str()?.parse::<i64>().ok();
    let numbers = subject.arguments.iter().map(number).zip(1..).filter_map(|(n, k)| Some((k, n?)));
    search.space.arguments = numbers.collect();
    search.run(Attempt::default(), None)?;
    for what in unseen(subject.program) {
        search.obstacle(None, what, None);
    }
    for what in left_out(subject) {
        search.obstacle(None, what, None);
    }
    search.go(limits.by)?;
    // A run that was not followed to its end for want of time shows no ways that are left.
    if !search.found.is_complete() {
        search.is_late();
    }
    let mut found = search.found;
    found.statistics.paths = search.tree.paths();
    found.statistics.questions = search.solving.asked;
    Ok(found)
}

pub(crate) struct Search<'a> {
    pub subject: &'a Subject<'a>,
    runner: Runner<'a>,
    pub limits: &'a Limits,
    progress: &'a mut dyn FnMut(Progress),
    pub space: Space,
    analysis: Analysis,
    tree: Tree,
    pub solving: Solving<'a>,
    /// Values of the runs that were made, with the forms of their inputs.
    pub runs: Vec<(Attempt, BTreeMap<VarId, Form>)>,
    /// Those of them that were stopped at a limit.
    pub endless: HashSet<usize>,
    /// How patient one is with a run.
    patience: u32,
    /// The runs that were not followed to their end, and were put aside.
    aside: Vec<usize>,
    pub attempted: HashSet<Attempt>,
    agenda: Agenda,
    /// Edges of the program that were gone.
    gone: HashSet<(FunctionId, BlockId, BlockId)>,
    /// The globals and the addresses of the functions in the first run.
    pub images: Option<(Vec<Image>, Vec<u64>)>,
    pub found: Found,
}

/// A run that was made.
pub(crate) struct Seen {
    pub attempt: Attempt,
    given: Given,
    pub path: Path,
    pub verdict: Verdict,
}

/// What a run showed.
pub(crate) enum Verdict {
    Fails(Failure),
    Passes,
    /// An assumption does not hold: the inputs do not count.
    Refused,
    /// It was stopped at a limit of its own.
    Stopped(&'static str),
}

impl Search<'_> {
    /// Makes runs until no way is left or a limit is reached.
    fn go(&mut self, by: By) -> Result<(), Error> {
        if by == By::Formula {
            return self.foresee();
        }
        let mut is_foreseen = by == By::Paths;
        let first = self.limits.budget.share(0.25);
        while !self.found.proved {
            // Where many runs find nothing, the formula may be quicker.
            let are_many = self.runs.len() >= MANY_RUNS || first.stopped().is_some();
            if !is_foreseen && are_many && self.found.failing.is_empty() {
                is_foreseen = true;
                self.foresee()?;
                continue;
            }
            let Some(node) = self.next() else {
                if self.go_further()? {
                    continue;
                }
                self.found.exhausted = true;
                break;
            };
            if !self.go_another_way(node)? {
                break;
            }
        }
        let is_over = |o: &Obstacle| matches!(o.limit, Some(Limit::Time | Limit::Failing | Limit::Passing));
        if !is_foreseen && !self.found.is_complete() && !self.found.obstacles.iter().any(is_over) {
            self.foresee()?;
        }
        Ok(())
    }

    /// Nothing else is left to do: make some of the runs that were put aside again, with more patience. False when there
    /// are none, or the patience is at its end.
    fn go_further(&mut self) -> Result<bool, Error> {
        if self.patience == PATIENCE || self.aside.is_empty() {
            return Ok(false);
        }
        self.patience += 1;
        let aside = std::mem::take(&mut self.aside);
        let (now, later) = aside.split_at(aside.len().min(PATIENT));
        if later.is_empty() {
            // Whether it is still so, the runs will show.
            self.found.obstacles.retain(|o| o.limit != Some(Limit::Run));
        }
        for (n, &number) in now.iter().enumerate() {
            if self.is_over() {
                self.aside.extend(&now[n..]);
                self.obstacle(None, UNENDED, Some(Limit::Run));
                return Ok(false);
            }
            self.endless.remove(&number);
            self.run(self.runs[number].0.clone(), Some(number))?;
        }
        self.aside.extend(later);
        Ok(true)
    }

    pub fn obstacle(&mut self, at: Option<Origin>, what: impl Into<String>, limit: Option<Limit>) {
        let obstacle = Obstacle { at, what: what.into(), limit };
        if !self.found.obstacles.contains(&obstacle) {
            self.found.obstacles.push(obstacle);
        }
    }

    /// Whether a limit keeps another run from being made.
    fn is_over(&mut self) -> bool {
        if self.limits.failing.is_some_and(|n| self.found.failing.len() >= n) {
            self.obstacle(None, "enough failing inputs were found", Some(Limit::Failing));
        } else if self.limits.passing.is_some_and(|n| self.found.passing.len() >= n) {
            self.obstacle(None, "enough passing inputs were found", Some(Limit::Passing));
        } else if let Some(n) = self.limits.runs.filter(|n| self.found.statistics.runs >= *n) {
            self.obstacle(None, format!("the limit of {n} runs was reached"), Some(Limit::Runs));
        } else {
            return self.is_late();
        }
        true
    }

    pub fn is_late(&mut self) -> bool {
        let stop = self.limits.budget.stopped();
        if let Some(stop) = stop {
            self.obstacle(None, stop.to_string(), Some(Limit::Time));
        }
        stop.is_some()
    }

    /// The next node to go another way from.
    fn next(&mut self) -> Option<NodeId> {
        let (program, gone) = (self.subject.program, &self.gone);
        self.agenda.next(|place, tries| match place.block {
            Some(from) => {
                let block = &program.functions[place.function.index()].blocks[from.index()];
                block.terminator.it.successors().iter().any(|to| !gone.contains(&(place.function, from, *to)))
            }
            None => tries == 0,
        })
    }

    fn enqueue(&mut self, id: NodeId) {
        let node = self.tree.node(id);
        // Ways that are many, such as the values of an index, count like rounds, though less.
        let tried = node.conditions().len().ilog2();
        self.agenda.add(&node.place, node.choice.rounds + tried, node.depth, id);
    }

    /// Ask for inputs that come to a node and go on otherwise than all before, and run them; false when it is over.
    fn go_another_way(&mut self, id: NodeId) -> Result<bool, Error> {
        let node = self.tree.node(id);
        let (choice, run, ways) = (node.choice.clone(), node.run, node.conditions().len());
        let conditions: Vec<_> = node.conditions().collect();
        let others: Vec<_> = conditions.into_iter().map(|c| self.space.terms.not(c)).collect();
        let goal = self.space.terms.and(others);
        let is_too_far = self.limits.unwind.is_some_and(|n| choice.rounds > n);
        let was_too_far = self.found.obstacles.iter().any(|o| o.limit == Some(Limit::Unwind));
        if self.space.terms.truth_value(goal) == Some(false) || is_too_far && was_too_far {
            return Ok(true);
        }
        let wish = choice.distance.map(|distance| far_away(&mut self.space.terms, distance));
        let prefix = self.tree.prefix(id);
        let (from, forms) = &self.runs[run];
        let question = Question { prefix: &prefix, goal, wish, from, forms };
        let values = match self.solving.solve(&mut self.space, &question) {
            Solution::Values(values) => values,
            Solution::Impossible => return Ok(!self.is_late()),
            Solution::Unknown(_) if self.is_late() => return Ok(false),
            Solution::Unknown(reason) => {
                let what = format!("whether there is another way here is not known: the solver gave up ({reason})");
                self.obstacle(choice.at, what, None);
                return Ok(true);
            }
        };
        if let Some(n) = self.limits.unwind.filter(|_| is_too_far) {
            let what = format!("loops and recursion were followed for {n} rounds only");
            self.obstacle(None, what, Some(Limit::Unwind));
            return Ok(true);
        }
        if choice.why == Why::Turn(trace::Why::Defined) {
            let what = "the shift can be by the width or more, which C leaves undefined; that was not searched";
            self.obstacle(choice.at, what, None);
            return Ok(true);
        }
        if self.is_over() {
            return Ok(false);
        }
        let attempt = self.attempt(&choice, run, values);
        if self.attempted.contains(&attempt) {
            self.obstacle(choice.at, ASTRAY, None);
            return Ok(true);
        }
        self.agenda.tried(&choice.place());
        self.run(attempt, Some(run))?;
        if self.tree.node(id).conditions().len() == ways {
            self.obstacle(choice.at, ASTRAY, None);
        } else {
            self.enqueue(id);
        }
        Ok(true)
    }

    /// Values for the next run, from those of the run that came to the choice.
    fn attempt(&mut self, choice: &crate::path::Choice, run: usize, values: BTreeMap<VarId, u128>) -> Attempt {
        let (from, _) = &self.runs[run];
        let mut items = from.items[..choice.items.min(from.items.len())].to_vec();
        if let Why::Item(item) = &choice.why
            && choice.items == from.items.len()
        {
            items.push(item.clone());
        }
        let count = items.len() as u32;
        let mut attempt = Attempt { values, items };
        let Attempt { values, items } = &mut attempt;
        values.retain(|variable, value| match self.space.source(*variable) {
            Source::More(_) => false,
            Source::Item(k) => k < count && *value != items[k as usize].default_bits(),
            Source::Argument(_) => true,
            _ => self.space.is_told(*variable, *value),
        });
        attempt
    }

    /// Make a run and add its path to the tree; `from` is the run whose values were changed.
    fn run(&mut self, attempt: Attempt, from: Option<usize>) -> Result<(), Error> {
        let seen = self.make(attempt, from)?;
        self.add(seen);
        Ok(())
    }

    /// Make a run.
    pub fn make(&mut self, attempt: Attempt, from: Option<usize>) -> Result<Seen, Error> {
        self.attempted.insert(attempt.clone());
        let forms = from.map_or_else(BTreeMap::new, |run| self.runs[run].1.clone());
        let given = attempt.given(&mut self.space, self.subject, &forms);
        let outcome = (self.runner)(&given, self.patience)?;
        self.found.statistics.runs += 1;
        let Some(recording) = outcome.recording.as_ref().filter(|r| r.state != State::Off) else {
            return match outcome.ending {
                Ending::Exited(_) | Ending::Signal(_) => Err(Error::NotStarted),
                // Stopped before it had begun, it showed nothing.
                _ => {
                    let mut path = Path::default();
                    path.put_aside(UNENDED);
                    Ok(Seen { attempt, given, path, verdict: Verdict::Stopped(UNENDED) })
                }
            };
        };
        let stopped = match outcome.ending {
            _ if !recording.reaches(&outcome.ending) => Stopped::Limit,
            Ending::Exited(status) => Stopped::Exit(status),
            Ending::Signal(signal) => Stopped::Signal(signal),
            _ => Stopped::Limit,
        };
        match recording.state {
            State::Complete | State::SizeLimit | State::Off if !recording.threads.are_several() => {}
            _ => self.obstacle(None, "the program starts threads; what others wrote was taken as it was", None),
        }
        let given_globals: Vec<u32> = self.subject.globals.iter().map(|g| g.0).collect();
        let mut recorded = recorded(recording, &given_globals);
        recorded.given_objects = pointed(self.subject).iter().map(|p| (p.address(), p.bytes())).collect();
        if self.subject.expected.stdout.is_some() && outcome.stdout.complete() {
            recorded.stdout = Some(&outcome.stdout.kept);
        }
        if self.images.is_none() {
            let image = |g: &GlobalImage| Image { address: g.address, size: g.size, content: g.content.clone() };
            self.images = Some((recorded.globals.iter().map(image).collect(), recorded.functions.clone()));
        }
        let followed = follow(
            self.subject.program,
            &self.analysis,
            &recorded,
            stopped,
            &self.subject.expected,
            &self.limits.budget,
        );
        let mut path = evaluate(&mut self.space, self.subject, &followed, &attempt, &recorded.globals);
        let verdict = self.verdict(&outcome, recording, &followed);
        if recording.state == State::SizeLimit {
            path.put_aside("a run is longer than what is recorded of one");
        } else if let Verdict::Stopped(what) = verdict {
            path.put_aside(what);
        }
        Ok(Seen { attempt, given, path, verdict })
    }

    /// Add a run to the tree, and keep it if it shows something new.
    pub fn add(&mut self, seen: Seen) {
        let Seen { attempt, given, path, verdict } = seen;
        for obstacle in &path.obstacles {
            self.obstacle(obstacle.at, obstacle.what.clone(), obstacle.limit);
        }
        // Unless it ends the run, an access outside of an object is where one stops to understand it.
        let end = if let Verdict::Fails(failure) = &verdict { failure.at } else { None };
        if let Some(at) = path.outside.filter(|at| end.is_none() || *at != end) {
            self.obstacle(at, OUTSIDE, None);
        }
        let number = self.runs.len();
        if matches!(verdict, Verdict::Stopped(_)) {
            self.endless.insert(number);
        }
        // Where decisions are many, more of the run would only show more of them.
        if path.choices.len() < CHOICES && path.obstacles.iter().any(|o| o.limit == Some(Limit::Run)) {
            self.aside.push(number);
        }
        self.runs.push((attempt, path.forms.clone()));
        let added = self.tree.add(&path.choices, number);
        if added.astray.is_some() {
            self.obstacle(None, "the program does not do the same each time with the same inputs", None);
        }
        for choice in &path.choices {
            if let Why::Turn(trace::Why::Way { from, to }) = choice.why {
                self.gone.insert((choice.function, from, to));
            }
        }
        let is_refused = matches!(verdict, Verdict::Refused);
        let last = path.choices.len().saturating_sub(1) as u32;
        for id in added.nodes {
            if self.has_other_ways(id, is_refused, last) {
                self.enqueue(id);
            }
        }
        // What is not modelled may decide about a failure on a path that was gone before.
        let is_new_failure = match &verdict {
            Verdict::Fails(failure) => !self.found.failing.iter().any(|case| case.failure.as_ref() == Some(failure)),
            _ => false,
        };
        // What is printed as expected shows no decision that it might have been otherwise.
        let is_wanted = self.limits.passing.is_some() && matches!(verdict, Verdict::Passes);
        if added.is_new || added.astray.is_some() || is_new_failure || is_wanted {
            self.keep(verdict, given, &path);
        }
        (self.progress)(Progress {
            statistics: self.found.statistics,
            failing: self.found.failing.len(),
            open: self.agenda.len(),
        });
    }

    /// Whether it is worth to go another way at a new node. Where an assumption holds, the other way is none.
    fn has_other_ways(&self, id: NodeId, is_refused: bool, last: u32) -> bool {
        let node = self.tree.node(id);
        let stopped_here = is_refused && node.depth == last;
        match node.choice.why {
            Why::Domain | Why::Turn(trace::Why::Assumed) => false,
            Why::Turn(trace::Why::Refused) => true,
            _ if library::is_assumption(&self.subject.program.functions[node.choice.function.index()].name) => {
                stopped_here
            }
            _ => true,
        }
    }

    fn verdict(&self, outcome: &Outcome, recording: &Recording, followed: &Followed) -> Verdict {
        let name = |f: &FunctionId| self.subject.program.functions[f.index()].name.as_str();
        let in_assumption = followed.active.last().is_some_and(|f| library::is_assumption(name(f)));
        // An assumption ends the run on purpose; it may also have a fault of its own.
        let on_purpose = matches!(outcome.ending, Ending::Exited(_) | Ending::Signal(SIGABRT));
        if recording.assumption_violated || in_assumption && on_purpose && followed.lost.is_none() {
            return Verdict::Refused;
        }
        let failed = |message: String| {
            let trace = &followed.trace;
            let function = |a: u32| trace.activations.get(a as usize).map(|a| a.function);
            Verdict::Fails(match &trace.failure {
                Some(f) => Failure {
                    kind: Some(f.kind),
                    at: f.at,
                    function: function(f.activation),
                    message: f.message.clone(),
                },
                None => Failure { kind: None, at: None, function: None, message },
            })
        };
        match outcome.ending {
            Ending::Signal(signal) => failed(format!("the program is ended by signal {signal}")),
            Ending::Exited(status) => match &self.subject.expected {
                Expected { status: Some(expected), .. } if *expected != status => {
                    failed(format!("the exit status is {status}, not {expected}"))
                }
                Expected { stdout: Some(expected), .. } if *expected != outcome.stdout.kept => {
                    failed("the output is not the expected one".into())
                }
                _ => Verdict::Passes,
            },
            Ending::TimedOut => Verdict::Stopped(UNENDED),
            Ending::OutputLimit => Verdict::Stopped("a run was stopped because it writes too much output"),
            Ending::ProcessLimit => Verdict::Stopped("a run was stopped because it starts too many processes"),
            Ending::FileLimit => Verdict::Stopped("a run was stopped because it writes too large a file"),
            Ending::Stopped(_) => Verdict::Stopped("a run was stopped with the search"),
            Ending::SeenEnough => Verdict::Stopped(UNENDED),
            Ending::Unsupported => {
                Verdict::Stopped("a run came to something that is not supported, and was not followed")
            }
            Ending::SupervisorLost => Verdict::Stopped("a run killed the process that watches it"),
        }
    }

    /// Keep a run as a case.
    fn keep(&mut self, verdict: Verdict, given: Given, path: &Path) {
        let failure = match verdict {
            Verdict::Refused => {
                self.found.statistics.refused += 1;
                return;
            }
            Verdict::Stopped(_) => return,
            Verdict::Fails(failure) => Some(failure),
            Verdict::Passes => None,
        };
        let (attempt, _) = self.runs.last().expect("the run was made");
        let mut given = given;
        let mut chosen = vec![];
        for (&variable, &form) in &path.forms {
            let source = self.space.source(variable);
            if matches!(source, Source::More(_) | Source::Item(_)) {
                continue;
            }
            let bits = attempt.value(&self.space, variable);
            if let Source::Nondet(k) = source {
                let k = k as usize;
                if k >= TOLD && bits == 0 {
                    continue;
                }
                given.nondet.resize(given.nondet.len().max(k + 1), 0);
            }
            chosen.push(Chosen { source, form, bits });
        }
        chosen.sort_by_key(|c| c.source);
        let case = Tried { given, chosen, failure };
        match case.failure {
            Some(_) => self.found.failing.push(case),
            None => self.found.passing.push(case),
        }
    }
}

/// That a distance in bytes is large, before an object or behind it.
fn far_away(terms: &mut Terms, distance: TermId) -> TermId {
    let (least, most) = (terms.bits(64, FAR), terms.bits(64, FAR.wrapping_neg()));
    let (behind, before) = (terms.uge(distance, least), terms.ule(distance, most));
    terms.and2(behind, before)
}

pub(crate) const OUTSIDE: &str = "memory outside of an object can be accessed here, which did not stop the program";

/// What depends on inputs without a run showing it.
fn unseen(program: &Program) -> Vec<&'static str> {
    let mut locals = program.functions.iter().flat_map(|f| &f.locals);
    let mut callees = (program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands))
        .filter_map(|c| if let Command::Call { callee, .. } = &c.it { Some(callee) } else { None });
    let array = "an array has a length that is not fixed; other lengths than those seen were not searched";
    let pointer = "functions of a library may be called through pointers; which, was taken as seen";
    let is_array = locals.any(|local| local.size.is_none());
    let is_pointer = !program.externals.is_empty() && callees.any(|c| matches!(c, Callee::Pointer(_)));
    is_array.then_some(array).into_iter().chain(is_pointer.then_some(pointer)).collect()
}

const UNENDED: &str = "a run did not end in the time given to one; it may fail later";

const ASTRAY: &str = "another way than expected was gone from here; what lies behind was not searched";

/// What was recorded, as the walk wants it, with the globals that were given.
pub fn recorded<'r>(recording: &'r Recording, given: &[u32]) -> Recorded<'r> {
    Recorded {
        words: recording.words(),
        globals: recording
            .globals
            .iter()
            .map(|g| GlobalImage { address: g.address, size: g.size, content: g.content.clone() })
            .collect(),
        functions: recording.functions.clone(),
        externals: recording.externals.clone(),
        given_globals: given.to_vec(),
        given_objects: vec![],
        stack: wherefore_trace::STACK,
        stdout: None,
        stdin: None,
        threads: other_threads(&recording.threads),
        stands_still: false,
    }
}

/// What a walk is told of the threads that the recording does not have the words of.
fn other_threads(threads: &Threads) -> Option<OtherThreads<'_>> {
    if !threads.are_several() {
        return None;
    }
    Some(OtherThreads {
        others: threads.others.iter().map(|other| (other.words(), other.is_first)).collect(),
        are_all_known: threads.are_all_known() && threads.others.iter().all(|other| other.is_whole),
        is_started: threads.followed == wherefore_record::Followed::Other,
    })
}
