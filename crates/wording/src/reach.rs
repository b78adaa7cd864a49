//! How objects without names are reached from the variables that are visible: `head->next->value`.

use crate::part::part;
use std::collections::{BTreeMap, HashMap, VecDeque};
use wherefore_formula::VarId;
use wherefore_program::{CType, GlobalId, LocalId, Program, TypeId};
use wherefore_trace::{Action, ObjectKind, Storage, Trace, Variable};

/// How many pointers are followed.
const DEPTH: usize = 5;

/// Pointers and objects of a trace, ordered for looking up.
pub struct Pointers {
    by_activation: HashMap<u32, Vec<VarId>>,
    globals: Vec<VarId>,
    in_object: HashMap<u32, Vec<VarId>>,
    objects_of_locals: HashMap<(u32, LocalId), u32>,
    objects_of_globals: HashMap<GlobalId, u32>,
    by_base: BTreeMap<u64, Vec<u32>>,
    /// Where each pointer is set to each of its values.
    set: HashMap<(VarId, u64), Vec<usize>>,
    /// Number of steps before another object took the place of one.
    replaced: HashMap<u32, usize>,
}

/// A way to an object: the text of a pointer to it, what the pointer's type says is there, and where in the object it
/// points.
#[derive(Clone, Debug)]
pub struct Way {
    /// C text of the pointer.
    pub pointer: String,
    /// What it points to.
    pub target: TypeId,
    /// Offset in the object.
    pub offset: u64,
    /// Size of the object.
    pub bytes: u64,
}

impl Pointers {
    /// Collect the pointers of a trace.
    pub fn new(program: &Program, trace: &Trace) -> Self {
        let mut pointers = Pointers {
            by_activation: HashMap::new(),
            globals: vec![],
            in_object: HashMap::new(),
            objects_of_locals: HashMap::new(),
            objects_of_globals: HashMap::new(),
            by_base: BTreeMap::new(),
            set: HashMap::new(),
            replaced: replaced(trace),
        };
        for (index, object) in trace.objects.iter().enumerate() {
            match object.kind {
                ObjectKind::Local { activation, local, .. } => {
                    pointers.objects_of_locals.insert((activation, local), index as u32);
                }
                ObjectKind::Global(global) => {
                    pointers.objects_of_globals.insert(global, index as u32);
                }
                _ => {}
            }
        }
        for (index, variable) in trace.variables.iter().enumerate() {
            let id = VarId(index as u32);
            let is_pointer = variable.ctype.is_some_and(|t| matches!(program.types[t], CType::Pointer(_)));
            match variable.storage {
                Storage::Heap { object, .. } => {
                    pointers.in_object.entry(object).or_default().push(id);
                    pointers.by_base.entry(trace.objects[object as usize].base).or_default().push(object);
                }
                // A compound literal is reached as what is allocated.
                Storage::Local { activation, local, .. }
                    if variable.address.is_some() && is_unnamed(program, trace, activation, local) =>
                {
                    let object = pointers.objects_of_locals[&(activation, local)];
                    pointers.in_object.entry(object).or_default().push(id);
                    pointers.by_base.entry(trace.objects[object as usize].base).or_default().push(object);
                }
                Storage::Local { activation, .. } if is_pointer => {
                    pointers.by_activation.entry(activation).or_default().push(id);
                }
                Storage::Global { .. } if is_pointer => pointers.globals.push(id),
                _ => {}
            }
        }
        for (position, step) in trace.steps.iter().enumerate() {
            let Action::Assign { to, after, .. } = step.action else { continue };
            let ctype = trace.variables[to.0 as usize].ctype;
            if ctype.is_some_and(|t| matches!(program.types[t], CType::Pointer(_))) {
                pointers.set.entry((to, after as u64)).or_default().push(position);
            }
        }
        for objects in pointers.by_base.values_mut() {
            objects.sort_unstable();
            objects.dedup();
        }
        pointers
    }

    /// The object without a name that a variable is a part of, and where in it.
    pub fn object_of(&self, variable: &Variable) -> Option<(u32, u64)> {
        match variable.storage {
            Storage::Heap { object, offset } => Some((object, offset)),
            Storage::Local { activation, local, offset } => {
                self.objects_of_locals.get(&(activation, local)).map(|object| (*object, offset))
            }
            _ => None,
        }
    }

