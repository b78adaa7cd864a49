//! `wherefore relevant`: run, walk, judge every assignment, try the constants, report.

mod all_traces;
mod integers;
mod path;
mod replay;

use crate::diagnose::suite;
use crate::explain::{self, Followed, Seen, milliseconds};
use crate::options::{Arith, By, Explain, Format, Relevant as Options};
use crate::progress::Progress;
use crate::sources::Sources;
use crate::{Status, Work, asked, emit, hang, initialisers, present, stop_in, watch};
use integers::{Unbounded, in_bits, unbounded};
use path::{Of, Traced, traced};
use replay::Replay;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;
use wherefore_budget::Budget;
use wherefore_formula::{Node, TermId};
use wherefore_parallel::processors;
use wherefore_program::{FileId, Origin, Program};
use wherefore_relevance::{Judged, Settings, Statement, Verdict, Witness, judge};
use wherefore_report::{self as report, Replayed, Report, Style, Timing};
use wherefore_solver::Backend;
use wherefore_trace::{Action, FailureKind, Kind, Storage, Trace};
use wherefore_wording::{Names, Position, called};

/// The share of the time that judging may take: what is found has to be tried and told.
const OF_JUDGING: f64 = 0.7;

/// The share of what is left that trying the constants may take.
const OF_TRYING: f64 = 0.5;

/// Run a program and find the assignments that, replaced by a constant, stop its failure.
pub fn relevant(options: &Options, work: &Work) -> anyhow::Result<Status> {
    if options.all_traces {
        return all_traces::all_traces(options, work);
    }
    let began = Instant::now();
    let budget = &work.budget;
    let explain = &asked::of_test(&options.explained())?;
    let mut progress = Progress::new(options.run.quiet);
    let Seen { mut happened, session, boogie, given } =
        match explain::run(explain, None, "relevant", &mut progress, began, budget)? {
            Ok(seen) => seen,
            Err(status) => return Ok(status),
        };
    let sources = Sources::new(&happened.program, std::mem::take(&mut happened.kept));
    let encode_began = Instant::now();
    progress.phase("tracing");
    let (mut trace, hanging) = match explain::follow(explain, None, &mut happened, budget)? {
        Followed::Trace(trace, hanging) => (*trace, hanging),
        Followed::Nothing(_) | Followed::Stopped => {
            progress.finish();
            return explain::stopped_early(explain, "relevant", &happened, &sources, began);
        }
    };
    initialisers::place(&mut trace, &happened.program, &sources);
    if let Some(hanging) = hanging {
        hang::tell(&mut trace, &hanging, &happened, &sources);
    }
    let mut report = Report::new("relevant");
    report.notes.clone_from(&happened.notes);
    let encoding = wherefore_localize::Encoding::FlowSensitive;
    present::fill(&mut report, &happened, &trace, None, encoding, &sources);
    if trace.failure.is_none() {
        progress.finish();
        return no_failure(options, explain, &happened, &report);
    }
    work.know(&report);
    let encode = encode_began.elapsed();

    progress.phase("judging");
    let solve_began = Instant::now();
    let traced = traced(&happened.program, &trace, &sources, options.arith);
    let unbounded = match options.arith {
        Arith::Bits => None,
        Arith::Int => Some(unbounded(&trace, &sources, &traced)?),
    };
    let places = Places { program: &happened.program, trace: &trace, sources: &sources };
    let candidates = places.candidates(&traced);
    let judged = judged(options, &traced, unbounded.as_ref(), &candidates, &budget.share(OF_JUDGING));
    let solve = solve_began.elapsed();
    let mut answer = places.answer(&candidates, &judged);
    report.answer = Some(report::Answer::Relevant(answer.told(&places, &traced)));
    work.know(&report);
    progress.phase("trying");
    // Nobody watches the memory of a run that is tried.
    let silent = matches!(trace.failure.as_ref().map(|failure| failure.kind), Some(FailureKind::Memory(_)));
    if session.is_none() && boogie.is_none() {
        report.notes.push("a recording is not run again: what the program does with the constants is not known".into());
    }
    if (session.is_some() || boogie.is_some()) && !silent {
        let mut case = suite::single(&happened.program, &given, &explain.wanted)?;
        case.expected = asked::expected(explain)?;
        // A run that does not end says nothing about how long one takes that does.
        let took = happened.unended.is_none().then_some(happened.times.1);
        let share = budget.share(OF_TRYING);
        let replay = match (&session, &boogie) {
            (Some(session), _) => Replay::new(session, took, case, &sources),
            (None, boogie) => Ok(boogie.as_ref().map(|boogie| Replay::interpreted(boogie, case, &share))),
        };
        let replayed = replay.and_then(|replay| match replay {
            Some(mut replay) => answer.replay(&mut replay, &trace, &share),
            None => Ok(()),
        });
        // What was found stands, tried or not.
        if let Err(error) = replayed
            && stop_in(&error).is_none()
        {
            return Err(error);
        }
    }
    let mut relevance = answer.told(&places, &traced);
    if options.run.verbose {
        relevance.run = places.run(&relevance.relevant);
    }
    let stop = budget.stopped().filter(|_| !relevance.complete);
    // What is unclear stays so, whatever it may take.
    report.partial = stop.is_some() || relevance.relevant.is_empty() && answer.is_unfinished();
    report.notes.extend(stop.map(|stop| watch::before(stop, "all statements were judged")));
    report.answer = Some(report::Answer::Relevant(relevance));
    report.timing_ms = Some(Timing {
        compile: milliseconds(happened.times.0),
        run: milliseconds(happened.times.1),
        encode: milliseconds(encode),
        solve: milliseconds(solve),
        total: milliseconds(began.elapsed()),
    });
    progress.finish();
    let status = if report.partial { Status::Partial } else { Status::Explained };
    let style = Style { verbose: options.run.verbose, ..Style::default() };
    emit::emit(status, &options.report, style, &report, &happened.program, &sources)?;
    Ok(status)
}

