//! A long run is walked twice: without terms, to see where it fails, and for what is in the slice of that.

use super::following::{Following, Kept, Layout};
use super::writers::find_writers;
use super::{Analysis, Printing, Recorded, Stopped, WalkError, Walker, Watch, failure, is_memory_fault, walked};
use crate::endings::Calls;
use crate::memory::ObjectKind;
use crate::model::{Failure, FailureKind, MemoryError, Trace};
use crate::slice::{Criterion, Level, Log, Pages, Sides, Slice, slice};
use std::sync::Arc;
use wherefore_budget::Budget;
use wherefore_case::Expected;
use wherefore_formula::Terms;
use wherefore_program::{Command, Program};

/// A slice of so many commands fits into memory.
pub const LARGEST: usize = 1 << 22;
/// So many times are followed.
const ROUNDS: u32 = 1000;

/// How a run is walked.
#[derive(Copy, Clone, Debug)]
pub struct Slicing {
    /// Runs of more words are sliced.
    pub above: usize,
    /// So many commands are enough: conditions are followed no further than that takes.
    pub most: usize,
    /// Of a slice of more commands only the last times of what is done again and again are followed.
    pub largest: usize,
    /// Whether it is to be told why pointers and indices are what they are.
    pub addresses: bool,
    /// Whether what may end the program is taken not to, however short the run is.
    pub trusting: bool,
    /// Whether uses of memory are held against objects.
    pub watching: bool,
}

/// As [`super::walk`]; of a long run only what its failure can depend on becomes a trace.
pub fn walk_sliced(
    program: &Program,
    recorded: &Recorded,
    stopped: Stopped,
    expected: &Expected,
    how: Slicing,
    budget: &Budget,
) -> Result<Trace, WalkError> {
    let analysis = match how.trusting {
        true => Analysis::with(program, Calls::Return),
        false => Analysis::of_run(program, recorded),
    };
    let watch = || how.watching.then(|| Watch::new(program));
    let count = recorded.words.len();
    let is_long = count > how.above && u32::try_from(count).is_ok();
    let whole = || walked(program, &analysis, recorded, stopped, expected, budget, watch());
    if !is_long || stopped == Stopped::Limit {
        return whole();
    }
    let printing = || Printing::new(recorded.stdout, expected.stdout.as_deref(), stopped);
    let layout = Arc::new(Layout::new(program));
    let mut first = Walker::new(program, &analysis, recorded, budget);
    first.memory_fault = is_memory_fault(stopped);
    first.watch = watch();
    first.printing = printing();
    let sides = Sides::new(program, recorded, &analysis, layout.clone());
    let log = Log::new(sides, Pages::new(recorded), layout.clone());
    first.following = Following::Nothing(Box::new(log));
    first.run()?;
    // What a handler does has no place among the commands of the block it came into.
    if first.is_interrupted {
        return walked(program, &analysis, recorded, stopped, expected, budget, watch());
    }
    let is_watched = first.watch.is_some();
    let seen = first.failed.as_ref().map(|found| found.failure.clone());
    let departs = seen.as_ref().is_some_and(|failure| failure.kind == FailureKind::Output);
    let ends_early = seen.is_none() && first.printing.is_some() && matches!(stopped, Stopped::Exit(_));
    // What code that is not seen has written is found by walking it all.
    let is_doubtful = first.printing.as_ref().is_some_and(|printing| printing.doubt.is_some());
    if departs && is_doubtful || ends_early && !first.has_followed_output() {
        return whole();
    }
    let is_output = departs || ends_early;
    if seen.is_none() && !is_output && !stopped.fails(expected) {
        return Ok(failure::finish(first, stopped, expected));
    }
    let (log, mut criterion) = criterion(&mut first, seen.as_ref(), &how);
    let mut sides = Sides::new(program, recorded, &analysis, layout.clone());
    let events = first.at;
    let mut sliced = |criterion: &Criterion| {
        let found =
            slice(program, recorded, &analysis.decisions, &first.activations, (&log, &mut sides), criterion, budget);
        found.map_err(|stop| WalkError::Stopped { events, stop })
    };
    let mut found = sliced(&criterion)?;
    if found.len() > how.most {
        criterion.depth = found.depth_within(how.most).max(1);
        found = sliced(&criterion)?;
    }
    if found.len() > how.largest {
        criterion.rounds = Some(ROUNDS);
        found = sliced(&criterion)?;
    }
    let Slice { kept: bits, facts, depth, .. } = found;
    let counted = log.statements;
    drop((first, log));
    let mut walker = Walker::new(program, &analysis, recorded, budget);
    walker.memory_fault = is_memory_fault(stopped);
    walker.watch = watch().filter(|_| is_watched);
    walker.printing = printing().filter(|_| is_output);
    walker.following = Following::Slice(Box::new(Kept {
        bits,
        facts,
        at: 0,
        pages: Pages::new(recorded),
        layout,
        scratch: Terms::new(),
    }));
    walker.run()?;
    let is_lost = is_output && walker.failed.is_none() && (departs || !walker.has_followed_output());
    let mut trace = failure::finish(walker, stopped, expected);
    find_writers(program, &analysis, recorded, &mut trace, budget);
    // It fails as it did before, or something was not followed as it should be.
    let is_alike = |f: &Failure| match is_output {
        true => f.kind == FailureKind::Output && !is_lost,
        false => seen.as_ref().is_none_or(|before| before.at == f.at),
    };
    if !trace.failure.as_ref().is_some_and(is_alike) {
        return whole();
    }
    let statements = trace.statements.max(counted);
    Ok(Trace { depth, rounds: criterion.rounds, is_sliced: true, statements, ..trace })
}

