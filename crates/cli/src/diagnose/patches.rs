//! Edits that pass all tests, and statements that other values repair, for what `diagnose` reports.

use super::angelic::{Given, Suspects};
use super::depth::Calls;
use super::excuses::Excuses;
use super::prices::{Prices, function_at};
use super::ruled_out::{RuledOut, Ruling};
use super::spectrum::{Line, Spectrum};
use super::tested::{Story, Tested};
use super::verdict::Checks;
use super::workshop::{Bench, RECORDED, recording_mib};
use super::{jobs, or_nothing};
use crate::UsageError;
use crate::options::Diagnose as Options;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::{Case, Expected};
use wherefore_program::{Callee, Command, FileId, Program};
use wherefore_record::Ending;
use wherefore_repair::{
    Edit, Failures, Kind, Made, Next, Partial, Problem, Seen, Users, Workshop, angels, propose, search, several,
    unified,
};
use wherefore_session::{Observed, Session};
use wherefore_source::{Extent, SourceText};

/// What a run with an edit may take, compared with a test: most edits that make it longer make it endless.
const LONGER: u32 = 20;
/// The same at least and at most.
const RUN: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Numbers that are taken from what a test is given, at most.
const NUMBERS: usize = 100;

/// Statements to look at that are told, at most.
const SUSPECTS: usize = 10;

/// What was found.
#[derive(Default)]
pub struct Repaired {
    /// The statements that can be repaired, the best first.
    pub sites: Vec<Site>,
    /// Where no edit repairs all failing tests, those that repair some and break none, with how many.
    pub partly: Vec<(Site, usize)>,
    /// Edits that were run.
    pub tried: usize,
    /// Edits that could not be run.
    pub left: usize,
    /// Whether the part of the time for edits ended before all of them were tried.
    pub cut: bool,
    /// Statements that other values repair, the likeliest first.
    pub freed: Vec<Freed>,
    /// Where nothing repairs the program, statements to look at, with how many failing and passing tests run them.
    pub suspects: Vec<(Place, [usize; 2])>,
    /// What needs to be said about them: why none were tried, or what they are not held against.
    pub note: Option<String>,
}

impl Repaired {
    /// Whether there is something that repairs the program.
    pub fn is_some(&self) -> bool {
        !self.sites.is_empty() || !self.freed.is_empty()
    }
}

/// A statement of the source.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// Its file.
    pub path: String,
    /// Where it stands.
    pub extent: Extent,
    /// The function around it.
    pub function: String,
    /// What it says.
    pub text: String,
}

/// A statement that can be repaired by other values.
pub struct Freed {
    /// Which.
    pub place: Place,
    /// For each failing test the values.
    pub values: Vec<Given>,
}

/// A statement that can be repaired, or several that can together.
pub struct Site {
    /// Which.
    pub places: Vec<Place>,
    /// Edits of it, the best first.
    pub edits: Vec<Repair>,
}

/// An edit that passes all tests.
pub struct Repair {
    /// As a unified diff.
    pub diff: String,
    /// What kind of change it is.
    pub kind: Kind,
    /// The files as they are with it.
    pub files: Vec<(String, String)>,
}

/// For each run the first that executes the same blocks as often.
fn paths(observed: &[Observed]) -> Vec<usize> {
    let mut first: HashMap<&[u32], usize> = HashMap::new();
    observed.iter().enumerate().map(|(number, seen)| *first.entry(&seen.counts).or_insert(number)).collect()
}

/// Lists edits of a file, by its number and text, where a place is wanted.
type Proposing<'p> = &'p dyn Fn(usize, &SourceText, &dyn Fn(&Range<usize>) -> bool) -> Vec<Edit>;

/// A program whose text can be changed, with its tests.
pub struct Editing<'a> {
    options: &'a Options,
    program: &'a Program,
    tested: &'a Tested,
    texts: Vec<SourceText>,
    /// The same as plain text.
    raw: Vec<String>,
    story: Story,
    /// Lines that all failing tests execute.
    executed: HashSet<Line>,
    spectrum: Spectrum,
    /// What each test executes, by the first that does the same.
    paths: Vec<usize>,
    /// What passing tests do to memory anyway.
    excuses: Excuses<'a>,
    /// What a run may take.
    time: Duration,
    /// What the tests call.
    calls: Calls,
    failures: Failures,
    /// The tests, with what an edited program has to do.
    cases: Vec<Case>,
    checked: Vec<Vec<bool>>,
    /// The failing ones, by their numbers.
    failing: Vec<usize>,
    /// For the compiler.
    arguments: Vec<String>,
}

