//! A use of memory that C does not allow, in words.

use crate::naming::{Names, Position};
use wherefore_formula::VarId;
use wherefore_program::{CType, Field, Origin, TypeId, Types};
use wherefore_trace::{Act, MemoryError, Misuse, ObjectKind, Storage};

impl Names<'_> {
    /// What is wrong, as a sentence about what the program does at a place.
    pub fn misuse(&self, misuse: &Misuse, at: Option<Origin>, position: Position) -> String {
        let what = match misuse.error {
            MemoryError::OutOfBounds => self.out_of_bounds(misuse, at, position),
            MemoryError::UseAfterFree => {
                let used = self.used(misuse, position);
                let freed = self.line(misuse.freed_at, at, "freed");
                let made = self.line(misuse.made_at, at, "made");
                format!("{} {used} of an object {}", verb(misuse), listed(&[freed, made]))
            }
            MemoryError::UseAfterReturn => {
                let own = self.declared_name(misuse.object);
                let name = own.unwrap_or_else(|| self.object(misuse.object, position));
                let function = self.owner(misuse.object).map_or(String::new(), |f| format!(" of {f}()"));
                let declared = self.line(misuse.made_at, at, "; declared");
                format!("{} {name}{function} after it has returned{declared}", verb(misuse))
            }
            MemoryError::UseAfterScope => {
                let declared = self.line(misuse.made_at, at, "");
                let used = self.used(misuse, position);
                format!("{} {used} after the end of the block that declares it{declared}", verb(misuse))
            }
            MemoryError::DoubleFree => {
                let freed = self.line(misuse.freed_at, at, "freed");
                let made = self.line(misuse.made_at, at, "made");
                format!("frees an object a second time: {}", listed(&[freed, made]))
            }
            MemoryError::InvalidFree => self.invalid_free(misuse, at, position),
            MemoryError::Uninitialised => self.uninitialised(misuse, at, position),
            MemoryError::Overlap => {
                let name = self.declared_name(misuse.object).unwrap_or_else(|| self.object(misuse.object, position));
                let name = if name.contains('@') { "an object".into() } else { name };
                format!("copies {} within {name} to where some of them come from", bytes(misuse.bytes))
            }
            MemoryError::ReadOnly => {
                let constant = match self.object_name(misuse.object, position) {
                    Some(name) => format!("{name}, a constant{}", self.line(misuse.made_at, at, ", declared")),
                    None => "a string literal, which cannot be changed".into(),
                };
                format!("writes {} into {constant}", bytes(misuse.bytes))
            }
        };
        match misuse.by {
            Some(by) if misuse.act != Act::Frees && misuse.act != Act::Passes => format!("{by}() {what}"),
            _ => what,
        }
    }

    /// The name of an object: its own, that of a pointer to it, or the place where it was made.
    pub fn object(&self, object: u32, position: Position) -> String {
        if let Some(name) = self.object_name(object, position) {
            return name;
        }
        let named = |v: VarId| self.variable(v, position);
        let ways = self.pointers.ways(self.program, self.trace, position.activation, position.values, named);
        let way = ways.get(&object).filter(|way| way.offset == 0).map(|way| way.pointer.clone());
        way.or_else(|| self.pointer_to(object, position)).unwrap_or_else(|| self.memory(object))
    }

    /// The name of a pointer that holds the address of an object, when it is fit to be read.
    fn pointer_to(&self, object: u32, position: Position) -> Option<String> {
        let base = u128::from(self.trace.objects[object as usize].base);
        let holds = |v: &usize| {
            let ctype = self.trace.variables[*v].ctype;
            position.values[*v] == Some(base)
                && ctype.is_some_and(|t| matches!(self.program.types[t], CType::Pointer(_)))
                && !matches!(self.trace.variables[*v].storage, Storage::External { .. } | Storage::Saved { .. })
        };
        let holding = (0..self.trace.variables.len()).filter(holds).map(|v| VarId(v as u32));
        let holding = holding.filter(|v| self.pointers.belongs(self.trace, *v, base as u64, object));
        let named = holding.map(|v| self.variable(v, position));
        named.filter(|name| is_plain(name)).min_by_key(String::len)
    }

    /// The name of a declared object.
    fn object_name(&self, object: u32, position: Position) -> Option<String> {
        match self.trace.objects[object as usize].kind {
            ObjectKind::Global(global) => self.apart.global(global, position.activation),
            ObjectKind::Local { activation, local, .. } => {
                self.apart.local(activation, local, position).or_else(|| self.declared_name(object))
            }
            _ => None,
        }
    }

    /// The name that a local was declared by, whether it can be seen or not.
    fn declared_name(&self, object: u32) -> Option<String> {
        let ObjectKind::Local { activation, local, .. } = self.trace.objects[object as usize].kind else { return None };
        let function = self.trace.activations[activation as usize].function;
        self.program.functions[function.index()].locals[local.index()].name.clone()
    }

    /// The function whose local an object is.
    fn owner(&self, object: u32) -> Option<&str> {
        let ObjectKind::Local { activation, .. } = self.trace.objects[object as usize].kind else { return None };
        let function = self.trace.activations[activation as usize].function;
        Some(&self.program.functions[function.index()].name)
    }

    fn object_type(&self, object: u32) -> Option<TypeId> {
        match self.trace.objects[object as usize].kind {
            ObjectKind::Global(global) => self.program.globals[global.index()].ctype,
            ObjectKind::Local { ctype, .. } => ctype,
            _ => None,
        }
    }

    fn out_of_bounds(&self, misuse: &Misuse, at: Option<Origin>, position: Position) -> String {
        let size = misuse.size.unwrap_or(0);
        let verb = verb(misuse);
        let side = if misuse.offset < 0 { "before the start of" } else { "past the end of" };
        if let Some(part) = misuse.part {
            let member = self.member(misuse.object, part, size, position);
            let (name, element) = member.unwrap_or_else(|| ("an array in a struct".into(), None));
            return match element.filter(|_| !name.contains(' ')).and_then(|bytes| whole_element(misuse, bytes)) {
                Some(index) => {
                    let extent = element.filter(|e| *e > 1).map_or(bytes(size), |e| counted(size / e, "element"));
                    format!("{verb} {name}[{index}], {side} {name} ({extent}), inside of its struct")
                }
                None => format!("{verb} {} {name} ({}), inside of its struct", amount(misuse, size), bytes(size)),
            };
        }
        if let Some(name) = self.object_name(misuse.object, position) {
            let (extent, element) = self.extent(misuse.object, size);
            let declared = self.line(misuse.made_at, at, ", declared");
            if let Some(index) = element.and_then(|bytes| whole_element(misuse, bytes)) {
                return format!("{verb} {name}[{index}], {side} {name} ({extent}{declared})");
            }
            return format!("{verb} {} {name} ({extent}{declared})", amount(misuse, size));
        }
        if matches!(self.trace.objects[misuse.object as usize].kind, ObjectKind::Global(_)) {
            return format!("{verb} {} a string literal of {}", amount(misuse, size), bytes(size));
        }
        let article = if matches!(size.to_string().as_bytes(), [b'8', ..] | b"11" | b"18") { "an" } else { "a" };
        let made = match (misuse.made_by, self.line(misuse.made_at, at, "")) {
            (Some(by), line) if !line.is_empty() => format!(" ({by}{line})"),
            _ => String::new(),
        };
        format!("{verb} {} {article} {size}-byte object{made}", amount(misuse, size))
    }

    /// The name of an array that is a member of an object, and the size of its elements.
    fn member(&self, object: u32, offset: u64, size: u64, position: Position) -> Option<(String, Option<u64>)> {
        let types = &self.program.types;
        if let (Some(name), Some(ctype)) = (self.object_name(object, position), self.object_type(object)) {
            let (suffix, element) = array_at(types, ctype, offset, size)?;
            return Some((format!("{name}{suffix}"), Some(element)));
        }
        let named = |v: VarId| self.variable(v, position);
        let ways = self.pointers.ways(self.program, self.trace, position.activation, position.values, named);
        let way = ways.get(&object)?;
        let (suffix, element) = array_at(types, way.target, offset.checked_sub(way.offset)?, size)?;
        let suffix = suffix.strip_prefix('.')?;
        Some((format!("{}->{suffix}", way.pointer), Some(element)))
    }

    /// How large a declared object is, in words, and the size of its elements.
    fn extent(&self, object: u32, size: u64) -> (String, Option<u64>) {
        let types = &self.program.types;
        let element = match self.object_type(object).map(|t| &types[t]) {
            Some(CType::Array { element, .. }) => types.size(*element).filter(|s| *s > 0),
            _ => None,
        };
        match element {
            Some(bytes) if bytes > 1 => (counted(size / bytes, "element"), element),
            _ => (bytes(size), element),
        }
    }

    fn invalid_free(&self, misuse: &Misuse, at: Option<Origin>, position: Position) -> String {
        if let Some(name) = self.object_name(misuse.object, position) {
            return format!("frees {name}, which was not allocated{}", self.line(misuse.made_at, at, "; declared"));
        }
        let made = self.line(misuse.made_at, at, ", made");
        match misuse.offset {
            0 => format!("frees an object that was not allocated by malloc(){made}"),
            offset if offset > 0 => format!("frees a pointer {} into an object{made}", bytes(offset as u64)),
            offset => format!("frees a pointer {} before an object{made}", bytes(offset.unsigned_abs())),
        }
    }

    fn uninitialised(&self, misuse: &Misuse, at: Option<Origin>, position: Position) -> String {
        let name = self.used(misuse, position);
        let what = match (misuse.act, misuse.by) {
            (Act::Decides, _) => format!("decides on {name}"),
            (Act::Passes, Some(by)) => format!("gives {by}() {name}"),
            (Act::Follows, _) => format!("follows the pointer {name}"),
            _ => format!("uses {name}"),
        };
        let declared = if misuse.made_by.is_some() { "; made" } else { "; declared" };
        format!("{what}, which nobody has set{}", self.line(misuse.made_at, at, declared))
    }

    /// What is used of an object: by its name where it has one that is fit to be read.
    fn used(&self, misuse: &Misuse, position: Position) -> String {
        let bits = misuse.bytes * 8;
        if let Some(name) = self.object_name(misuse.object, position) {
            let ctype = self.object_type(misuse.object);
            let suffix =
                ctype.zip(u64::try_from(misuse.offset).ok()).and_then(|(t, at)| leaf(&self.program.types, t, at));
            return suffix.map_or_else(|| format!("a part of {name}"), |suffix| format!("{name}{suffix}"));
        }
        // Another object may have taken its place.
        let base = self.trace.objects[misuse.object as usize].base;
        if self.trace.objects.iter().skip(misuse.object as usize + 1).any(|o| o.base == base) {
            return bytes(misuse.bytes);
        }
        let is_it = |storage: &Storage| {
            matches!(storage, Storage::Heap { object, offset }
                if *object == misuse.object && *offset as i64 == misuse.offset)
        };
        let cells = || self.trace.variables.iter().enumerate().filter(|(_, v)| is_it(&v.storage));
        // What nobody has set may be a part of what is used.
        let exact = cells().find(|(_, v)| u64::from(v.bits) == bits);
        let cell = exact.or_else(|| cells().find(|(_, v)| u64::from(v.bits) > bits)).map(|(n, _)| n);
        let named = cell.map(|v| self.variable(VarId(v as u32), position));
        named.filter(|name| is_plain(name)).unwrap_or_else(|| bytes(misuse.bytes))
    }

    /// `freed at line 12`, or nothing.
    fn line(&self, place: Option<Origin>, from: Option<Origin>, what: &str) -> String {
        let Some(place) = place else { return String::new() };
        if from.is_some_and(|from| from.file == place.file) {
            return format!("{what} at line {}", place.line);
        }
        let file = self.program.files.get(place.file.index()).map_or("", String::as_str);
        format!("{what} at {file}:{}", place.line)
    }
}

