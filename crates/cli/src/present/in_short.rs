//! The cause in a few sentences, the last one first: where the values of the failing condition come from.
//!
//! Every sentence is a fact of the run: which statement set a value last, what it was computed from, under which
//! condition, and which branch of the story left it alone. Of values only what the story
//! tells is followed further; why an index or a pointer is what it is need not be part of it.

mod because;
mod missed;
mod recursion;

use super::Presenter;
use super::callbacks::called_back;
use super::history::{History, copied};
use super::speech::without_type;
use super::written::as_written;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use wherefore_formula::{TermId, VarId};
use wherefore_localize::{Explanation, Frame, StepKind};
use wherefore_program::Origin;
use wherefore_report::words::counted;
use wherefore_trace::{Action, BranchId, Kind, Step, Storage};
use wherefore_wording::{Position, called, characters};

/// Sentences that are made; a reader is shown as many as fit a few lines.
const SENTENCES: usize = 5;
/// The longest statement, in bytes, that is quoted where it only hands something on.
const LONGEST_COPY: usize = 32;
/// How much later that is told which says little: what a value was before it was changed, and that a loop ends.
const FARTHER: u32 = 4;
/// Rounds of a loop whose values are followed.
const ROUNDS: usize = 64;

/// What is still to be told: a variable at a position. What is nearer to the failure is told first, then what was set
/// last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    depth: Reverse<u32>,
    set: Option<usize>,
    at: usize,
    variable: VarId,
    /// It is asked why an index or a pointer is what it is, which the story need not tell.
    address: bool,
}

/// The sentences.
pub fn in_short(presenter: &Presenter, explanation: &Explanation, history: &History) -> Vec<String> {
    let Some(failure) = &presenter.trace.failure else { return vec![] };
    let told = explanation.steps.iter().flat_map(|s| s.positions.iter().copied()).collect();
    let frames = explanation.steps.iter().filter_map(|s| match &s.kind {
        StepKind::Frame(frame) => Some((*s.positions.last()?, frame)),
        _ => None,
    });
    let frames = frames.collect();
    let open = BinaryHeap::new();
    let mut teller = Teller {
        p: presenter,
        history,
        told,
        frames,
        depth: 0,
        address: false,
        open,
        seen: BTreeSet::new(),
        texts: vec![],
        said: vec![],
        last: vec![],
    };
    if let Some(sentence) = recursion::recursion(presenter, failure, history) {
        teller.said.push(sentence);
        teller.reached(failure.scope, failure.activation);
        return teller.said;
    }
    let end = presenter.trace.steps.len();
    teller.ask(failure.violated, end);
    if teller.open.is_empty() {
        // What fails is that the program came here.
        teller.reached(failure.scope, failure.activation);
    }
    teller.ask_addresses(&failure.addresses, end);
    let anew = teller.not_made_anew(failure);
    if let Some((_, branch)) = &anew {
        teller.ask_branch(*branch);
    }
    while let Some(open) = teller.open.pop().filter(|_| teller.said.len() < SENTENCES) {
        (teller.depth, teller.address) = (open.depth.0 + 1, open.address);
        teller.tell(&open);
    }
    let anew = anew.map(|(sentence, _)| sentence);
    let beside = [presenter.failing_call(explanation), teller.guard(failure), teller.passed_check(failure), anew];
    let second = teller.said.len().min(1);
    teller.said.splice(second..second, beside.into_iter().flatten());
    teller.said.append(&mut teller.last);
    teller.said
}

/// Tells the sentences, one after the other.
struct Teller<'a> {
    p: &'a Presenter<'a>,
    history: &'a History<'a>,
    /// Positions of the story.
    told: BTreeSet<usize>,
    frames: Vec<(usize, &'a Frame)>,
    /// How far from the failure what is asked for now lies.
    depth: u32,
    /// Whether what is asked for now made an index or a pointer what it is.
    address: bool,
    open: BinaryHeap<Open>,
    seen: BTreeSet<(Option<usize>, VarId)>,
    /// Texts of which one character is told, with the statement that set it.
    texts: Vec<(String, Option<Origin>)>,
    said: Vec<String>,
    /// What is told last, where there is room: where loops end.
    last: Vec<String>,
}

