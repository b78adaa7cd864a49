//! What functions of the library do to memory, held against the objects they are given.

use super::{Life, Use};
use crate::builder::Value;
use crate::memory::{FOREIGN, ObjectKind};
use crate::misuse;
use crate::model::{Act, MemoryError};
use crate::shadow::Shadow;
use crate::walk::Walker;
use wherefore_clib::scan::{Conversion, Piece};
use wherefore_clib::{self as clib, Access, Extent, Format, Function};
use wherefore_program::{Callee, Operand, Origin, RegId};

impl Walker<'_> {
    /// Look at a call of a function outside before it happens; false when it is a failure.
    pub(in crate::walk) fn watch_call(&mut self, name: &str, arguments: &[Operand], at: Option<Origin>) -> bool {
        let Some(function) = clib::function(name).filter(|_| self.watch.is_some()) else { return true };
        let by = Some(function.name);
        self.watched().before = self.build.steps.len();
        for argument in arguments {
            if !self.watch_value(argument, Act::Passes, by, at) {
                return false;
            }
        }
        if let Some(freed) = function.frees
            && let Some(pointer) = arguments.get(freed)
            && !self.watch_free(pointer, function, at)
        {
            return false;
        }
        for access in function.accesses {
            let Some(pointer) = arguments.get(access.through()) else { continue };
            let Some(size) = self.sure_size(function, *access, arguments) else { continue };
            if !self.watch_access(pointer, *access, size, by, at) {
                return false;
            }
        }
        self.watch_texts(function, arguments, at) && self.watch_apart(function, arguments, at)
    }

    fn watch_access(
        &mut self,
        pointer: &Operand,
        access: Access,
        size: u64,
        by: Option<&'static str>,
        at: Option<Origin>,
    ) -> bool {
        let address = self.operand(pointer).concrete as u64;
        let act = if matches!(access, Access::Writes(..)) { Act::Writes } else { Act::Reads };
        self.watch_use(pointer, Use { address, size, ahead: 0, act, by, copies: false, at })
    }

    /// How many bytes a function accesses for sure, as far as its arguments say it.
    fn sure_size(&mut self, function: &'static Function, access: Access, arguments: &[Operand]) -> Option<u64> {
        // What these are given is the most they access.
        let limited = ["snprintf", "fread", "read", "memchr", "setvbuf", "bsearch", "strncat", "getline", "getdelim"];
        let is_limit = limited.contains(&function.name) && matches!(access, Access::Writes(..) | Access::Reads(..));
        let mut number = |i: usize| arguments.get(i).map(|a| self.operand(a).concrete as u64);
        match access.extent() {
            Extent::Fixed(size) => Some(size),
            Extent::Argument(i) if !is_limit => number(i),
            Extent::Product(a, b) if !is_limit => number(a)?.checked_mul(number(b)?),
            // At least the first byte.
            Extent::String | Extent::StringOf(_) | Extent::Formatted(_) => Some(1),
            Extent::StringUpTo(i) if matches!(access, Access::Reads(..)) => number(i).map(|most| most.min(1)),
            _ => None,
        }
    }

    /// Whether what is freed may be freed; a failure if not.
    fn watch_free(&mut self, pointer: &Operand, function: &'static Function, at: Option<Origin>) -> bool {
        let value = self.operand(pointer);
        let address = value.concrete as u64;
        if address == 0 {
            return true;
        }
        let known = self.shadow(pointer).object;
        // Wherever the pointer comes from: what lies in a variable was not allocated.
        let found = Some(self.build.memory.find(address).0).filter(|o| self.is_declared(*o));
        let Some(object) = known.or(found) else { return true };
        if self.watched().lost.contains(&object) {
            return true;
        }
        let offset = address.wrapping_sub(self.build.memory.objects[object as usize].base) as i64;
        let life = self.watched().lives.get(&object).cloned();
        let error = match life {
            Some(Life { freed: Some(_), .. }) => MemoryError::DoubleFree,
            Some(Life { owner: None, .. }) if offset == 0 => return true,
            None if !self.is_declared(object) => return true,
            _ => MemoryError::InvalidFree,
        };
        let misuse = self.misuse(error, object, offset, 0, Act::Frees, Some(function.name));
        if self.passes_over(&misuse) {
            return true;
        }
        self.failed = Some(misuse::found(self, &value, misuse, at));
        false
    }

    fn is_declared(&self, object: u32) -> bool {
        let kind = &self.build.memory.objects[object as usize].kind;
        matches!(kind, ObjectKind::Global(_) | ObjectKind::Local { .. })
    }

    /// A call of a function outside has returned; false when what it did is a failure.
    pub(in crate::walk) fn watch_return(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        target: Option<RegId>,
        result: Option<&Value>,
        at: Option<Origin>,
    ) -> bool {
        if self.watch.is_none() {
            return true;
        }
        let shadows = self.shadows(arguments);
        let values: Vec<Value> = arguments.iter().map(|a| self.operand(a)).collect();
        let known = if let Callee::External(name) = callee { clib::function(name) } else { None };
        let returned = result.map_or(0, |r| r.concrete as u64);
        let mut shadow = Shadow::default();
        match known {
            Some(function) if function.allocates.is_some() || function.frees.is_some() => {
                shadow = self.watch_object(function, &values, &shadows, result, at);
            }
            Some(function) => {
                if !self.watch_was_apart(function, arguments, returned, at)
                    || !self.watch_effect(function, arguments, returned, at)
                    || !self.watch_seen_texts(function, arguments, returned, at)
                {
                    return false;
                }
                self.watch_written(function, &values, &shadows, result);
                shadow = self.found_in(&shadows, returned);
            }
            None => self.watch_unknown(callee, &values, &shadows),
        }
        self.watch_given_away(callee, &values, &shadows);
        self.watch_threads(callee, &values, &shadows);
        if let Some(target) = target {
            self.set_shadow(target, shadow);
        }
        true
    }

    /// The shadow of a pointer that a function found in an object that it was given.
    fn found_in(&self, shadows: &[Shadow], address: u64) -> Shadow {
        let of = shadows.iter().find(|s| s.object.is_some_and(|o| self.holds(o, address)));
        let Some(Shadow { object, part, .. }) = of else { return Shadow::default() };
        let part = part.filter(|part| address.wrapping_sub(part.start) <= part.size);
        Shadow { object: *object, part, ..Shadow::default() }
    }

    /// Whether an address is one of an object, its end included.
    fn holds(&self, object: u32, address: u64) -> bool {
        let object = &self.build.memory.objects[object as usize];
        address >= object.base && address - object.base <= object.size
    }

    /// An object was made or freed, or both; the shadow of the pointer to the new one.
    fn watch_object(
        &mut self,
        function: &'static Function,
        values: &[Value],
        shadows: &[Shadow],
        result: Option<&Value>,
        at: Option<Origin>,
    ) -> Shadow {
        let moment = self.moment(at);
        let returned = result.map_or(0, |r| r.concrete as u64);
        let old = function.frees.and_then(|i| shadows.get(i)).and_then(|s| s.object);
        // Where nothing new could be made the old object lives on.
        let is_freed = function.allocates.is_none() || returned != 0;
        if let Some(life) = old.filter(|_| is_freed).and_then(|o| self.watched().lives.get_mut(&o)) {
            life.freed = Some(moment);
        }
        let (Some(made), true) = (function.allocates, returned != 0) else { return Shadow::default() };
        let Some(object) = self.build.memory.at_base(returned) else { return Shadow::default() };
        let size = match made.size {
            Extent::Argument(i) => values.get(i).map(|v| self.build.refresh(v)),
            Extent::Product(a, b) => values.get(a).zip(values.get(b)).and_then(|(a, b)| self.product(a, b)),
            _ => self.duplicated(object, returned),
        };
        let address = result.and_then(|r| r.facts.reads.first()).map(|(variable, _)| *variable);
        let is_known = size.is_some();
        self.watched()
            .lives
            .insert(object, Life { made: moment, by: function.name, size, address, freed: None, owner: None });
        let bytes = self.build.memory.objects[object as usize].size;
        let is_empty = matches!(made.size, Extent::Argument(_) | Extent::Product(..));
        if is_known && is_empty && !made.zeroed {
            self.watched().memory.make(object, bytes);
        }
        if let Some(old) = old {
            let kept = self.build.memory.objects[old as usize].size.min(bytes);
            self.watched().memory.copy((object, 0), (old, 0), kept);
        }
        Shadow::pointer(object)
    }

    /// The size of a text that was copied into a new object, where all of it was seen or follows from what was copied.
    fn duplicated(&mut self, object: u32, address: u64) -> Option<Value> {
        let size = self.build.memory.objects[object as usize].size;
        let followed = self.build.known_string(address, size as usize).map(|text| text.len() as u64 + 1);
        let length = self.seen_text(address).or(followed)?;
        (size == length).then(|| self.build.constant(64, u128::from(length)))
    }

    pub(in crate::walk) fn product(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let (a, b) = (self.build.refresh(a), self.build.refresh(b));
        let concrete = (a.concrete as u64).checked_mul(b.concrete as u64)?;
        let term = self.build.terms.binary(wherefore_formula::BinaryOp::Mul, a.term, b.term);
        let mut facts = a.facts;
        facts.merge(&b.facts);
        Some(Value { term, concrete: u128::from(concrete), facts })
    }

    /// What a function did is known when it returns: how far it went.
    fn watch_effect(
        &mut self,
        function: &'static Function,
        arguments: &[Operand],
        returned: u64,
        at: Option<Origin>,
    ) -> bool {
        let by = Some(function.name);
        let number = |walker: &mut Self, i: usize| arguments.get(i).map_or(0, |a| walker.operand(a).concrete as u64);
        let done = match function.name {
            "strlen" => Some((0, Act::Reads, returned.saturating_add(1))),
            "strnlen" => Some((0, Act::Reads, returned.saturating_add(1).min(number(self, 1)))),
            // The result is an `int`, negative where it failed.
            "sprintf" => Some((0, Act::Writes, u64::try_from(returned as i32).map_or(0, |n| n + 1))),
            "snprintf" => {
                let all = u64::try_from(returned as i32).map_or(0, |n| n + 1);
                Some((0, Act::Writes, all.min(number(self, 1))))
            }
            "read" => Some((1, Act::Writes, u64::try_from(returned as i64).unwrap_or(0))),
            "fread" => Some((0, Act::Writes, returned.saturating_mul(number(self, 1)))),
            _ => None,
        };
        let Some((argument, act, size)) = done else { return true };
        let Some(pointer) = arguments.get(argument) else { return true };
        let address = self.operand(pointer).concrete as u64;
        self.watch_use(pointer, Use { address, size, ahead: 0, act, by, copies: false, at })
    }

    /// What a function may have written is set, and what it points to is not known.
    fn watch_written(
        &mut self,
        function: &'static Function,
        values: &[Value],
        shadows: &[Shadow],
        result: Option<&Value>,
    ) {
        let scanned = match function.format {
            Some(Format::Scan(format)) => self.scanned(values.get(format), result).unwrap_or(values.len()),
            _ => 0,
        };
        for (index, (value, shadow)) in values.iter().zip(shadows).enumerate() {
            let written = function.accesses.iter().any(|a| matches!(a, Access::Writes(i, _) if *i == index));
            if written || (function.arguments..function.arguments + scanned).contains(&index) {
                self.forget_from(value.concrete as u64, *shadow);
            }
        }
        // `%n` writes through what a print is given.
        if matches!(function.format, Some(Format::Print(_))) || function.calls_back.is_some() {
            for (value, shadow) in values.iter().zip(shadows).skip(function.arguments) {
                self.forget_from(value.concrete as u64, *shadow);
            }
        }
        match function.name {
            // It writes into the text that it was given first, and jumps write nothing.
            "strtok" | "longjmp" => {}
            "getline" | "getdelim" => self.lose_line(values),
            _ if function.writes_elsewhere => self.watch_elsewhere(values, shadows),
            _ => {}
        }
    }

    /// How many places a scan has written, the first ones: as many as it says, where each conversion counts.
    fn scanned(&mut self, format: Option<&Value>, result: Option<&Value>) -> Option<usize> {
        let text = self.build.constant_text(format?.concrete as u64)?;
        let pieces = clib::scan::parse(text.as_bytes()).ok()?;
        let counts = |piece: &Piece| !matches!(piece, Piece::Directive(d) if matches!(d.conversion, Conversion::Count));
        pieces.iter().all(counts).then_some((result?.concrete as u32 as i32).max(0) as usize)
    }

    pub(super) fn forget_from(&mut self, address: u64, shadow: Shadow) {
        if let Some(length) = self.seen_text(address) {
            let (object, offset) = self.build.memory.find(address);
            self.watched().memory.set(object, offset, length);
            return;
        }
        let (object, offset) = self.build.memory.find(address);
        self.watched().memory.forget(object, if object == FOREIGN { 0 } else { offset });
        if let Some(object) = shadow.object {
            let base = self.build.memory.objects[object as usize].base;
            self.watched().memory.forget(object, address.saturating_sub(base));
        }
    }

    /// The buffer that a line is read into may be another or have another size now.
    fn lose_line(&mut self, values: &[Value]) {
        let Some(pointer) = values.first() else { return };
        let (object, offset) = self.build.memory.find(pointer.concrete as u64);
        for old in self.watched().memory.reached_from(object) {
            self.watched().lost.insert(old);
            self.watched().memory.forget(old, 0);
        }
        self.watched().memory.forget(object, offset);
    }
}