/// The run does not fail.
fn no_failure(
    options: &Options,
    explain: &Explain,
    happened: &crate::run::Happened,
    report: &Report,
) -> anyhow::Result<Status> {
    let sources = Sources::new(&happened.program, HashMap::new());
    if options.report.format == Format::Json || options.report.output.is_some() {
        emit::emit(Status::NoFailure, &options.report, Style::default(), report, &happened.program, &sources)?;
    }
    if !options.run.quiet && options.report.format == Format::Human {
        eprintln!("wherefore: {}", explain::no_failure(happened, &asked::expected(explain)?));
    }
    Ok(Status::NoFailure)
}

/// Judges statements: of each of the source first its last execution, since that is nearest to the failure.
fn judged(
    options: &Options,
    traced: &Traced,
    unbounded: Option<&Unbounded>,
    candidates: &[Candidate],
    budget: &Budget,
) -> Vec<Judged> {
    let settings = Settings {
        // Nothing else decides integers.
        backend: if unbounded.is_some() { Backend::Z3 } else { options.backend.into() },
        budget: budget.clone(),
        jobs: if options.jobs == 0 { processors() } else { options.jobs },
        by_core: options.by == By::Core,
    };
    let last: HashMap<&Key, usize> = candidates.iter().map(|candidate| (&candidate.key, candidate.at)).collect();
    let (first, rest): (Vec<usize>, Vec<usize>) =
        candidates.iter().map(|candidate| candidate.at).partition(|at| last.values().any(|last| last == at));
    let (path, known) = unbounded.map_or((&traced.path, &traced.known), |over| (&over.path, &over.known));
    let mut all = judge(path, known, &first, &settings);
    all.extend(judge(path, known, &rest, &settings));
    if unbounded.is_some() {
        all = in_bits(all, &traced.path);
    }
    all.sort_unstable_by_key(|judged| judged.at);
    all
}

/// A statement of the source: where it begins, and whether it is what it passes to a function.
type Key = (FileId, u32, u32, bool);

/// A statement of the path that may be relevant.
struct Candidate {
    /// Its place in the path.
    at: usize,
    /// Its step.
    step: usize,
    key: Key,
}

/// A trace and its source.
struct Places<'a> {
    program: &'a Program,
    trace: &'a Trace,
    sources: &'a Sources,
}