    /// Whether a pointer was set to where it points while an object lived there: not before it was made, nor after
    /// another took its place.
    pub fn belongs(&self, trace: &Trace, pointer: VarId, address: u64, object: u32) -> bool {
        let made = trace.objects[object as usize].made;
        let replaced = self.replaced.get(&object).copied().unwrap_or(usize::MAX);
        match self.set.get(&(pointer, address)) {
            Some(set) => set.get(set.partition_point(|at| *at < made)).is_some_and(|at| *at < replaced),
            // It had its value before the run.
            None => made == 0,
        }
    }

    /// The object that a pointer with a value points into: the latest one whose content the state knows.
    fn object(&self, trace: &Trace, pointer: VarId, address: u64, values: &[Option<u128>]) -> Option<u32> {
        let (_, objects) = self.by_base.range(..=address).next_back()?;
        let alive = |o: &&u32| {
            let size = trace.objects[**o as usize].size.max(1);
            address - trace.objects[**o as usize].base < size
                && self.in_object[*o].iter().any(|v| values[v.0 as usize].is_some())
                && self.belongs(trace, pointer, address, **o)
        };
        objects.iter().rev().find(alive).copied()
    }

    /// The name of a caller's variable as the current function knows it: through one of its pointers.
    pub fn through_pointer(
        &self,
        program: &Program,
        trace: &Trace,
        v: VarId,
        activation: u32,
        values: &[Option<u128>],
        name: impl Fn(VarId) -> String,
    ) -> Option<String> {
        let variable = &trace.variables[v.0 as usize];
        let object = match variable.storage {
            Storage::Local { activation: owner, local, .. } => self.objects_of_locals.get(&(owner, local))?,
            Storage::Global { global, .. } => self.objects_of_globals.get(&global)?,
            _ => return None,
        };
        let object = &trace.objects[*object as usize];
        let address = variable.address?;
        for pointer in self.by_activation.get(&activation)? {
            let Some(value) = values[pointer.0 as usize].map(|x| x as u64) else { continue };
            let Some(CType::Pointer(target)) = trace.variables[pointer.0 as usize].ctype.map(|t| &program.types[t])
            else {
                continue;
            };
            if value < object.base || value > address {
                continue;
            }
            let way = Way { pointer: name(*pointer), target: *target, offset: 0, bytes: object.size };
            if let Some(text) = way.at(program, address - value, variable.bits) {
                return Some(text);
            }
        }
        None
    }

    /// Shortest ways from the visible pointers to objects; `name` gives the name of a variable that has one.
    pub fn ways(
        &self,
        program: &Program,
        trace: &Trace,
        activation: u32,
        values: &[Option<u128>],
        name: impl Fn(VarId) -> String,
    ) -> HashMap<u32, Way> {
        let mut ways: HashMap<u32, Way> = HashMap::new();
        let mut work: VecDeque<(VarId, String, usize)> = VecDeque::new();
        let locals = self.by_activation.get(&activation).into_iter().flatten();
        for v in locals.chain(&self.globals) {
            work.push_back((*v, name(*v), 0));
        }
        while let Some((v, text, depth)) = work.pop_front() {
            let variable = &trace.variables[v.0 as usize];
            let Some(value) = values[v.0 as usize] else { continue };
            let Some(CType::Pointer(target)) = variable.ctype.map(|t| &program.types[t]) else { continue };
            let Some(object) = self.object(trace, v, value as u64, values) else { continue };
            if ways.contains_key(&object) {
                continue;
            }
            let offset = value as u64 - trace.objects[object as usize].base;
            let bytes = trace.objects[object as usize].size;
            let way = Way { pointer: text, target: *target, offset, bytes };
            if depth < DEPTH {
                for inner in &self.in_object[&object] {
                    if let Some(text) = way.name(program, trace, *inner) {
                        work.push_back((*inner, text, depth + 1));
                    }
                }
            }
            ways.insert(object, way);
        }
        ways
    }
}

/// When another object took the place of each that is gone.
fn replaced(trace: &Trace) -> HashMap<u32, usize> {
    let (mut live, mut replaced) = (BTreeMap::<u64, u32>::new(), HashMap::new());
    for (id, object) in trace.objects.iter().enumerate().filter(|(_, o)| o.base > 0) {
        let first = live.range(..=object.base).next_back().map_or(object.base, |(base, _)| *base);
        let reaches = |(base, id): &(&u64, &u32)| *base + trace.objects[**id as usize].size.max(1) > object.base;
        let gone: Vec<(u64, u32)> = live
            .range(first..object.base.saturating_add(object.size.max(1)))
            .filter(reaches)
            .map(|(base, id)| (*base, *id))
            .collect();
        for (base, old) in gone {
            live.remove(&base);
            replaced.insert(old, object.made);
        }
        live.insert(object.base, id as u32);
    }
    replaced
}

