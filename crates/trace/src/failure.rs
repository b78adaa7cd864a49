//! What made the run fail: from the place where the recording ends to a condition over the trace's variables.

use crate::builder::{Facts, Value};
use crate::fault::{fault, inside_library, too_large};
use crate::misplaced;
use crate::model::{Action, Branch, BranchId, Failure, FailureKind, Step, Trace, Variable};
use crate::pointer::path;
use crate::statements;
use crate::walk::{Frame, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, Stopped, Walker, traps};
use wherefore_case::Expected;
use wherefore_clib::{self as clib, Ending, Judge};
use wherefore_formula::{TermId, Terms};
use wherefore_program::{Callee, Command, Operand, Operation, Origin, Program};

/// Addresses below this are a null pointer plus the offset of a member or element.
pub const NULL_PAGE: u64 = 4096;

/// A failure and how many steps lead to it.
pub struct Found {
    pub failure: Failure,
    pub steps: usize,
}

/// Turn a finished walk into a trace.
pub fn finish(mut walker: Walker, stopped: Stopped, expected: &Expected) -> Trace {
    let found = walker.failed.take().or_else(|| match stopped {
        Stopped::Signal(signal) => Some(signalled(&mut walker, signal)),
        Stopped::Exit(status) => {
            let wrong = expected.status.filter(|e| *e != status);
            walker.unfinished_output().or_else(|| wrong.map(|e| wrong_status(&mut walker, status, e)))
        }
        Stopped::Limit => None,
    });
    let all = walker.build.steps.len();
    let length = found.as_ref().filter(|_| walker.observer.is_none()).map_or(all, |f| f.steps);
    let mut overflows = std::mem::take(&mut walker.overflows);
    overflows.retain(|o| o.position <= length);
    walker.build.place_all(overflows.iter_mut().map(|o| &mut o.position));
    let mut assumed = std::mem::take(&mut walker.assumed);
    assumed.retain(|a| a.position <= length);
    walker.build.place_all(assumed.iter_mut().map(|a| &mut a.position));
    let mut steps = walker.build.finish_steps(length);
    if let Some(misplaced) = walker.misplaced {
        misplaced::mark(&mut steps, &walker.build.terms, &walker.build.variables, misplaced);
    }
    for branch in &mut walker.branches {
        branch.end = steps.len();
    }
    let mut opened = 0;
    for (position, step) in steps.iter().enumerate() {
        match step.action {
            Action::If(b) => {
                walker.branches[b.index()].start = position;
                opened = opened.max(b.index() + 1);
            }
            Action::EndIf(b) => walker.branches[b.index()].end = position,
            Action::Assign { .. } => {}
        }
    }
    walker.branches.truncate(opened);
    let (others, is_interrupted) = (walker.others(), walker.is_interrupted);
    let Walker { build, branches, activations, mut notes, at, program, recorded, departure, .. } = walker;
    notes.splice(0..0, program.notes.iter().cloned());
    let literals = build.literals();
    let mut variables = build.variables;
    type_by_paths(program, &build.terms, &mut variables);
    let numbers = statements::numbers(&steps);
    let statements = numbers.iter().flatten().max().map_or(0, |n| *n as usize + 1) + usize::from(found.is_some());
    Trace {
        terms: build.terms,
        variables,
        numbers,
        steps,
        branches,
        functions: recorded.functions.clone(),
        objects: build.memory.objects,
        activations,
        failure: found.map(|f| f.failure),
        departure,
        initial: build.initial,
        events: at,
        statements,
        notes,
        overflows,
        assumed,
        literals,
        calls: walker.endings.calls,
        depth: None,
        is_sliced: false,
        rounds: None,
        others,
        is_interrupted,
    }
}

/// Memory without a declared type has the type of the pointers it is reached by.
fn type_by_paths(program: &Program, terms: &Terms, variables: &mut [Variable]) {
    // A path may begin at a variable that gets its type here: later ones see earlier ones.
    for index in 0..variables.len() {
        if variables[index].ctype.is_some() {
            continue;
        }
        let bits = variables[index].bits;
        let ctype =
            variables[index].paths.iter().find_map(|p| path(program, terms, variables, *p)?.ctype(program, bits));
        variables[index].ctype = ctype;
    }
}

/// The command the top frame stands at.
fn command<'p>(walker: &Walker<'p>) -> Option<(&'p Command, Option<Origin>)> {
    let frame = walker.frames.last()?;
    let block = &walker.program.functions[frame.function.index()].blocks[frame.block.index()];
    block.commands.get(frame.command).map(|c| (&c.it, c.at))
}