impl Places<'_> {
    /// What assigns something in the user's source.
    fn candidates(&self, traced: &Traced) -> Vec<Candidate> {
        let mut keys: HashMap<(Origin, bool), Key> = HashMap::new();
        let all = traced.of.iter().enumerate().filter(|(at, _)| traced.path.statements[*at].assigned().is_some());
        let candidate = |(at, of): (usize, &Of)| {
            let Of::Step(step) = of else { return None };
            let found = &self.trace.steps[*step];
            let origin = found.at.filter(|at| !self.sources.path(at.file).starts_with("/usr/"))?;
            let assigns = !matches!(found.kind, Kind::Internal | Kind::Control) && !self.only_chooses(found);
            let passes = found.kind == Kind::Call;
            assigns.then(|| Candidate {
                at,
                step: *step,
                key: *keys.entry((origin, passes)).or_insert_with(|| self.key(origin, passes)),
            })
        };
        all.filter_map(candidate).collect()
    }

    /// Whether a step is the choice of a way, as `if (*)` is in Boogie, and assigns nothing.
    fn only_chooses(&self, step: &wherefore_trace::Step) -> bool {
        let Action::Assign { to, .. } = &step.action else { return false };
        let storage = &self.trace.variables[to.0 as usize].storage;
        matches!(storage, Storage::External { callee, .. } if wherefore_boogie::CHOICES.contains(&callee.as_str()))
    }

    /// The statement around a place.
    fn key(&self, at: Origin, passes: bool) -> Key {
        let text = self.sources.text(at.file);
        let extent = text.and_then(|text| text.extent_of_whole_statement(at.line, at.column));
        let (line, column) = extent.map_or((at.line, at.column), |extent| (extent.line, extent.column));
        (at.file, line, column, passes)
    }

    fn function(&self, activation: u32) -> &str {
        let activation = self.trace.activations.get(activation as usize);
        activation.map_or("", |activation| &self.program.functions[activation.function.index()].name)
    }

    fn statement(&self, at: Origin, activation: u32) -> report::Statement {
        let text = self.sources.text(at.file);
        let extent = text.and_then(|text| text.extent_of_whole_statement(at.line, at.column));
        report::Statement {
            at: self.sources.loc(Some(at), extent, self.function(activation)),
            text: extent.and_then(|extent| Some(text?.text(extent))).unwrap_or_default(),
        }
    }

    /// What each statement of the source was found to be.
    fn answer(&self, candidates: &[Candidate], judged: &[Judged]) -> Answer {
        let verdicts: HashMap<usize, &Verdict> = judged.iter().map(|judged| (judged.at, &judged.verdict)).collect();
        let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
        for candidate in candidates {
            let group = groups.entry(candidate.key).or_default();
            let number = self.trace.numbers[candidate.step];
            group.activation = self.trace.steps[candidate.step].activation;
            // Several cells may be assigned at once, and a statement may do several things.
            let executions = group.executions.entry(self.trace.steps[candidate.step].kind as usize).or_default();
            if !executions.last().is_some_and(|last| self.is_same(last, candidate)) {
                executions.push((number, candidate.step));
            }
            let time = executions.len();
            // What is assigned and used at once is used as it was computed; nobody knows what else it would do.
            let verdict = verdicts.get(&candidate.at).filter(|_| !self.assigns_in_passing(candidate.step));
            let found = |witness: &Witness| Found {
                at: candidate.at,
                step: candidate.step,
                time,
                witness: witness.clone(),
                value: witness.values.first().copied(),
                replayed: None,
            };
            match verdict {
                None if verdicts.contains_key(&candidate.at) => group.unclear = true,
                Some(Verdict::Relevant(witness)) => group.relevant.push(found(witness)),
                Some(Verdict::Not) => {}
                Some(Verdict::Unclear(values)) => {
                    group.unclear = true;
                    group.open.push(found(&Witness { values: values.clone(), execution: None }));
                }
                Some(Verdict::Unknown) | None => group.unknown = true,
            }
        }
        Answer { groups }
    }

    /// Whether a step belongs to an execution: it has its number, or nothing else lies between.
    fn is_same(&self, (number, first): &Executed, candidate: &Candidate) -> bool {
        let between = &self.trace.steps[*first..candidate.step];
        let at = self.trace.steps[candidate.step].at;
        *number == self.trace.numbers[candidate.step] || between.iter().all(|step| step.at == at)
    }

    fn told(&self, names: &Names, traced: &Traced, group: &Group) -> Option<report::Relevant> {
        let found = group.best(self.trace)?;
        let step = &self.trace.steps[found.step];
        let Action::Assign { to, after, .. } = step.action else { return None };
        let caller = self.trace.activations.get(step.activation as usize).and_then(|activation| activation.caller);
        let writer = caller.filter(|_| step.kind == Kind::Call).unwrap_or(step.activation);
        let statement = self.statement(step.at?, writer);
        let values = self.trace.values_at(found.step);
        let here = Position { activation: step.activation, at_entry: false, values: &values };
        let number = |found: &Found| self.trace.numbers[found.step].map(u64::from);
        let is_size = matches!(self.trace.variables[to.0 as usize].storage, Storage::Size { .. });
        let told = |value: u128| if is_size { value.to_string() } else { names.value(to, value, here) };
        Some(report::Relevant {
            position: number(found).unwrap_or(0),
            variable: match step.kind {
                Kind::Call => format!("{} of {}()", names.variable(to, here), self.function(step.activation)),
                _ => names.variable(to, here),
            },
            was: told(after),
            replacement: found.value.map(told),
            given: self.given(traced, found),
            occurrences: group.relevant.iter().filter_map(number).collect::<BTreeSet<u64>>().into_iter().collect(),
            executed: match self.trace.failure.as_ref().map(|failure| failure.kind) {
                // It would go on.
                Some(FailureKind::Timeout) => 0,
                _ => group.executions.get(&(step.kind as usize)).map_or(0, |all| all.len() as u64),
            },
            time: found.time as u64,
            in_traces: None,
            stops: self.stops(names, traced, found),
            replayed: found.replayed,
            at: statement.at,
            text: statement.text,
        })
    }

    /// The statements that the run executed, each time once.
    fn run(&self, relevant: &[report::Relevant]) -> Vec<report::Passed> {
        let changed: BTreeSet<u64> = relevant.iter().flat_map(|one| one.occurrences.iter().copied()).collect();
        let mut run: Vec<report::Passed> = vec![];
        for (step, number) in self.trace.steps.iter().zip(&self.trace.numbers) {
            let (Some(at), Some(number)) = (step.at, number) else { continue };
            let position = u64::from(*number);
            if self.sources.path(at.file).starts_with("/usr/") || run.last().is_some_and(|one| one.position == position)
            {
                continue;
            }
            let text = match &step.action {
                Action::If(_) => self.decision(at).unwrap_or_default(),
                Action::Assign { .. } => self.statement(at, step.activation).text,
                Action::EndIf(_) => continue,
            };
            let is_told = !text.is_empty() && text != "}";
            let text = text.lines().next().unwrap_or_default().to_string();
            if is_told {
                run.push(report::Passed { position, line: at.line, text, relevant: changed.contains(&position) });
            }
        }
        run
    }

    /// Whether the failure may go on where its condition does not hold: a number that is printed too small may as well be too
    /// large.
    fn is_one_sided(&self) -> bool {
        let Some(failure) = self.trace.failure.as_ref().filter(|f| f.kind == FailureKind::Output) else { return false };
        let terms = &self.trace.terms;
        let is_difference =
            |t: TermId| matches!(terms.node(t), Node::Not(inner) if matches!(terms.node(*inner), Node::Eq(..)));
        failure.decision.is_none() && !is_difference(failure.violated)
    }

    fn assigns_in_passing(&self, step: usize) -> bool {
        let at = self.trace.steps[step].at;
        at.is_some_and(|at| self.sources.text(at.file).is_some_and(|text| text.assigns_in_passing(at.line, at.column)))
    }

    /// Values that may be anything and are others in the execution of a witness.
    fn given(&self, traced: &Traced, found: &Found) -> Vec<report::Input> {
        let Some(execution) = &found.witness.execution else { return vec![] };
        let input = |at: usize| {
            let Of::Step(step) = traced.of[at] else { return None };
            let line = self.trace.steps[step].at?.line;
            let Storage::External { callee, .. } =
                &self.trace.variables[traced.path.statements[at].assigned()?.0 as usize].storage
            else {
                return None;
            };
            let bits = self.trace.variables[traced.path.statements[at].assigned()?.0 as usize].bits;
            let value = signed(execution.assigned[at], bits);
            Some(report::Input { name: format!("{} in line {line}", called(callee, "")), value: value.to_string() })
        };
        let open = (0..found.at).filter(|at| matches!(traced.path.statements[*at], Statement::Havoc { .. }));
        open.filter(|at| execution.assigned[*at] != traced.known.assigned[*at]).filter_map(input).collect()
    }

    /// What decides about the way at a place, as the source has it.
    fn decision(&self, at: Origin) -> Option<String> {
        let text = self.sources.text(at.file)?;
        Some(text.text(text.enclosing_control(at.line, at.column)?.head))
    }

    /// What no longer holds with another value.
    fn stops(&self, names: &Names, traced: &Traced, found: &Found) -> report::Stops {
        let known = found.witness.execution.as_ref().unwrap_or(&traced.known);
        let Some(value) = found.value else { return report::Stops::default() };
        let stopped = traced.path.stops(known, found.at, value);
        let stop = stopped.map(|at| traced.of[at]);
        let (at, activation, position, condition) = match stop {
            Some(Of::Branch(branch)) => {
                let branch = &self.trace.branches[branch.index()];
                (branch.at, branch.activation, branch.start, branch.condition)
            }
            Some(Of::Assumed(number)) => {
                let held = &self.trace.assumed[number];
                (held.at, held.activation, held.position, held.condition)
            }
            // Something is done otherwise before it decides: with another object, or as C does not say.
            Some(Of::Step(step)) => {
                let step = &self.trace.steps[step];
                let at = step.at.map(|at| self.statement(at, step.activation).at).unwrap_or_default();
                return report::Stops { at, ..report::Stops::default() };
            }
            Some(Of::Failure) | None => match &self.trace.failure {
                Some(failure) => (failure.at, failure.activation, self.trace.steps.len(), failure.violated),
                None => return report::Stops::default(),
            },
        };
        // A condition of several parts, of which the last that was evaluated need not be the one.
        let is_part = |at: usize| !matches!(traced.path.statements[at], Statement::Assume(holds) if holds == condition);
        if let (Some(Of::Branch(_)), true) = (stop, stopped.is_some_and(is_part))
            && let Some(whole) = at.and_then(|at| self.decision(at))
        {
            let at = at.map(|at| self.statement(at, activation).at).unwrap_or_default();
            return report::Stops { at, text: format!("what `{whole}` decided"), failure: false };
        }
        let values = self.trace.values_at(position);
        let text = names.condition(condition, Position { activation, at_entry: false, values: &values });
        let at = at.map(|at| self.statement(at, activation).at).unwrap_or_default();
        report::Stops { at, text, failure: !matches!(stop, Some(Of::Branch(_) | Of::Assumed(_))) }
    }
}

