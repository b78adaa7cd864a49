//! A run that the machine stops because of an address: which pointer it was, and what was done through it.

use crate::builder::Value;
use crate::failure::{Found, NULL_PAGE, conditional, plain, signal_name};
use crate::memory::{FOREIGN, ObjectKind};
use crate::misuse;
use crate::model::{Act, BadPointer, FailureKind, MemoryError};
use crate::walk::STACK;
use crate::walk::{SIGBUS, SIGSEGV, Walker};
use std::collections::HashMap;
use wherefore_clib::{self as clib, Access, Extent, Format, Function, print, scan};
use wherefore_formula::{BinaryOp, Node, TermId};
use wherefore_program::{CType, Callee, Command, Operand, Origin, Place};

/// With this part of the stack seen in use, it may be used up.
const OF_THE_STACK: (u64, u64) = (7, 8);

/// So many calls under way use up a stack of the usual size, whatever is seen of it.
const CALLS: u64 = 20_000;

/// Where the addresses end that a process can have.
const ADDRESSES: u64 = 1 << 47;

/// A use of memory that the machine did not allow.
#[derive(Copy, Clone)]
struct Use {
    act: Act,
    by: Option<&'static str>,
    bytes: Option<u64>,
    at: Option<Origin>,
}

/// The run was stopped by a memory fault when it stood at a command.
pub fn fault(walker: &mut Walker, signal: i32, command: &Command, at: Option<Origin>) -> Found {
    let direct = |act: Act, bytes: Option<u64>| Use { act, by: None, bytes, at };
    match command {
        Command::Load { place: Place::Memory(pointer), target, .. } => {
            let frame = walker.frames.last().expect("at a command");
            let bits = walker.program.functions[frame.function.index()].registers[target.index()];
            accessed(walker, signal, &[pointer], direct(Act::Reads, Some(u64::from(bits.div_ceil(8)))))
        }
        Command::Store { place: Place::Memory(pointer), bits, .. } => {
            accessed(walker, signal, &[pointer], direct(Act::Writes, Some(u64::from(bits.div_ceil(8)))))
        }
        Command::Copy { to, from, length, .. } => {
            let size = walker.operand(length).concrete as u64;
            let written = walker.operand(to).concrete as u64;
            let is_writing = walker.cannot_be_written(written);
            let act = if is_writing { Act::Writes } else { Act::Reads };
            let pointers = if is_writing { [to, from] } else { [from, to] };
            accessed(walker, signal, &pointers, direct(act, Some(size)))
        }
        Command::Fill { to, length, .. } => {
            let size = walker.operand(length).concrete as u64;
            accessed(walker, signal, &[to], direct(Act::Writes, Some(size)))
        }
        Command::Call { callee: Callee::Function(id), .. } => {
            let name = walker.program.functions[id.index()].name.clone();
            overflow(walker, &format!("the call of {name}()"), at)
        }
        Command::Call { callee: Callee::Pointer(pointer), .. } => {
            let is_function = is_function(walker, pointer);
            if is_function && is_used_up(walker) {
                return overflow(walker, "a call", at);
            }
            bad_pointer(walker, pointer, direct(Act::Calls, None))
        }
        Command::Call { callee: Callee::External(name), arguments, .. } => {
            inside_library(walker, signal, name, arguments, at)
        }
        _ => unexplained(walker, signal, at),
    }
}

fn unexplained(walker: &mut Walker, signal: i32, at: Option<Origin>) -> Found {
    if is_used_up(walker) {
        let function = walker.frames.last().expect("at a command").function;
        let name = walker.program.functions[function.index()].name.clone();
        return overflow(walker, &format!("{name}()"), at);
    }
    plain(walker, FailureKind::Signal, at, format!("the program is ended by {}", signal_name(signal)))
}

fn overflow(walker: &mut Walker, within: &str, at: Option<Origin>) -> Found {
    let depth = walker.frames.len();
    let calls = if depth > 1 { format!(", {depth} calls deep") } else { String::new() };
    plain(walker, FailureKind::Stack, at, format!("the stack overflows in {within}{calls}"))
}

/// A run that did not begin since the variables of `main` have no room.
pub fn too_large(walker: &mut Walker, signal: i32) -> Option<Found> {
    let main = &walker.program.functions[walker.program.function("main")?.index()];
    let size = declared_size(main);
    if signal != SIGSEGV || walker.at > 0 || size < used_up(walker) {
        return None;
    }
    let message = format!("the stack overflows in main(): its variables take {size} bytes");
    Some(plain(walker, FailureKind::Stack, main.origin, message))
}