fn signalled(walker: &mut Walker, signal: i32) -> Found {
    let Some((command, at)) = command(walker) else {
        if let Some(found) = too_large(walker, signal) {
            return found;
        }
        return plain(walker, FailureKind::Signal, None, format!("the program is ended by {}", signal_name(signal)));
    };
    match (signal, command) {
        (SIGABRT, Command::Call { callee: Callee::External(name), arguments, .. }) => {
            aborted(walker, name, arguments, at)
        }
        (SIGFPE, Command::Define { target, value: operation @ Operation::Binary { right, left, .. } }) => {
            let function = walker.frames.last().expect("at a command").function;
            let bits = walker.program.functions[function.index()].registers[target.index()];
            let values = [walker.operand(left), walker.operand(right)];
            if traps(operation, bits, &values) {
                return division(walker, &values, at);
            }
            plain(walker, FailureKind::Signal, at, format!("the program is ended by {}", signal_name(signal)))
        }
        (SIGSEGV | SIGBUS, _) => fault(walker, signal, command, at),
        (_, Command::Call { callee: Callee::External(name), arguments, .. }) => {
            inside_library(walker, signal, name, arguments, at)
        }
        _ => plain(walker, FailureKind::Signal, at, format!("the program is ended by {}", signal_name(signal))),
    }
}

/// A failure without a condition of its own: only its being reached is to be explained.
pub fn plain(walker: &mut Walker, kind: FailureKind, at: Option<Origin>, message: String) -> Found {
    let scope = walker.frames.last().and_then(|f| f.scope);
    let activation = walker.frames.last().map_or(0, |f| f.activation);
    let violated = walker.build.terms.truth(true);
    let failure =
        Failure { kind, violated, assumes: vec![], addresses: vec![], at, activation, scope, decision: None, message };
    Found { failure, steps: walker.build.steps.len() }
}

/// A failure of the statement under way, by a condition over the current state.
pub fn conditional(
    walker: &mut Walker,
    kind: FailureKind,
    violated: TermId,
    facts: Facts,
    at: Option<Origin>,
    message: String,
) -> Found {
    let mut found = plain(walker, kind, at, message);
    let value = Value { term: walker.build.terms.bool_to_bits(violated, 1), concrete: 1, facts };
    let value = walker.build.refresh(&value);
    found.failure.violated = walker.build.terms.bits_to_bool(value.term);
    found.failure.assumes = value.facts.assumes;
    found.failure.addresses = value.facts.addresses;
    found
}

fn aborted(walker: &mut Walker, callee: &str, arguments: &[Operand], at: Option<Origin>) -> Found {
    if clib::judge(callee) == Some(Judge::Asserts)
        && let [argument, ..] = arguments
    {
        let value = walker.operand(argument);
        let width = walker.build.terms.width(value.term);
        let zero = walker.build.terms.bits(width, 0);
        let violated = walker.build.terms.eq(value.term, zero);
        return conditional(walker, FailureKind::Assertion, violated, value.facts, at, "assertion fails".into());
    }
    // Up to the call of the outermost function that exists only to fail.
    let mut at = at;
    let mut kind = match clib::ending(callee) {
        Some(Ending::Assertion) => FailureKind::Assertion,
        _ => FailureKind::Abort,
    };
    let mut name = callee.to_string();
    let mut verifier_assert: Option<usize> = None;
    let mut level = walker.frames.len() - 1;
    while level > 0 {
        let function = &walker.program.functions[walker.frames[level].function.index()].name;
        let asserts = clib::judge(function) == Some(Judge::Asserts);
        if !asserts && clib::ending(function) != Some(Ending::Error) {
            break;
        }
        at = walker.activations[walker.frames[level].activation as usize].call;
        name.clone_from(function);
        kind = FailureKind::Abort;
        if asserts {
            kind = FailureKind::Assertion;
            verifier_assert = Some(level);
        }
        level -= 1;
    }
    let message = match kind {
        FailureKind::Assertion => "assertion fails".to_string(),
        _ => match name.as_str() {
            clib::UNREACHABLE => format!("{name}() is reached"),
            clib::LABEL => "the error label is reached".to_string(),
            // The library looks after its heap and gives up.
            _ if clib::function(&name).is_some_and(|f| f.allocates.is_some() || f.frees.is_some()) => {
                format!("{name}() finds the heap damaged and ends the program")
            }
            _ => format!("{name}() is called"),
        },
    };
    if let Some(level) = verifier_assert.filter(|l| *l == level + 1)
        && let Some(found) = asserted_argument(walker, level, at, &message)
    {
        return found;
    }
    walker.frames.truncate(level + 1);
    let frame = walker.frames.last().expect("at least the entry");
    innermost_condition(walker, frame.scope, kind, at, frame.activation, message)
}

/// `__VERIFIER_assert(c)` defined by the program: the condition is its argument.
fn asserted_argument(walker: &mut Walker, level: usize, at: Option<Origin>, message: &str) -> Option<Found> {
    let Frame { arguments, entered_at, outer_scope, .. } = &walker.frames[level];
    let (argument, steps, scope) = (arguments.first()?.clone(), *entered_at, *outer_scope);
    if argument.concrete != 0 {
        return None;
    }
    let activation = walker.frames[level - 1].activation;
    let value = walker.build.refresh(&argument);
    let width = walker.build.terms.width(value.term);
    let zero = walker.build.terms.bits(width, 0);
    let violated = walker.build.terms.eq(value.term, zero);
    let failure = Failure {
        kind: FailureKind::Assertion,
        violated,
        assumes: value.facts.assumes,
        addresses: value.facts.addresses,
        at,
        activation,
        scope,
        decision: None,
        message: message.to_string(),
    };
    Some(Found { failure, steps })
}

