//! Addresses that go where they are not followed: into a pipe, a file or a library, or made into another number.
//!
//! Whoever reads them there reaches the objects, so that other threads, once there are some, are taken to.

use crate::builder::Value;
use crate::memory::FOREIGN;
use crate::shadow::Shadow;
use crate::walk::Walker;
use wherefore_clib::{self as clib, Access, Format, Function};
use wherefore_program::{BinaryOp, Callee, Operation};

/// Bytes of a pointer.
const POINTER: u64 = 8;

impl Walker<'_> {
    /// Whether there are other threads, now or later.
    pub(super) fn has_threads(&self) -> bool {
        self.recorded.threads.is_some()
    }

    /// Somebody may know the addresses of these objects without a pointer to them being anywhere.
    pub(super) fn escape(&mut self, objects: Vec<u32>) {
        if objects.is_empty() || !self.has_threads() {
            return;
        }
        if self.watched().shares {
            return self.share(objects);
        }
        let reached = self.reached(objects);
        self.watched().escaped.extend(reached);
    }

    /// An operation has made something of pointers from which they can be had back, but which is none.
    pub(super) fn watch_made(&mut self, operation: &Operation, bits: u32, shadows: &[Shadow], made: Shadow) {
        if !self.has_threads() {
            return;
        }
        let is_kept = match operation {
            Operation::Compare(..) | Operation::Select(..) => true,
            Operation::Extract { low, .. } => low % 64 == 0 && bits >= 64,
            Operation::Insert { low, .. } => low % 64 == 0,
            // How far it is from one place to another in the same object says nothing of where it lies.
            Operation::Binary { op: BinaryOp::Sub, .. } => shadows.iter().all(|s| s.object == shadows[0].object),
            _ => false,
        };
        let is_gone = |object: &u32| ![made.object, made.second].contains(&Some(*object));
        let gone = shadows.iter().flat_map(|s| [s.object, s.second]).flatten().filter(|o| !is_kept && is_gone(o));
        self.escape(gone.collect());
    }

    /// Bytes are read, or copied: a pointer of which only a part is among them goes on as a number.
    pub(super) fn watch_torn(&mut self, (object, offset): (u32, u64), size: u64, is_copy: bool) {
        if !self.has_threads() || object == FOREIGN {
            return;
        }
        let end = offset.saturating_add(size);
        let is_whole = |at: u64| match is_copy {
            true => at >= offset && at + POINTER <= end,
            false => matches!(size, 8 | 16) && (at == offset || at == offset + POINTER),
        };
        let torn = self.watched().memory.pointers_in(object, offset, size);
        self.escape(torn.into_iter().filter(|(at, _)| !is_whole(*at)).map(|(_, to)| to).collect());
    }

    /// A call outside has returned: what it was told of addresses, it may have passed on.
    pub(super) fn watch_given_away(&mut self, callee: &Callee, values: &[Value], shadows: &[Shadow]) {
        if !self.has_threads() {
            return;
        }
        if matches!(callee, Callee::Assembly) || self.is_given_list(values) {
            let all = 0..self.build.memory.objects.len() as u32;
            return self.escape(all.filter(|o| self.build.memory.objects[*o as usize].base != 0).collect());
        }
        let known = if let Callee::External(name) = callee { clib::function(name) } else { None };
        let mut objects = vec![];
        for (index, (value, shadow)) in values.iter().zip(shadows).enumerate() {
            let given = self.given(std::slice::from_ref(value), std::slice::from_ref(shadow));
            match known.map_or(Learns::Address, |function| learns(function, index)) {
                Learns::Nothing => {}
                Learns::Content => objects.extend(given.into_iter().flat_map(|object| self.pointees(object))),
                Learns::Address => objects.extend(given),
            }
        }
        self.escape(objects);
    }
}

/// What a function of the library may pass on of an argument.
enum Learns {
    Nothing,
    /// What it points to.
    Content,
    /// Where it points, too.
    Address,
}

fn learns(function: &Function, argument: usize) -> Learns {
    let is_new = function.allocates.is_some() || function.frees.is_some();
    let is_scanned = matches!(function.format, Some(Format::Scan(_))) && argument >= function.arguments;
    if function.is_pure() || is_new || is_scanned {
        return Learns::Nothing;
    }
    // `%p` prints one.
    let is_printed = matches!(function.format, Some(Format::Print(_)));
    let mut accesses = function.accesses.iter().filter(|a| a.through() == argument).peekable();
    if function.writes_elsewhere || function.calls_back.is_some() || is_printed || accesses.peek().is_none() {
        return Learns::Address;
    }
    if accesses.any(|a| matches!(a, Access::Reads(..))) { Learns::Content } else { Learns::Nothing }
}
