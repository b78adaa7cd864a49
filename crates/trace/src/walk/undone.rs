//! Output that is missing: the decision that left it undone.

use super::Walker;
use crate::failure::Found;
use crate::model::{BranchId, Failure, FailureKind};
use crate::output::item;
use std::collections::HashSet;
use wherefore_clib::print::{self, Conversion, Piece};
use wherefore_clib::writing::Writing;
use wherefore_clib::{self as clib, Channel, Format, Function};
use wherefore_program::{BlockId, Callee, Command, FunctionId, Operand, Place};

/// More of a text that may be written is not looked at.
const LONGEST: usize = 1 << 12;

impl Walker<'_> {
    /// The last decision since something was written whose other way may begin to write an expected text. What lies
    /// under the decision now is not missing because of it, unless the run is over. Where the program said on standard error
    /// that something is wrong, the decision to say so, or the first one behind it, gave the output up; later ones only come
    /// across that.
    pub(super) fn undone(&self, since: usize, expected: &[u8], is_over: bool) -> Option<BranchId> {
        let mut enclosing: Vec<BranchId> = vec![];
        let mut scope = self.frames.last().and_then(|f| f.scope);
        while let Some(branch) = scope {
            enclosing.push(branch);
            scope = self.branches[branch.index()].parent;
        }
        let numbered = |index: usize| BranchId(index as u32);
        let is_past = |id: &BranchId| !enclosing.contains(id);
        let would_write = |id: &BranchId| {
            let branch = &self.branches[id.index()];
            let function = self.activations[branch.activation as usize].function;
            let Some(head) = branch.decision else { return false };
            let (flow, decisions) = (&self.flows[function.index()], &self.decisions[function.index()]);
            let other = decisions.other_side(flow, head, branch.taken);
            self.may_write(function, &other, expected, &mut HashSet::new())
        };
        let complaint = self.printing.as_ref().and_then(|printing| printing.complaint);
        let behind = complaint.map_or(self.branches.len(), |it| it.branches)..self.branches.len();
        let giving_up = complaint.and_then(|it| it.scope).into_iter().chain(behind.map(numbered));
        let last = (since..self.branches.len()).rev().map(numbered);
        let past = giving_up.chain(last).filter(is_past).find(&would_write);
        // Where the program ended under a decision, it may be that one.
        past.or_else(|| enclosing.iter().copied().filter(|_| is_over).find(would_write))
    }

    /// The failure of a decision that went the wrong way.
    pub(super) fn left_undone(&self, branch: BranchId, message: String) -> Found {
        let branch = &self.branches[branch.index()];
        let failure = Failure {
            kind: FailureKind::Output,
            violated: branch.condition,
            assumes: branch.assumes.to_vec(),
            addresses: branch.addresses.to_vec(),
            at: branch.at,
            activation: branch.activation,
            scope: branch.parent,
            decision: branch.decision.map(|head| (head, branch.taken)),
            message,
        };
        Found { failure, steps: branch.start }
    }

    /// Whether some blocks of a function, or what they call, may begin to write a text.
    pub(super) fn may_write(
        &self,
        function: FunctionId,
        blocks: &[BlockId],
        expected: &[u8],
        seen: &mut HashSet<FunctionId>,
    ) -> bool {
        let all = &self.program.functions[function.index()].blocks;
        let commands = blocks.iter().flat_map(|b| &all[b.index()].commands);
        commands.into_iter().any(|command| match &command.it {
            Command::Call { callee: Callee::External(name), arguments, .. } => clib::function(name)
                .filter(|f| f.prints() && !self.goes_elsewhere(function, f, arguments))
                .is_some_and(|f| self.may_begin(f, arguments, expected)),
            Command::Call { callee: Callee::Function(id), .. } => {
                let count = self.program.functions[id.index()].blocks.len() as u32;
                let whole: Vec<BlockId> = (0..count).map(BlockId).collect();
                seen.insert(*id) && self.may_write(*id, &whole, expected, seen)
            }
            _ => false,
        })
    }

    /// Whether a call writes to another stream than standard output, as the program text says.
    fn goes_elsewhere(&self, function: FunctionId, called: &Function, arguments: &[Operand]) -> bool {
        let stream = match called.writes_output {
            Some(Channel::Stream(stream)) => arguments.get(stream),
            Some(Channel::Descriptor(number)) => {
                return matches!(arguments.get(number), Some(Operand::Constant { value, .. }) if *value != 1);
            }
            _ => None,
        };
        let Some(Operand::Register(register)) = stream else { return false };
        let commands = self.program.functions[function.index()].blocks.iter().flat_map(|b| &b.commands);
        let loads = commands.filter_map(|command| match &command.it {
            Command::Load { target, place: Place::Memory(Operand::Global(id, 0)), .. } if target == register => {
                Some(*id)
            }
            _ => None,
        });
        loads.map(|id| &self.program.globals[id.index()]).any(|g| g.external && g.symbol != "stdout")
    }

    /// Whether what a call writes may begin as a text does.
    fn may_begin(&self, function: &Function, arguments: &[Operand], expected: &[u8]) -> bool {
        let text = |number: usize| match arguments.get(number) {
            Some(Operand::Global(id, offset)) if self.program.globals[id.index()].constant => {
                let address = self.recorded.globals.get(id.index())?.address.wrapping_add_signed(*offset);
                self.build.known_string(address, LONGEST)
            }
            _ => None,
        };
        let begins = |text: &[u8]| {
            let length = text.len().min(expected.len());
            text[..length] == expected[..length]
        };
        match (function.name, function.format) {
            (_, Some(Format::Print(format))) => {
                let pieces = text(format).and_then(|format| print::parse(&format).ok());
                pieces.is_none_or(|pieces| match pieces.first() {
                    Some(Piece::Text(text)) => begins(text),
                    Some(Piece::Directive(it)) => {
                        let writing = Writing::of(it, &mut |_| Some(0)).unwrap_or(Writing::PLAIN);
                        match it.conversion {
                            Conversion::Signed | Conversion::Unsigned { .. } => {
                                item::integer(&writing, expected, None).is_some()
                            }
                            Conversion::Real { .. } => item::real(&writing, expected).is_some(),
                            // A string or character is hardly ever the end of a line.
                            _ => !expected.starts_with(b"\n"),
                        }
                    }
                    None => false,
                })
            }
            ("puts", _) => text(0).is_none_or(|text| begins(&[&text[..], b"\n"].concat())),
            ("fputs", _) => text(0).is_none_or(|text| begins(&text)),
            ("putchar" | "putc", _) => match arguments.first() {
                Some(Operand::Constant { value, .. }) => expected.first() == Some(&(*value as u8)),
                _ => true,
            },
            _ => true,
        }
    }
}
