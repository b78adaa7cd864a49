//! Standard output: which call wrote which bytes of it, up to where it departs from what was expected.
//!
//! The run's output is known as a whole, and each call of the library says how much it wrote. The stream of the library
//! keeps the order of its calls; what is written past it, by descriptors, is only in order after a flush.

use super::unseen::Unseen;
use super::{Stopped, Walker};
use crate::builder::{Here, Value};
use crate::failure::Found;
use crate::library::Chunk;
use crate::model::{BranchId, Failure, FailureKind};
use crate::output::Texts;
use crate::output::layout::Unknown;
use wherefore_clib::{self as clib, Channel, Format, Function};
use wherefore_program::{Callee, Origin};

/// A descriptor that is standard output.
const STDOUT: u64 = 1;
/// And one that is standard error.
const STDERR: u64 = 2;
/// A function that is called and has no name.
const UNKNOWN: &str = "a function";

/// The output of a run that is not the expected one, while it is followed.
#[derive(Clone, Debug)]
pub struct Printing {
    pub texts: Texts,
    /// Bytes that the calls so far have written, and those before the last one.
    pub position: usize,
    pub start: usize,
    /// Whether some of them may still be in the library's buffer.
    unflushed: bool,
    /// Why it could no longer be said which call writes what.
    pub lost: Option<String>,
    /// What code that is not seen has written.
    pub unseen: Unseen,
    /// A call that may have written more than is known.
    pub doubt: Option<String>,
    /// Where something was written last, and the number of branches taken before.
    pub last: Option<Last>,
    pub branches: usize,
    /// The first message on standard error since then.
    pub complaint: Option<Complaint>,
}

/// A message on standard error.
#[derive(Copy, Clone, Debug)]
pub struct Complaint {
    /// The number of branches taken before.
    pub branches: usize,
    /// The branch that it lies under, in its own function.
    pub scope: Option<BranchId>,
    /// The number of commands executed before, where they are counted.
    pub ordinal: usize,
}

/// Where something was written.
#[derive(Copy, Clone, Debug)]
pub struct Last {
    pub here: Here,
    /// Steps before it.
    pub steps: usize,
    /// The number of commands executed before, where they are counted.
    pub ordinal: usize,
}

impl Printing {
    /// What there is to follow: output other than the expected one. A run that a signal ends loses what is not yet
    /// flushed; that it ends is what is wrong with it.
    pub fn new(actual: Option<&[u8]>, expected: Option<&[u8]>, stopped: Stopped) -> Option<Printing> {
        let texts = Texts::new(actual?, expected?)?;
        let is_cut = texts.ends_early() && !matches!(stopped, Stopped::Exit(_));
        let new = |texts| Printing {
            texts,
            position: 0,
            start: 0,
            unflushed: false,
            lost: None,
            unseen: Unseen::Quiet,
            doubt: None,
            last: None,
            branches: 0,
            complaint: None,
        };
        (!is_cut).then(|| new(texts))
    }
}

/// What a call wrote.
pub(super) enum Wrote {
    /// What a format makes of further arguments.
    Formatted { format: Value, arguments: Vec<Value> },
    /// One byte.
    Byte(Value),
    /// The string at a pointer, and perhaps the end of the line.
    Text(Value),
    /// So many bytes at a pointer.
    Bytes { at: Value, size: Value },
}