impl Teller<'_> {
    /// Ask for the variables of a term at a position. What the story does not tell is asked for only when it fails.
    fn ask(&mut self, term: TermId, at: usize) {
        self.p.trace.terms.variables(term).into_iter().for_each(|variable| self.ask_for(variable, at));
    }

    /// Ask why pointers and indices are what they are, which comes after why values are.
    fn ask_addresses(&mut self, terms: &[TermId], at: usize) {
        let before = (self.depth, self.address);
        (self.depth, self.address) = (self.depth + 2, true);
        terms.iter().for_each(|term| self.ask(*term, at));
        (self.depth, self.address) = before;
    }

    fn ask_for(&mut self, variable: VarId, at: usize) {
        // What was saved is what the variable was then.
        if let Storage::Saved { of } = self.p.trace.variables[variable.0 as usize].storage
            && let Some(then) = self.history.last(variable, at)
        {
            return self.ask_for(of, then);
        }
        let set = self.history.last(variable, at);
        let framed = self.frame(variable, set, at).is_some();
        let told = self.depth == 0 || self.address || framed || set.is_some_and(|p| self.told.contains(&p));
        if told && self.seen.insert((set, variable)) {
            let address = self.address;
            self.open.push(Open { depth: Reverse(self.depth), set, at, variable, address });
        }
    }

    /// The last branch of the story that leaves a variable alone after it was set.
    fn frame(&self, variable: VarId, set: Option<usize>, at: usize) -> Option<(usize, &Frame)> {
        let leaves = |f: &Frame| f.variable == variable || f.also.contains(&variable);
        let after = |p: usize| set.is_none_or(|s| p > s) && p < at;
        self.frames.iter().rev().find(|(p, f)| after(*p) && leaves(f)).map(|(p, f)| (*p, *f))
    }

    fn tell(&mut self, open: &Open) {
        let Some(value) = self.history.value(open.variable, open.at) else { return };
        let here = self.history.state(open.at);
        let activation = self.seen_from(open.at);
        let position = Position { activation, at_entry: false, values: &here };
        let spoken = self.p.spoken(open.variable, position);
        let Some((text, content)) =
            spoken.and_then(|name| self.text_of(open.variable, open.set, open.at, &name, position))
        else {
            let subject = self.subject(open.variable, value, position);
            // Which object a pointer points to is said by what is read through it.
            let says = |text: &String| !(self.address && (text.contains(" is (") || text.contains(" is &")));
            return self.follow(open, subject.filter(says));
        };
        // One sentence says it of all characters.
        let made = open.set.and_then(|p| self.p.trace.steps[p].at);
        if self.texts.contains(&(text.clone(), made)) {
            return self.follow(open, None);
        }
        self.texts.push((text.clone(), made));
        self.follow(open, Some(format!("{text} is {content}")));
    }

    /// What is said of a variable: its value, or what it stands for.
    fn subject(&self, variable: VarId, value: u128, position: Position) -> Option<String> {
        let names = &self.p.names;
        match self.p.trace.variables[variable.0 as usize].storage {
            Storage::Unset { of } => Some(format!("Nobody has set {}", self.p.spoken(of, position)?)),
            Storage::Freed { object } => Some(format!("{} is freed", names.object(object, position))),
            Storage::Size { object } => {
                Some(format!("{} has {}", names.object(object, position), counted(value as u64, "byte")))
            }
            _ => {
                let name = self.p.spoken(variable, position)?;
                Some(format!("{name} is {}", names.plain_value(variable, value, position)?))
            }
        }
    }

    /// The text that a character of this name belongs to, and what it is there: where it is what the statement made that
    /// set the character.
    fn text_of(
        &self,
        variable: VarId,
        set: Option<usize>,
        at: usize,
        name: &str,
        position: Position,
    ) -> Option<(String, String)> {
        let (array, _) = characters::element(name)?;
        let trace = self.p.trace;
        let is_byte = |v: VarId| trace.variables[v.0 as usize].bits == 8;
        let all = (0..trace.variables.len() as u32).map(VarId);
        let mut variables = BTreeMap::new();
        for other in all.filter(|v| is_byte(*v) && is_byte(variable) && trace.same_object(*v, variable)) {
            let name = self.p.names.variable(other, position);
            if let Some((_, index)) = characters::element(&name).filter(|(of, _)| *of == array) {
                variables.insert(index, other);
            }
        }
        let text_at = |at: usize| -> Vec<u8> {
            let byte = |n: usize| self.history.value(*variables.get(&n)?, at).map(|value| value as u8);
            (0..).map_while(byte).take_while(|byte| *byte != 0).collect()
        };
        let text = text_at(at);
        if set.is_some_and(|set| text_at(self.end_of_statement(set)) != text) {
            return None;
        }
        let readable = text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
        (text.len() > 1 && readable).then(|| (array.to_string(), characters::literal(&text)))
    }

    /// The position after all that the execution of a statement set.
    fn end_of_statement(&self, position: usize) -> usize {
        let steps = &self.p.trace.steps;
        let same = |s: &&Step| (s.at, s.activation) == (steps[position].at, steps[position].activation);
        position + steps[position..].iter().take_while(same).count()
    }

    /// The activation from which a position is seen.
    fn seen_from(&self, at: usize) -> u32 {
        let steps = &self.p.trace.steps;
        let failing = self.p.trace.failure.as_ref().map_or(0, |f| f.activation);
        steps.get(at).map_or(failing, |s| self.p.shown_in(s.kind, s.activation))
    }

    /// Say where a value comes from: copies are followed to what made it.
    fn follow(&mut self, open: &Open, subject: Option<String>) {
        let (mut variable, mut set, mut at) = (open.variable, open.set, open.at);
        let mut left_alone = vec![];
        loop {
            left_alone.extend(self.frame(variable, set, at).map(|(p, f)| (p, f.clone())));
            let Some(position) = set else { break };
            let Some(from) = self.handed_on(position) else { break };
            (variable, at, set) = (from, position, self.history.last(from, position));
        }
        let counts = set.is_some_and(|position| self.rounds(variable, position).len() > 1);
        let left = left_alone.iter().max_by_key(|(p, _)| *p).and_then(|(_, frame)| self.left_alone(frame, counts));
        // What has changed since is told as what it was.
        let past = self.history.changes_after(open.variable, open.at);
        let (is, left) = match past {
            true => ("was", left.map(|text| text.replacen("t stays so ", "t stayed so ", 1))),
            false => ("is", left),
        };
        let subject_length = subject.as_ref().map_or(0, String::len);
        let mut sentence = subject;
        // A value that was handed on was made under the name of another.
        if let Some(text) = sentence.as_mut().filter(|_| variable != open.variable) {
            let here = self.history.state(set.map_or(at, |position| position + 1));
            let made_in = self.seen_from(set.unwrap_or(at));
            let position = Position { activation: made_in, at_entry: false, values: &here };
            let name = self.p.spoken(variable, position).filter(|_| !self.p.is_nameless(variable));
            if let Some(name) = name.filter(|name| !text.starts_with(&format!("{name} is "))) {
                text.push_str(&format!(", as {name} {is}"));
            }
        }
        match set {
            Some(position) => self.made(&mut sentence, variable, position, left.is_some()),
            None if matches!(self.p.trace.variables[variable.0 as usize].storage, Storage::Unset { .. }) => {
                sentence = self.p.set_beside(variable, at, self.history);
            }
            None => {
                let initial = matches!(self.p.trace.variables[variable.0 as usize].storage, Storage::Global { .. });
                sentence = sentence.filter(|_| initial || !left_alone.is_empty());
                if let Some(text) = sentence.as_mut().filter(|_| initial) {
                    text.push_str(" from the start");
                }
            }
        }
        if let Some(text) = sentence.as_mut().filter(|_| self.p.may_be_overtaken(variable, set)) {
            text.push_str(", as far as this thread knows");
        }
        if let Some(mut text) = sentence {
            text.extend(left.map(|left| format!(". {left}")));
            if past && let Some(verb) = text.find(" is ").filter(|at| *at < subject_length) {
                text.replace_range(verb..verb + " is ".len(), " was ");
            }
            let text = format!("{text}.");
            if !self.said.contains(&text) {
                self.said.push(text);
            }
        }
    }

    /// Where a value was taken from by a step that only hands it on, into a call or out of it.
    fn handed_on(&self, position: usize) -> Option<VarId> {
        let step = &self.p.trace.steps[position];
        let Action::Assign { to, value, .. } = step.action else { return None };
        let from = copied(self.p.trace, value)?;
        let between = step.kind == Kind::Call || self.p.is_nameless(to) || self.p.is_nameless(from);
        (!matches!(step.kind, Kind::Havoc | Kind::Thread) && between).then_some(from)
    }

    /// The statement that made a value, and what is to be asked next; `kept` where a branch left it alone afterwards,
    /// which says more than how the statement was reached.
    fn made(&mut self, sentence: &mut Option<String>, variable: VarId, position: usize, kept: bool) {
        let step = &self.p.trace.steps[position];
        let Action::Assign { value, ref addresses, .. } = step.action else { return };
        // What the program does not write down is decided where its branch stands.
        let branch = step.scope.map(|b| &self.p.trace.branches[b.index()]);
        let place = self.p.line_of(step.at.or_else(|| branch.and_then(|b| b.at)));
        if step.kind == Kind::Thread {
            if let Some(text) = sentence {
                *text = format!("{text}, {}", self.p.told_of_thread(step, &place));
            }
            return;
        }
        if step.kind == Kind::Havoc {
            if let Some(text) = sentence {
                *text = match self.p.given_by(step, variable) {
                    Some(callee) if text.starts_with(&format!("{} is ", called(callee, ""))) => {
                        format!("{text} at {place}")
                    }
                    Some(callee) => format!("{text}, given by {} ({place})", called(callee, "")),
                    None => format!("{text} since {place}"),
                };
            }
            return;
        }
        if step.kind == Kind::Initial {
            if let Some(text) = sentence {
                text.push_str(&format!(" from the start ({place})"));
            }
            return;
        }
        let rounds = self.rounds(variable, position);
        let read = self.p.trace.terms.variables(value);
        let counts = rounds.len() > 1 && self.depth > 1 || self.address && read.contains(&variable);
        let starts = self.address && step.kind != Kind::Return && read.is_empty();
        if counts && (self.address || !kept) || starts {
            // How a counter came to count, or an index to start, says little.
            *sentence = None;
        }
        let (scope, activation) = (step.scope, step.activation);
        if let Some(text) = sentence {
            let since = match rounds.len() {
                1 => format!(" since {place}{}", self.inside(step, variable, text)),
                _ => self.after(variable, &rounds, text),
            };
            text.push_str(&since);
            // Where a text goes by a long statement, or a value into a call, the value says more.
            let hands_on = text.contains(" is \"") || matches!(step.kind, Kind::Call | Kind::Internal);
            let is_short = |quote: &String| quote.len() <= LONGEST_COPY || !hands_on;
            if let Some(quote) = self.p.quoted(step.at).filter(is_short) {
                text.push_str(&format!(": {}", without_type(&quote)));
            }
            text.extend(called_back(self.p, position).map(|by| format!(", {by}")));
        }
        if rounds.len() > 1 {
            let first = rounds[rounds.len() - 1];
            for round in &rounds {
                let Action::Assign { value, .. } = self.p.trace.steps[*round].action else { continue };
                let read = self.p.trace.terms.variables(value);
                read.into_iter().filter(|v| *v != variable).for_each(|v| self.ask_for(v, *round));
            }
            // From where it was counted says less than what was added.
            self.depth += 2;
            self.ask_for(variable, first);
            self.depth -= 2;
            return;
        }
        let here = self.history.state(position);
        let seen = Position { activation: self.p.shown_in(step.kind, activation), at_entry: false, values: &here };
        let constant = self.p.trace.terms.variables(value).is_empty();
        if let Some(text) = sentence
            && !constant
            && copied(self.p.trace, value).is_none()
            && let Some(values) = self.p.names.with_values(value, seen)
        {
            let names = self.p.names.condition(value, seen);
            let assigned = self.p.names.variable(variable, seen);
            let quote = self.p.quoted(step.at).unwrap_or_default();
            // A value that is a decision, or a number with two signs, does not read as what it is computed from.
            let reads_well =
                |values: &String| !["==", "!=", "||", "&&", " ? ", "--"].iter().any(|o| values.contains(o));
            if let Some(values) = as_written(&names, &values, &assigned, &quote).filter(reads_well) {
                text.push_str(&format!(" = {values}"));
            }
        }
        // Where it was put may be what is wrong.
        if step.is_misplaced {
            addresses.iter().for_each(|address| self.ask(*address, position));
        }
        // What it was before says less than what was done to it.
        let (own, others): (Vec<VarId>, Vec<VarId>) = read.into_iter().partition(|v| *v == variable);
        others.into_iter().for_each(|v| self.ask_for(v, position));
        self.depth += FARTHER;
        own.into_iter().for_each(|v| self.ask_for(v, position));
        self.depth -= FARTHER;
        self.ask_addresses(addresses, position);
        // Where the value is computed, what it is computed from says more than that it was; where it is one of several that
        // could be taken, the condition says why this one was.
        let is_copy = copied(self.p.trace, value).is_some();
        let chooses =
            |b: &BranchId| constant || is_copy && self.p.is_inside_if(step.at, self.p.trace.branches[b.index()].at);
        if let Some(branch) = self.p.innermost(scope, activation).filter(|b| chooses(b) && !kept) {
            let why = self.condition(branch, self.p.trace.steps[position].at);
            if let Some(text) = sentence.as_mut().filter(|_| !why.is_empty()) {
                text.push_str(&format!(", reached because {why}"));
            }
            let missed = self.missed(branch, step.at);
            if let (Some(text), Some(missed)) = (sentence, &missed) {
                text.push_str(&format!(". {missed}"));
            }
            // How far a search went says less than what it looked at.
            let deeper = 2 * u32::from(missed.is_some());
            self.depth += deeper;
            self.ask_branch(branch);
            self.depth -= deeper;
        }
    }

    /// The assignments of one statement, each to a value it made before: rounds of a loop, the last one first.
    fn rounds(&self, variable: VarId, position: usize) -> Vec<usize> {
        let at = self.p.trace.steps[position].at;
        let mut rounds = vec![position];
        while rounds.len() < ROUNDS {
            let last = rounds[rounds.len() - 1];
            let same =
                |p: &usize| self.p.trace.steps[*p].at == at && at.is_some() && self.history.counts(variable, last + 1);
            let earlier = self.history.last(variable, last).filter(same);
            let Some(earlier) = earlier else { break };
            rounds.push(earlier);
        }
        rounds
    }

    /// ` after 3 rounds of line 5`; runs, where the function is called again and again, and more of them where the same
    /// statement has set the variable before that as well.
    fn after(&self, variable: VarId, rounds: &[usize], subject: &str) -> String {
        let steps = &self.p.trace.steps;
        let (last, first) = (&steps[rounds[0]], rounds[rounds.len() - 1]);
        let (noun, inside) = match rounds.iter().all(|p| steps[*p].activation == last.activation) {
            true => ("rounds", self.inside(last, variable, subject)),
            false => ("runs", format!(", in {}()", self.p.function(last.activation))),
        };
        let earlier = std::iter::successors(self.history.last(variable, first), |p| self.history.last(variable, *p));
        let before = earlier.take(ROUNDS).any(|p| steps[p].at == last.at);
        let number = match (rounds.len(), before) {
            (ROUNDS, _) => format!("{ROUNDS} or more"),
            (n, true) => format!("{n} more"),
            (n, false) => n.to_string(),
        };
        format!(" after {number} {noun} of {}{inside}", self.p.line_of(last.at))
    }

    /// `, in transfer(&b, 1, 1, 50), called at line 30`, unless the failing function itself is meant.
    fn inside(&self, step: &Step, variable: VarId, subject: &str) -> String {
        let activation = self.p.shown_in(step.kind, step.activation);
        let failing = self.p.trace.failure.as_ref().map(|f| f.activation);
        let call = self.p.call_text(activation);
        if Some(activation) == failing || activation == 0 || subject.starts_with(&format!("{call} is ")) {
            return String::new();
        }
        // Who made or freed an object is the caller of what only does it for others.
        let storage = &self.p.trace.variables[variable.0 as usize].storage;
        let is_life = matches!(storage, Storage::Size { .. } | Storage::Freed { .. });
        let is_told = !is_life && self.tells(self.p.trace.activations[activation as usize].call);
        let called = if is_told { String::new() } else { self.p.called(activation, is_life) };
        format!(", in {call}{called}")
    }

    /// Whether the story has a statement of a line.
    fn tells(&self, at: Option<Origin>) -> bool {
        let line = |at: Option<Origin>| at.map(|o| (o.file, o.line));
        self.told.iter().any(|p| self.p.trace.steps.get(*p).is_some_and(|s| line(s.at) == line(at)))
    }
}
