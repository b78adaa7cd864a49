//! What was found, as a report.

use super::Found;
use super::doubts;
use super::patches::{Place, Repaired};
use crate::explain::milliseconds;
use crate::options::{Diagnose as Options, Format};
use crate::sources::Sources;
use crate::{Status, asked, emit as output, present, run};
use std::collections::HashMap;
use std::time::Duration;
use wherefore_budget::{Budget, Stop};
use wherefore_case::{Case, Expected};
use wherefore_diagnose::{Enumeration, Ranked, Reason};
use wherefore_program::Program;
use wherefore_report as report;
use wherefore_report::{Loc, Report, Verdict};
use wherefore_search::recorded;
use wherefore_session::Session;
use wherefore_trace::{Stopped, Trace, walk_watching_memory};

/// Edits of one statement that are reported, at most.
const PATCHES: usize = 3;

/// A value that was found to make a test pass.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The test's number among all.
    pub test: usize,
    /// Where the value is given.
    pub at: Loc,
    /// What gives it.
    pub text: String,
    /// What was computed.
    pub was: String,
    /// What makes the test pass.
    pub value: String,
    /// Whether the program passes the test with it; `None` if that was not tried.
    pub replayed: Option<bool>,
}

/// Writes the report and says how the program ends.
pub fn emit(
    options: &Options,
    session: &Session,
    cases: &[Case],
    found: &Found,
    repaired: &Repaired,
    time: Duration,
    budget: &Budget,
) -> anyhow::Result<Status> {
    let stop = budget.stopped();
    let mut report = Report::new("diagnose");
    report.notes.clone_from(&found.notes);
    if options.tests.is_none() && cases.len() == 1 {
        describe_run(options, session, &cases[0], found.endless.is_empty(), &mut report, budget);
    }
    let [compile, run, encode, solve] = found.times.map(milliseconds);
    report.timing_ms = Some(report::Timing { compile, run, encode, solve, total: milliseconds(time) });
    let (diagnosed, partial) = diagnosed(options, cases, found, repaired, stop);
    report.partial = partial;
    if diagnosed.complete
        && let Some(stop) = stop
    {
        report.notes.push(format!("{} before the order was settled; it may be off", cut_short(options, stop)));
    }
    // Under an edit that passes all tests, or where the formula says nothing, nobody needs to know how far it goes.
    let is_silent = !found.tests.iter().any(|(_, test)| test.agreement.is_some());
    if !repaired.sites.is_empty() || is_silent && found.formula {
        let told = |note: &String| repaired.note.as_ref() == Some(note);
        report.minor_notes = (0..report.notes.len()).filter(|n| !told(&report.notes[*n])).collect();
    }
    report.answer = Some(report::Answer::Diagnosed(diagnosed));
    let status = if partial { Status::Partial } else { Status::Explained };
    write(options, session.program(), &report, status)?;
    Ok(status)
}

/// What would be reported if nothing more was found.
pub fn known(options: &Options, cases: &[Case], found: &Found, repaired: &Repaired) -> Report {
    let mut report = Report::new("diagnose");
    report.answer = Some(report::Answer::Diagnosed(diagnosed(options, cases, found, repaired, None).0));
    if options.apply && !repaired.sites.is_empty() {
        report.notes.push("--apply: the file is not changed, since the command did not come to its end".into());
    }
    report
}

/// Says that no test fails; `status` is what that means.
pub fn emit_passing(
    options: &Options,
    program: &Program,
    cases: &[Case],
    notes: Vec<String>,
    status: Status,
) -> anyhow::Result<Status> {
    if options.report.format == Format::Json {
        let mut report = Report::new("diagnose");
        report.partial = status == Status::Partial;
        report.notes.clone_from(&notes);
        report.answer = Some(report::Answer::Diagnosed(report::Diagnosed {
            tests: cases.iter().map(|case| test(case, Verdict::Pass)).collect(),
            complete: !report.partial,
            ..report::Diagnosed::default()
        }));
        write(options, program, &report, status)?;
    }
    if !options.run.quiet && options.report.format == Format::Human {
        notes.iter().for_each(|note| eprintln!("wherefore: {note}"));
        let found = if status == Status::Partial { "no failure found" } else { "no failure" };
        let verb = if cases.len() == 1 { "passes" } else { "pass" };
        eprintln!("wherefore: {found}: {} {verb}", report::words::counted(cases.len() as u64, "test"));
    }
    Ok(status)
}

