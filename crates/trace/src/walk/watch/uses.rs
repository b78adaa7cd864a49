//! Whether a use of memory by a pointer stays in the object, or the array in a struct, that the pointer belongs to.

use super::{Use, texts};
use crate::builder::Value;
use crate::failure::NULL_PAGE;
use crate::memory::ObjectKind;
use crate::misuse;
use crate::model::{Act, FailureKind, MemoryError, Misuse};
use crate::shadow::Part;
use crate::walk::{Frame, Walker};
use wherefore_program::{Command, Member, Operand};

impl Walker<'_> {
    /// Whether a use of memory through a pointer is one that C allows; a failure if not.
    pub(super) fn watch_use(&mut self, pointer: &Operand, it: Use) -> bool {
        if it.size == 0 || it.address < NULL_PAGE {
            return true;
        }
        let shadow = self.shadow(pointer);
        if shadow.unset != 0 {
            return self.watch_value(pointer, Act::Follows, it.by, it.at);
        }
        let Some(object) = shadow.object else { return true };
        if (self.concrete(pointer) as u64).wrapping_add(it.ahead) != it.address {
            return true;
        }
        let error = self.error_of(object, it.address, it.size).or_else(|| {
            // By its own name a variable is used only where it lives.
            let is_named = matches!(pointer, Operand::Local(..));
            (!is_named && self.is_out_of_scope(object)).then_some(MemoryError::UseAfterScope)
        });
        let Some(error) = error else {
            return self.watch_member(pointer, object, it);
        };
        let value = self.operand(pointer);
        let (start, size) =
            (self.build.memory.objects[object as usize].base, self.build.memory.objects[object as usize].size);
        let offset = it.address.wrapping_sub(start) as i64;
        let misuse = self.misuse(error, object, offset, it.size, it.act, it.by);
        self.fail(&value, misuse, start + size, it)
    }

    /// A use by a pointer is a failure, unless the walk goes on; what it was to stay in has an end.
    fn fail(&mut self, pointer: &Value, misuse: Misuse, end: u64, it: Use) -> bool {
        if self.passes_over(&misuse) {
            return true;
        }
        let is_beyond = misuse.error == MemoryError::OutOfBounds && misuse.offset >= 0;
        let text = if is_beyond { self.text_beyond(pointer, end, it) } else { None };
        let used = self.pointer_behind(pointer, it.ahead);
        // A text that goes on has at least one byte more.
        let bytes = text.as_ref().map_or(misuse.bytes, |text| text.bytes);
        let mut found = misuse::found(self, &used, Misuse { bytes, ..misuse }, it.at);
        found.failure.kind = FailureKind::Memory(misuse);
        if let Some(text) = text {
            text.add_to(self, &mut found);
        }
        self.failed = Some(found);
        false
    }

    /// Whether the walk goes on after what is wrong, which is noted then.
    pub(super) fn passes_over(&mut self, misuse: &Misuse) -> bool {
        let function = self.frames.last().expect("an activation is on the stack").function;
        let Some(passed) = self.watch.as_mut().and_then(|watch| watch.passed.as_mut()) else { return false };
        let misdeed = (function, misuse.error, misuse.act);
        if !passed.contains(&misdeed) {
            passed.push(misdeed);
        }
        true
    }

    /// Whether an access by an array that is a member of a struct stays in it; a failure if not.
    fn watch_member(&mut self, pointer: &Operand, object: u32, it: Use) -> bool {
        // Several members are copied and set at once by intent, but never by functions that work on texts. A constant
        // address may be that of something else that begins there, and is accessed as such.
        let is_sure = match it.by {
            Some(by) => texts::is_about_texts(by),
            None => !it.copies && matches!(pointer, Operand::Register(_)),
        };
        if !is_sure || self.watched().lost.contains(&object) {
            return true;
        }
        let Some(Part { start, size }) = self.part_of(pointer) else { return true };
        let offset = it.address.wrapping_sub(start) as i64;
        // Several elements may be read as one by intent.
        let least = if it.by.is_some() { it.size } else { 1 };
        if offset >= 0 && least <= size && offset as u64 <= size - least {
            return true;
        }
        let Some(part) = start.checked_sub(self.build.memory.objects[object as usize].base) else { return true };
        let misuse = self.misuse(MemoryError::OutOfBounds, object, offset, it.size, it.act, it.by);
        let misuse = Misuse { part: Some(part), size: Some(size), ..misuse };
        let value = self.operand(pointer);
        self.fail(&value, misuse, start + size, it)
    }

    /// The array in a struct that a pointer was made from.
    fn part_of(&mut self, pointer: &Operand) -> Option<Part> {
        if matches!(pointer, Operand::Register(_)) {
            return self.shadow(pointer).part;
        }
        let function = self.frames.last().expect("an activation is on the stack").function;
        let Member { start, size, .. } = self.watched().members.get(&(function, pointer.clone()))?.clone();
        Some(Part { start: self.concrete(&start) as u64, size })
    }

    /// What is wrong with a use of so many bytes at an address by a pointer into an object.
    fn error_of(&self, id: u32, address: u64, size: u64) -> Option<MemoryError> {
        let watch = self.watch.as_ref()?;
        if watch.lost.contains(&id) {
            return None;
        }
        let object = &self.build.memory.objects[id as usize];
        let life = watch.lives.get(&id);
        if life.is_some_and(|l| l.freed.is_some()) {
            return Some(MemoryError::UseAfterFree);
        }
        let owner = match object.kind {
            ObjectKind::Local { activation, .. } => Some(activation),
            ObjectKind::Heap { .. } => life?.owner,
            _ => None,
        };
        if owner.is_some_and(|a| !self.is_active(a)) {
            return Some(MemoryError::UseAfterReturn);
        }
        // Something else is there now: its end was not seen.
        if self.build.memory.at_base(object.base) != Some(id) || !self.has_known_size(id) {
            return None;
        }
        let inside = address >= object.base && size <= object.size && address - object.base <= object.size - size;
        (!inside).then_some(MemoryError::OutOfBounds)
    }

    /// Whether an object is a local of a block that is not under way in the activation that the local belongs to.
    fn is_out_of_scope(&self, id: u32) -> bool {
        let ObjectKind::Local { activation, local, .. } = self.build.memory.objects[id as usize].kind else {
            return false;
        };
        let Ok(level) = self.frames.binary_search_by_key(&activation, |f| f.activation) else { return false };
        let Frame { function: of, block, command, .. } = self.frames[level];
        let function = &self.program.functions[of.index()];
        let declared = &function.locals[local.index()];
        if declared.scope.is_empty() || declared.name.is_none() {
            return false;
        }
        // Whoever gives a function the address by the variable's name can see it, also when a compiler does at its end.
        let arguments = match function.blocks[block.index()].commands.get(command).map(|c| &c.it) {
            Some(Command::Call { arguments, .. }) => arguments.as_slice(),
            _ => &[],
        };
        let members = self.watch.as_ref().map(|w| &w.members);
        let named =
            |a: &Operand| members.and_then(|all| all.get(&(of, a.clone()))).map_or(a.clone(), |m| m.start.clone());
        let is_given = arguments.iter().any(|a| matches!(named(a), Operand::Local(given, _) if given == local));
        let is_lost = self.watch.as_ref().is_some_and(|w| w.lost.contains(&id));
        let scope = function.scope_at(block, command);
        !is_given && !is_lost && scope.is_some_and(|s| !s.starts_with(&declared.scope))
    }

    fn has_known_size(&self, id: u32) -> bool {
        let object = &self.build.memory.objects[id as usize];
        match object.kind {
            ObjectKind::Global(global) => !self.program.globals[global.index()].external && object.size > 0,
            ObjectKind::Local { .. } => true,
            ObjectKind::Heap { .. } => {
                self.watch.as_ref().and_then(|w| w.lives.get(&id)).is_some_and(|life| life.size.is_some())
            }
            ObjectKind::Given | ObjectKind::Foreign => false,
        }
    }

    /// Whether an activation is on the stack.
    fn is_active(&self, activation: u32) -> bool {
        self.frames.binary_search_by_key(&activation, |f| f.activation).is_ok()
    }

    /// What is known of a use of an object that is wrong.
    pub(crate) fn misuse(
        &self,
        error: MemoryError,
        id: u32,
        offset: i64,
        bytes: u64,
        act: Act,
        by: Option<&'static str>,
    ) -> Misuse {
        let object = &self.build.memory.objects[id as usize];
        let life = self.watch.as_ref().and_then(|w| w.lives.get(&id));
        let made_at = match object.kind {
            ObjectKind::Global(global) => self.program.globals[global.index()].origin,
            ObjectKind::Local { activation, local, .. } => {
                let function = self.activations[activation as usize].function;
                self.program.functions[function.index()].locals[local.index()].origin
            }
            ObjectKind::Heap { at, .. } => at,
            ObjectKind::Given | ObjectKind::Foreign => None,
        };
        let freed = life.and_then(|l| l.freed).map(|moment| moment.here);
        let (freed_at, freed_in) = (freed.and_then(|here| here.at), freed.map(|here| here.activation));
        let size = Some(object.size).filter(|_| self.has_known_size(id));
        let (made_by, made_in) = (life.map(|l| l.by), life.map(|l| l.made.here.activation));
        let part = None;
        Misuse { error, act, by, object: id, part, offset, bytes, size, made_at, made_by, made_in, freed_at, freed_in }
    }
}
