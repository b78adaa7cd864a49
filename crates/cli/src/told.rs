//! Which story of a failure is told: the whole one, or, where that is long, one that takes something for granted.
//!
//! What a person wants to read is where the wrong value came from and which branch should have gone the other way. Why the
//! program came to this part at all, and that it passed every check on its way, is most of the story of a real program.

use crate::explain::walked;
use crate::initialisers;
use crate::options::Explain as Options;
use crate::run::Happened;
use crate::sources::Sources;
use wherefore_localize::{self as localize, Encoding, Explanation, Reach};
use wherefore_program::Program;
use wherefore_trace::Trace;

/// A story of more steps is better told with checks taken for granted.
const LONG: usize = 40;
/// The blocks of a large program.
const LARGE: usize = 1000;
/// The story of a large program is to have so many steps; with addresses more is asked for.
const SHORT: usize = 30;
const SHORT_WITH_ADDRESSES: usize = 60;
/// The whole story of a longer trace is looked for last, where all others are short.
const LONG_TRACE: usize = 4_000;
/// So many updates of a variable tell what happens to it again and again.
const ROUNDS: usize = 3;
/// Where that makes it no shorter, of the last steps only: each further condition may come from much of the run.
const LAST: usize = 3;
/// How far conditions are followed, one after the other, as long as the story is short.
const DEPTHS: [u32; 8] = [1, 2, 3, 5, 8, 13, 21, u32::MAX];

/// The story of a trace, and the trace it is told of: another one where checks are taken for granted. What somebody
/// `asks` for is told as it is.
pub fn told(
    mut trace: Trace,
    happened: &Happened,
    options: &Options,
    sources: &Sources,
    settings: &localize::Options,
    asks: bool,
) -> (Trace, Option<Explanation>) {
    let wants_more = options.run.verbose || options.depth.is_some() || options.last.is_some() || asks;
    let is_plain = settings.encoding == Encoding::FlowSensitive && settings.reach.is_none();
    let may_grant = is_plain && !wants_more && is_large(&happened.program);
    if may_grant && trace.steps.len() > LONG_TRACE {
        let found = within_reach(happened, &mut trace, settings);
        return (trace, found);
    }
    let mut explanation = localize::explain(&happened.program, &mut trace, settings);
    let length = |explanation: &Option<Explanation>| explanation.as_ref().map_or(0, |e| e.steps.len());
    if !asks
        && length(&explanation) > LONG
        && let Some((plain, found)) = without_checks(happened, options, sources, settings, length(&explanation) / 2)
    {
        (trace, explanation) = (plain, Some(found));
    }
    if may_grant
        && length(&explanation) > short(settings)
        && let Some(found) = within_reach(happened, &mut trace, settings)
        && stands(&found)
        && found.steps.len() < length(&explanation)
    {
        explanation = Some(found);
    }
    (trace, explanation)
}

/// Whether a program is so large that most conditions of a run are why it came to some part of it. In a small one each may be
/// the wrong one.
pub(crate) fn is_large(program: &Program) -> bool {
    program.functions.iter().map(|f| f.blocks.len()).sum::<usize>() > LARGE
}

fn short(settings: &localize::Options) -> usize {
    if settings.addresses { SHORT_WITH_ADDRESSES } else { SHORT }
}

fn stands(found: &Explanation) -> bool {
    found.whole && !matches!(found.checked, localize::Checked::No(_))
}

/// The explanation that takes for granted that nothing else ends the program, where it has so few steps.
fn without_checks(
    happened: &Happened,
    options: &Options,
    sources: &Sources,
    settings: &localize::Options,
    most: usize,
) -> Option<(Trace, Explanation)> {
    let mut trace = walked(happened, options, true, &settings.budget).ok()?;
    initialisers::place(&mut trace, &happened.program, sources);
    let found = localize::explain(&happened.program, &mut trace, settings)?;
    (stands(&found) && found.steps.len() <= most).then_some((trace, found))
}

/// The explanation that follows conditions as far as it stays short; the nearest ones of its last steps in any case.
fn within_reach(happened: &Happened, trace: &mut Trace, settings: &localize::Options) -> Option<Explanation> {
    let most = short(settings);
    let farthest = trace.depth.unwrap_or(u32::MAX);
    let mut at = |depth, steps| {
        let settings = localize::Options { reach: Some(Reach { depth, steps, rounds: ROUNDS }), ..settings.clone() };
        localize::explain(&happened.program, trace, &settings)
    };
    let mut best = at(DEPTHS[0], usize::MAX)?;
    if best.steps.len() > most {
        let mut fewer =
            |steps| at(DEPTHS[0], steps).filter(|found| stands(found) && found.steps.len() < best.steps.len());
        let found = fewer(most / 2);
        let is_short = found.as_ref().is_some_and(|found| found.steps.len() <= most);
        let last = if is_short { None } else { fewer(LAST).filter(|found| found.steps.len() <= most) };
        return last.or(found).or(Some(best));
    }
    for depth in &DEPTHS[1..] {
        if best.granted.is_empty() || *depth > farthest {
            break;
        }
        match at(*depth, usize::MAX).filter(|found| stands(found) && found.steps.len() <= most) {
            Some(found) => best = found,
            None => break,
        }
    }
    Some(best)
}
