//! The answer of `diagnose` for people: what could be at fault, in the order in which to look at it.

use std::collections::HashSet;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::headline::place;
use crate::human::{Gutter, Page};
use crate::layout::{Line, Paint, clean, tied};
use crate::model::{Diagnosed, Diagnosis, Loc, Statement, Suspect, Test, Value, Verdict};
use crate::words::{counted, listed};

/// Diagnoses shown unless all are asked for.
const SHOWN: usize = 10;

/// The same where an edit passes all tests: who has that looks at little else.
const SHOWN_WITH_EDITS: usize = 5;

/// Lines shown of a statement that has many.
const LINES: usize = 4;

/// Values named of one test; further ones are counted.
const VALUES: usize = 3;

/// Tests and conflicts of a test shown unless all are asked for.
const CONFLICTS: usize = 10;

/// Less room than this for a source line is no room.
pub(crate) const LEAST_ROOM: usize = 16;

/// The indent of what is said about a diagnosis.
const INDENT: usize = 6;

/// How the order comes about.
const LEGEND: &str = "Order: what an edit repairs first: simple edits, near to what the failure depends on, that change little \
                      else. Then fewer statements. Then statements that can be repaired by computing something else \
                      from the variables they read: the same values read must give the same result in all tests, \
                      and passing tests must still pass. Then statements that failing rather than passing tests run \
                      (Ochiai's measure). Then the order of the source.";

/// The sections of the report.
pub(crate) fn sections(page: &Page, diagnosed: &Diagnosed) -> Vec<Vec<Line>> {
    let writer = Writer { page, diagnosed };
    let mut sections = vec![writer.opening()];
    sections.extend(writer.shown().iter().enumerate().map(|(index, diagnosis)| writer.diagnosis(index, diagnosis)));
    sections.extend([
        writer.suspects(),
        writer.hidden(),
        writer.conflicts(),
        page.notes(),
        writer.closing(),
        writer.details(),
    ]);
    sections
}

/// Why a diagnosis stands where it does, in words. `next` is the one after it; so many tests fail.
pub fn reason(diagnosis: &Diagnosis, next: Option<&Diagnosis>, failing: u64) -> String {
    let mut parts = vec![repairs(diagnosis, failing)];
    if diagnosis.has_repair() {
        // What values that are functions of what it reads would do is no longer of interest.
        parts.push("an edit passes all tests".into());
        return parts.join("; ");
    }
    parts.extend(judgement(diagnosis));
    parts.extend(next.and_then(|next| preferred(diagnosis, next)));
    parts.join("; ")
}

/// How many failing tests it repairs.
fn repairs(diagnosis: &Diagnosis, failing: u64) -> String {
    let verb = if diagnosis.statements.len() == 1 { "repairs" } else { "repair" };
    match (diagnosis.fixes, diagnosis.of) {
        (fixes, of) if fixes == of && of < failing => format!("{verb} all {of} failing tests tried"),
        (fixes, of) if of < failing => format!("{verb} {fixes} of {} tried", counted(of, "failing test")),
        (1, 1) => format!("{verb} the failing test"),
        (2, 2) => format!("{verb} both failing tests"),
        (fixes, of) if fixes == of => format!("{verb} all {of} failing tests"),
        (fixes, of) => format!("{verb} {fixes} of {}", counted(of, "failing test")),
    }
}

/// How it does as a function of what it reads, when there is something to say.
fn judgement(diagnosis: &Diagnosis) -> Option<String> {
    let judged = diagnosis.judged?;
    let tried = if judged.tried < judged.passing { " tried" } else { "" };
    let broken = match judged.breaks {
        0 => None,
        n => Some(format!("would break {n} of {}{tried}", counted(judged.tried, "passing test"))),
    };
    // What no value repairs needs no different ones.
    let clashes = judged.clashes.saturating_sub(diagnosis.of.saturating_sub(diagnosis.fixes));
    if clashes > 0 {
        let where_ = if diagnosis.of > 1 {
            format!("needs different values where it reads the same ({})", counted(clashes, "failing test"))
        } else {
            "needs different values where it reads the same".into()
        };
        return Some(broken.map_or(where_.clone(), |broken| format!("{where_} and {broken}")));
    }
    broken.or(match judged.tried {
        0 => None,
        1 => Some(format!("agrees with the passing test{tried}")),
        2 => Some(format!("agrees with both passing tests{tried}")),
        n => Some(format!("agrees with all {n} passing tests{tried}")),
    })
}

