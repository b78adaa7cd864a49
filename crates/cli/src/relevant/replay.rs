//! The program run with a constant in place of what one execution of a statement gave.

use crate::boogie::Boogie;
use crate::diagnose::reaches_out;
use crate::sources::Sources;
use std::collections::HashSet;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_case::Case;
use wherefore_interpret::Limits;
use wherefore_program::{Command, FileId, Origin, Point, Program, Slot, points};
use wherefore_record::{Ending, Forced, Server};
use wherefore_report::Replayed;
use wherefore_session::{Native, Session};
use wherefore_trace::{Action, Kind, Trace};

/// What a run with another value may take, compared with the run itself; and that at least and at most.
const LONGER: u32 = 5;
const RUN: (Duration, Duration) = (Duration::from_millis(25), Duration::from_secs(1));

/// A program that can be run with other values.
pub struct Replay<'a> {
    program: &'a Program,
    way: Way<'a>,
    case: Case,
    /// Whether that it does not end is the failure.
    hangs: bool,
    points: Vec<Point>,
}

/// How it is run.
enum Way<'a> {
    /// As a process.
    Native(Box<(Native<'a>, Server)>),
    /// By the interpreter, within limits.
    Interpreted(&'a Boogie, Limits),
}

/// Commands of a run with another value: it may not end.
const STEPS: u64 = 2_000_000;

impl<'a> Replay<'a> {
    /// Gets a program ready to be run again; `None` where it must not be, since it does what cannot be undone. `took` is what
    /// the failing run took, if it ended.
    ///
    /// # Errors
    /// When it does not start.
    pub fn new(
        session: &'a Session,
        took: Option<Duration>,
        case: Case,
        sources: &Sources,
    ) -> anyhow::Result<Option<Replay<'a>>> {
        let program = session.program();
        let texts = (0..program.files.len()).filter_map(|n| sources.text(FileId(n as u32)));
        if reaches_out(program, texts) {
            return Ok(None);
        }
        // With another value it may not end, and there are many values.
        let native = Native::new(session, (took.unwrap_or_default() * LONGER).clamp(RUN.0, RUN.1))?;
        let server = native.server()?;
        let way = Way::Native(Box::new((native, server)));
        Ok(Some(Replay { program, way, case, hangs: took.is_none(), points: points(program) }))
    }

    /// The same of a program that is interpreted, which never does what cannot be undone.
    pub fn interpreted(boogie: &'a Boogie, case: Case, budget: &Budget) -> Replay<'a> {
        let limits = Limits { steps: STEPS, budget: budget.clone(), ..Limits::default() };
        let program = &boogie.program;
        Replay { program, way: Way::Interpreted(boogie, limits), case, hangs: false, points: points(program) }
    }

    /// What the program does if the step at a position gives another value; `None` where it cannot be told to.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn with(&mut self, trace: &Trace, position: usize, value: u128) -> anyhow::Result<Option<Replayed>> {
        let Some(forced) = self.forced(trace, position, value) else { return Ok(None) };
        let (applied, replayed) = match &mut self.way {
            Way::Native(native) => {
                let (native, server) = &mut **native;
                let seen = native.run(server, &self.case, &[forced], &[])?;
                let replayed = match seen.passes(&self.case.expected) {
                    true if seen.assumption_violated => Replayed::Assumed,
                    true => Replayed::Passes,
                    false if seen.has_ended() || self.hangs => Replayed::Fails,
                    false => Replayed::Endless,
                };
                (seen.applied, replayed)
            }
            Way::Interpreted(boogie, limits) => {
                let ran = boogie.run(&self.case.given, &[forced], limits.clone());
                if ran.gave_up.is_some() {
                    return Ok(None);
                }
                let assumed = ran.outcome.recording.as_ref().is_some_and(|recording| recording.assumption_violated);
                let replayed = match ran.outcome.ending {
                    _ if assumed => Replayed::Assumed,
                    Ending::Exited(_) => Replayed::Passes,
                    _ => Replayed::Fails,
                };
                (ran.applied, replayed)
            }
        };
        Ok((applied == 1).then_some(replayed))
    }

    fn forced(&self, trace: &Trace, position: usize, value: u128) -> Option<Forced> {
        let step = &trace.steps[position];
        let Action::Assign { to, .. } = step.action else { return None };
        let bits = trace.variables[to.0 as usize].bits;
        let at = step.at?;
        let is_it = |point: &Point| {
            let stores = self.stored_bits(point) == Some(bits);
            match step.kind {
                Kind::Assign | Kind::Store => point.slot == Slot::Value && stores,
                Kind::Return => point.slot == Slot::Result || point.slot == Slot::Value && stores,
                Kind::Call => matches!(point.slot, Slot::Argument(_)),
                Kind::Havoc | Kind::Thread | Kind::Initial | Kind::Internal | Kind::Control => false,
            }
        };
        let mut here =
            (0..self.points.len()).filter(|n| self.origin(&self.points[*n]) == Some(at) && is_it(&self.points[*n]));
        // What stands in one place twice, as in a macro, cannot be told apart.
        let point = here.next().filter(|_| here.next().is_none())?;
        let mut earlier: HashSet<u32> = HashSet::new();
        for (other, number) in trace.steps[..position].iter().zip(&trace.numbers) {
            if other.at == step.at && other.kind == step.kind {
                earlier.extend(number);
            }
        }
        earlier.remove(&trace.numbers[position]?);
        let value = u64::try_from(value).ok()?;
        Some(Forced { point: point as u32, occurrence: earlier.len() as u32, value })
    }

    fn origin(&self, point: &Point) -> Option<Origin> {
        let block = &self.program.functions[point.function.index()].blocks[point.block.index()];
        match point.command {
            Some(number) => block.commands[number as usize].at,
            None => block.terminator.at,
        }
    }

    fn stored_bits(&self, point: &Point) -> Option<u32> {
        let block = &self.program.functions[point.function.index()].blocks[point.block.index()];
        match &block.commands.get(point.command? as usize)?.it {
            Command::Store { bits, .. } => Some(*bits),
            _ => None,
        }
    }
}