fn declared_size(function: &wherefore_program::Function) -> u64 {
    function.locals.iter().filter_map(|local| local.size).fold(0, u64::saturating_add)
}

fn is_function(walker: &mut Walker, pointer: &Operand) -> bool {
    let address = walker.operand(pointer).concrete as u64;
    walker.recorded.functions.contains(&address)
}

/// Whether the stack may be used up, as far as the addresses and sizes of variables tell.
pub fn is_used_up(walker: &Walker) -> bool {
    let most = usize::try_from(CALLS * walker.recorded.stack / STACK).unwrap_or(usize::MAX);
    let Some(top) = walker.frames.last().filter(|_| walker.frames.len() < most) else { return true };
    // The variables of the function on top may not have got their places yet.
    let declared = declared_size(&walker.program.functions[top.function.index()]);
    let objects = walker.frames.iter().flat_map(|f| f.locals.iter().flatten());
    let placed = objects.map(|id| &walker.build.memory.objects[*id as usize]).filter(|object| object.base > 0);
    let ends = placed.map(|object| (object.base, object.base.saturating_add(object.size)));
    let span = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map_or(0, |(low, high)| high - low);
    span >= used_up(walker) || declared >= used_up(walker)
}

fn used_up(walker: &Walker) -> u64 {
    walker.recorded.stack / OF_THE_STACK.1 * OF_THE_STACK.0
}

/// An access through the first of the pointers whose addresses are recorded before it.
fn accessed(walker: &mut Walker, signal: i32, pointers: &[&Operand], it: Use) -> Found {
    // Where these are not the last words, the run did not get here.
    let tail = &walker.recorded.words[walker.recorded.words.len().saturating_sub(3)..];
    let last: Vec<u64> = tail.to_vec();
    let is_here = pointers.iter().all(|p| last.contains(&(walker.operand(p).concrete as u64)));
    let address = walker.operand(pointers[0]).concrete as u64;
    let (object, offset) = walker.build.memory.find(address);
    if !is_here {
        return unexplained(walker, signal, it.at);
    }
    match walker.build.memory.objects[object as usize].kind {
        ObjectKind::Foreign => bad_pointer(walker, pointers[0], it),
        ObjectKind::Global(_) if it.act == Act::Writes && walker.is_constant(object) => {
            read_only(walker, pointers[0], (object, offset), it)
        }
        ObjectKind::Local { .. } => unexplained(walker, signal, it.at),
        _ => {
            let pointer = walker.operand(pointers[0]);
            let message = format!("the program is ended by {}", signal_name(signal));
            let recorded = walker.build.terms.bits(64, pointer.concrete);
            let violated = walker.build.terms.eq(pointer.term, recorded);
            conditional(walker, FailureKind::Signal, violated, pointer.facts, it.at, message)
        }
    }
}

/// What cannot be changed was written.
fn read_only(walker: &mut Walker, pointer: &Operand, (object, offset): (u32, u64), it: Use) -> Found {
    let bytes = it.bytes.unwrap_or(1);
    let misuse = walker.misuse(MemoryError::ReadOnly, object, offset as i64, bytes, it.act, it.by);
    let value = walker.operand(pointer);
    misuse::found(walker, &value, misuse, it.at)
}

/// A use of a pointer that points to nothing.
fn bad_pointer(walker: &mut Walker, operand: &Operand, it: Use) -> Found {
    let pointer = walker.operand(operand);
    let address = pointer.concrete as u64;
    let place = it.by.map_or(String::new(), |by| format!(" in {by}()"));
    if let Some(base) = null_base(walker, operand, &pointer) {
        return blame(walker, (base, 0), &pointer, it, format!("null pointer dereference{place}"));
    }
    if address < NULL_PAGE {
        return blame(walker, (pointer.term, address), &pointer, it, format!("null pointer dereference{place}"));
    }
    let access = match it.act {
        Act::Writes => "written",
        Act::Calls => "called",
        _ => "read",
    };
    if let Some((base, base_address)) = object_base(walker, &pointer) {
        let (object, offset) = walker.build.memory.find(base_address);
        let size = walker.build.memory.objects[object as usize].size;
        let terms = &mut walker.build.terms;
        let distance = terms.binary(BinaryOp::Sub, pointer.term, base);
        let offset = terms.bits(64, u128::from(offset));
        let distance = terms.binary(BinaryOp::Add, distance, offset);
        let size = terms.bits(64, u128::from(size));
        let violated = terms.uge(distance, size);
        let message = format!("memory outside of the object is {access}");
        return conditional(walker, FailureKind::Outside, violated, pointer.facts, it.at, message);
    }
    blame(walker, (pointer.term, address), &pointer, it, format!("memory that belongs to nothing is {access}{place}"))
}