/// The name of the array at an offset of an object of a type, as a suffix, and the size of its elements.
fn array_at(types: &Types, ctype: TypeId, offset: u64, size: u64) -> Option<(String, u64)> {
    match &types[ctype] {
        CType::Array { element, .. } if offset == 0 && types.size(ctype) == Some(size) => {
            Some((String::new(), types.size(*element)?))
        }
        CType::Array { element, .. } => {
            let bytes = types.size(*element).filter(|s| *s > 0)?;
            let (rest, inner) = array_at(types, *element, offset % bytes, size)?;
            Some((format!("[{}]{rest}", offset / bytes), inner))
        }
        CType::Record { fields, .. } => fields
            .iter()
            .filter(|f| !f.bit_field && f.offset / 8 <= offset && (offset + size) * 8 <= f.offset + f.size)
            .find_map(|f| {
                let (rest, inner) = array_at(types, f.ctype, offset - f.offset / 8, size)?;
                let name = if f.name.is_empty() { String::new() } else { format!(".{}", f.name) };
                Some((format!("{name}{rest}"), inner))
            }),
        _ => None,
    }
}

/// The name of the scalar that a byte of an object of a type belongs to, as a suffix.
fn leaf(types: &Types, ctype: TypeId, offset: u64) -> Option<String> {
    match &types[ctype] {
        CType::Array { element, .. } => {
            let size = types.size(*element).filter(|s| *s > 0)?;
            Some(format!("[{}]{}", offset / size, leaf(types, *element, offset % size)?))
        }
        CType::Record { fields, .. } => {
            let within = |f: &&Field| f.offset <= offset * 8 && offset * 8 < f.offset + f.size;
            let field = fields.iter().find(within)?;
            let name = if field.name.is_empty() { String::new() } else { format!(".{}", field.name) };
            let rest =
                if field.bit_field { String::new() } else { leaf(types, field.ctype, offset - field.offset / 8)? };
            Some(format!("{name}{rest}"))
        }
        _ => Some(String::new()),
    }
}