/// Bits as a number with a sign.
fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.min(128);
    (value << shift) as i128 >> shift
}

/// What is known of the statements of the source.
struct Answer {
    groups: BTreeMap<Key, Group>,
}

/// An execution: its number among those of all statements, and its first step.
type Executed = (Option<u32>, usize);

/// A statement of the source.
#[derive(Default)]
struct Group {
    /// The numbers of its executions, for each kind of step.
    executions: HashMap<usize, Vec<Executed>>,
    relevant: Vec<Found>,
    /// Those at which other values lead where only a run can tell what comes of it.
    open: Vec<Found>,
    unclear: bool,
    unknown: bool,
    activation: u32,
}

impl Group {
    /// The execution to tell of: one with which the program passes, or the last; and what has a name.
    fn best(&self, trace: &Trace) -> Option<&Found> {
        let rank = |found: &&Found| {
            let named = !matches!(trace.steps[found.step].kind, Kind::Havoc | Kind::Thread);
            // What was seen to fail is no worse than what was not seen.
            (std::cmp::Reverse(found.order().min(order(None))), named, found.time)
        };
        self.relevant.iter().max_by_key(rank)
    }
}

/// An execution of a statement at which it is relevant.
struct Found {
    at: usize,
    step: usize,
    /// Which execution, from 1.
    time: usize,
    witness: Witness,
    /// The constant that is told; nothing where only a proof blames the statement.
    value: Option<u128>,
    replayed: Option<Replayed>,
}