/// An assertion fails by the innermost condition; other failures have none of their own and are reached by it.
fn innermost_condition(
    walker: &Walker,
    scope: Option<BranchId>,
    kind: FailureKind,
    at: Option<Origin>,
    activation: u32,
    message: String,
) -> Found {
    let branch = scope.map(|b| &walker.branches[b.index()]).filter(|_| kind == FailureKind::Assertion);
    // What was decided before something else happened is not what is asserted: `assert(0)` has no condition of its own.
    let decides = |branch: &&Branch| {
        let frame = walker.frames.last().expect("at least the entry");
        let block = &walker.program.functions[frame.function.index()].blocks[frame.block.index()];
        let before = block.commands.iter().take(frame.command);
        branch.activation != activation
            || branch.taken == frame.block
                && before.into_iter().all(|c| matches!(c.it, Command::Define { .. } | Command::Load { .. }))
    };
    let Some(branch) = branch.filter(decides) else {
        let violated = walker.build.terms.truth(true);
        let failure = Failure {
            kind,
            violated,
            assumes: vec![],
            addresses: vec![],
            at,
            activation,
            scope,
            decision: None,
            message,
        };
        return Found { failure, steps: walker.build.steps.len() };
    };
    let failure = Failure {
        kind,
        violated: branch.condition,
        assumes: branch.assumes.to_vec(),
        addresses: branch.addresses.to_vec(),
        at,
        activation,
        scope: branch.parent,
        decision: branch.decision.map(|head| (head, branch.taken)),
        message,
    };
    Found { failure, steps: branch.start }
}

fn division(walker: &mut Walker, values: &[Value; 2], at: Option<Origin>) -> Found {
    let [a, b] = values;
    let terms = &mut walker.build.terms;
    let width = terms.width(b.term);
    let mut facts = b.facts.clone();
    let (violated, message) = if b.concrete == 0 {
        let zero = terms.bits(width, 0);
        (terms.eq(b.term, zero), "division by zero")
    } else {
        facts.merge(&a.facts);
        let (smallest, minus_one) = (terms.bits(width, 1 << (width - 1)), terms.bits(width, u128::MAX));
        let (x, y) = (terms.eq(a.term, smallest), terms.eq(b.term, minus_one));
        (terms.and2(x, y), "the quotient of the smallest number and -1 does not fit")
    };
    conditional(walker, FailureKind::Division, violated, facts, at, message.into())
}

fn wrong_status(walker: &mut Walker, status: i32, expected: i32) -> Found {
    let message = format!("the exit status is {status}, not {expected}");
    let exit_argument = match command(walker) {
        Some((Command::Call { callee: Callee::External(name), arguments, .. }, at)) => match clib::ending(name) {
            Some(Ending::Status(number)) => arguments.get(number).map(|a| (walker.operand(a), at)),
            _ => None,
        },
        _ => None,
    };
    if let Some((value, at)) = exit_argument {
        let violated = is_recorded(walker, &value);
        return conditional(walker, FailureKind::Status, violated, value.facts, at, message);
    }
    if let Some((value, here)) = walker.main_result.clone() {
        let violated = is_recorded(walker, &value);
        let at = returned_at(walker, &value).or(here.at);
        let mut found = conditional(walker, FailureKind::Status, violated, value.facts, at, message);
        (found.failure.activation, found.failure.scope) = (here.activation, None);
        return found;
    }
    plain(walker, FailureKind::Status, None, message)
}

/// Where the value that `main` returns was set: the `return`, not the closing brace.
fn returned_at(walker: &Walker, value: &Value) -> Option<Origin> {
    let [(result, _)] = value.facts.reads[..] else { return None };
    let sets = |s: &&Step| matches!(s.action, Action::Assign { to, .. } if to == result);
    walker.build.steps.iter().rev().find(sets).and_then(|s| s.at)
}

/// The value is what it was in the run.
fn is_recorded(walker: &mut Walker, value: &Value) -> TermId {
    let width = walker.build.terms.width(value.term);
    let recorded = walker.build.terms.bits(width, value.concrete);
    walker.build.terms.eq(value.term, recorded)
}

/// A signal in words.
pub fn signal_name(signal: i32) -> String {
    match signal {
        4 => "an illegal instruction (SIGILL)".into(),
        5 => "a trap (SIGTRAP)".into(),
        SIGABRT => "SIGABRT".into(),
        SIGBUS => "SIGBUS".into(),
        SIGFPE => "SIGFPE".into(),
        9 => "SIGKILL".into(),
        SIGSEGV => "a segmentation fault (SIGSEGV)".into(),
        13 => "SIGPIPE".into(),
        15 => "SIGTERM".into(),
        other => format!("signal {other}"),
    }
}
