//! Output that code which is not seen has written: under which call of the program it was.
//!
//! No call tells how much that was. A first walk notes what all calls of the library wrote; where that stands in the
//! output says what is left for others.

use super::printing::{Last, Printing, Wrote, not_known};
use super::{Stopped, Walker};
use crate::builder::{Facts, Value};
use crate::failure::Found;
use crate::output::layout;
use crate::output::unseen::{Event, Placed, place};
use std::ops::Range;
use wherefore_clib as clib;
use wherefore_clib::print;
use wherefore_formula::TermId;
use wherefore_program::{Callee, Command, Origin};

/// What is known of the code that is not seen.
#[derive(Clone, Debug)]
pub enum Unseen {
    /// Nothing: it is taken to write nothing, as long as that fits.
    Quiet,
    /// What happened is noted.
    Noting(Vec<Event>),
    /// What it wrote, and how often it ran so far.
    Placed(Placed, usize),
}

/// A line of the program as a number.
fn place_of(at: Origin) -> u64 {
    u64::from(at.file.0) << 32 | u64::from(at.line)
}

/// That code which is not seen has written something, called in one of several lines.
fn called_in(places: &[u64]) -> String {
    let lines: Vec<String> = places.iter().map(|place| (*place as u32).to_string()).collect();
    format!("code that is not seen writes that, called in line {}", lines.join(" or "))
}

impl Printing {
    /// The same output, of which is to be noted what calls wrote.
    pub fn noting(actual: Option<&[u8]>, expected: Option<&[u8]>, stopped: Stopped) -> Option<Printing> {
        let mut printing = Printing::new(actual, expected, stopped)?;
        printing.unseen = Unseen::Noting(vec![]);
        Some(printing)
    }

    /// The same output as it is to be followed once it was noted; lost where what departs may be another's.
    pub fn placed(noted: Printing, stopped: Stopped) -> Option<Printing> {
        let texts = &noted.texts;
        let mut printing = Printing::new(Some(&texts.actual), Some(&texts.expected), stopped)?;
        // What was still in a buffer when a signal ended the run is not there.
        let Unseen::Noting(events) = noted.unseen else { return Some(printing) };
        let is_whole = matches!(stopped, Stopped::Exit(_)) && noted.lost.is_none();
        let placed = if is_whole { place(&events, &texts.actual) } else { None };
        let after = || noted.doubt.as_deref().map(not_known);
        match placed {
            Some(placed) if texts.ends_early() || placed.knows(texts.differs) => {
                printing.unseen = Unseen::Placed(placed, 0);
            }
            Some(placed) => printing.lost = placed.places(texts.differs).map(called_in).or_else(after),
            None => printing.lost = noted.lost.or_else(after),
        }
        Some(printing)
    }
}

impl Walker<'_> {
    /// Code that is not seen has run, and goes back to the program or calls it.
    pub(super) fn unseen_has_run(&mut self, name: &str, given: &[Value], at: Option<Origin>) {
        let Some(printing) = &mut self.printing else { return };
        if printing.lost.is_some() || self.failed.is_some() {
            return;
        }
        printing.doubt = Some(name.to_string());
        match &mut printing.unseen {
            Unseen::Quiet => {}
            Unseen::Noting(events) => {
                events.push(Event::Unseen(at.map_or(0, place_of)));
            }
            Unseen::Placed(placed, ran) => {
                let length = placed.lengths.get(*ran).copied().unwrap_or(0);
                *ran += 1;
                self.unseen_wrote(given, length, at);
            }
        }
    }

    /// The program is called by code that is not seen.
    pub(super) fn called_by_unseen(&mut self) {
        if self.printing.is_none() {
            return;
        }
        let Some(frame) = self.frames.last() else { return };
        let block = &self.program.functions[frame.function.index()].blocks[frame.block.index()];
        let Some(command) = block.commands.get(frame.command) else { return };
        if let Command::Call { callee: Callee::External(name), arguments, .. } = &command.it
            && clib::function(name).is_none()
        {
            let given: Vec<Value> = arguments.iter().map(|argument| self.operand(argument)).collect();
            self.unseen_has_run(name, &given, command.at);
        }
    }

    fn unseen_wrote(&mut self, given: &[Value], length: usize, at: Option<Origin>) {
        if length == 0 {
            return;
        }
        let last = Last { here: self.here(at), steps: self.build.steps.len(), ordinal: self.following.ordinal() };
        let branches = self.branches.len();
        let printing = self.printing.as_mut().expect("followed");
        let own = printing.position..printing.position + length;
        printing.position = own.end;
        let differs = printing.texts.differs;
        if own.contains(&differs) {
            self.note(at, "what departs is written by code that is not seen, called here");
            let texts = &self.printing.as_ref().expect("followed").texts;
            let may_miss = texts.lacks(own.start) || texts.differs == own.start;
            let missing = if may_miss { self.missing_before(own.clone(), at) } else { None };
            let found = missing.unwrap_or_else(|| self.wrong_given(given, own, at));
            self.failed = Some(found);
        }
        let printing = self.printing.as_mut().expect("followed");
        (printing.last, printing.branches, printing.complaint) = (Some(last), branches, None);
    }

    /// A call writes something else than expected, given the numbers that it was given.
    fn wrong_given(&mut self, given: &[Value], own: Range<usize>, at: Option<Origin>) -> Found {
        let mut facts = Facts::default();
        let mut as_given: Vec<TermId> = vec![];
        for value in given {
            let width = self.build.terms.width(value.term);
            // A larger number may be an address.
            let is_small = width <= 32 || width == 64 && i32::try_from(value.concrete as u64 as i64).is_ok();
            if self.build.terms.constant(value.term).is_some() || !is_small {
                continue;
            }
            let recorded = self.build.terms.bits(width, value.concrete);
            as_given.push(self.build.terms.eq(value.term, recorded));
            facts.merge(&value.facts);
        }
        let violated = self.build.terms.and(as_given);
        self.wrong_output(Some(violated), facts, own, at)
    }

    /// What a call of the library wrote, as far as that is known without a look at the output.
    pub(super) fn note_written(&mut self, wrote: &Wrote, count: usize) {
        let text = self.text_written(wrote, count).unwrap_or_else(|| vec![None; count]);
        if let Some(Printing { unseen: Unseen::Noting(events), .. }) = &mut self.printing {
            match events.last_mut() {
                Some(Event::Written(all)) => all.extend(text),
                _ => events.push(Event::Written(text)),
            }
        }
    }

    fn text_written(&self, wrote: &Wrote, count: usize) -> Option<Vec<Option<u8>>> {
        let known = |at: &Value| {
            let byte = |n: usize| self.build.known_byte((at.concrete as u64).wrapping_add(n as u64));
            (0..count).map(byte).collect::<Vec<_>>()
        };
        match wrote {
            Wrote::Byte(byte) => Some(vec![Some(byte.concrete as u8); count]),
            Wrote::Text(string) => {
                let mut text = known(string);
                // The zero byte stands where the line ends.
                text.iter_mut().filter(|byte| **byte == Some(0)).for_each(|byte| *byte = Some(b'\n'));
                Some(text)
            }
            Wrote::Bytes { at, .. } => Some(known(at)),
            Wrote::Formatted { format, arguments } => {
                let format = self.known_format(format)?;
                let pieces = print::parse(&format).ok()?;
                layout::texts(pieces, &self.known_arguments(arguments), count)
            }
        }
    }
}
