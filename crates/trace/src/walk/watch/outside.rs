//! What code outside may do to memory: it reaches what it was given, now or before, and what that points to.

use crate::builder::Value;
use crate::failure::NULL_PAGE;
use crate::memory::{FOREIGN, ObjectKind};
use crate::shadow::Shadow;
use crate::walk::Walker;
use std::collections::HashSet;
use wherefore_program::Callee;

impl Walker<'_> {
    /// Code of which nothing is known may free, resize and write whatever it can reach.
    pub(super) fn watch_unknown(&mut self, callee: &Callee, values: &[Value], shadows: &[Shadow]) {
        if matches!(callee, Callee::External(name) if name == "va_start") {
            if let (Some(value), Some(shadow)) = (values.first(), shadows.first()) {
                self.forget_from(value.concrete as u64, *shadow);
            }
            return;
        }
        let given = self.given(values, shadows);
        let lost = self.reached(given.clone());
        self.watched().lost.extend(lost);
        if matches!(callee, Callee::Assembly) || self.is_given_list(values) {
            return self.forget_everything();
        }
        self.watched().kept.extend(given);
        let mut from = self.variables();
        from.extend(self.watched().kept.iter().copied());
        let reached = self.reached(from);
        self.forget_reached(&reached);
    }

    /// A function of the library writes what is its own, and what it was given at some time.
    pub(super) fn watch_elsewhere(&mut self, values: &[Value], shadows: &[Shadow]) {
        if self.is_given_list(values) {
            return self.forget_everything();
        }
        let given = self.given(values, shadows);
        self.watched().kept.extend(given);
        let kept = self.watched().kept.iter().copied().collect();
        let reached = self.reached(kept);
        self.forget_reached(&reached);
    }

    /// Whether a call is given a list of arguments: what these point to is not followed.
    pub(super) fn is_given_list(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.variadic.is_list(v.concrete as u64))
    }

    /// The objects that a call is given pointers to.
    pub(super) fn given(&self, values: &[Value], shadows: &[Shadow]) -> Vec<u32> {
        let found = values.iter().map(|v| v.concrete as u64).filter(|a| *a >= NULL_PAGE);
        let found = found.map(|a| self.build.memory.find(a).0).filter(|o| *o != FOREIGN);
        found.chain(shadows.iter().filter_map(|s| s.object)).collect()
    }

    /// The globals that can be written: other files may know them.
    pub(super) fn variables(&self) -> Vec<u32> {
        let is_variable = |kind: &ObjectKind| match kind {
            ObjectKind::Global(global) => !self.program.globals[global.index()].constant,
            _ => false,
        };
        let objects = self.build.memory.objects.iter().enumerate();
        objects.filter(|(_, o)| is_variable(&o.kind)).map(|(id, _)| id as u32).collect()
    }

    /// The objects that can be reached from some, these among them.
    pub(super) fn reached(&mut self, from: Vec<u32>) -> HashSet<u32> {
        let mut work = from;
        let mut reached = HashSet::new();
        while let Some(object) = work.pop() {
            if reached.insert(object) {
                work.extend(self.pointees(object));
            }
        }
        reached
    }

    /// The objects that the pointers in an object point into.
    pub(super) fn pointees(&mut self, object: u32) -> Vec<u32> {
        let mut pointees = self.watched().memory.reached_from(object);
        pointees.extend(self.pointed_from(object));
        pointees
    }

    /// The objects whose addresses an object holds, however they came there.
    fn pointed_from(&self, object: u32) -> Vec<u32> {
        let memory = &self.build.memory;
        let cells = memory.cells_of(object).filter(|cell| cell.size == 8);
        let values = cells.filter_map(|cell| self.build.current_value(cell.variable));
        let found = values.map(|value| value as u64).filter(|a| *a >= NULL_PAGE).map(|a| memory.find(a).0);
        found.filter(|o| *o != FOREIGN).collect()
    }

    fn forget_reached(&mut self, reached: &HashSet<u32>) {
        let (objects, globals) = (&self.build.memory.objects, &self.program.globals);
        let is_outside = |object: u32| match objects[object as usize].kind {
            ObjectKind::Global(global) => globals[global.index()].external,
            _ => object == FOREIGN,
        };
        let watch = self.watch.as_mut().expect("memory is watched");
        watch.memory.forget_all(|object| is_outside(object) || reached.contains(&object));
    }

    /// Whatever has an address may have been written.
    pub(super) fn forget_everything(&mut self) {
        let objects = &self.build.memory.objects;
        let watch = self.watch.as_mut().expect("memory is watched");
        watch.memory.forget_all(|object| objects[object as usize].base != 0 || object == FOREIGN);
    }
}
