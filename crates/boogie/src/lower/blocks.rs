//! Blocks that are being written.

use std::collections::HashMap;
use wherefore_program::{
    Block, BlockId, Command, Located, Member, Operand, Operation, Origin, RegId, Switch, Terminator,
};

/// A block, and its end once it has one.
type Open = (Vec<Located<Command>>, Option<Located<Terminator>>);

/// The blocks of a function under way.
#[derive(Default)]
pub struct Blocks {
    all: Vec<Open>,
    current: usize,
    /// Width in bits of each register.
    pub registers: Vec<u32>,
    /// Addresses in maps that lie in maps.
    pub members: Vec<Member>,
}

impl Blocks {
    /// A new block, to be written later.
    pub fn fresh(&mut self) -> BlockId {
        self.all.push((vec![], None));
        BlockId(self.all.len() as u32 - 1)
    }

    /// Goes on in a block.
    pub fn enter(&mut self, block: BlockId) {
        self.current = block.index();
    }

    /// Adds a command.
    pub fn command(&mut self, it: Command, at: Option<Origin>) {
        self.all[self.current].0.push(Located { it, at });
    }

    /// Ends the block, unless it has ended before.
    pub fn end(&mut self, it: Terminator, at: Option<Origin>) {
        let terminator = &mut self.all[self.current].1;
        if terminator.is_none() {
            *terminator = Some(Located { it, at });
        }
    }

    /// Ends the block and goes on in another.
    pub fn go(&mut self, to: BlockId) {
        self.end(Terminator::Goto(to), None);
        self.enter(to);
    }

    pub fn register(&mut self, bits: u32) -> RegId {
        self.registers.push(bits);
        RegId(self.registers.len() as u32 - 1)
    }

    /// A register with the value of an operation.
    pub fn define(&mut self, bits: u32, value: Operation, at: Option<Origin>) -> Operand {
        let target = self.register(bits);
        self.command(Command::Define { target, value }, at);
        Operand::Register(target)
    }

    /// The blocks that can be come to, renumbered.
    pub fn finish(self) -> Vec<Block> {
        let unreachable = || Located { it: Terminator::Unreachable, at: None };
        let mut all: Vec<Block> = self
            .all
            .into_iter()
            .map(|(commands, terminator)| Block { commands, terminator: terminator.unwrap_or_else(unreachable) })
            .collect();
        let mut order: Vec<usize> = vec![];
        let mut work = vec![0];
        while let Some(block) = work.pop() {
            if !order.contains(&block) {
                order.push(block);
                work.extend(all[block].terminator.it.successors().iter().map(|b| b.index()));
            }
        }
        order.sort_unstable();
        let numbers: HashMap<usize, BlockId> = order.iter().zip(0..).map(|(old, new)| (*old, BlockId(new))).collect();
        let new = |block: &mut BlockId| *block = numbers[&block.index()];
        for &block in &order {
            match &mut all[block].terminator.it {
                Terminator::Goto(to) => new(to),
                Terminator::Branch { then, otherwise, .. } => {
                    new(then);
                    new(otherwise);
                }
                Terminator::Switch(Switch { cases, default, .. }) => {
                    cases.iter_mut().for_each(|(_, to)| new(to));
                    new(default);
                }
                Terminator::Return(_) | Terminator::Unreachable => {}
            }
        }
        let kept = all.into_iter().enumerate().filter(|(number, _)| numbers.contains_key(number));
        kept.map(|(_, block)| block).collect()
    }
}