impl<'a> Editing<'a> {
    /// Gets a program ready; where it must not be edited, says why if that needs to be said.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn new(
        options: &'a Options,
        session: &'a Session,
        cases: &[Case],
        tested: &'a Tested,
        budget: &Budget,
    ) -> anyhow::Result<Result<Editing<'a>, Option<String>>> {
        let program = session.program();
        let files = &options.run.program;
        if !files.iter().all(|f| f.extension().is_some_and(|e| e == "c")) {
            return Ok(Err(None));
        }
        let mut texts = vec![];
        for file in files {
            // What is not UTF-8 cannot be edited as text.
            let Ok(text) = std::fs::read_to_string(file) else { return Ok(Err(None)) };
            texts.push(SourceText::new(file.display().to_string(), text));
        }
        if reaches_out(program, texts.iter()) {
            let why =
                "no edits are tried, since the program writes, removes or runs files: an edit might do that to others";
            return Ok(Err(Some(why.into())));
        }
        let failing: Vec<usize> = (0..cases.len()).filter(|n| tested.fails[*n]).collect();
        let checks = Checks::new(program);
        let spectrum = Spectrum::new(program, tested);
        let old = session.messages().iter().any(|m| m.starts_with("compiled as gnu89"));
        // By the same standard as the program itself.
        let named = options.run.cc_args().iter().any(|a| a.starts_with("-std") || a == "-ansi");
        let standard = if old { "-std=gnu89" } else { "-std=gnu17" };
        let time = (tested.took * LONGER).clamp(RUN.0, RUN.1);
        let story = tested.story(options, session, cases, budget);
        let dies = |n: &usize| matches!(tested.observed[*n].ending, Ending::Signal(_));
        let mut editing = Editing {
            options,
            program,
            tested,
            raw: texts.iter().map(|t| t.as_str().to_string()).collect(),
            texts,
            executed: spectrum.of_all_failing(),
            spectrum,
            paths: paths(&tested.observed),
            excuses: Excuses::new(session, cases, tested, time * RECORDED, recording_mib(options.run.memory))?,
            time,
            calls: Calls::new(program, tested),
            failures: Failures {
                outputs: outputs(cases, tested, &failing),
                numbers: failing.iter().map(|n| numbers(&cases[*n])).collect(),
                divide: failing.iter().any(|n| tested.observed[*n].ending == Ending::Signal(libc::SIGFPE)),
                within_objects: story.within_objects && !failing.iter().any(dies),
            },
            story,
            cases: cases.iter().zip(&tested.observed).map(|(case, seen)| well_ended(case, seen)).collect(),
            checked: tested.observed.iter().map(|seen| checks.met(seen)).collect(),
            failing,
            arguments: if named { vec![] } else { vec![standard.to_string()] },
        };
        let mut bench = editing.bench(budget);
        bench.be_strict()?;
        editing.arguments = bench.arguments;
        Ok(Ok(editing))
    }

    fn bench<'b>(&'b self, budget: &'b Budget) -> Bench<'b> {
        Bench {
            options: &self.options.run,
            program: self.program,
            cases: &self.cases,
            checked: &self.checked,
            only_followed: self.tested.careful,
            excuses: &self.excuses,
            time: self.time,
            calls: &self.calls,
            budget,
            arguments: self.arguments.clone(),
        }
    }

    /// Edits of executed lines of all files with the price of their places, cheapest first.
    fn priced(&self, executed: &HashSet<Line>, of_file: Proposing) -> Vec<Edit> {
        let mut edits = vec![];
        for (number, source) in self.texts.iter().enumerate() {
            let Some(file) = file_id(self.program, &self.options.run.program[number]) else { continue };
            let is_wanted = |range: &Range<usize>| {
                let extent = source.extent(range.clone());
                (extent.line..=extent.end_line).any(|line| executed.contains(&(file, line)))
            };
            let mut own = of_file(number, source, &is_wanted);
            let prices = self.prices(number, file);
            own.retain(|edit| !self.changes_the_entry(&prices, edit));
            own.iter_mut().for_each(|edit| edit.price += prices.of(edit));
            // What is freed twice, or was never allocated, is not to be freed there.
            for edit in own.iter_mut().filter(|edit| edit.kind == Kind::Leak && !self.story.after_free) {
                edit.kind = Kind::Removal;
            }
            edits.extend(own);
        }
        edits.sort_by_key(|edit| edit.price);
        edits
    }

    /// Looks for edits that pass all tests.
    ///
    /// # Errors
    /// When a program cannot be run.
    pub fn patches(&self, ruled_out: &RuledOut, budget: &Budget) -> anyhow::Result<Repaired> {
        let proposing = |number: usize, source: &SourceText, is_wanted: &dyn Fn(&Range<usize>) -> bool| {
            propose(number, source, &self.failures, is_wanted)
        };
        let mut edits = self.priced(&self.executed, &proposing);
        let statement = self.statements(ruled_out);
        edits.retain(|edit| statement(edit).is_none_or(|s| ruled_out.may_repair_all(&[s])));
        let passing = (0..self.cases.len()).filter(|n| !self.tested.fails[*n]);
        let order: Vec<usize> = self.failing.iter().copied().chain(passing).collect();
        let bench = self.bench(budget);
        let careful = self.tested.careful;
        let problem = Problem {
            workshop: &&bench,
            texts: &self.raw,
            tests: &order,
            paths: &self.paths,
            careful,
            jobs: jobs(self.options.jobs),
            budget,
        };
        let found = search(&problem, &edits)?;
        let mut sites = self.sites(&found.patches);
        let (mut partly, mut tried) = (vec![], found.tried);
        if sites.is_empty() && self.failing.len() > 1 {
            // One of several faults need not be executed by all.
            let mut edits = self.priced(&self.spectrum.of_some_failing(), &proposing);
            edits.retain(|edit| statement(edit).is_none_or(|s| ruled_out.may_add(s, &[])));
            let further = |made: &Made| self.further(&bench, made, ruled_out);
            let found = several(&problem, self.failing.len(), &edits, &further)?;
            tried += found.tried;
            sites = together(found.joint.iter().map(|joint| self.site(&joint.edits, &joint.texts)));
            let partial = |found: &Partial| {
                let edit = std::slice::from_ref(&found.edit);
                (self.site(edit, &found.edit.applied(&self.raw)), found.repaired.len())
            };
            partly = found.partial.iter().map(partial).collect();
        }
        let cut = found.cut || budget.stopped().is_some();
        or_nothing(self.excuses.look(budget))?;
        // Told also where a limit is reached before anything else is known.
        let suspects = if sites.is_empty() { self.suspects() } else { vec![] };
        Ok(Repaired { sites, partly, tried, left: found.left, cut, suspects, note: self.excuse(), freed: vec![] })
    }

    /// Tells the statement of which an edit changes a value only.
    fn statements<'r>(&'r self, ruled_out: &'r RuledOut) -> impl Fn(&Edit) -> Option<u32> + 'r {
        let ruling = |(number, source): (usize, &'r SourceText)| {
            file_id(self.program, &self.options.run.program[number]).map(|file| ruled_out.of(file, source))
        };
        let rulings: Vec<Option<Ruling>> = self.texts.iter().enumerate().map(ruling).collect();
        move |edit| rulings[edit.file].as_ref()?.statement(edit)
    }

    /// Edits beside others, of lines that all tests execute which still fail then: what was wrong before may have kept them
    /// from coming there.
    fn further(&self, bench: &Bench, made: &Made, ruled_out: &RuledOut) -> anyhow::Result<Next> {
        let Seen::Program(program) = (&bench).build(&made.texts, false)? else { return Ok(Next::default()) };
        let executed = or_nothing(program.executed_by_all(&made.failing))?;
        let statement = self.statements(ruled_out);
        // What is not known of one of them is not known of all together.
        let known: Option<Vec<u32>> = made.originals().iter().map(|step| statement(step.as_ref()?)).collect();
        let mut next = Next::default();
        // What one failing test was seen to do, those that fail now need not do.
        let failures = Failures { within_objects: false, ..self.failures.clone() };
        for (number, text) in made.texts.iter().enumerate() {
            let path = &self.options.run.program[number];
            let (Some(here), Some(file)) = (file_id(program.program(), path), file_id(self.program, path)) else {
                continue;
            };
            let source = SourceText::new(path.display().to_string(), text.clone());
            let is_wanted = |range: &Range<usize>| {
                let extent = source.extent(range.clone());
                (extent.line..=extent.end_line).any(|line| executed.contains(&(here, line)))
            };
            let prices = self.prices(number, file);
            for mut edit in propose(number, &source, &failures, &is_wanted) {
                let original = made.original(&edit);
                if original.as_ref().is_some_and(|original| self.changes_the_entry(&prices, original)) {
                    continue;
                }
                edit.price += original.as_ref().map_or(0, |original| prices.of(original));
                let own = original.as_ref().and_then(&statement);
                let ruled = known.as_ref().zip(own).map(|(known, own)| {
                    let all: Vec<u32> = known.iter().copied().chain([own]).collect();
                    (ruled_out.may_repair_all(&all), ruled_out.may_add(own, known))
                });
                let (completes, adds) = ruled.unwrap_or((true, true));
                next.completing.extend(completes.then(|| edit.clone()));
                next.adding.extend(adds.then_some(edit));
            }
        }
        next.completing.sort_by_key(|edit| edit.price);
        next.adding.sort_by_key(|edit| edit.price);
        Ok(next)
    }

    fn prices(&self, number: usize, file: FileId) -> Prices<'_> {
        let source = &self.texts[number];
        let users = Users::new(source);
        Prices { program: self.program, source, file, story: &self.story, spectrum: &self.spectrum, users }
    }

    /// Whether an edit gives the run something else: another type of what it is given.
    fn changes_the_entry(&self, prices: &Prices, edit: &Edit) -> bool {
        edit.kind == Kind::Declaration && prices.is_entry(edit, &self.options.run.entry)
    }

    /// What some edits change together.
    fn site(&self, edits: &[Edit], texts: &[String]) -> Site {
        let mut places: Vec<Place> = vec![];
        for edit in edits {
            let place = placed(self.program, &self.texts[edit.file], edit);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.sort_by_key(|place| (place.path.clone(), place.extent.line, place.extent.column));
        Site { places, edits: vec![self.repair(edits[0].kind, texts)] }
    }

    /// Texts, as what they change.
    fn repair(&self, kind: Kind, texts: &[String]) -> Repair {
        let changed = self.texts.iter().zip(texts).filter(|(source, text)| source.as_str() != text.as_str());
        let files: Vec<(String, String)> = changed.map(|(source, text)| (source.path().into(), text.clone())).collect();
        let diff = |(path, text): &(String, String)| {
            let source = self.texts.iter().find(|source| source.path() == path);
            source.map_or(String::new(), |source| unified(path, source.as_str(), text))
        };
        Repair { diff: files.iter().map(diff).collect(), kind, files }
    }

    /// The statements that patches change, in the order of the patches.
    fn sites(&self, patches: &[Edit]) -> Vec<Site> {
        let site = |edit: &Edit| self.site(std::slice::from_ref(edit), &edit.applied(&self.raw));
        together(patches.iter().map(site))
    }

    /// That passing tests do what C does not allow, if they do: nobody should take a repair for more than it is.
    fn excuse(&self) -> Option<String> {
        let (misdeed, test) = self.excuses.first()?;
        let (name, function) = (&self.cases[test].name, misdeed.function());
        let what = "passes although it uses memory as C does not allow";
        Some(format!(
            "test {name} {what}, in {function}() (explain --test {name} tells how); edits may leave that as it is"
        ))
    }

    /// Looks for statements that other values repair.
    ///
    /// # Errors
    /// When a program cannot be run.
    pub fn freed(&self, budget: &Budget) -> anyhow::Result<Vec<Freed>> {
        // Runs that do well can be followed only, and values of the program's own calls are not to be confused with ours.
        let own = self.cases.iter().any(|case| !case.given.nondet.is_empty());
        if self.tested.careful || own || calls_nondet(self.program) {
            return Ok(vec![]);
        }
        let edits = self.priced(&self.executed, &|number, source, is_wanted| angels(number, source, is_wanted));
        let bench = self.bench(budget);
        let suspects = Suspects {
            bench: &bench,
            texts: &self.raw,
            entry: &self.options.run.entry,
            failing: &self.failing,
            jobs: jobs(self.options.jobs),
        };
        let found = or_nothing(suspects.repairing(&edits, budget))?;
        let place = |edit: &Edit| placed(self.program, &self.texts[edit.file], edit);
        Ok(found.into_iter().map(|(edit, values)| Freed { place: place(&edit), values }).collect())
    }

    /// Statements to look at where nothing is known to repair the program, with how many failing and passing tests run them.
    fn suspects(&self) -> Vec<(Place, [usize; 2])> {
        let mut found: Vec<(Place, [usize; 2])> = vec![];
        for edit in self.priced(&self.executed, &|number, source, is_wanted| angels(number, source, is_wanted)) {
            let place = placed(self.program, &self.texts[edit.file], &edit);
            let file = file_id(self.program, Path::new(&place.path));
            let tests = file.map(|file| self.spectrum.tests(file, place.extent.line..=place.extent.end_line));
            if found.len() < SUSPECTS && found.iter().all(|(known, _)| *known != place) {
                found.push((place, tests.unwrap_or_default()));
            }
        }
        found
    }
}

