//! A search through the error traces of a program, the shortest first, until one fails or none is left.

use crate::automata::{End, Explored, Next};
use crate::options::Run;
use wherefore_budget::Budget;
use wherefore_program::Program;
use wherefore_search::{Found, Limit, Obstacle, Runner};

/// Searches for so many failing inputs.
///
/// # Errors
/// When an input is not understood or the program cannot be run.
pub fn find(
    options: &Run,
    program: &Program,
    runner: Runner,
    budget: &Budget,
    failing: Option<usize>,
) -> anyhow::Result<Found> {
    let mut explored = Explored::new(options, program, runner)?;
    let most = failing.unwrap_or(1);
    let mut found = Found::default();
    let (outcome, unconfirmed) = explored.explore(runner, budget, &mut |_, _, tried| {
        found.failing.push(tried);
        if found.failing.len() >= most { Next::Stop } else { Next::Others }
    })?;
    let mut obstacle = |at, what: String, limit| found.obstacles.push(Obstacle { at, what, limit });
    for note in explored.flow.notes.iter().chain(&explored.flow.taken) {
        obstacle(note.at, note.message.clone(), None);
    }
    match &outcome.end {
        End::Empty => match &explored.doubt {
            None if unconfirmed == 0 => {
                let refuted = outcome.statistics.refuted;
                found.proved = true;
                let what = format!("{refuted} error traces were generalised; the proof was checked by a second solver");
                found.obstacles.push(Obstacle { at: None, what, limit: None });
            }
            None => {}
            Some(doubt) => {
                let what = format!("no other failure was found, which is no proof here: {doubt}");
                obstacle(None, what, None);
            }
        },
        End::Told => {}
        End::Limit(stop) => obstacle(None, stop.to_string(), Some(Limit::Time)),
        End::Iterations => obstacle(None, "not all error traces were looked at".into(), Some(Limit::Runs)),
        End::Undecided(why) => obstacle(None, format!("an error trace could not be decided: {why}"), None),
    }
    if unconfirmed > 0 {
        let what = format!("{unconfirmed} error traces were found that no run confirms");
        found.obstacles.push(Obstacle { at: None, what, limit: None });
    }
    found.statistics.runs = explored.runs;
    found.statistics.paths = outcome.statistics.iterations as usize;
    Ok(found)
}
