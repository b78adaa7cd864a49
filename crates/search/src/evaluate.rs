//! From a followed run to its choices: every variable of the trace as a term over the inputs.
//!
//! The steps are executed forwards. A variable that was never set by the program, or that code outside set, is an input
//! or has just the value it had; then it is *fixed*, which matters where a condition depends on it.

use crate::attempt::Attempt;
use crate::chosen::Source;
use crate::form::Form;
use crate::found::{Limit, Obstacle};
use crate::path::{Choice, Path, Why};
use crate::search::OUTSIDE;
use crate::space::Space;
use crate::stdin::Content;
use crate::subject::Subject;
use std::collections::{BTreeMap, HashMap};
use wherefore_formula::{TermId, VarId};
use wherefore_program::{FunctionId, GlobalId, Origin};
use wherefore_trace::{
    self as trace, Action, Called, Ended, Event, FailureKind, Followed, GlobalImage, Kind, Step, Storage, Turn,
};

/// The value of a variable: its term, and the number of the obstacle by which it is fixed.
#[derive(Copy, Clone)]
pub(crate) struct Known {
    pub term: TermId,
    pub fixed: Option<u32>,
}

/// The run under way.
pub(crate) struct Evaluation<'a> {
    pub space: &'a mut Space,
    pub subject: &'a Subject<'a>,
    pub followed: &'a Followed,
    pub attempt: &'a Attempt,
    /// The globals when the run began.
    pub globals: &'a [GlobalImage],
    pub path: Path,
    known: Vec<Option<Known>>,
    reasons: Vec<Obstacle>,
    /// Results of calls that have just come back.
    results: HashMap<VarId, Known>,
    /// Bytes that the library wrote, by their addresses.
    pub written: BTreeMap<u64, TermId>,
    /// Ranges that `calloc` gave.
    pub cleared: Vec<(u64, u64)>,
    /// Ranges of tables of the library.
    pub tables: Vec<(u64, u64)>,
    /// How many nondeterministic values were asked for.
    pub nondet: u32,
    /// Standard input and how far it is read.
    pub content: Content,
    pub read: usize,
    /// Nothing after this is understood.
    pub is_over: bool,
}

/// The choices of a run.
pub(crate) fn evaluate(
    space: &mut Space,
    subject: &Subject,
    followed: &Followed,
    attempt: &Attempt,
    globals: &[GlobalImage],
) -> Path {
    let content = attempt.content(space);
    let mut evaluation = Evaluation {
        space,
        subject,
        followed,
        attempt,
        globals,
        path: Path::default(),
        known: vec![None; followed.trace.variables.len()],
        reasons: vec![],
        results: HashMap::new(),
        written: BTreeMap::new(),
        cleared: vec![],
        tables: vec![],
        nondet: 0,
        content,
        read: 0,
        is_over: false,
    };
    evaluation.begin();
    evaluation.look_at_lengths();
    for step in &followed.trace.steps {
        if evaluation.is_over {
            break;
        }
        evaluation.step(step);
    }
    evaluation.printed();
    if let Some(lost) = followed.lost.as_ref().filter(|_| !evaluation.is_over) {
        // Stopped with the search, it is not one that was followed to its end.
        let limit = matches!(lost, trace::WalkError::Stopped { .. }).then_some(Limit::Time);
        evaluation.path.obstacles.push(Obstacle { at: None, what: lost.to_string(), limit });
    }
    evaluation.path
}