impl Found {
    fn order(&self) -> u32 {
        order(self.replayed)
    }
}

/// What stands first: what was seen to repair the program.
fn order(replayed: Option<Replayed>) -> u32 {
    match replayed {
        Some(Replayed::Passes) => 0,
        Some(Replayed::Endless) => 1,
        None => 2,
        Some(Replayed::Fails) => 3,
        Some(Replayed::Assumed) => 4,
    }
}

/// Executions of one statement that are tried natively, the last ones; and runs that do not end.
const TRIED: usize = 3;
const ENDLESS: usize = 2;

/// Runs a program with the constants of a statement until it passes.
fn try_values(all: &mut [Found], replay: &mut Replay, trace: &Trace, budget: &Budget) -> anyhow::Result<()> {
    let mut endless = 0;
    for found in all.iter_mut().rev().take(TRIED) {
        // Another execution needs other inputs than the run had.
        for value in found.witness.values.iter().filter(|_| found.witness.execution.is_none()) {
            if budget.stopped().is_some() || endless == ENDLESS {
                return Ok(());
            }
            let seen = replay.with(trace, found.step, *value)?;
            endless += usize::from(seen == Some(Replayed::Endless));
            if found.replayed.is_none() || order(seen) < found.order() {
                (found.value, found.replayed) = (Some(*value), seen);
            }
            if seen == Some(Replayed::Passes) {
                return Ok(());
            }
        }
    }
    Ok(())
}