impl<'p> Walker<'p> {
    /// A call outside the program has returned: follow what it wrote.
    pub(super) fn follow_output(
        &mut self,
        callee: &Callee,
        values: &[Value],
        (bits, result): (u32, u128),
        at: Option<Origin>,
    ) {
        if self.failed.is_some() || self.printing.as_ref().is_none_or(|printing| printing.lost.is_some()) {
            return;
        }
        let called = self.name_of(callee);
        let Some(function) = called.and_then(clib::function) else {
            return self.unseen_has_run(called.unwrap_or(UNKNOWN), values, at);
        };
        let name = function.name;
        let result = if bits == 0 { 0 } else { signed(result, bits) };
        match function.writes_output {
            Some(Channel::Error) => return self.complain(),
            None => {
                if name == "freopen" && values.last().is_some_and(|v| self.is_stream(v, "stdout")) {
                    self.lose(name);
                }
                return;
            }
            Some(Channel::Stream(stream)) if name == "fflush" => {
                let all = values.get(stream).is_some_and(|v| v.concrete == 0 || self.is_stream(v, "stdout"));
                let printing = self.printing.as_mut().expect("checked");
                printing.unflushed &= !all;
                return;
            }
            Some(Channel::Stream(stream)) if values.get(stream).is_some_and(|v| self.is_stream(v, "stderr")) => {
                return self.complain();
            }
            Some(Channel::Stream(stream)) if !values.get(stream).is_some_and(|v| self.is_stream(v, "stdout")) => return,
            Some(Channel::Descriptor(number)) if values.get(number).is_some_and(|v| v.concrete as u64 == STDERR) => {
                return self.complain();
            }
            Some(Channel::Descriptor(number)) if values.get(number).is_none_or(|v| v.concrete as u64 != STDOUT) => {
                return;
            }
            Some(Channel::Descriptor(_)) if self.printing.as_ref().is_some_and(|printing| printing.unflushed) => {
                return self.lose(name);
            }
            Some(Channel::Descriptor(_)) => {}
            Some(Channel::Standard | Channel::Stream(_)) => self.printing.as_mut().expect("checked").unflushed = true,
        }
        let Some((wrote, count)) = self.wrote(function, values, result) else { return self.lose(name) };
        if self.is_noting() {
            return self.note_written(&wrote, count);
        }
        self.wrote_bytes(name, &wrote, count, at);
    }

    /// Something was written to standard error.
    fn complain(&mut self) {
        let frame = self.frames.last();
        let own = |branch: &BranchId| frame.is_some_and(|f| self.branches[branch.index()].activation == f.activation);
        let scope = frame.and_then(|f| f.scope).filter(own);
        let complaint = Complaint { branches: self.branches.len(), scope, ordinal: self.following.ordinal() };
        self.printing.as_mut().expect("followed").complaint.get_or_insert(complaint);
    }

    /// A call writes what is not as expected; why is asked later.
    fn departs_here(&mut self, at: Option<Origin>) -> Found {
        let here = self.here(at);
        let failure = Failure {
            kind: FailureKind::Output,
            violated: self.build.terms.truth(true),
            assumes: vec![],
            addresses: vec![],
            at,
            activation: here.activation,
            scope: None,
            decision: None,
            message: String::new(),
        };
        Found { failure, steps: self.build.steps.len() }
    }

    /// Whether where in the output a call writes is not known yet.
    fn is_noting(&self) -> bool {
        self.printing.as_ref().is_some_and(|printing| matches!(printing.unseen, Unseen::Noting(_)))
    }

    fn lose(&mut self, name: &str) {
        let Some(printing) = &mut self.printing else { return };
        printing.lost = Some(not_known(printing.doubt.as_deref().unwrap_or(name)));
    }