/// Edits of the same statements together, in their order.
fn together(all: impl Iterator<Item = Site>) -> Vec<Site> {
    let mut sites: Vec<Site> = vec![];
    for site in all {
        match sites.iter_mut().find(|known| known.places == site.places) {
            Some(known) => known.edits.extend(site.edits),
            None => sites.push(site),
        }
    }
    sites
}

/// Whether the program itself asks for values that nobody knows.
fn calls_nondet(program: &Program) -> bool {
    let calls = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
    let mut names = calls.filter_map(|command| match &command.it {
        Command::Call { callee: Callee::External(name), .. } => Some(name.as_str()),
        _ => None,
    });
    names.any(|name| name.starts_with("__VERIFIER_nondet"))
}

/// Functions that do something to files or processes that cannot be undone.
const LASTING: &[&str] = &[
    "remove",
    "unlink",
    "unlinkat",
    "rename",
    "rmdir",
    "mkdir",
    "truncate",
    "ftruncate",
    "chmod",
    "chown",
    "link",
    "symlink",
    "system",
    "popen",
    "execl",
    "execlp",
    "execle",
    "execv",
    "execvp",
    "execve",
    "posix_spawn",
    "posix_spawnp",
    "kill",
    "creat",
    "open",
    "openat",
    "mkstemp",
    "connect",
    "sendto",
];

