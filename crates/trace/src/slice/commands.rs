//! What commands do to what is live.

use super::backwards::{Backwards, CHOOSES, Executed, Here, at};
use super::live::Level;
use wherefore_program::{Command, Operation, Place, RegId};

impl Backwards<'_, '_> {
    pub(super) fn command(&mut self, here: &mut Here, it: &Executed) {
        let wanted = if it.is_wanted { self.top } else { Level::DEAD };
        if it.is_wanted {
            self.keep(here, it.ordinal, self.top);
            self.uses(here, it.command.operands(), self.top);
        }
        match it.command {
            Command::Define { target, value } => self.defines(here, it, *target, value, wanted),
            Command::Load { target, place, .. } => {
                let level = here.frame.take(*target).max(wanted);
                if level == Level::DEAD {
                    return;
                }
                self.keep(here, it.ordinal, level);
                let size = u64::from(here.function.registers[target.index()].div_ceil(8));
                match place {
                    Place::Local(local, offset) => {
                        let place = self.log.layout.place(here.id, *local, *offset);
                        here.frame.locals.add(place, size, level);
                    }
                    Place::Memory(pointer) => {
                        if let Some(address) = self.words.get(it.at).filter(|_| !it.is_wanted) {
                            self.memory.add(*address, size, level);
                        }
                        self.follows(here, pointer, level);
                        if level.is_explained() && self.is_of_table(here.id, pointer) {
                            self.uses(here, [pointer], level);
                        }
                    }
                }
            }
            Command::Store { place, value, bits } => {
                let size = u64::from(bits.div_ceil(8));
                let level = match place {
                    Place::Local(local, offset) => {
                        let place = self.log.layout.place(here.id, *local, *offset);
                        let level = here.frame.locals.level(place, size);
                        here.frame.locals.kill(place, size);
                        level
                    }
                    Place::Memory(_) => match self.words.get(it.at) {
                        Some(address) if !it.is_wanted => self.sets(*address, size),
                        _ => Level::DEAD,
                    },
                };
                let mut level = level.max(wanted);
                if level.is_dead() {
                    return;
                }
                if self.is_round(it, level) {
                    level = Level::NAMED;
                    self.facts.iter_mut().for_each(|facts| facts.set(it.ordinal));
                }
                self.keep(here, it.ordinal, level);
                if level.is_explained() {
                    self.uses(here, [value], level);
                    if let Place::Memory(pointer) = place {
                        self.follows(here, pointer, level);
                    }
                }
            }
            Command::Copy { to, from, length, .. } => {
                let (Some(target), Some(source), Some(size)) =
                    (self.words.get(it.at), self.words.get(it.at + 1), self.words.get(it.at + 2))
                else {
                    return;
                };
                let level = self.memory.level(*target, *size).max(wanted);
                if level > Level::DEAD && *size > 0 {
                    self.keep(here, it.ordinal, level);
                    self.memory.shift(*target, *source, *size);
                    if level.is_explained() {
                        [to, from, length].into_iter().for_each(|o| self.follows(here, o, level));
                    }
                }
            }
            Command::Fill { to, byte, length } => {
                let (Some(target), Some(size)) = (self.words.get(it.at), self.words.get(it.at + 1)) else {
                    return;
                };
                let level = self.sets(*target, *size).max(wanted);
                if level > Level::DEAD {
                    self.keep(here, it.ordinal, level);
                    if level.is_explained() {
                        self.uses(here, [byte], level);
                        [to, length].into_iter().for_each(|o| self.follows(here, o, level));
                    }
                }
            }
            Command::Allocate { target, .. } => {
                if let (Some(base), Some(size)) = (self.words.get(it.at), self.words.get(it.at + 1)) {
                    self.memory.kill(*base, *size);
                }
                if let Some(target) = target {
                    here.frame.take(*target);
                }
            }
            Command::Call { target, callee, arguments, .. } => {
                self.call(here, it, *target, callee, arguments);
            }
        }
    }

    /// Memory is set: how that matters.
    pub(super) fn sets(&mut self, address: u64, size: u64) -> Level {
        if size == 0 {
            return Level::DEAD;
        }
        let level = self.memory.level(address, size);
        if level > Level::DEAD {
            self.memory.kill(address, size);
        }
        level
    }

    pub(super) fn defines(&mut self, here: &mut Here, it: &Executed, target: RegId, value: &Operation, wanted: Level) {
        let level = here.frame.take(target).max(wanted);
        if level == Level::DEAD {
            return;
        }
        self.kept.set(it.ordinal);
        self.counts[level.index()] += 1;
        let Operation::Phi(incoming) = value else {
            return self.uses(here, value.operands(), level);
        };
        let before = here.index.checked_sub(1).map(|index| self.log.pieces[index]);
        let before = before.filter(|p| p.activation == here.piece.activation);
        let from = before.and_then(|p| self.program.block(p.block)).map(|(_, block)| block);
        let chosen = incoming.iter().find(|(block, _)| Some(*block) == from);
        self.uses(here, chosen.map(|(_, operand)| operand), level);
        // It is chosen under the decision just made, wherever the ways of that meet.
        if level.is_explained() {
            here.frame.marks.add(at(here.index, CHOOSES), level);
        }
    }
}