impl Evaluation<'_> {
    /// The number of a reason why something is fixed.
    pub fn reason(&mut self, obstacle: Obstacle) -> u32 {
        match self.reasons.iter().position(|r| *r == obstacle) {
            Some(number) => number as u32,
            None => {
                self.reasons.push(obstacle);
                self.reasons.len() as u32 - 1
            }
        }
    }

    /// The content of a global when the run began.
    pub fn image(&self, id: GlobalId) -> Option<&[u8]> {
        self.globals.get(id.index())?.content.as_deref()
    }

    /// The zero-terminated text at an address of a global.
    pub fn text_at(&self, address: u64) -> Option<&[u8]> {
        self.globals.iter().find_map(|global| {
            let from = address.checked_sub(global.address).filter(|from| *from < global.size)?;
            let text = global.content.as_ref()?.get(from as usize..)?;
            let end = text.iter().position(|b| *b == 0)?;
            Some(&text[..end])
        })
    }

    /// The activation the run starts in.
    pub fn entry(&self) -> Option<usize> {
        let is_entry = |a: &trace::Activation| a.function == self.subject.entry && a.caller.is_none();
        self.followed.trace.activations.iter().position(is_entry)
    }

    /// A variable has a value.
    pub fn set(&mut self, variable: VarId, known: Known) {
        self.known[variable.0 as usize] = Some(known);
    }

    /// The value of a variable now, when it has one.
    pub fn value_of(&self, variable: VarId) -> Option<Known> {
        self.known[variable.0 as usize]
    }

    /// The width of a variable.
    pub fn width(&self, variable: VarId) -> u32 {
        self.followed.trace.variables[variable.0 as usize].bits
    }

    /// The value that a variable gets by the next step.
    pub fn expect(&mut self, variable: VarId, known: Known) {
        self.results.insert(variable, known);
    }

    /// Say once what stands in the way of having seen everything.
    pub fn obstacle(&mut self, at: Option<Origin>, what: String) {
        let obstacle = Obstacle { at, what, limit: None };
        if !self.path.obstacles.contains(&obstacle) {
            self.path.obstacles.push(obstacle);
        }
    }

    /// The path ends here: what comes after is not understood.
    pub fn give_up(&mut self, at: Option<Origin>, what: String) {
        self.obstacle(at, what);
        self.is_over = true;
    }

    /// An input is used in some form.
    pub fn use_input(&mut self, source: Source, form: Form) {
        let variable = self.space.variable(source);
        self.path.forms.insert(variable, form);
    }

    /// A term of the trace over the inputs.
    pub fn import(&mut self, term: TermId) -> Known {
        let mut fixed = None;
        let known = &self.known;
        let term = self.space.terms.import(&self.followed.trace.terms, term, &mut |terms, variable, sort| match known
            [variable.0 as usize]
        {
            Some(known) => {
                fixed = fixed.or(known.fixed);
                known.term
            }
            None => match sort {
                wherefore_formula::Sort::Bits(bits) => terms.bits(bits, 0),
                wherefore_formula::Sort::Bool => terms.truth(false),
                wherefore_formula::Sort::Int => terms.int(0),
            },
        });
        Known { term, fixed }
    }

    fn step(&mut self, step: &Step) {
        let Action::Assign { to, value, before, after, .. } = step.action else { return };
        if to == self.followed.marker {
            match &self.followed.events[after as usize] {
                Event::Turn(turn) => self.turn(turn),
                Event::Read(read) => self.read_at(read),
                Event::Called(called) => self.called(called),
                Event::Strayed(at) => self.obstacle(*at, OUTSIDE.into()),
                Event::Ended(ended) => self.ended(ended),
                Event::Fixed(fixed) => {
                    let depends = fixed.on.iter().any(|t| {
                        let term = self.import(*t).term;
                        self.space.terms.constant(term).is_none()
                    });
                    if depends {
                        self.obstacle(
                            fixed.at,
                            format!("{} depends on the inputs; only values seen were tried", fixed.what),
                        );
                    }
                }
            }
            return;
        }
        if let Some(known) = self.results.remove(&to) {
            if self.holds(known.term) == Some(after) {
                self.set(to, known);
            } else {
                self.give_up(step.at, OTHER_VALUES.into());
            }
            return;
        }
        let from_outside =
            matches!(step.kind, Kind::Havoc | Kind::Thread) && self.followed.trace.terms.constant(value).is_some();
        let known = if from_outside {
            let Some(known) = self.set_outside(to, (before, after), step.kind, step.at) else { return };
            known
        } else {
            self.import(value)
        };
        self.set(to, known);
    }

    /// The value that code outside gave to a variable; `None` when it left it as it was.
    fn set_outside(
        &mut self,
        to: VarId,
        (before, after): (Option<u128>, u128),
        kind: Kind,
        at: Option<Origin>,
    ) -> Option<Known> {
        let variable = &self.followed.trace.variables[to.0 as usize];
        if let Some(term) = variable.address.and_then(|address| self.written_at(address, variable.bits))
            && self.holds(term) == Some(after)
        {
            return Some(Known { term, fixed: None });
        }
        if before == Some(after) {
            return None;
        }
        let term = self.space.terms.bits(variable.bits, after);
        let is_cleared = after == 0
            && variable.address.is_some_and(|a| self.cleared.iter().any(|(start, end)| (*start..*end).contains(&a)));
        let what = match &variable.storage {
            _ if kind == Kind::Thread => "what another thread wrote was taken as seen".to_string(),
            Storage::External { callee, .. } => format!("what {callee}() returns was taken as seen"),
            _ => "what a library function writes into memory was taken as seen".to_string(),
        };
        let fixed = (!is_cleared).then(|| self.reason(Obstacle { at, what, limit: None }));
        Some(Known { term, fixed })
    }

    /// The value of a term for the inputs of the run.
    fn holds(&self, term: TermId) -> Option<u128> {
        let mut value = |variable| Some(self.attempt.value(self.space, variable));
        self.space.terms.evaluate(term, &mut value).map(|v| v.raw())
    }

    fn written_at(&mut self, address: u64, bits: u32) -> Option<TermId> {
        let mut term: Option<TermId> = None;
        for i in 0..u64::from(bits / 8) {
            let byte = *self.written.get(&(address + i))?;
            term = Some(match term {
                Some(low) => self.space.terms.concat(byte, low),
                None => byte,
            });
        }
        term
    }

    /// The library writes a value into memory.
    pub fn write(&mut self, address: u64, term: TermId) {
        for i in 0..self.space.terms.width(term) / 8 {
            let byte = self.space.terms.extract(term, i * 8, 8);
            self.written.insert(address + u64::from(i), byte);
        }
    }

    /// Something that decides depends on what is fixed.
    fn depends_on(&mut self, fixed: Option<u32>, at: Option<Origin>) {
        let Some(reason) = fixed.map(|f| self.reasons[f as usize].clone()) else { return };
        let at = if reason.what == AS_GIVEN { None } else { reason.at.or(at) };
        self.obstacle(at, reason.what);
    }

    fn turn(&mut self, turn: &Turn) {
        let Known { term: condition, fixed } = self.import(turn.condition);
        let distance = turn.distance.map(|d| self.import(d).term);
        // Where the arguments of the program lie is nothing to be searched.
        let is_pointer = matches!(turn.why, trace::Why::Address | trace::Why::Inside);
        self.depends_on(fixed.filter(|f| !is_pointer || self.reasons[*f as usize].what != AS_GIVEN), turn.at);
        self.choose(condition, distance, Why::Turn(turn.why), turn.at, turn.function, turn.rounds);
        match turn.why {
            // What comes after is followed no further, whether inputs decided about it or not.
            trace::Why::Outside => {
                self.path.outside = self.path.outside.or(Some(turn.at));
                self.is_over = true;
            }
            trace::Why::Undefined => self.give_up(turn.at, UNDEFINED.into()),
            _ => {}
        }
    }

    /// The program ends: its status may be the wrong one.
    fn ended(&mut self, ended: &Ended) {
        let Some(expected) = self.subject.expected.status else { return };
        let function = &self.subject.program.functions[ended.function.index()];
        // The value of an entry function that is not `main` is not the status.
        let is_status = self.subject.program.is_main(function) || ended.function != self.subject.entry;
        let Known { term: status, fixed } = self.import(ended.status);
        if !is_status || self.space.terms.width(status) < 8 {
            return;
        }
        self.depends_on(fixed, ended.at);
        let low = self.space.terms.extract(status, 0, 8);
        let expected = self.space.terms.bits(8, expected as u128);
        let right = self.space.terms.eq(low, expected);
        let condition = if self.holds(right) == Some(1) { right } else { self.space.terms.not(right) };
        self.choose(condition, None, Why::Status, ended.at, ended.function, 0);
    }

    /// What was printed is not what is expected: it may be another time.
    fn printed(&mut self) {
        let Some(failure) = &self.followed.trace.failure else { return };
        let activation = self.followed.trace.activations.get(failure.activation as usize);
        let Some(function) = activation.map(|a| a.function).filter(|_| failure.kind == FailureKind::Output) else {
            return;
        };
        let Known { term: wrong, fixed } = self.import(failure.violated);
        self.depends_on(fixed, failure.at);
        self.choose(wrong, None, Why::Printed, failure.at, function, 0);
    }

    /// The run went by a condition.
    pub fn choose(
        &mut self,
        condition: TermId,
        distance: Option<TermId>,
        why: Why,
        at: Option<Origin>,
        function: FunctionId,
        rounds: u32,
    ) {
        if self.is_over || self.space.terms.truth_value(condition) == Some(true) {
            return;
        }
        if self.holds(condition) != Some(1) {
            self.give_up(at, OTHER_VALUES.into());
            return;
        }
        if self.path.choices.len() == CHOICES {
            self.path.put_aside(format!("runs were followed for {CHOICES} decisions only"));
            self.is_over = true;
            return;
        }
        let items = self.path.items;
        self.path.choices.push(Choice { condition, why, distance, at, function, rounds, items });
    }

    /// The result of a call.
    pub fn result(&mut self, called: &Called, known: Known) {
        if let Some(variable) = called.result {
            self.expect(variable, known);
        }
    }
}

/// C does not say what happens.
const UNDEFINED: &str = "the shift is by the width or more, which C leaves undefined; what follows was not searched";
/// What we know of the program is not what the machine did.
const OTHER_VALUES: &str = "the run does not go as its values say; what follows was not searched";
/// A reason for something to be fixed.
pub(crate) const AS_GIVEN: &str =
    "arguments of the program, other than numbers, and its environment were taken as given";
/// Longer runs are followed up to there.
pub(crate) const CHOICES: usize = 10_000;
