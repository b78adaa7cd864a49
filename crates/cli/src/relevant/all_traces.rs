//! `wherefore relevant --all-traces`: the error traces of a program that runs confirm, and the statements that are relevant in
//! each of them.

use crate::automata::{End, Explored, Next};
use crate::boogie::{self, Boogie};
use crate::explain::milliseconds;
use crate::options::{By, Format, Relevant as Options, Run};
use crate::progress::Progress;
use crate::run::{check, is_recording, open};
use crate::search::{failure, value};
use crate::sources::Sources;
use crate::{Status, UsageError, Work, emit, watch};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};
use wherefore_automata::{Statement, Trace};
use wherefore_flow::{Flow, Kind};
use wherefore_formula::VarId;
use wherefore_parallel::processors;
use wherefore_program::{FileId, Origin, Program};
use wherefore_relevance::{Settings, Verdict, judge};
use wherefore_report::{self as report, Answer, Report, Stops, Style, Timing, Traces};
use wherefore_search::{Form, Runner, Tried, form_of};
use wherefore_session::Runs;

/// The share of the time in which error traces are looked for: what is found has to be judged.
const OF_LOOKING: f64 = 0.7;

/// Finds error traces and judges them.
///
/// # Errors
/// When the options are wrong or the program cannot be run.
pub fn all_traces(options: &Options, work: &Work) -> anyhow::Result<Status> {
    let began = Instant::now();
    check(&options.run)?;
    if let Some(one) = options.run.program.iter().find(|p| is_recording(p)) {
        let what = "a recording is one run; --all-traces needs the program";
        return Err(UsageError(format!("{}: {what}", one.display())).into());
    }
    let budget = &work.budget;
    let progress = Progress::new(options.run.quiet);
    progress.phase("compiling");
    if boogie::is_asked(&options.run) {
        let boogie = Boogie::open(&options.run)?;
        let looked_at = LookedAt { options, run: &boogie.opened(), program: &boogie.program, compile: boogie.time };
        return told(&looked_at, &mut boogie.runner(budget), work, progress, began);
    }
    let session = open(&options.run, budget)?;
    let executable = session.recorded()?;
    let mut runs = Runs::new(&session, &executable.path, options.run.stdin.as_deref(), budget)?;
    let looked_at =
        LookedAt { options, run: &options.run, program: session.program(), compile: session.compile_time() };
    told(&looked_at, &mut |given, patience| runs.make(given, patience), work, progress, began)
}

/// A program and what was asked about it.
struct LookedAt<'a> {
    options: &'a Options,
    /// How it is run.
    run: &'a Run,
    program: &'a Program,
    /// How long reading it took.
    compile: Duration,
}

fn told(
    looked_at: &LookedAt,
    runner: Runner,
    work: &Work,
    mut progress: Progress,
    began: Instant,
) -> anyhow::Result<Status> {
    let LookedAt { options, run, program, compile } = *looked_at;
    let budget = &work.budget;
    progress.phase("looking for error traces");
    let mut explored = Explored::new(run, program, runner)?;
    let mut found: Vec<(Trace, Tried)> = vec![];
    let (outcome, unconfirmed) = explored.explore(runner, &budget.share(OF_LOOKING), &mut |_, trace, tried| {
        found.push((trace.clone(), tried));
        Next::Others
    })?;
    let searched = began.elapsed();
    progress.phase("judging");
    let sources = Sources::new(program, HashMap::new());
    let mut report = Report::new("relevant");
    let notes = explored.flow.notes.iter().chain(&explored.flow.taken);
    report.notes.extend(notes.map(|note| format!("{}{}", sources.prefix(note.at), note.message)));
    if unconfirmed > 0 {
        report.notes.push(format!("{unconfirmed} error traces that no run confirms are left out"));
    }
    let doubt = explored.doubt.as_ref().filter(|_| outcome.end == End::Empty && explored.flow.notes.is_empty());
    report.notes.extend(doubt.map(|doubt| format!("there may be other error traces: {doubt}")));
    match &outcome.end {
        End::Limit(stop) => report.notes.push(watch::before(*stop, "all error traces were found")),
        End::Undecided(why) => report.notes.push(format!("an error trace could not be decided: {why}")),
        End::Empty | End::Told | End::Iterations => {}
    }
    let complete = outcome.end == End::Empty && explored.doubt.is_none() && unconfirmed == 0;
    let judging = Judging { options, program, flow: &explored.flow, sources: &sources, work };
    let mut answer = judging.answer(&found);
    // Where something is not followed, what it would make relevant is not known.
    answer.complete &= explored.flow.notes.is_empty() && !matches!(outcome.end, End::Limit(_));
    answer.traces = Some(Traces { found: found.len() as u64, complete, iterations: outcome.statistics.iterations });
    report.failure = found.first().and_then(|(_, tried)| failure(program, tried, &sources));
    report.partial = matches!(outcome.end, End::Limit(_));
    report.timing_ms = Some(Timing {
        compile: milliseconds(compile),
        encode: milliseconds(searched.saturating_sub(compile)),
        solve: milliseconds(began.elapsed() - searched),
        total: milliseconds(began.elapsed()),
        ..Timing::default()
    });
    report.answer = Some(Answer::Relevant(answer));
    progress.finish();
    let status = match (found.is_empty(), report.partial) {
        (_, true) => Status::Partial,
        (true, false) => Status::NoFailure,
        (false, false) => Status::Explained,
    };
    if found.is_empty() && options.report.format == Format::Human {
        if !options.run.quiet {
            eprintln!("wherefore: {}", nothing(complete, &report));
        }
        return Ok(status);
    }
    let style = Style { verbose: options.run.verbose, ..Style::default() };
    emit::emit(status, &options.report, style, &report, program, &sources)?;
    Ok(status)
}