/// Whether a wrong edit could harm what is not the program's: it opens files to write them, removes them or runs others.
pub fn reaches_out<'t>(program: &Program, mut texts: impl Iterator<Item = &'t SourceText>) -> bool {
    let called = |name: &str| {
        let calls = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
        calls
            .filter_map(|command| match &command.it {
                Command::Call { callee: Callee::External(callee), .. } => Some(callee.as_str()),
                _ => None,
            })
            .any(|callee| callee == name)
    };
    let writes = |text: &SourceText| {
        ["\"w", "\"a\"", "\"ab", "\"a+", "\"r+", "\"rb+"].iter().any(|mode| text.as_str().contains(mode))
    };
    let opens = ["fopen", "freopen", "fdopen"].iter().any(|name| called(name));
    LASTING.iter().any(|name| called(name)) || opens && texts.any(writes)
}

/// The best edit.
fn best(repaired: &Repaired) -> Option<&Repair> {
    repaired.sites.first()?.edits.first()
}

/// Writes the best edit to a file, if the user wants it.
///
/// # Errors
/// When it cannot be written.
pub fn write(options: &Options, repaired: &Repaired) -> anyhow::Result<()> {
    if let (Some(path), Some(best)) = (&options.patch, best(repaired)) {
        let written = std::fs::write(path, &best.diff);
        written.map_err(|e| UsageError(format!("--patch {}: {e}", path.display())))?;
    }
    Ok(())
}