/// What the passing tests say, if it is that which puts a diagnosis before the next.
fn preferred(diagnosis: &Diagnosis, next: &Diagnosis) -> Option<String> {
    let trouble = |d: &Diagnosis| d.judged.map(|j| (j.clashes + j.breaks, j.coarse));
    let equal = diagnosis.statements.len() == next.statements.len()
        && diagnosis.fixes == next.fixes
        && trouble(diagnosis) == trouble(next);
    if !equal || diagnosis.suspicion_per_mille? <= next.suspicion_per_mille? {
        return None;
    }
    Some(match diagnosis.statements.len() {
        1 => "failing rather than passing tests run it, more so than the next one".into(),
        _ => "failing rather than passing tests run them, more so than the next ones".into(),
    })
}

struct Writer<'a> {
    page: &'a Page<'a>,
    diagnosed: &'a Diagnosed,
}

impl Writer<'_> {
    /// The run of the command line, rather than a list of tests.
    fn is_single(&self) -> bool {
        self.page.report.failure.is_some()
    }

    /// What fails, and how many answers there are.
    fn opening(&self) -> Vec<Line> {
        let mut headline = match &self.page.report.failure {
            Some(failure) => self.page.failure(failure),
            None => self.failing_tests(),
        };
        headline.push(Paint::Headline, &format!("; {}", self.summary()));
        let mut lines = headline.wrap(self.page.width, 4);
        if self.page.report.partial && !self.diagnosed.diagnoses.is_empty() {
            let text = "this is what was found so far";
            lines.extend(
                Line::new(Paint::Warning, "partial result: ").with(Paint::Plain, text).wrap(self.page.width, 4),
            );
        }
        lines
    }

    /// How many tests fail.
    fn failing(&self) -> u64 {
        self.diagnosed.tests.iter().filter(|test| test.verdict == Verdict::Fail).count() as u64
    }

    /// `tcas.c: 131 of 1608 tests fail`.
    fn failing_tests(&self) -> Line {
        let mut files: Vec<&str> = Vec::new();
        for statement in &self.diagnosed.statements {
            if !files.contains(&statement.at.file.as_str()) {
                files.push(&statement.at.file);
            }
        }
        let prefix = match files[..] {
            [] => String::new(),
            [file] => format!("{}: ", clean(file)),
            [file, ..] => format!("{} and {}: ", clean(file), counted(files.len() as u64 - 1, "more file")),
        };
        let (tests, failing) = (&self.diagnosed.tests, self.failing());
        let verb = if failing == 1 { "fails" } else { "fail" };
        let of = counted(tests.len() as u64, "test");
        Line::new(Paint::Headline, format!("{prefix}{failing} of {of} ")).with(Paint::Bad, verb)
    }

    /// How many single statements could be at fault, or how many are needed together.
    fn summary(&self) -> String {
        let diagnoses = &self.diagnosed.diagnoses;
        let it = if self.is_single() { "it" } else { "all of them" };
        let smallest = diagnoses.iter().map(|d| d.statements.len()).min();
        let repaired = diagnoses.iter().filter(|d| d.has_repair()).count();
        let partly = diagnoses.iter().filter(|d| !d.patches.is_empty()).count() - repaired;
        let together = diagnoses.first().map_or(0, |first| first.statements.len());
        match smallest {
            _ if repaired == 1 && together > 1 => format!("changes of {together} statements together pass all tests"),
            _ if repaired > 1 && together > 1 => {
                format!("{repaired} ways to change {together} statements together pass all tests")
            }
            _ if repaired == 1 => format!("a change of one statement {}", self.repairs()),
            _ if repaired > 1 => format!("each of {repaired} changes of one statement {}", self.repairs()),
            _ if partly > 0 && diagnoses.iter().all(|d| d.fixes < d.of) => "no change found repairs all of them".into(),
            None if self.diagnosed.complete => format!("no change of these statements repairs {it}"),
            None => match self.diagnosed.complete_up_to {
                None | Some(0) => "nothing that repairs the program was found".into(),
                Some(1) => format!("no single statement repairs {it}"),
                Some(n) => format!("no set of up to {n} statements repairs {it}"),
            },
            Some(0 | 1) => {
                let singles = diagnoses.iter().filter(|d| d.statements.len() <= 1 && d.fixes == d.of).count();
                let noun = if singles == 1 { "single statement" } else { "single statements" };
                let larger = || diagnoses.iter().filter(|d| d.statements.len() > 1);
                let sets = match larger().count() {
                    0 => String::new(),
                    1 if larger().any(|d| self.may_be_too_large(d)) => "; a larger set may have too many".into(),
                    n if larger().any(|d| self.may_be_too_large(d)) => format!("; {n} larger sets may have too many"),
                    n => format!(", or {} of several", counted(n as u64, "set")),
                };
                if singles == 0 {
                    return format!("single statements repair only some of them{sets}");
                }
                format!("{singles} {noun} could be at fault{sets}")
            }
            Some(n) if self.is_known_up_to(n as u64 - 1) => {
                format!("no single statement repairs {it}; the smallest sets have {n} statements")
            }
            Some(n) => format!("the smallest sets found that repair {it} have {n} statements"),
        }
    }

    /// What an edit does that passes all tests.
    fn repairs(&self) -> &'static str {
        if self.is_single() { "repairs it" } else { "passes all tests" }
    }

    /// Whether all sets of at most this size are listed.
    fn is_known_up_to(&self, size: u64) -> bool {
        self.diagnosed.complete || self.diagnosed.complete_up_to >= Some(size)
    }

    /// Whether fewer of its statements may be enough, which nobody has found out.
    fn may_be_too_large(&self, diagnosis: &Diagnosis) -> bool {
        let size = diagnosis.statements.len() as u64;
        size > 1 && !self.is_known_up_to(size - 1)
    }

    /// Where to look first, where nothing is known to repair the program.
    fn suspects(&self) -> Vec<Line> {
        let all = &self.diagnosed.suspects;
        let shown = if self.page.style.verbose { all.len() } else { all.len().min(SHOWN) };
        if shown == 0 {
            return vec![];
        }
        let tests = &self.diagnosed.tests;
        let passing = tests.len() as u64 - self.failing();
        let mut lines = vec![Line::new(Paint::Label, "Where to look first; nothing of this is known to repair it:")];
        let gutter = Gutter::new(all.iter().map(|s| s.statement.at.end_line.max(s.statement.at.line)));
        for suspect in &all[..shown] {
            let Suspect { statement, .. } = suspect;
            // What all tests run says nothing.
            let runs = match passing {
                n if n == suspect.passing => String::new(),
                _ => format!(", run by {} of {}", suspect.passing, counted(passing, "passing test")),
            };
            let place = format!("  {}{runs}", whereabouts(&statement.at));
            lines.extend(Line::new(Paint::Plain, place).wrap(self.page.width, 4));
            lines.extend(self.quote(&gutter, std::slice::from_ref(statement)).into_iter().take(1));
        }
        if let Some(test) = tests.iter().find(|test| test.verdict == Verdict::Fail).filter(|_| !self.is_single()) {
            lines.push(Line::new(
                Paint::Plain,
                format!("wherefore explain ... --test {} tells how it fails", clean(&test.name)),
            ));
        }
        lines
    }

    fn shown(&self) -> &[Diagnosis] {
        let all = &self.diagnosed.diagnoses;
        let repairs_alone = |d: &&Diagnosis| d.has_repair() || d.statements.len() == 1 && d.fixes == d.of;
        let shown = match all.first().is_some_and(Diagnosis::has_repair) {
            _ if self.page.style.verbose => all.len(),
            true => all.iter().take_while(repairs_alone).count().min(SHOWN_WITH_EDITS),
            false => all.len().min(SHOWN),
        };
        &all[..shown]
    }

    /// One diagnosis: its lines, and what speaks for it.
    fn diagnosis(&self, index: usize, diagnosis: &Diagnosis) -> Vec<Line> {
        let statements = &diagnosis.statements;
        let number = format!("{}. ", diagnosis.rank);
        let mut lines = match &statements[..] {
            [] => vec![Line::new(Paint::Label, format!("{number}nothing needs to change"))],
            [one] => {
                let text = format!("{number}{}", whereabouts(&one.at));
                Line::new(Paint::Label, text).wrap(self.page.width, number.len())
            }
            several => {
                let text = format!("{number}{} statements together", several.len());
                vec![Line::new(Paint::Label, text)]
            }
        };
        let gutter = Gutter::new(statements.iter().map(|s| s.at.end_line.max(s.at.line)));
        let mut told: Option<(&str, &str)> = None;
        let mut rest = &statements[..];
        while let [first, ..] = rest {
            if statements.len() > 1 && told != Some((&first.at.file, &first.at.function)) {
                told = Some((&first.at.file, &first.at.function));
                let text = format!("  {}", in_function(&first.at));
                lines.extend(Line::new(Paint::Plain, text).wrap(self.page.width, 4));
            }
            // Statements on one line share its quotation.
            let on_line = |s: &&Statement| {
                (&s.at.file, s.at.line, s.at.end_line) == (&first.at.file, first.at.line, first.at.line)
            };
            let together = rest.iter().take_while(on_line).count().max(1);
            lines.extend(self.quote(&gutter, &rest[..together]));
            rest = &rest[together..];
        }
        lines.extend(self.patches(diagnosis));
        for text in self.remarks(index, diagnosis) {
            for line in text.wrap(self.page.width.saturating_sub(INDENT).max(LEAST_ROOM), 2) {
                let mut indented = Line::new(Paint::Plain, " ".repeat(INDENT));
                indented.append(&line);
                lines.push(indented);
            }
        }
        lines
    }

    fn quote(&self, gutter: &Gutter, statements: &[Statement]) -> Vec<Line> {
        quote(self.page, gutter, statements)
    }

    /// The edits that pass all tests: the first as lines that go and come, of the others what comes.
    fn patches(&self, diagnosis: &Diagnosis) -> Vec<Line> {
        let mut lines = vec![];
        let room = self.page.width.saturating_sub(INDENT).max(LEAST_ROOM);
        for (number, patch) in diagnosis.patches.iter().enumerate() {
            if number > 0 {
                lines.push(Line::new(Paint::Gutter, format!("{}or", " ".repeat(INDENT - 2))));
            }
            for line in shown_of(&patch.diff, number == 0) {
                let (sign, text) = line.split_at(1);
                let paint = match sign {
                    "-" => Paint::Bad,
                    "+" => Paint::Value,
                    _ => Paint::Plain,
                };
                let text = crop(&clean(text), 0, 0, room).0;
                lines.push(Line::new(paint, format!("{}{sign} {text}", " ".repeat(INDENT - 2))));
            }
        }
        lines
    }

    /// Why it stands there, and an example.
    fn remarks(&self, index: usize, diagnosis: &Diagnosis) -> Vec<Line> {
        let mut remarks = Vec::new();
        if let Some(patch) = diagnosis.patches.first() {
            let passes = match (self.is_single(), patch.of) {
                (true, _) => "with this change it does not fail".to_string(),
                (false, 1) => "passes the test".to_string(),
                (false, n) if patch.passes < n => format!("{} and breaks none", repairs(diagnosis, self.failing())),
                (false, n) if diagnosis.statements.len() > 1 => format!("together they pass all {n} tests"),
                (false, n) => format!("passes all {n} tests"),
            };
            // What hides a fault is not to be taken for a repair.
            let is_leak = diagnosis.patches.iter().any(|patch| patch.edit == "leak");
            let leaks = if is_leak { "; without free(), this memory is not freed, unless elsewhere" } else { "" };
            return vec![Line::new(Paint::Reason, format!("{passes}{leaks}"))];
        }
        let reason = if self.is_single() {
            // That the one failing run is repaired is what all of this is about.
            judgement(diagnosis).unwrap_or_default()
        } else if diagnosis.reason.is_empty() {
            reason(diagnosis, self.diagnosed.diagnoses.get(index + 1), self.failing())
        } else {
            clean(&diagnosis.reason)
        };
        if !reason.is_empty() {
            remarks.push(Line::new(Paint::Reason, reason));
        }
        if self.may_be_too_large(diagnosis) {
            remarks.push(Line::new(Paint::Warning, "fewer of them may be enough"));
        }
        let tests = by_test(&diagnosis.values);
        let shown = if self.page.style.verbose { tests.len() } else { 1 };
        let best = tests.iter().position(|values| values.iter().all(|v| v.replayed == Some(true))).unwrap_or(0);
        let examples = if self.page.style.verbose { &tests[..] } else { tests.get(best..best + 1).unwrap_or(&[]) };
        remarks.extend(examples.iter().take(shown).map(|values| self.example(diagnosis, values)));
        remarks
    }

    /// `t1: 0 instead of 1 makes it pass (replayed)`.
    fn example(&self, diagnosis: &Diagnosis, values: &[Value]) -> Line {
        let named = if values.len() > VALUES { VALUES - 1 } else { values.len() };
        let several = diagnosis.statements.len() > 1;
        let mut parts: Vec<String> = values[..named].iter().map(|value| told(value, several)).collect();
        if values.len() > named {
            parts.push(counted((values.len() - named) as u64, "more value"));
        }
        let prefix = if self.is_single() { String::new() } else { format!("{}: ", clean(&values[0].test)) };
        let replayed = match () {
            () if values.iter().any(|v| v.replayed == Some(false)) => Some(false),
            () if values.iter().all(|v| v.replayed == Some(true)) => Some(true),
            () => None,
        };
        let (make, makes) = if replayed == Some(false) { ("should make", "should make") } else { ("make", "makes") };
        let verb = if values.len() == 1 { makes } else { make };
        // Values of one statement are those of its executions, one after the other.
        let all = if several { listed(&parts) } else { parts.join(", then ") };
        let mut line = Line::new(Paint::Plain, format!("{prefix}{all} {verb} it pass"));
        match replayed {
            Some(true) => line.push(Paint::Gutter, " (replayed)"),
            Some(false) => line.push(Paint::Warning, ", but did not when it was replayed"),
            None => {}
        }
        line
    }

    /// What is not shown.
    fn hidden(&self) -> Vec<Line> {
        match self.hidden_count() {
            0 => Vec::new(),
            n => vec![Line::new(Paint::Gutter, format!("... {n} more; -v shows all"))],
        }
    }

    fn hidden_count(&self) -> usize {
        self.diagnosed.diagnoses.len() - self.shown().len()
    }

    /// The conflicts of each test, by lines.
    fn conflicts(&self) -> Vec<Line> {
        let with: Vec<(&Test, &Vec<Vec<u32>>)> =
            self.diagnosed.tests.iter().filter_map(|test| Some((test, test.conflicts.as_ref()?))).collect();
        if with.is_empty() {
            return Vec::new();
        }
        let most = if self.page.style.verbose { usize::MAX } else { CONFLICTS };
        let mut lines = vec![Line::new(Paint::Label, "These statements cannot all be right:")];
        for (test, conflicts) in with.iter().take(most) {
            let prefix = if self.is_single() { "  ".into() } else { format!("  {}: ", clean(&test.name)) };
            let indent = " ".repeat(prefix.width());
            let mut texts: Vec<String> = conflicts.iter().take(most).map(|set| self.by_lines(set)).collect();
            if conflicts.len() > most {
                texts.push(format!("... {} more; -v shows all", conflicts.len() - most));
            }
            if texts.is_empty() {
                texts.push("none found".into());
            }
            if !test.complete {
                texts.push("(there may be others)".into());
            }
            for (index, text) in texts.iter().enumerate() {
                let start = if index == 0 { &prefix } else { &indent };
                lines.extend(Line::new(Paint::Plain, format!("{start}{text}")).wrap(self.page.width, indent.len() + 2));
            }
        }
        if with.len() > most {
            lines.push(Line::new(Paint::Gutter, format!("  ... {} more tests; -v shows all", with.len() - most)));
        }
        lines
    }

    /// `lines 4, 7 and 9`; the text where a line has several statements, the file where there are several.
    fn by_lines(&self, set: &[u32]) -> String {
        let all = &self.diagnosed.statements;
        if set.is_empty() {
            return "nothing: it fails whatever these statements do".into();
        }
        let files: HashSet<&str> = all.iter().map(|s| s.at.file.as_str()).collect();
        let name = |statement: &Statement| {
            let at = &statement.at;
            let alone = all.iter().filter(|s| s.at.file == at.file && s.at.line == at.line).count() == 1;
            let line = if files.len() > 1 { format!("{}:{}", clean(&at.file), at.line) } else { at.line.to_string() };
            if alone { line } else { format!("{line}\u{a0}(`{}`)", crop(&clean(&statement.text), 0, 0, 40).0) }
        };
        let names: Vec<String> = set.iter().filter_map(|n| all.get(*n as usize)).map(name).collect();
        let noun = match (files.len(), names.len()) {
            (2.., _) => "",
            (_, 1) => "line ",
            _ => "lines ",
        };
        tied(&format!("{noun}{}", listed(&names)))
    }

    /// How complete the answer is.
    fn closing(&self) -> Vec<Line> {
        let sentence = match (&self.diagnosed.incomplete, self.hidden_count()) {
            (Some(why), _) => {
                let sure = match self.diagnosed.complete_up_to {
                    _ if self.diagnosed.diagnoses.is_empty() => String::new(),
                    None | Some(0) => String::new(),
                    Some(1) => " All single statements are listed.".into(),
                    Some(n) => format!(" All sets of up to {n} statements are listed."),
                };
                format!("{}{sure}", clean(why))
            }
            (None, _) if self.diagnosed.diagnoses.is_empty() => return Vec::new(),
            // After conflicts it would not be clear what is meant.
            (None, 0) if self.diagnosed.tests.iter().any(|test| test.conflicts.is_some()) => {
                "There are no other diagnoses.".into()
            }
            (None, 0) if self.diagnosed.diagnoses.len() == 1 => "There are no others.".into(),
            (None, 0) => "These are all.".into(),
            (None, 1) => "There are no others but the one not shown.".into(),
            (None, n) => format!("There are no others but the {n} not shown."),
        };
        Line::new(Paint::Plain, sentence).wrap(self.page.width, 0)
    }

    /// How the order comes about, and where the time went.
    fn details(&self) -> Vec<Line> {
        if !self.page.style.verbose {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if self.diagnosed.diagnoses.len() > 1 {
            lines.extend(Line::new(Paint::Gutter, LEGEND).wrap(self.page.width, 0));
        }
        if let Some(ms) = &self.page.report.timing_ms {
            let text = format!(
                "compiled in {} ms, tests ran in {} ms, formula built in {} ms, solved in {} ms",
                ms.compile, ms.run, ms.encode, ms.solve
            );
            lines.extend(Line::new(Paint::Gutter, text).wrap(self.page.width, 0));
        }
        lines
    }
}