/// Whether a name is one that the program could have written at the place.
fn is_plain(name: &str) -> bool {
    !name.contains(['@', '#', '(', ':'])
}

fn verb(misuse: &Misuse) -> &'static str {
    match misuse.act {
        Act::Writes => "writes",
        Act::Frees => "frees",
        _ => "reads",
    }
}

/// The element that an access is the whole of.
fn whole_element(misuse: &Misuse, bytes: u64) -> Option<i64> {
    let is_whole = misuse.by.is_none() && misuse.bytes == bytes && misuse.offset % bytes as i64 == 0;
    is_whole.then(|| misuse.offset / bytes as i64)
}

/// How many bytes are used outside of an object of a size, up to the word before its name.
fn amount(misuse: &Misuse, size: u64) -> String {
    let used = bytes(misuse.bytes);
    match u64::try_from(misuse.offset) {
        Err(_) => format!("{used} {} before the start of", bytes(misuse.offset.unsigned_abs())),
        Ok(offset) if offset == size => format!("{used} past the end of"),
        Ok(offset) if offset > size => format!("{used} {} past the end of", bytes(offset - size)),
        Ok(offset) => format!("{used} where {} left of", left(size - offset)),
    }
}

fn left(bytes: u64) -> String {
    match bytes {
        1 => "1 byte is".into(),
        _ => format!("{bytes} bytes are"),
    }
}

fn bytes(number: u64) -> String {
    counted(number, "byte")
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Those that say something, after a comma each.
fn listed(parts: &[String]) -> String {
    parts.iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join(", ")
}