/// Makes the best edit in the program, if the user wants it; says so if there is none.
///
/// # Errors
/// When it cannot be written.
pub fn apply(options: &Options, repaired: &Repaired) -> anyhow::Result<()> {
    match best(repaired) {
        None if options.patch.is_some() || options.apply => {
            eprintln!("wherefore: no edit passes all tests; nothing is written");
        }
        Some(best) if options.apply => {
            for (path, text) in &best.files {
                std::fs::write(path, text).map_err(|e| UsageError(format!("--apply: {path}: {e}")))?;
                if !options.run.quiet {
                    eprintln!("wherefore: {path} is changed");
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// A test that ended by a signal must end well, unless something else is expected.
fn well_ended(case: &Case, seen: &Observed) -> Case {
    let status = match (case.expected.status, &seen.ending) {
        (Some(status), _) => Some(status),
        (None, Ending::Exited(_)) => None,
        (None, _) => Some(0),
    };
    Case { expected: Expected { status, ..case.expected.clone() }, ..case.clone() }
}

/// What failing tests printed, and should have printed.
fn outputs(cases: &[Case], tested: &Tested, failing: &[usize]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let pair = |n: &usize| {
        let wanted = cases[*n].expected.stdout.clone()?;
        Some((tested.observed[*n].stdout.clone(), wanted)).filter(|(a, b)| a != b)
    };
    failing.iter().filter_map(pair).take(4).collect()
}

/// The numbers that a test is given.
fn numbers(case: &Case) -> Vec<i64> {
    let arguments = case.given.arguments.iter().map(|a| a.to_string_lossy().into_owned());
    let stdin = String::from_utf8_lossy(case.given.stdin.as_deref().unwrap_or_default()).into_owned();
    let texts: Vec<String> = arguments.chain([stdin]).collect();
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_digit() && c != '-'));
    words.filter_map(|word| word.parse().ok()).take(NUMBERS).collect()
}

/// The number of a file in the program.
fn file_id(program: &Program, path: &Path) -> Option<FileId> {
    let position = program.files.iter().position(|f| Path::new(f) == path)?;
    Some(FileId(position as u32))
}

/// The bytes that an edit is about: of what is moved, where it was.
pub fn place(edit: &Edit) -> Range<usize> {
    let part = edit.parts.iter().find(|part| !part.at.is_empty()).unwrap_or(&edit.parts[0]);
    part.at.start..part.at.end.max(part.at.start + 1)
}

/// Where an edit is made: the statement around it, or the place where one is put in.
fn statement_of(source: &SourceText, edit: &Edit) -> Extent {
    let range = place(edit);
    let at = source.extent(range.clone());
    let text = source.as_str();
    // What is put in on a line of its own stands after the line end.
    let skipped = text[range.start..].len() - text[range.start..].trim_start().len();
    let start = source.extent(range.start + skipped..range.start + skipped + 1);
    let whole = |e: Extent| source.extent_of_whole_statement(e.line, e.column);
    if edit.kind == Kind::Insertion {
        // What is put behind a statement has its place by that one.
        let behind = edit.parts[0].with.starts_with('\n') && range.start > 0;
        let at = if behind { source.extent(range.start - 1..range.start) } else { at };
        whole(at).unwrap_or(at)
    } else {
        whole(start).or_else(|| whole(at)).unwrap_or(at)
    }
}

/// The statement that an edit changes.
fn placed(program: &Program, source: &SourceText, edit: &Edit) -> Place {
    let extent = statement_of(source, edit);
    let file = file_id(program, Path::new(source.path()));
    let function = file.and_then(|file| function_at(program, file, extent.line));
    let function = function.map_or(String::new(), |(.., name)| name.to_string());
    Place { path: source.path().to_string(), extent, function, text: source.text(extent) }
}