/// `tcas.c:75:12 in Non_Crossing_Biased_Climb()`.
pub(crate) fn whereabouts(at: &Loc) -> String {
    let place = place(at);
    let place = place.trim_end_matches([' ', ':']);
    match (place.is_empty(), at.function.is_empty()) {
        (_, true) => place.into(),
        (true, false) => format!("in {}()", clean(&at.function)),
        (false, false) => format!("{place} in {}()", clean(&at.function)),
    }
}

/// A statement, or several of one line, as they stand in the source.
pub(crate) fn quote(page: &Page, gutter: &Gutter, statements: &[Statement]) -> Vec<Line> {
    let first = &statements[0];
    let room = page.width.saturating_sub(gutter.width()).max(LEAST_ROOM);
    let as_text = || gutter.numbered(first.at.line).with(Paint::Plain, crop(&clean(&first.text), 0, 0, room).0);
    if first.at.end_line > first.at.line {
        let Some(lines) = page.sources.lines(&first.at).filter(|lines| !lines.is_empty()) else {
            return vec![as_text()];
        };
        let margin = lines.iter().map(|(_, line)| line.len() - line.trim_start().len()).min().unwrap_or(0);
        let too_long = lines.iter().any(|(_, line)| line.width() > room);
        let cut = if too_long { margin } else { 0 };
        let shown = if lines.len() > LINES { LINES - 1 } else { lines.len() };
        let mut quoted: Vec<Line> = lines[..shown]
            .iter()
            .map(|(number, line)| {
                gutter.marked(*number).with(Paint::Plain, crop(line.get(cut..).unwrap_or(""), 0, 0, room).0)
            })
            .collect();
        if lines.len() > shown {
            let text = format!("... {}", counted((lines.len() - shown) as u64, "more line"));
            quoted.push(gutter.empty().with(Paint::Gutter, text));
        }
        return quoted;
    }
    let excerpts: Option<Vec<_>> = statements.iter().map(|s| page.sources.excerpt(&s.at)).collect();
    let Some(excerpts) = excerpts else { return vec![as_text()] };
    let from = excerpts.iter().map(|e| e.from).min().unwrap_or(0);
    let to = excerpts.iter().map(|e| e.from + e.len).max().unwrap_or(0);
    let (text, dropped, added) = crop(&excerpts[0].line, from, to, room);
    let mut underline = gutter.empty();
    let start = gutter.width();
    for excerpt in &excerpts {
        let column = (excerpt.from + added).saturating_sub(dropped);
        underline.pad_to(start + column);
        let len = excerpt.len.min(room.saturating_sub(column)).max(1);
        underline.push(Paint::Bad, &"^".repeat(len));
    }
    vec![gutter.numbered(first.at.line).with(Paint::Plain, text), underline]
}