impl Answer {
    /// Tries the constants natively. Where it is only known that a value leads elsewhere, a run that passes says the rest.
    fn replay(&mut self, replay: &mut Replay, trace: &Trace, budget: &Budget) -> anyhow::Result<()> {
        for group in self.groups.values_mut() {
            try_values(&mut group.relevant, replay, trace, budget)?;
            if group.relevant.is_empty() {
                try_values(&mut group.open, replay, trace, budget)?;
                let passes = |found: &mut Found| found.replayed == Some(Replayed::Passes);
                group.relevant.extend(group.open.extract_if(.., passes));
            }
        }
        Ok(())
    }

    /// Whether there was no time for some statement.
    fn is_unfinished(&self) -> bool {
        self.groups.values().any(|group| group.unknown)
    }

    /// What is known before it is tried.
    fn relevance(&self) -> report::Relevance {
        let none = |group: &&Group| group.relevant.is_empty();
        report::Relevance {
            relevant: vec![],
            assignments: self.groups.len() as u64,
            unclear: vec![],
            complete: !self.groups.values().filter(none).any(|group| group.unknown || group.unclear),
            ..report::Relevance::default()
        }
    }

    fn told(&self, places: &Places, traced: &Traced) -> report::Relevance {
        let names = Names::new(places.program, places.trace);
        let mut relevant: Vec<report::Relevant> =
            self.groups.values().filter_map(|group| places.told(&names, traced, group)).collect();
        // What is near to the failure comes first.
        relevant.sort_by_key(|one| (order(one.replayed), std::cmp::Reverse(one.position)));
        let open =
            self.groups.iter().filter(|(_, group)| group.relevant.is_empty() && (group.unclear || group.unknown));
        let at = |(file, line, column, _): Key| Origin { file, line, column };
        let mut unclear: Vec<report::Statement> =
            open.map(|(key, group)| places.statement(at(*key), group.activation)).collect();
        let mut complete = self.relevance().complete;
        if places.is_one_sided() {
            let is_known = |one: &mut report::Relevant| !one.stops.failure || one.replayed == Some(Replayed::Passes);
            for one in relevant.extract_if(.., |one| !is_known(one)) {
                complete = false;
                unclear.push(report::Statement { at: one.at, text: one.text });
            }
        }
        report::Relevance { relevant, unclear, complete, ..self.relevance() }
    }
}