fn write(options: &Options, program: &Program, report: &Report, status: Status) -> anyhow::Result<()> {
    let sources = Sources::new(program, HashMap::new());
    let style = report::Style { verbose: options.run.verbose, ..report::Style::default() };
    output::emit(status, &options.report, style, report, program, &sources)
}

/// What was found, and whether something stopped the work that the user did not ask for.
pub fn diagnosed(
    options: &Options,
    cases: &[Case],
    found: &Found,
    repaired: &Repaired,
    stop: Option<Stop>,
) -> (report::Diagnosed, bool) {
    let list = &found.statements.list;
    let statements: Vec<report::Statement> =
        list.iter().map(|s| report::Statement { at: s.at.clone(), text: s.text.clone() }).collect();
    let skipped = found.tests.iter().filter(|(_, test)| !test.agreement.is_some()).count();
    let out_of_time = stop.is_some();
    let failing = found.fails.iter().filter(|fails| **fails).count() as u64;
    let judged = Judging { of: found.tests.len() as u64, passing: found.passing, judged: found.judged, out_of_time };
    let mut diagnoses: Vec<report::Diagnosis> = Vec::new();
    for (index, ranked) in found.ranked.iter().enumerate() {
        let mut diagnosis = judged.diagnosis(ranked, &statements);
        diagnosis.by = Some(report::FoundBy::Formula);
        diagnosis.values = values(cases, found.evidence.get(index).map_or(&[], Vec::as_slice));
        diagnosis.replayed = replayed(&diagnosis.values);
        diagnoses.push(diagnosis);
    }
    let by_formula = diagnoses.len();
    diagnoses.extend(freed(cases, repaired, &diagnoses, failing));
    diagnoses = patched(diagnoses, repaired, cases.len() as u64, failing);
    let beyond = diagnoses.len() > by_formula;
    for index in 0..diagnoses.len() {
        diagnoses[index].rank = index as u64 + 1;
        diagnoses[index].reason = report::reason(&diagnoses[index], diagnoses.get(index + 1), failing);
    }
    let stopped = found.complete.incomplete.as_ref();
    let unfinished = found.tests.iter().any(|(_, test)| test.agreement.is_out_of_time());
    let unfinished =
        unfinished.then(|| format!("the formula was not finished in its part of --timeout {}", options.run.timeout));
    let edits_only = || only_edits(options, repaired, stop, unfinished.clone());
    let incomplete = match (stopped, skipped) {
        (None, _) if !found.formula => Some(edits_only()),
        (Some(reason), _) if is_unasked(reason) && !repaired.sites.is_empty() => Some(edits_only()),
        (None, n) if n > 0 && !repaired.sites.is_empty() => Some(edits_only()),
        (None, n) if n == found.tests.len() && (repaired.is_some() || !repaired.partly.is_empty()) => {
            Some(edits_only())
        }
        (Some(reason), _) => Some(why(reason, options, stop, diagnoses.is_empty())),
        // What was not in question for the formula (a declaration, a statement that is missing) was tried by edits only.
        (None, 0) if found.doubts.is_empty() && beyond => {
            Some("Edits repair what the formula does not change; there may be others.".into())
        }
        (None, 0) if found.doubts.is_empty() => None,
        (None, 0) => {
            let some = if found.ranked.is_empty() { "some" } else { "others" };
            Some(format!("There may be {some}: {}.", doubts::listed(&found.doubts)))
        }
        (None, n) if n == found.tests.len() => Some("No failing test could be diagnosed.".into()),
        (None, n) => Some(format!("{} could not be diagnosed.", report::words::counted(n as u64, "failing test"))),
    };
    // Nothing found where not all was considered explains nothing.
    let found_all = diagnoses.len() > repaired.partly.len() || !repaired.sites.is_empty();
    let vain = !found_all && (!found.doubts.is_empty() || !found.formula);
    // An edit that passes all tests is an answer, whatever else there may be, unless better ones may have been left out.
    let unasked = stopped.is_some_and(is_unasked) && repaired.sites.is_empty();
    let partial = unasked || skipped > 0 && repaired.sites.is_empty() || out_of_time || repaired.cut || vain;
    let complete_up_to = match &incomplete {
        Some(_) => found.complete.settled.filter(|_| skipped == 0 && found.doubts.is_empty()).map(|n| n as u64),
        None => None,
    };
    let tests = tests(cases, found);
    let complete = incomplete.is_none();
    let suspect = |(place, [failing, passing]): &(Place, [usize; 2])| report::Suspect {
        statement: report::Statement { at: loc(place), text: place.text.clone() },
        failing: *failing as u64,
        passing: *passing as u64,
    };
    // What repairs some tests only need not be the fault of the others.
    let in_vain = diagnoses.iter().all(|d| d.fixes < d.of);
    let suspects = repaired.suspects.iter().filter(|_| in_vain).map(suspect).collect();
    (report::Diagnosed { statements, tests, diagnoses, complete, incomplete, complete_up_to, suspects }, partial)
}