/// The failure that a pointer, or what it is counted from, has a value.
fn blame(walker: &mut Walker, (base, value): (TermId, u64), pointer: &Value, it: Use, message: String) -> Found {
    let base = Value { term: base, concrete: u128::from(value), facts: pointer.facts.clone() };
    let base = walker.build.refresh(&base);
    let recorded = walker.build.terms.bits(64, u128::from(value));
    let violated = walker.build.terms.eq(base.term, recorded);
    let offset = (pointer.concrete as u64).wrapping_sub(value) as i64;
    let bad = BadPointer { pointer: base.term, value, offset, act: it.act, by: it.by, bytes: it.bytes };
    let kind = if value < NULL_PAGE { FailureKind::Null(bad) } else { FailureKind::Wild(bad) };
    conditional(walker, kind, violated, base.facts, it.at, message)
}

/// The part of a pointer that is null, and that an index or the offset of a member is added to.
fn null_base(walker: &mut Walker, operand: &Operand, pointer: &Value) -> Option<TermId> {
    if pointer.concrete == 0 {
        return Some(pointer.term);
    }
    let base = walker.base_of(operand);
    let counted_from = walker.operand(&base);
    let is_near = (pointer.concrete as u64) < NULL_PAGE;
    if counted_from.concrete == 0 && (is_near || is_pointer(walker, counted_from.term)) {
        return Some(counted_from.term);
    }
    if is_near { zero_part(walker, pointer) } else { None }
}

fn is_pointer(walker: &Walker, term: TermId) -> bool {
    let Node::Var(variable, _) = *walker.build.terms.node(term) else { return false };
    let ctype = walker.build.variables[variable.0 as usize].ctype;
    ctype.is_some_and(|t| matches!(walker.program.types[t], CType::Pointer(_)))
}

/// The values of a pointer's parts in the run.
fn concrete_parts(walker: &Walker, pointer: &Value) -> HashMap<TermId, u64> {
    let mut values = HashMap::new();
    for part in walker.build.terms.reachable(&[pointer.term]) {
        let value = walker.build.terms.evaluate(part, &mut |v| walker.build.current_value(v));
        if let Some(value) = value {
            values.insert(part, value.raw() as u64);
        }
    }
    values
}

/// The part of a sum that is 0: `p` in `p + 8`.
fn zero_part(walker: &Walker, pointer: &Value) -> Option<TermId> {
    let values = concrete_parts(walker, pointer);
    let mut work = vec![pointer.term];
    while let Some(part) = work.pop() {
        if values.get(&part) == Some(&0) && walker.build.terms.constant(part).is_none() {
            return Some(part);
        }
        if let Node::Binary(BinaryOp::Add, a, b) = walker.build.terms.node(part) {
            work.extend([*b, *a]);
        }
    }
    None
}

/// The part of a pointer's expression that points into an object of the program, and its value.
fn object_base(walker: &Walker, pointer: &Value) -> Option<(TermId, u64)> {
    let values = concrete_parts(walker, pointer);
    let mut work = vec![pointer.term];
    while let Some(part) = work.pop() {
        let value = values.get(&part).copied()?;
        if walker.build.memory.find(value).0 != FOREIGN {
            return Some((part, value));
        }
        if let Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) = walker.build.terms.node(part) {
            work.extend([*b, *a]);
        }
    }
    None
}