/// `tcas.c, in main()`.
fn in_function(at: &Loc) -> String {
    let file = clean(&at.file);
    if at.function.is_empty() { format!("{file}:") } else { format!("{file}, in {}():", clean(&at.function)) }
}

/// The values in groups of one test.
fn by_test(values: &[Value]) -> Vec<Vec<Value>> {
    let mut tests: Vec<Vec<Value>> = Vec::new();
    for value in values {
        match tests.iter_mut().find(|known| known[0].test == value.test) {
            Some(known) => known.push(value.clone()),
            None => tests.push(vec![value.clone()]),
        }
    }
    tests
}

/// The lines of a diff that are shown, part by part.
fn shown_of(diff: &str, with_old: bool) -> Vec<&str> {
    let lines: Vec<&str> = diff.lines().collect();
    lines.split(|line| line.starts_with("@@ ")).skip(1).flat_map(|part| shown_of_part(part, with_old)).collect()
}

/// Lines that go, if wanted, and those that come; where nothing goes, with the lines around, and where something moves, with
/// the lines between, or nobody would know where they come.
fn shown_of_part<'d>(part: &[&'d str], with_old: bool) -> Vec<&'d str> {
    // What follows may be the head of another file.
    let ends = part.windows(2).position(|two| two[0].starts_with("--- ") && two[1].starts_with("+++ "));
    let lines = part[..ends.unwrap_or(part.len())].iter().copied();
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with('\\')).collect();
    let is = |sign: char| move |line: &&str| line.starts_with(sign);
    let comes = lines.iter().any(is('+'));
    if comes && !lines.iter().any(is('-')) {
        let first = lines.iter().position(is('+')).unwrap_or(0).saturating_sub(1);
        let last = lines.iter().rposition(is('+')).map_or(0, |n| n + 1).min(lines.len() - 1);
        return lines[first..=last].to_vec();
    }
    let changed = |line: &&str| line.starts_with(['+', '-']);
    let (first, last) = (lines.iter().position(changed).unwrap_or(0), lines.iter().rposition(changed).unwrap_or(0));
    if comes && lines[first..=last].iter().any(is(' ')) {
        return lines[first..=last].to_vec();
    }
    lines.into_iter().filter(|line| line.starts_with('+') || line.starts_with('-') && (with_old || !comes)).collect()
}