/// Diagnoses with the edits of their statements: what an edit repairs comes first.
fn patched(diagnoses: Vec<report::Diagnosis>, repaired: &Repaired, tests: u64, failing: u64) -> Vec<report::Diagnosis> {
    let mut rest = diagnoses;
    let mut first = vec![];
    let partly = repaired.partly.iter().filter(|_| repaired.sites.is_empty());
    let partly = partly.map(|(site, fixes)| (site, *fixes as u64));
    for (site, fixes) in repaired.sites.iter().map(|site| (site, failing)).chain(partly) {
        let statement = |place: &Place| report::Statement { at: loc(place), text: place.text.clone() };
        let statements: Vec<report::Statement> = site.places.iter().map(statement).collect();
        let is_among = |one: &report::Statement| statements.iter().any(|other| same_place(&one.at, &other.at));
        let is_it = |d: &report::Diagnosis| d.statements.len() == statements.len() && d.statements.iter().all(is_among);
        let known = rest.iter().position(is_it);
        // Values that repair more of it tell more than an edit.
        if known.is_some_and(|n| rest[n].of == failing && rest[n].fixes > fixes) {
            continue;
        }
        let known = known.map(|n| rest.remove(n));
        let new = || report::Diagnosis {
            statements: statements.clone(),
            fixes,
            of: failing,
            by: Some(report::FoundBy::Patch),
            ..report::Diagnosis::default()
        };
        let mut diagnosis = known.unwrap_or_else(new);
        diagnosis.of = failing;
        // What the edit was seen to repair counts, also where the formula knew less.
        diagnosis.fixes = diagnosis.fixes.max(fixes);
        if fixes == failing {
            diagnosis.by = Some(report::FoundBy::Patch);
        }
        let patch = |edit: &super::patches::Repair| report::Patch {
            diff: edit.diff.clone(),
            edit: edit.kind.name().into(),
            passes: tests - failing + fixes,
            of: tests,
        };
        diagnosis.patches = site.edits.iter().take(PATCHES).map(patch).collect();
        first.push(diagnosis);
    }
    // One statement that repairs all, and can be right, comes before edits that repair some.
    let in_part = repaired.sites.is_empty() && !first.is_empty();
    let repairs_all = |d: &&report::Diagnosis| in_part && d.statements.len() == 1 && d.fixes == d.of;
    let place = rest.iter().take_while(repairs_all).count();
    rest.splice(place..place, first);
    rest
}

/// Statements that other values repair, and that nobody else knows of.
fn freed(cases: &[Case], repaired: &Repaired, known: &[report::Diagnosis], failing: u64) -> Vec<report::Diagnosis> {
    let mut found = vec![];
    for freed in &repaired.freed {
        let at = loc(&freed.place);
        if known.iter().any(|d| matches!(&d.statements[..], [one] if same_place(&one.at, &at))) {
            continue;
        }
        let value = |given: &super::angelic::Given| report::Value {
            test: cases[given.test].name.clone(),
            at: at.clone(),
            text: freed.place.text.clone(),
            value: given.value.clone(),
            was: given.was.clone(),
            replayed: Some(true),
        };
        found.push(report::Diagnosis {
            fixes: failing,
            of: failing,
            by: Some(report::FoundBy::Angelic),
            values: freed.values.iter().map(value).collect(),
            replayed: Some(true),
            statements: vec![report::Statement { at: at.clone(), text: freed.place.text.clone() }],
            ..report::Diagnosis::default()
        });
    }
    found
}