/// A signal inside a function of the library: blame an argument that it follows, where one points to nothing for sure.
pub fn inside_library(
    walker: &mut Walker,
    signal: i32,
    name: &str,
    arguments: &[Operand],
    at: Option<Origin>,
) -> Found {
    let ended = format!("{name}() ends the program by {}", signal_name(signal));
    if !matches!(signal, SIGSEGV | SIGBUS) {
        return plain(walker, FailureKind::Signal, at, ended);
    }
    let function = clib::function(name);
    if let Some((argument, it)) = function.and_then(|f| followed_nowhere(walker, f, arguments, at)) {
        return bad_pointer(walker, argument, it);
    }
    if let Some((argument, it)) = function.and_then(|f| formatted_nowhere(walker, f, arguments, at)) {
        let bits = width(walker, argument);
        if bits == 64 {
            return bad_pointer(walker, argument, it);
        }
        let value = walker.operand(argument);
        let recorded = walker.build.terms.bits(bits, value.concrete);
        let violated = walker.build.terms.eq(value.term, recorded);
        let message = format!("{ended}: the format asks for a pointer and gets a number");
        return conditional(walker, FailureKind::Signal, violated, value.facts, at, message);
    }
    if is_used_up(walker) {
        return overflow(walker, &format!("the call of {name}()"), at);
    }
    // What a function does of which nothing is known may need every pointer that it is given.
    let values: Vec<Value> = arguments.iter().map(|a| walker.operand(a)).collect();
    let null = values.into_iter().find(|v| v.concrete == 0 && is_pointer(walker, v.term));
    let Some(null) = null.filter(|_| function.is_none()) else {
        return plain(walker, FailureKind::Signal, at, ended);
    };
    let zero = walker.build.terms.bits(64, 0);
    let violated = walker.build.terms.eq(null.term, zero);
    conditional(walker, FailureKind::Signal, violated, null.facts, at, format!("given a null pointer, {ended}"))
}

/// The first argument that a function follows although it points to nothing.
fn followed_nowhere<'a>(
    walker: &mut Walker,
    function: &'static Function,
    arguments: &'a [Operand],
    at: Option<Origin>,
) -> Option<(&'a Operand, Use)> {
    let by = Some(function.name);
    let accesses = function.accesses.iter().filter(|a| !function.optional.contains(&a.through()));
    let mut uses = vec![];
    for access in accesses {
        let act = if matches!(access, Access::Writes(..)) { Act::Writes } else { Act::Reads };
        let mut number = |i: usize| arguments.get(i).map(|a| walker.operand(a).concrete as u64);
        let bytes = match access.extent() {
            Extent::Fixed(size) => Some(size),
            Extent::Argument(i) => number(i),
            Extent::Product(a, b) => number(a).zip(number(b)).map(|(a, b)| a.saturating_mul(b)),
            Extent::StringUpTo(i) => number(i).filter(|most| *most == 0),
            Extent::String | Extent::StringOf(_) | Extent::Formatted(_) | Extent::Open => None,
        };
        if bytes != Some(0) {
            uses.push((access.through(), Use { act, by, bytes, at }));
        }
    }
    uses.extend(function.handles().map(|argument| (argument, Use { act: Act::Reads, by, bytes: None, at })));
    let is_wild = |address: u64| address < NULL_PAGE || address >= ADDRESSES && function.works_on_memory();
    let mut nowhere = |argument: &Operand| is_wild(walker.operand(argument).concrete as u64);
    uses.into_iter().find_map(|(i, it)| arguments.get(i).filter(|a| nowhere(a)).map(|a| (a, it)))
}

/// The first argument that a function follows as its format says although it points to nothing.
fn formatted_nowhere<'a>(
    walker: &mut Walker,
    function: &'static Function,
    arguments: &'a [Operand],
    at: Option<Origin>,
) -> Option<(&'a Operand, Use)> {
    let (number, prints) = match function.format? {
        Format::Print(number) => (number, true),
        Format::Scan(number) => (number, false),
    };
    let format = walker.format_text(arguments.get(number)?)?;
    // The library prints a null pointer as a text of its own.
    let followed: Vec<(usize, Act, u64)> = if prints {
        let pieces = print::parse(&format).ok()?.into_iter();
        let texts = pieces.filter_map(|piece| match piece {
            print::Piece::Directive(d) => (d.conversion == print::Conversion::String).then_some(d.argument),
            print::Piece::Text(_) => None,
        });
        texts.map(|argument| (argument, Act::Reads, 1)).collect()
    } else {
        let pieces = scan::parse(&format).ok()?.into_iter();
        let stored = pieces.filter_map(|piece| match piece {
            scan::Piece::Directive(d) => d.argument,
            _ => None,
        });
        stored.map(|argument| (argument, Act::Writes, 0)).collect()
    };
    let given =
        |(argument, act, least): (usize, Act, u64)| Some((arguments.get(function.arguments + argument)?, act, least));
    followed.into_iter().filter_map(given).find_map(|(argument, act, least)| {
        let address = walker.operand(argument).concrete as u64;
        let nowhere = (least..NULL_PAGE).contains(&address) || address >= ADDRESSES || width(walker, argument) < 64;
        nowhere.then_some((argument, Use { act, by: Some(function.name), bytes: None, at }))
    })
}

/// The bits of an operand.
fn width(walker: &mut Walker, operand: &Operand) -> u32 {
    let term = walker.operand(operand).term;
    walker.build.terms.width(term)
}