impl Stopped {
    /// Whether a run that ended so has failed, whatever it wrote.
    fn fails(self, expected: &Expected) -> bool {
        match self {
            Stopped::Exit(status) => expected.status.is_some_and(|e| e != status),
            Stopped::Signal(_) => true,
            Stopped::Limit => false,
        }
    }
}

/// What is to be explained of a run that has been followed to its failure.
fn criterion<'p>(walker: &mut Walker<'p>, seen: Option<&Failure>, how: &Slicing) -> (Box<Log<'p>>, Criterion) {
    let mut criterion = Criterion {
        depth: Level::FARTHEST,
        // What is printed of inputs holds for other pointers, too, where every way out is taken into account.
        addresses: how.addresses || walker.endings.calls == Calls::MayEnd,
        ..Criterion::default()
    };
    let command = walker.frames.last().and_then(|frame| {
        let block = &walker.program.functions[frame.function.index()].blocks[frame.block.index()];
        block.commands.get(frame.command).map(|c| &c.it)
    });
    if let Some(Command::Call { arguments, .. }) = command {
        criterion.given = arguments.iter().map(|a| walker.in_run(a) as u64).collect();
    }
    let following = std::mem::replace(&mut walker.following, Following::Everything);
    let Following::Nothing(log) = following else { unreachable!("the run was followed without terms") };
    criterion.commands = walker.behind_output(&log);
    criterion.came_back = matches!(seen.map(|failure| &failure.kind), Some(FailureKind::Output));
    if let Some(FailureKind::Memory(misuse)) = seen.map(|failure| &failure.kind) {
        criterion.commands.extend(log.made.get(&misuse.object).into_iter().flatten());
        let object = &walker.build.memory.objects[misuse.object as usize];
        let offset = misuse.offset.unsigned_abs();
        match object.kind {
            _ if misuse.error != MemoryError::Uninitialised => {}
            ObjectKind::Local { activation, local, .. } if object.base == 0 => {
                criterion.locals.push((activation, local, offset, misuse.bytes));
            }
            _ => criterion.memory.push((object.base.wrapping_add(offset), misuse.bytes)),
        }
    }
    (log, criterion)
}