    /// The name of a function outside that is called, also through a pointer.
    fn name_of<'n>(&mut self, callee: &'n Callee) -> Option<&'n str>
    where
        'p: 'n,
    {
        match callee {
            Callee::External(name) => Some(name),
            Callee::Pointer(pointer) => {
                let address = self.operand(pointer).concrete as u64;
                self.externals.iter().find(|(_, at)| **at == address).map(|(name, _)| *name)
            }
            Callee::Assembly | Callee::Function(_) => None,
        }
    }

    /// Whether a `FILE *` is what the program reads as `stdout`, or another stream of the library.
    pub(super) fn is_stream(&self, stream: &Value, name: &str) -> bool {
        let globals = self.program.globals.iter().zip(&self.recorded.globals);
        let named = globals.filter(|(global, _)| global.external && global.symbol == name);
        named.filter(|(_, image)| image.address != 0).any(|(_, image)| {
            let byte = |i: u64| self.byte_now(image.address + i).map(u64::from);
            let address = (0..8).rev().try_fold(0, |address, i| Some(address << 8 | byte(i)?));
            address == Some(stream.concrete as u64)
        })
    }

    /// What a call wrote and how many bytes that were.
    fn wrote(&mut self, function: &Function, values: &[Value], result: i128) -> Option<(Wrote, usize)> {
        let printing = self.printing.as_ref()?;
        let texts = printing.texts.clone();
        let rest = texts.actual.get(printing.position..)?;
        let count = usize::try_from(result).unwrap_or(0);
        let first = values.first()?;
        Some(match (function.name, function.format) {
            (_, Some(Format::Print(format))) => {
                let arguments = values.get(function.arguments..).unwrap_or_default().to_vec();
                (Wrote::Formatted { format: values.get(format)?.clone(), arguments }, count)
            }
            ("vprintf", _) => (Wrote::Formatted { format: first.clone(), arguments: self.variadic() }, count),
            ("vfprintf", _) => (Wrote::Formatted { format: values.get(1)?.clone(), arguments: self.variadic() }, count),
            ("putchar" | "putc", _) => (Wrote::Byte(first.clone()), usize::from(result >= 0)),
            ("puts", _) if result < 0 => (Wrote::Text(first.clone()), 0),
            ("puts", _) => {
                let known = || self.build.known_string(first.concrete as u64, rest.len()).map(|text| text.len());
                // The library says how much it was.
                let said = count.checked_sub(1).filter(|end| *end > 0 && rest.get(*end) == Some(&b'\n'));
                let known = self.length_seen(first).or_else(known);
                let end = match known {
                    None if self.is_noting() => count.checked_sub(1)?,
                    None => said.or_else(|| rest.iter().position(|b| *b == b'\n'))?,
                    Some(known) => known,
                };
                (Wrote::Text(first.clone()), end + 1)
            }
            ("fputs", _) if result < 0 => (Wrote::Text(first.clone()), 0),
            ("fputs", _) => {
                let known = || self.build.known_string(first.concrete as u64, rest.len()).map(|text| text.len());
                let length = match self.length_seen(first) {
                    Some(length) => length,
                    None if self.is_noting() => known()?,
                    None => self.length_of_string(first, rest),
                };
                (Wrote::Text(first.clone()), length)
            }
            ("fwrite", _) => {
                let size = usize::try_from(values.get(1)?.concrete).ok()?;
                let bytes = self.product(values.get(1)?, values.get(2)?)?;
                (Wrote::Bytes { at: first.clone(), size: bytes }, count.checked_mul(size)?)
            }
            ("write", _) => (Wrote::Bytes { at: values.get(1)?.clone(), size: values.get(2)?.clone() }, count),
            _ => return None,
        })
    }

    /// The length of a string that was written, where the recording holds it.
    fn length_seen(&self, string: &Value) -> Option<usize> {
        let seen = |chunk: &&Chunk| chunk.text && chunk.address == string.concrete as u64;
        let bytes = &self.chunks.iter().find(seen)?.bytes;
        bytes.iter().position(|byte| *byte == 0)
    }

    /// The length of a string that was written: where its end is not known, a line is.
    fn length_of_string(&self, string: &Value, rest: &[u8]) -> usize {
        let known = |i: usize| self.byte_now((string.concrete as u64).wrapping_add(i as u64));
        let mut ends = rest.iter().enumerate().map(|(i, byte)| match known(i) {
            Some(0) => Some(i),
            Some(_) => None,
            None if *byte == b'\n' && known(i + 1).is_none_or(|b| b == 0) => Some(i + 1),
            None => None,
        });
        ends.find_map(|end| end).unwrap_or(rest.len())
    }

    /// The arguments after `...` of the innermost function that has some, those apart that were read already.
    fn variadic(&self) -> Vec<Value> {
        let extra = |frame: &super::Frame| {
            let named = self.program.functions[frame.function.index()].params.len();
            frame
                .arguments
                .get(named + self.variadic.read_of(frame.activation)..)
                .filter(|rest| !rest.is_empty())
                .map(<[Value]>::to_vec)
        };
        self.frames.iter().rev().find_map(extra).unwrap_or_default()
    }

    /// So many bytes were written.
    fn wrote_bytes(&mut self, name: &str, wrote: &Wrote, count: usize, at: Option<Origin>) {
        let Some(printing) = &self.printing else { return };
        let (texts, start) = (printing.texts.clone(), printing.position);
        let end = start + count;
        let is_there = end <= texts.actual.len();
        let fits = match wrote {
            Wrote::Byte(byte) if is_there && count == 1 => texts.actual[start] == byte.concrete as u8,
            // A run that was ended by a signal has not written what was in the buffer.
            _ => is_there,
        };
        if !fits {
            return self.lose(name);
        }
        let (steps, ordinal) = (self.build.steps.len(), self.following.ordinal());
        let (last, branches) = (Last { here: self.here(at), steps, ordinal }, self.branches.len());
        let printing = self.printing.as_mut().expect("followed");
        (printing.start, printing.position) = (start, end);
        let is_in = start <= texts.differs && texts.differs < end;
        let may_go_on = texts.word_ends_early() || matches!(wrote, Wrote::Formatted { .. } | Wrote::Bytes { .. });
        let is_before = end == texts.differs && count > 0 && may_go_on;
        if is_in && self.following.is_nothing() {
            self.failed = Some(self.departs_here(at));
            return;
        }
        if !(is_in || is_before) || self.following.is_nothing() {
            if count > 0 {
                (printing.last, printing.branches, printing.complaint) = (Some(last), branches, None);
            }
            return;
        }
        let found = match wrote {
            _ if is_in && texts.is_extra(start, end) => Some(self.wrong_text(start, end, at)),
            Wrote::Formatted { format, arguments } => match self.pieces(format, arguments, start..end) {
                Ok(laid) => self.departs_in(&laid, arguments, start, is_in, at),
                Err(Unknown::Otherwise) if is_in || texts.word_ends_early() => return self.lose(name),
                Err(Unknown::Otherwise) => None,
                Err(Unknown::Open) => is_in.then(|| self.wrong_text(start, end, at)),
            },
            Wrote::Bytes { at: bytes, size } if let Some(length) = self.right_length(bytes, size, start..end) => {
                Some(self.wrong_length(size, length, start..end, at))
            }
            _ if !is_in => None,
            Wrote::Byte(byte) => Some(self.wrong_byte(byte.clone(), start, at)),
            Wrote::Text(string) => Some(self.wrong_string(string, start..end, start, at)),
            Wrote::Bytes { at: bytes, .. } => Some(self.wrong_cell(bytes, start, at)),
        };
        // Where another text would have been right altogether, it may be missing.
        let is_plain = |found: &Found| self.build.terms.truth_value(found.failure.violated) == Some(true);
        // What a buffer lacks was not put into it.
        let is_buffer = matches!(&wrote, Wrote::Bytes { size, .. } if self.build.terms.constant(size.term).is_none());
        let is_lacking = !is_buffer && texts.lacks(start);
        let may_miss = is_lacking || texts.differs == start && found.as_ref().is_some_and(is_plain);
        let missing = if is_in && may_miss { self.missing_before(start..end, at) } else { None };
        let missing = if is_in { missing.or_else(|| self.line_end_missing(start)) } else { missing };
        if missing.is_some() {
            self.misplaced = None;
        }
        self.failed = missing.or(found);
        let printing = self.printing.as_mut().expect("followed");
        (printing.last, printing.branches) = (Some(last), branches);
    }
}

/// That it is not known what is written by which call, from one on.
pub(super) fn not_known(name: &str) -> String {
    format!("which call writes that is not known, after {name}()")
}

/// Bits as a two's complement number.
pub(super) fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.min(128);
    ((value << shift) as i128) >> shift
}
