//! What is written down of a run that is followed without terms, so that one can go back through it.

use super::following::Following;
use super::{Frame, Walker};
use crate::builder::mask;
use crate::memory::ObjectKind;
use crate::slice::{Pages, Piece, State};
use rustc_hash::FxHashMap;
use wherefore_program::{BlockId, LocalId, Operand, Origin, Terminator};

impl Walker<'_> {
    /// An object was made, or freed, by the command under way.
    pub(super) fn note_object(&mut self, address: u64) {
        let object = self.build.memory.at_base(address);
        if let (Following::Nothing(log), Some(object)) = (&mut self.following, object) {
            log.made.entry(object).or_default().push(log.commands - 1);
        }
    }

    /// Counts the statements executed, about as a trace with all of them would: what follows in one line is one.
    pub(super) fn count_statement(&mut self, at: Option<Origin>, kind: u8) {
        let (Following::Nothing(log), Some(frame), Some(at)) = (&mut self.following, self.frames.last(), at) else {
            return;
        };
        let statement = (at.file, at.line, frame.activation, kind);
        if log.statement != Some(statement) {
            log.statement = Some(statement);
            log.statements += 1;
        }
    }

    /// A decision is made: where the pointers lead through which its other side would set something.
    pub(super) fn note_elsewhere(&mut self, terminator: &Terminator, to: BlockId) {
        let Following::Nothing(log) = &mut self.following else { return };
        let Some(frame) = self.frames.last() else { return };
        let decisions = &self.decisions[frame.function.index()];
        let head = decisions.head[frame.block.index()].filter(|_| terminator.operand().is_some());
        let Some(head) = head.filter(|head| !decisions.is_member(*head, to) || to == *head) else { return };
        let side = log.sides.of(frame.function, head, to);
        if side.pointers.is_empty() {
            return;
        }
        let mut read = vec![];
        for pointer in &side.pointers {
            let mut state = AtDecision { frame, places: &log.places, pages: &mut log.pages, read: &mut read };
            let to = pointer.to.value(&mut state).map(|to| to as u64);
            let size = pointer.size.as_ref().map(|size| size.value(&mut state).map_or(0, |size| size as u64));
            let (to, size) = match (to, size) {
                (Some(to), Some(size)) => (to, size),
                (Some(to), None) => {
                    let object = &self.build.memory.objects[self.build.memory.find(to).0 as usize];
                    if object.kind == ObjectKind::Foreign { (0, 0) } else { (object.base, object.size) }
                }
                (None, _) => (0, 0),
            };
            log.elsewhere.extend([to, size]);
        }
        log.elsewhere.extend(&read);
        log.elsewhere.push(read.len() as u64);
    }

    /// What a call outside was given.
    pub(super) fn note_given(&mut self, arguments: &[Operand]) {
        if matches!(self.following, Following::Nothing(_)) {
            let numbers: Vec<u64> = arguments.iter().map(|a| self.in_run(a) as u64).collect();
            if let Following::Nothing(log) = &mut self.following {
                log.given.extend(numbers);
            }
        }
    }

    /// Commands that follow each other in a block without a call in between begin.
    pub(super) fn begin_piece(&mut self) {
        let Following::Nothing(log) = &mut self.following else { return };
        let Some(frame) = self.frames.last() else { return };
        let function = &self.program.functions[frame.function.index()];
        let enters = frame.activation >= log.activations;
        log.activations = log.activations.max(frame.activation + 1);
        log.pieces.push(Piece {
            block: function.first_block + frame.block.0,
            command: frame.command as u32,
            activation: frame.activation,
            at: self.at as u32,
            first: log.commands as u64,
            enters,
            resumes: frame.calls,
            jumped: std::mem::take(&mut log.jumps),
        });
    }
}

/// The state of a run when a decision is made; notes what is read.
struct AtDecision<'a> {
    frame: &'a Frame,
    places: &'a FxHashMap<(u32, LocalId), u64>,
    pages: &'a mut Pages,
    read: &'a mut Vec<u64>,
}

impl State for AtDecision<'_> {
    fn local(&mut self, place: u64, bits: u32) -> u128 {
        let mut number = [0; 16];
        let size = bits.div_ceil(8).min(16) as usize;
        if let Some(bytes) = self.frame.bytes.get(place as usize..place as usize + size) {
            number[..size].copy_from_slice(bytes);
        }
        mask(u128::from_le_bytes(number), bits)
    }

    fn place(&mut self, local: LocalId) -> Option<u64> {
        self.places.get(&(self.frame.activation, local)).copied()
    }

    fn memory(&mut self, address: u64, bits: u32) -> Option<u128> {
        let number = self.pages.get(address, bits)?;
        self.read.push(address);
        Some(number)
    }
}
