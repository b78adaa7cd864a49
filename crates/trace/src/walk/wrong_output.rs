//! What the output of a long run depends on besides the call that writes what is not expected: the call that wrote before
//! it, and the decisions since then whose other way may write what is missing.

use super::{Printing, Walker};
use crate::slice::{Log, Piece};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use wherefore_program::{BlockId, FunctionId};

/// So many of these decisions are taken, the last ones.
const DECISIONS: usize = 32;

impl Walker<'_> {
    /// Whether it could be followed to the end which call writes what.
    pub(super) fn has_followed_output(&self) -> bool {
        let is_at_end = |printing: &Printing| printing.position == printing.texts.actual.len();
        self.printing.as_ref().is_none_or(|printing| printing.lost.is_none() && is_at_end(printing))
    }

    /// These commands, by their numbers, in the run that a log has been kept of.
    pub(super) fn behind_output(&self, log: &Log) -> Vec<usize> {
        let Some(printing) = &self.printing else { return vec![] };
        let last = printing.last.map(|last| last.ordinal);
        let complaint = printing.complaint.map(|complaint| complaint.ordinal);
        let mut found: Vec<usize> = last.into_iter().chain(complaint).collect();
        let from = if self.failed.is_some() { printing.start } else { printing.position };
        let expected = printing.texts.expected.get(from..).unwrap_or_default();
        found.extend(self.left_undone_since(log, last.unwrap_or(0), expected));
        found
    }

    fn left_undone_since(&self, log: &Log, since: usize, expected: &[u8]) -> Vec<usize> {
        let mut known: FxHashMap<(FunctionId, BlockId, BlockId), bool> = FxHashMap::default();
        let (mut found, mut end) = (vec![], log.commands);
        for (index, piece) in log.pieces.iter().enumerate().rev() {
            let (first, last) = (piece.first as usize, std::mem::replace(&mut end, piece.first as usize));
            if last <= since || found.len() >= DECISIONS {
                break;
            }
            let next = log.pieces.get(index + 1).filter(|next| next.activation == piece.activation && !next.jumped);
            let Some((function, head, to)) = next.and_then(|next| self.decided(piece, last - first, next)) else {
                continue;
            };
            let may_write = *known.entry((function, head, to)).or_insert_with(|| {
                let (flow, decisions) = (&self.flows[function.index()], &self.decisions[function.index()]);
                let other = decisions.other_side(flow, head, to);
                self.may_write(function, &other, expected, &mut HashSet::new())
            });
            if may_write {
                found.push(last - 1);
            }
        }
        found
    }

    /// The decision that a piece of so many commands ended with, and where it went.
    fn decided(&self, piece: &Piece, count: usize, next: &Piece) -> Option<(FunctionId, BlockId, BlockId)> {
        let ((function, from), (_, to)) = (self.program.block(piece.block)?, self.program.block(next.block)?);
        let decisions = &self.decisions[function.index()];
        let commands = self.program.functions[function.index()].blocks[from.index()].commands.len();
        let is_at_its_end = piece.command as usize + count == commands + 1;
        let head = decisions.head[from.index()].filter(|_| is_at_its_end)?;
        let is_over = !decisions.is_member(head, to) || to == head;
        is_over.then_some((function, head, to))
    }
}