/// `0 instead of 1`, with what it is of when that is not clear.
fn told(value: &Value, several: bool) -> String {
    let mut text = clean(&value.value);
    if !value.was.is_empty() {
        text.push_str(&format!(" instead of {}", clean(&value.was)));
    }
    if several {
        text.push_str(&format!(" in line\u{a0}{}", value.at.line));
    }
    text
}

/// A line cut to a width so that the columns from `from` to `to` stay in sight as far as they can; with how many
/// columns were dropped at its start and how many were put there instead.
pub(crate) fn crop(line: &str, from: usize, to: usize, room: usize) -> (String, usize, usize) {
    const DOTS: &str = "...";
    let width = line.width();
    if width <= room {
        return (line.into(), 0, 0);
    }
    let blank = width - line.trim_start().width();
    let blank = blank.min(from);
    if width - blank <= room {
        return (line.trim_start().into(), blank, 0);
    }
    // The start of the line if what matters is there, otherwise from a little before it.
    let (start, dots) = if to - blank + DOTS.len() <= room { (blank, "") } else { (from, DOTS) };
    let (start, dots) = if start <= blank { (blank, "") } else { (start, dots) };
    let mut text = String::from(dots);
    let mut column = 0;
    let mut dropped = None;
    let mut cut = false;
    for c in line.chars() {
        let wide = c.width().unwrap_or(0);
        if column >= start {
            dropped.get_or_insert(column);
            if text.width() + wide + DOTS.len() > room && width - column > room.saturating_sub(text.width()) {
                cut = true;
                break;
            }
            text.push(c);
        }
        column += wide;
    }
    if cut {
        text.push_str(DOTS);
    }
    (text, dropped.unwrap_or(start), dots.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_what_matters() {
        assert_eq!(crop("short", 0, 5, 10), ("short".into(), 0, 0));
        assert_eq!(crop("    abcdefgh;", 4, 12, 10), ("abcdefgh;".into(), 4, 0));
        assert_eq!(crop("    abc + defghijkl", 4, 7, 10), ("abc + d...".into(), 4, 0));
        assert_eq!(crop("for (int i = 0; i < n; i++)", 23, 26, 16), ("...i++)".into(), 23, 3));
        assert_eq!(crop("for (int i = 0; i < n; i++)", 16, 21, 12), ("...i < n;...".into(), 16, 3));
        assert_eq!(crop("größe = 大小大小大小", 8, 10, 12), ("...大小大...".into(), 8, 3));
    }
}
