//! What other threads may do to memory: at any time they write, free and resize whatever they can reach, which is all that
//! globals lead to, what they were given, and what was ever stored into something that they reach.
//!
//! So nothing is claimed about the content of shared memory. A pointer that was in this thread's registers and own variables
//! all the time is still what it was: of its use all is claimed.

use crate::builder::Value;
use crate::memory::FOREIGN;
use crate::shadow::Shadow;
use crate::walk::Walker;
use wherefore_program::{Callee, Operand};

impl Walker<'_> {
    /// A call has returned that may have started threads and gave them pointers.
    pub(super) fn watch_threads(&mut self, callee: &Callee, values: &[Value], shadows: &[Shadow]) {
        if self.may_start_threads(callee) {
            let given = self.given(values, shadows);
            self.share(given);
        }
    }

    /// Other threads reach these objects from now on, the program's variables, and whatever these lead to.
    pub(super) fn share(&mut self, mut from: Vec<u32>) {
        if !std::mem::replace(&mut self.watched().shares, true) {
            from.extend(self.variables());
            let watched = self.watched();
            from.extend(watched.kept.iter().chain(&watched.escaped).copied());
        }
        from.retain(|object| *object != FOREIGN && !self.watch.as_ref().is_some_and(|w| w.shared.contains(object)));
        if from.is_empty() {
            return;
        }
        let reached = self.reached(from);
        reached.iter().for_each(|object| self.watched().memory.forget(*object, 0));
        self.watched().shared.extend(reached);
    }

    /// Whether other threads may write an object now.
    pub(super) fn is_shared(&mut self, object: u32) -> bool {
        if !self.build.others {
            return false;
        }
        if !self.watched().shares {
            // The thread that is followed was started by another one.
            self.share(vec![]);
        }
        object == FOREIGN || self.watched().shared.contains(&object)
    }

    /// A value is stored into an object: what it points to is where others reach it, if they reach that. What lies outside
    /// of all objects may be reached by anybody.
    pub(super) fn watch_sharing(&mut self, object: u32, value: &Operand, shadow: Shadow) {
        if !self.is_shared(object) && object != FOREIGN || !self.has_threads() {
            return;
        }
        let words = self.concrete(value);
        let pointed = [words as u64, (words >> 64) as u64].map(|address| self.build.memory.find(address).0);
        let all = pointed.into_iter().chain(shadow.object).chain(shadow.second).filter(|o| *o != FOREIGN);
        self.escape(all.collect());
    }

    /// An object, or a part of it, is copied into another one: the pointers in it are, too; and what others may have written
    /// into it since it was known.
    pub(super) fn watch_copied(&mut self, to: u32, from: u32) {
        if self.is_shared(to) || to == FOREIGN && self.has_threads() {
            let reached = self.reached(vec![from]).into_iter().filter(|object| *object != from);
            let reached = reached.collect();
            self.escape(reached);
        } else if self.is_shared(from) {
            self.watched().memory.forget(to, 0);
        }
    }
}