fn is_unnamed(program: &Program, trace: &Trace, activation: u32, local: LocalId) -> bool {
    let function = trace.activations[activation as usize].function;
    program.functions[function.index()].locals[local.index()].name.is_none()
}

impl Way {
    /// The name of a cell of the object.
    pub fn name(&self, program: &Program, trace: &Trace, v: VarId) -> Option<String> {
        let variable = &trace.variables[v.0 as usize];
        let (Storage::Heap { offset, .. } | Storage::Local { offset, .. }) = variable.storage else { return None };
        self.at(program, offset.checked_sub(self.offset)?, variable.bits)
    }

    /// The name of what lies at a distance from where the pointer points.
    fn at(&self, program: &Program, distance: u64, bits: u32) -> Option<String> {
        let size = program.types.size(self.target).filter(|s| *s > 0)?;
        let is_one = program.types.is_open_ended(self.target);
        let (element, within) = if is_one { (0, distance) } else { (distance / size, distance % size) };
        let (suffix, _) = part(&program.types, self.target, within * 8, u64::from(bits))?;
        // One of many reads better as `a[0]` than as `*a`.
        let one_of_many = self.bytes > size && !is_one;
        let index = if element == 0 && !one_of_many { String::new() } else { element.to_string() };
        Some(pointed(&self.pointer, &index, &suffix))
    }
}

/// `p->a`, `p[1].a`, `*p`.
pub fn pointed(base: &str, index: &str, suffix: &str) -> String {
    let base = if base.starts_with('*') { format!("({base})") } else { base.to_string() };
    match (index.is_empty(), suffix.strip_prefix('.')) {
        (true, Some(member)) => format!("{base}->{member}"),
        (true, None) if suffix.is_empty() => format!("*{base}"),
        (true, None) => format!("(*{base}){suffix}"),
        (false, _) => format!("{base}[{index}]{suffix}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, INT, INT_POINTER};
    use wherefore_trace::Object;

    #[test]
    fn memory_is_named_by_a_pointer_to_it_or_by_its_line() {
        let mut fixture = Fixture::new();
        let foreign = Object { kind: ObjectKind::Foreign, base: 0, size: u64::MAX, made: 0 };
        let kind = ObjectKind::Heap { at: crate::fixture::at(5, 1), freed: false };
        fixture.trace.objects = vec![foreign, Object { kind, base: 4096, size: 8, made: 0 }];
        let cell = fixture.variable(Storage::Heap { object: 1, offset: 4 }, INT);
        let p = fixture.local(0, "p", INT_POINTER, 3, &[]);
        fixture.trace.initial[cell.0 as usize] = Some(7);
        assert_eq!(fixture.name(cell, 0), "*(int *)(memory@5 + 4)");
        fixture.trace.initial[p.0 as usize] = Some(4096);
        assert_eq!(fixture.name(cell, 0), "p[1]");
    }

    #[test]
    fn a_pointer_that_was_set_before_an_object_was_made_does_not_name_it() {
        let mut fixture = Fixture::new();
        let foreign = Object { kind: ObjectKind::Foreign, base: 0, size: u64::MAX, made: 0 };
        let heap = |line| ObjectKind::Heap { at: crate::fixture::at(line, 1), freed: false };
        let old = Object { kind: heap(5), base: 4096, size: 8, made: 0 };
        let new = Object { kind: heap(6), base: 4096, size: 8, made: 1 };
        fixture.trace.objects = vec![foreign, old, new];
        let cell = fixture.variable(Storage::Heap { object: 2, offset: 4 }, INT);
        let p = fixture.local(0, "p", INT_POINTER, 3, &[]);
        fixture.trace.initial[cell.0 as usize] = Some(7);
        fixture.trace.initial[p.0 as usize] = Some(4096);
        let pointers = Pointers::new(&fixture.program, &fixture.trace);
        assert!(pointers.belongs(&fixture.trace, p, 4096, 1));
        assert!(!pointers.belongs(&fixture.trace, p, 4096, 2));
        assert_eq!(fixture.name(cell, 0), "*(int *)(memory@6 + 4)");
    }

    #[test]
    fn what_a_pointer_reaches() {
        assert_eq!(pointed("p", "", ".next"), "p->next");
        assert_eq!(pointed("*p", "1", ".a"), "(*p)[1].a");
        assert_eq!(pointed("p", "", ""), "*p");
    }
}