fn loc(place: &Place) -> Loc {
    let Place { path, extent, function, .. } = place;
    Loc {
        file: path.clone(),
        line: extent.line,
        column: extent.column,
        end_line: extent.end_line,
        end_column: extent.end_column,
        function: function.clone(),
    }
}

fn same_place(a: &Loc, b: &Loc) -> bool {
    (&a.file, a.line, a.column) == (&b.file, b.line, b.column)
}

/// How far the answer goes where the whole program was not looked at, and what cut it short.
fn only_edits(options: &Options, repaired: &Repaired, stop: Option<Stop>, unfinished: Option<String>) -> String {
    let mut tried = report::words::counted(repaired.tried as u64, "small edit");
    if repaired.left > 0 {
        tried += &format!(" of {}", repaired.tried + repaired.left);
    }
    if !repaired.freed.is_empty() {
        tried += " and values of single statements";
    }
    match (stop, unfinished) {
        (Some(stop), _) => format!("{} after {tried}; there may be others.", cut_short(options, stop)),
        // What an edit repairs needs no formula.
        (None, Some(unfinished)) if repaired.sites.is_empty() => {
            format!("{tried} were tried, and {unfinished}; there may be others.")
        }
        (None, _) if repaired.cut => {
            format!("{tried} were tried in their part of --timeout {}; there may be others.", options.run.timeout)
        }
        (None, _) if repaired.tried == 0 => "Nothing was tried.".into(),
        (None, _) => format!("{tried} were tried; there may be others."),
    }
}

/// What all diagnoses have in common.
struct Judging {
    of: u64,
    passing: usize,
    /// How many of them statements were held against.
    judged: usize,
    out_of_time: bool,
}

impl Judging {
    fn diagnosis(&self, ranked: &Ranked, statements: &[report::Statement]) -> report::Diagnosis {
        // Where tests were not tried, for want of time or of an answer, nothing can be said.
        let consistency = ranked.consistency.filter(|c| !self.out_of_time && !c.unsure);
        report::Diagnosis {
            statements: ranked.set.iter().map(|s| statements[*s as usize].clone()).collect(),
            fixes: ranked.fixes as u64,
            of: self.of,
            judged: consistency.map(|c| report::Judged {
                clashes: c.clashes as u64,
                breaks: c.breaks as u64,
                coarse: c.coarse as u64,
                tried: self.judged.saturating_sub(c.open) as u64,
                passing: self.passing as u64,
            }),
            suspicion_per_mille: Some((ranked.suspicion.clamp(0.0, 1.0) * 1000.0).round() as u64),
            ..report::Diagnosis::default()
        }
    }
}

/// Whether the tests passed with the values: all of them, or some did not; nothing if some were not tried.
fn replayed(values: &[report::Value]) -> Option<bool> {
    match () {
        () if values.is_empty() => None,
        () if values.iter().any(|v| v.replayed == Some(false)) => Some(false),
        () => values.iter().all(|v| v.replayed == Some(true)).then_some(true),
    }
}

fn values(cases: &[Case], tried: &[Tried]) -> Vec<report::Value> {
    let value = |tried: &Tried| report::Value {
        test: cases[tried.test].name.clone(),
        at: tried.at.clone(),
        text: tried.text.clone(),
        value: tried.value.clone(),
        was: tried.was.clone(),
        replayed: tried.replayed,
    };
    tried.iter().map(value).collect()
}

fn test(case: &Case, verdict: Verdict) -> report::Test {
    report::Test { name: case.name.clone(), verdict, diagnoses: vec![], complete: true, conflicts: None }
}

fn tests(cases: &[Case], found: &Found) -> Vec<report::Test> {
    let verdict = |fails: bool| if fails { Verdict::Fail } else { Verdict::Pass };
    let mut tests: Vec<report::Test> =
        cases.iter().zip(&found.fails).map(|(case, fails)| test(case, verdict(*fails))).collect();
    for (index, (number, per_test)) in found.tests.iter().enumerate() {
        let own: &Enumeration = &per_test.found;
        let known = per_test.agreement.is_some();
        let test = &mut tests[*number];
        test.diagnoses.clone_from(&own.sets);
        test.complete = known && own.is_complete() && found.doubts.is_empty();
        if let Some(conflicts) = found.conflicts.get(index) {
            // What hits only some of the diagnoses is no conflict; what was met on the way is one, if not a minimal one.
            let sets = if own.is_complete() { &conflicts.sets } else { &own.cores };
            test.conflicts = Some(if known { sets.clone() } else { vec![] });
            test.complete &= conflicts.is_complete();
        }
    }
    tests
}