fn nothing(complete: bool, report: &Report) -> String {
    match complete {
        true => "there is no error trace, as long as the program ends: proved, and checked by a second solver".into(),
        false => {
            let why = report.notes.first().map_or(String::new(), |note| format!(" ({note})"));
            format!("no error trace was found, which is no proof{why}")
        }
    }
}

/// A statement of the source: where it begins, and whether it is what it passes to a function.
type Key = (FileId, u32, u32, bool);

struct Judging<'a> {
    options: &'a Options,
    program: &'a Program,
    flow: &'a Flow,
    sources: &'a Sources,
    work: &'a Work,
}

/// What is known of a statement in one trace.
#[derive(Default)]
struct Known {
    relevant: Vec<(usize, u128)>,
    executed: Vec<usize>,
    unknown: bool,
}

impl Judging<'_> {
    fn answer(&self, found: &[(Trace, Tried)]) -> report::Relevance {
        let mut all: Vec<BTreeMap<Key, Known>> = vec![];
        for (trace, _) in found {
            all.push(self.judged(trace));
        }
        let mut keys: Vec<Key> = all.iter().flat_map(BTreeMap::keys).copied().collect();
        keys.sort_unstable();
        keys.dedup();
        let (mut relevant, mut in_some, mut unclear) = (vec![], vec![], vec![]);
        for key in &keys {
            let times = all.iter().filter(|one| one.get(key).is_some_and(|known| !known.relevant.is_empty())).count();
            let is_unknown = all.iter().any(|one| one.get(key).is_some_and(|known| known.unknown));
            let told = all.iter().zip(found).find_map(|(one, (trace, _))| self.told(trace, one.get(key)?));
            match told {
                Some(mut told) => {
                    told.in_traces = Some(times as u64);
                    if times == found.len() { relevant.push(told) } else { in_some.push(told) }
                }
                None if is_unknown => unclear.push(self.statement(*key)),
                None => {}
            }
        }
        in_some.sort_by_key(|one: &report::Relevant| std::cmp::Reverse(one.in_traces));
        let complete = !all.iter().flat_map(BTreeMap::values).any(|known| known.unknown && known.relevant.is_empty());
        report::Relevance {
            assignments: keys.len() as u64,
            relevant,
            in_some,
            complete: complete && unclear.is_empty(),
            unclear,
            traces: None,
            run: vec![],
        }
    }

    /// The statements of one trace.
    fn judged(&self, trace: &Trace) -> BTreeMap<Key, Known> {
        let path = self.flow.graph.path(&trace.word);
        let mut candidates: Vec<(usize, Key)> = vec![];
        for (at, letter) in trace.word.iter().enumerate() {
            let found = self.flow.letter(*letter);
            let assigns = path.statements[at].assigned().is_some() && found.kind != Kind::Internal;
            let Some(origin) = found.at.filter(|at| assigns && !self.sources.path(at.file).starts_with("/usr/")) else {
                continue;
            };
            // What a function with several `return` gives stands at its end as well.
            if found.kind == Kind::Return && matches!(self.place(origin, "").text.as_str(), "" | "}") {
                continue;
            }
            candidates.push((at, self.key(origin, found.kind == Kind::Pass)));
        }
        let settings = Settings {
            backend: self.options.backend.into(),
            budget: self.work.budget.clone(),
            jobs: if self.options.jobs == 0 { processors() } else { self.options.jobs },
            by_core: self.options.by == By::Core,
        };
        let positions: Vec<usize> = candidates.iter().map(|(at, _)| *at).collect();
        let judged = judge(&path, &trace.execution, &positions, &settings);
        let verdicts: HashMap<usize, Verdict> = judged.into_iter().map(|one| (one.at, one.verdict)).collect();
        let mut all: BTreeMap<Key, Known> = BTreeMap::new();
        for (at, key) in candidates {
            let known = all.entry(key).or_default();
            known.executed.push(at);
            match &verdicts[&at] {
                Verdict::Relevant(witness) => known.relevant.extend(witness.values.first().map(|value| (at, *value))),
                Verdict::Not => {}
                Verdict::Unclear(_) | Verdict::Unknown => known.unknown = true,
            }
        }
        all
    }

    fn key(&self, at: Origin, passes: bool) -> Key {
        let text = self.sources.text(at.file);
        let extent = text.and_then(|text| text.extent_of_whole_statement(at.line, at.column));
        let (line, column) = extent.map_or((at.line, at.column), |extent| (extent.line, extent.column));
        (at.file, line, column, passes)
    }

    fn statement(&self, (file, line, column, _): Key) -> report::Statement {
        self.place(Origin { file, line, column }, "")
    }

    fn place(&self, at: Origin, function: &str) -> report::Statement {
        let text = self.sources.text(at.file);
        let extent = text.and_then(|text| text.extent_of_whole_statement(at.line, at.column));
        report::Statement {
            at: self.sources.loc(Some(at), extent, function),
            text: extent.and_then(|extent| Some(text?.text(extent))).unwrap_or_default(),
        }
    }

    /// What is told of a statement that is relevant in a trace: the last time that something with a name is assigned.
    fn told(&self, trace: &Trace, known: &Known) -> Option<report::Relevant> {
        let graph = &self.flow.graph;
        let assigned = |at: usize| graph.letters[trace.word[at].index()].assigned();
        let is_named = |at: usize| assigned(at).is_some_and(|var| !self.flow.variable(var).name.is_empty());
        let last = |wanted: bool| known.relevant.iter().rev().find(|(at, _)| is_named(*at) == wanted);
        let (at, constant) = *last(true).or_else(|| last(false))?;
        let var = assigned(at)?;
        let letter = self.flow.letter(trace.word[at]);
        let function = &self.program.functions[letter.function.index()].name;
        let passes = letter.kind == Kind::Pass;
        let statement = self.place(letter.at?, if passes { "" } else { function });
        let path = graph.path(&trace.word);
        let stopped = path.stops(&trace.execution, at, constant).map_or(Stops::default(), |stop| {
            let letter = self.flow.letter(trace.word[stop]);
            let decides = |at: &usize| !matches!(path.statements[*at], Statement::Assume(holds) if graph.terms.truth_value(holds) == Some(true));
            let last = (0..trace.word.len()).rev().find(decides);
            Stops {
                at: self.sources.loc(letter.at, None, ""),
                text: if last == Some(stop) { String::new() } else { self.decision(letter.at) },
                failure: last == Some(stop),
            }
        });
        let name = self.flow.variable(var).name.clone();
        // A statement may do several things each time.
        let is_alike = |one: &usize| self.flow.letter(trace.word[*one]).kind == letter.kind;
        let alike: Vec<usize> = known.executed.iter().copied().filter(is_alike).collect();
        Some(report::Relevant {
            position: at as u64,
            variable: match (name.is_empty(), passes) {
                (true, _) if matches!(letter.kind, Kind::Nondet(_)) => "the nondeterministic value".into(),
                (true, _) => format!("{function}()"),
                (false, true) => format!("{name} of {function}()"),
                (false, false) => name,
            },
            was: self.value(var, trace.execution.assigned[at]),
            replacement: Some(self.value(var, constant)),
            occurrences: known.relevant.iter().map(|(at, _)| *at as u64).collect(),
            executed: alike.len() as u64,
            time: alike.iter().position(|one| *one == at).map_or(0, |n| n as u64 + 1),
            stops: stopped,
            at: statement.at,
            text: statement.text,
            ..report::Relevant::default()
        })
    }

    /// What decides about the way at a place, as the source has it.
    fn decision(&self, at: Option<Origin>) -> String {
        let control = at.and_then(|at| {
            let text = self.sources.text(at.file)?;
            Some(text.text(text.enclosing_control(at.line, at.column)?.head))
        });
        let statement = || at.map(|at| self.place(at, "").text).filter(|text| !text.is_empty() && text != "}");
        match (control, statement()) {
            (Some(head), _) => format!("what `{head}` decided"),
            (None, Some(text)) => format!("`{}`", text.trim_end_matches(';')),
            (None, None) => "what decides about the way".into(),
        }
    }

    fn value(&self, var: VarId, bits: u128) -> String {
        let form = self.flow.variable(var).ctype.and_then(|ctype| form_of(self.program, ctype));
        let width = match self.flow.graph.variables[var.0 as usize].sort {
            wherefore_formula::Sort::Bits(width) => width,
            wherefore_formula::Sort::Bool => 1,
            wherefore_formula::Sort::Int => 64,
        };
        value::input(self.program, form.unwrap_or(Form::Integer { bits: width, signed: true }), bits)
    }
}