/// Whether the user did not ask for this end.
fn is_unasked(reason: &Reason) -> bool {
    match reason {
        Reason::Size(_) | Reason::Sets(_) => false,
        Reason::Tests(_) | Reason::Over(_) | Reason::Memory | Reason::Undecided(_) => true,
    }
}

/// Why there may be more, as a sentence; `none`: nothing was found. `stop` is what stopped the command: the formula has only
/// a part of what there is.
fn why(reason: &Reason, options: &Options, stop: Option<Stop>, none: bool) -> String {
    let cause = match reason {
        Reason::Size(n) => return format!("--max-size {n} stopped the search; there may be larger sets."),
        Reason::Sets(n) => format!("--limit {n} stopped the search"),
        Reason::Tests(_) => reason.to_string(),
        Reason::Over(Stop::Time) if stop.is_none() => {
            format!("The formula of the program was not finished in its part of --timeout {}", options.run.timeout)
        }
        Reason::Over(Stop::Memory) if stop.is_none() => {
            format!("The formula of the program does not fit into --memory {}", options.run.memory)
        }
        Reason::Over(stop) => cut_short(options, *stop),
        Reason::Memory => "The sets became too many to hold".into(),
        Reason::Undecided(what) => format!("Not everything could be decided ({what})"),
    };
    if none { format!("{cause}; there may be some.") } else { format!("{cause}; there may be more.") }
}

fn cut_short(options: &Options, stop: Stop) -> String {
    match stop {
        Stop::Interrupted => "The search was interrupted".into(),
        Stop::Time => format!("--timeout {} stopped the search", options.run.timeout),
        Stop::Memory => format!("--memory {} stopped the search", options.run.memory),
    }
}

/// A run followed to its first failure.
fn followed(happened: &run::Happened, expected: &Expected, budget: &Budget) -> Option<Trace> {
    let mut recorded = recorded(&happened.recording, &happened.globals);
    recorded.stdout = asked::comparable(&happened.stdout, expected).ok()?;
    walk_watching_memory(&happened.program, &recorded, happened.stopped, expected, budget).ok()
}

/// How the one run of the command line fails, and with which inputs.
fn describe_run(options: &Options, session: &Session, case: &Case, ends: bool, report: &mut Report, budget: &Budget) {
    // The run is repeated with all its steps recorded. Without that there is still the expectation to speak about.
    let budget = &budget.within(Duration::from_secs(10));
    let happened = if ends { run::happen(&options.run, session, budget).ok() } else { None };
    // A run that is cut off here did end before.
    let ended = happened.as_ref().map(|h| h.stopped).filter(|stopped| *stopped != Stopped::Limit);
    let stopped = if ends { ended } else { Some(Stopped::Limit) };
    if let Some(mut happened) = happened
        && let Some(trace) = followed(&happened, &case.expected, budget)
    {
        let sources = Sources::new(&happened.program, std::mem::take(&mut happened.kept));
        // Notes about the recording say nothing about the diagnosis.
        let notes = report.notes.clone();
        present::fill(report, &happened, &trace, None, wherefore_localize::Encoding::FlowSensitive, &sources);
        report.notes = notes;
        report.minor_notes.clear();
    }
    if report.failure.is_none() {
        let (kind, message) = match (stopped, case.expected.status, &case.expected.stdout) {
            (Some(Stopped::Exit(status)), Some(wanted), _) if status != wanted => {
                (report::FailureKind::Status, format!("the exit status is {status} and not {wanted}"))
            }
            (Some(Stopped::Limit), ..) => (report::FailureKind::Timeout, "the program does not end in time".into()),
            (Some(Stopped::Exit(_)), _, Some(_)) => {
                (report::FailureKind::Output, "the output is not the expected one".into())
            }
            _ => (report::FailureKind::Signal, "the program fails".into()),
        };
        let file = options.run.program.first().map(|p| p.display().to_string()).unwrap_or_default();
        let at = Loc { file, ..Loc::default() };
        report.failure = Some(report::Failure { kind, at, message, ..report::Failure::default() });
    }
}
