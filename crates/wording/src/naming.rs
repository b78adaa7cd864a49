//! Names of variables and C text of formulas, as they read at a position of the trace.

use crate::apart::Apart;
use crate::characters;
use crate::ctext::{BINDS_LIKE_AND, Printer};
use crate::part::part;
use crate::reach::{Pointers, Way, pointed};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use wherefore_formula::{Node, TermId, VarId};
use wherefore_program::{CType, FunctionId, LocalId, Program, TypeId, Unnamed, unnamed};
use wherefore_trace::{Action, Kind, Object, ObjectKind, Storage, Trace, Variable, path};

/// From where names are seen.
#[derive(Copy, Clone)]
pub struct Position<'a> {
    /// The activation whose names are plain.
    pub activation: u32,
    /// Whether none of its statements has been executed: nothing hides a parameter there.
    pub at_entry: bool,
    /// The recorded state.
    pub values: &'a [Option<u128>],
}

/// Gives names and C text.
pub struct Names<'a> {
    pub(crate) program: &'a Program,
    pub(crate) trace: &'a Trace,
    pub(crate) pointers: Pointers,
    pub(crate) apart: Apart<'a>,
    unnamed: HashMap<(FunctionId, LocalId), Unnamed>,
    /// What the temporaries that are assigned only once are assigned.
    carries: HashMap<VarId, TermId>,
}

/// The ways from what is visible at a position to objects, found when the first name needs them.
type Ways = OnceCell<HashMap<u32, Way>>;

/// Below this no object of a program lies.
const LEAST_ADDRESS: u64 = 1 << 20;

/// Longer than this, values in place of names help nobody.
const LONGEST_VALUES: usize = 40;

/// How deep pointers are followed for a name.
const DEPTH: usize = 6;

impl<'a> Names<'a> {
    /// Names for a trace of a program.
    pub fn new(program: &'a Program, trace: &'a Trace) -> Self {
        let unnamed: HashMap<(FunctionId, LocalId), Unnamed> = (0..program.functions.len() as u32)
            .map(FunctionId)
            .flat_map(|f| unnamed(&program.functions[f.index()]).into_iter().map(move |(local, is)| ((f, local), is)))
            .collect();
        let carries =
            carries(trace, |function, local| matches!(unnamed.get(&(function, local)), Some(Unnamed::Temporary(_))));
        let (pointers, apart) = (Pointers::new(program, trace), Apart::new(program, trace));
        Names { program, trace, pointers, apart, unnamed, carries }
    }

    /// The name of a variable.
    pub fn variable(&self, v: VarId, position: Position) -> String {
        self.name(v, position, &Ways::new(), 0)
    }

    /// A value of a variable as C writes it.
    pub fn value(&self, v: VarId, value: u128, position: Position) -> String {
        let variable = &self.trace.variables[v.0 as usize];
        // A single bit is a truth value, and 64 bits without a type may be an address.
        match variable.ctype.map(|t| &self.program.types[t]) {
            Some(CType::Pointer(_)) => self.address(value as u64, position),
            None if variable.bits == 64 && value > 1 << 20 => self.address(value as u64, position),
            _ => self.number(value, variable.bits, variable.ctype, !matches!(variable.bits, 1 | 64)),
        }
    }

    /// What a variable without a name in the program is.
    pub fn unnamed(&self, v: VarId) -> Option<Unnamed> {
        let Storage::Local { activation, local, .. } = self.trace.variables[v.0 as usize].storage else { return None };
        let function = self.trace.activations[activation as usize].function;
        self.unnamed.get(&(function, local)).copied()
    }

    /// Whether a variable is one that the compiler made for a moment.
    pub fn is_temporary(&self, v: VarId) -> bool {
        matches!(self.unnamed(v), Some(Unnamed::Temporary(_)))
    }

    /// A conjunction as a C expression; `true` when it is empty.
    pub fn conjunction(&self, atoms: &[TermId], position: Position) -> String {
        if atoms.is_empty() {
            return "true".into();
        }
        let names = self.distinct(atoms, position);
        let printer = Printer { names: self, position, distinct: names, strict: false };
        let mut texts = characters::together(atoms.iter().map(|a| printer.told(*a, BINDS_LIKE_AND)).collect());
        texts.sort_by_key(|t| t.0);
        texts.into_iter().map(|t| t.1).collect::<Vec<_>>().join(" && ")
    }

    /// The conjuncts of [`Names::conjunction`] that are not in another one, as they read in it.
    pub fn new_conjuncts(&self, atoms: &[TermId], before: &[TermId], position: Position) -> Vec<String> {
        let names = self.distinct(atoms, position);
        let printer = Printer { names: self, position, distinct: names, strict: false };
        let new = atoms.iter().filter(|a| !before.contains(a));
        let new = characters::together(new.map(|a| printer.told(*a, BINDS_LIKE_AND)).collect());
        new.into_iter().map(|(_, text)| text).collect()
    }

    /// A condition, as close to how it was written as its meaning allows.
    pub fn condition(&self, condition: TermId, position: Position) -> String {
        let printer = Printer { names: self, position, distinct: self.distinct(&[condition], position), strict: true };
        self.with_addresses(printer.formula(condition).0)
    }

    /// A text in which numbers that are addresses of the program's variables are written as such.
    fn with_addresses(&self, text: String) -> String {
        let as_address = |digits: &str| {
            let number = digits.parse::<u64>().ok().filter(|n| *n >= LEAST_ADDRESS)?;
            let holds = |o: &wherefore_trace::Object| o.base != 0 && o.base <= number && number - o.base <= o.size;
            self.trace.objects.iter().skip(1).any(holds).then(|| format!("{number:#x}"))
        };
        if !text.as_bytes().windows(7).any(|digits| digits.iter().all(u8::is_ascii_digit)) {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let end = rest[start..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |n| start + n);
            out.push_str(&rest[..start]);
            // Digits may be a part of a name.
            let is_number = !out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let address = is_number.then(|| as_address(&rest[start..end])).flatten();
            out.push_str(&address.unwrap_or_else(|| rest[start..end].to_string()));
            rest = &rest[end..];
        }
        out + rest
    }

    /// A formula or value with the values of the run in place of names: `9 > 4`. Nothing where that says little: where a
    /// value is not known or is an address, where C needs casts.
    pub fn with_values(&self, term: TermId, position: Position) -> Option<String> {
        let mut values = HashMap::new();
        for v in self.read_by(term, position.values)? {
            values.insert(v, self.plain_value(v, position.values[v.0 as usize]?, position)?);
        }
        let printer = Printer { names: self, position, distinct: values, strict: true };
        let text = printer.any(term).0;
        if printer.is_about_text(term) {
            return None;
        }
        let casts = ["(unsigned", "(long", "(int)", "(char)", "(short)", "(signed", "(union", "(_Bool)"];
        (text.len() <= LONGEST_VALUES && !casts.iter().any(|c| text.contains(c))).then_some(text)
    }

    /// The variables that a term is told by: in place of a choice those that it was made by. Nothing where they have changed
    /// since.
    pub fn read_by(&self, term: TermId, values: &[Option<u128>]) -> Option<BTreeSet<VarId>> {
        let terms = &self.trace.terms;
        let (mut read, mut work) = (BTreeSet::new(), terms.variables(term));
        while let Some(v) = work.pop_first() {
            let Some(definition) = self.trace.variables[v.0 as usize].definition else {
                read.insert(v);
                continue;
            };
            let now = terms.evaluate(definition, &mut |v| values[v.0 as usize])?.raw();
            if values[v.0 as usize] != Some(now) {
                return None;
            }
            work.extend(terms.variables(definition));
        }
        Some(read)
    }

    /// A value of a variable as C writes it, unless it would be an address.
    pub fn plain_value(&self, v: VarId, value: u128, position: Position) -> Option<String> {
        let ctype = self.ctype(v).map(|t| &self.program.types[t]);
        let scalar = !matches!(ctype, Some(CType::Record { .. } | CType::Array { .. }));
        scalar.then(|| self.value(v, value, position)).filter(|text| !text.contains("0x"))
    }

    /// Names of the variables in formulas, told apart where they would be the same.
    fn distinct(&self, atoms: &[TermId], position: Position) -> HashMap<VarId, String> {
        let variables: BTreeSet<VarId> = atoms.iter().flat_map(|a| self.trace.terms.variables(*a)).collect();
        let mut bearers: BTreeMap<String, Vec<VarId>> = BTreeMap::new();
        let ways = Ways::new();
        for v in variables {
            bearers.entry(self.name(v, position, &ways, 0)).or_default().push(v);
        }
        let mut names = HashMap::new();
        for (name, all) in bearers {
            if let [v] = all[..] {
                names.insert(v, name);
                continue;
            }
            let mut taken = HashSet::new();
            for (number, v) in all.into_iter().enumerate() {
                let longer = self.one_of_many(v, &name);
                let longer = match longer.strip_suffix("()") {
                    _ if !taken.contains(&longer) => longer,
                    Some(callee) => format!("{callee}#{}()", number + 1),
                    None => format!("{longer}#{}", number + 1),
                };
                taken.insert(longer.clone());
                names.insert(v, longer);
            }
        }
        names
    }

    /// The name of what several calls give: which call.
    fn one_of_many(&self, v: VarId, name: &str) -> String {
        match &self.trace.variables[v.0 as usize].storage {
            Storage::Result { activation } => format!("{}()", self.apart.call(*activation)),
            Storage::Local { activation, .. } if name.ends_with(')') => format!("{}()", self.apart.call(*activation)),
            Storage::External { callee, at: Some(at) } => called(callee, &format!("@{}", at.line)),
            _ => name.to_string(),
        }
    }

    /// The name of a caller's variable by a pointer of the current function.
    fn through_pointer(&self, v: VarId, position: Position) -> Option<String> {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Local { activation, .. } if activation != position.activation => {}
            // A global that is visible keeps its name.
            Storage::Global { global, .. } => {
                self.apart.global(global, position.activation).filter(|name| name.contains("::"))?;
            }
            _ => return None,
        }
        let named = |p: VarId| self.name(p, position, &Ways::new(), DEPTH);
        let (program, trace) = (self.program, self.trace);
        self.pointers.through_pointer(program, trace, v, position.activation, position.values, named)
    }

    fn name(&self, v: VarId, position: Position, ways: &Ways, depth: usize) -> String {
        if depth == 0
            && let Some(name) = self.through_pointer(v, position)
        {
            return name;
        }
        let variable = &self.trace.variables[v.0 as usize];
        match &variable.storage {
            Storage::Local { activation, local, offset } => {
                let function = self.trace.activations[*activation as usize].function;
                let declared = &self.program.functions[function.index()].locals[local.index()];
                match self.apart.local(*activation, *local, position) {
                    Some(name) => self.part_name(&name, declared.ctype, *offset, variable),
                    None if self.unnamed.get(&(function, *local)) == Some(&Unnamed::Result) => {
                        let ctype = self.program.functions[function.index()].result_type;
                        self.part_name(&self.result_name(*activation), ctype, *offset, variable)
                    }
                    None => self.carried_name(v).unwrap_or_else(|| self.reached_name(v, position, ways, depth)),
                }
            }
            Storage::Global { global, offset } => {
                let name = self.apart.global(*global, position.activation);
                let name = name.unwrap_or_else(|| "a string literal".into());
                self.part_name(&name, self.program.globals[global.index()].ctype, *offset, variable)
            }
            Storage::Heap { .. } | Storage::Foreign { .. } => self.reached_name(v, position, ways, depth),
            Storage::Result { activation } => self.result_name(*activation),
            Storage::External { callee, .. } => called(callee, ""),
            Storage::Saved { of } => format!("old({})", self.name(*of, position, ways, depth)),
            Storage::Choice { .. } => "the chosen value".into(),
            Storage::Size { object } => format!("the size of {}", self.object(*object, position)),
            Storage::Unset { of } => format!("unset({})", self.name(*of, position, ways, depth)),
            Storage::Freed { object } => format!("freed({})", self.object(*object, position)),
        }
    }

    fn result_name(&self, activation: u32) -> String {
        let function = self.trace.activations[activation as usize].function;
        format!("{}()", self.program.functions[function.index()].name)
    }

    /// The result of a call that a temporary carries, and where in it.
    pub(crate) fn carried(&self, v: VarId) -> Option<(VarId, u32)> {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Result { .. } => Some((v, 0)),
            Storage::Local { .. } => match self.trace.terms.node(*self.carries.get(&v)?) {
                Node::Var(from, _) => self.carried(*from),
                Node::Extract { term, low, .. } => match self.trace.terms.node(*term) {
                    Node::Var(from, _) => self.carried(*from).map(|(result, start)| (result, start + low)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn carried_name(&self, v: VarId) -> Option<String> {
        let (result, low) = self.carried(v)?;
        let Storage::Result { activation } = self.trace.variables[result.0 as usize].storage else { return None };
        let whole = self.trace.variables[result.0 as usize].ctype?;
        let bits = u64::from(self.trace.variables[v.0 as usize].bits);
        let (suffix, _) = part(&self.program.types, whole, u64::from(low), bits)?;
        Some(format!("{}{suffix}", self.result_name(activation)))
    }

    /// The C type of a variable.
    pub(crate) fn ctype(&self, v: VarId) -> Option<TypeId> {
        let variable = &self.trace.variables[v.0 as usize];
        variable.ctype.or_else(|| {
            let (result, low) = self.carried(v)?;
            let whole = self.trace.variables[result.0 as usize].ctype?;
            part(&self.program.types, whole, u64::from(low), u64::from(variable.bits)).map(|p| p.1)
        })
    }

    fn part_name(&self, name: &str, ctype: Option<TypeId>, offset: u64, variable: &Variable) -> String {
        let bits = u64::from(variable.bits);
        if let Some((suffix, _)) = ctype.and_then(|t| part(&self.program.types, t, offset * 8, bits)) {
            return format!("{name}{suffix}");
        }
        let whole = ctype.and_then(|t| self.program.types.size(t)).map(|s| s * 8);
        if offset == 0 && (whole.is_none() && !self.is_array(ctype) || whole == Some(bits)) {
            return name.to_string();
        }
        let cell = self.cell_type(variable);
        // An array whose rows have a length that only the run knows.
        match (self.is_array(ctype), (offset * 8).checked_rem(bits)) {
            (true, Some(0)) => format!("(({cell} *){name})[{}]", offset * 8 / bits),
            _ => format!("*({cell} *)((char *)&{name} + {offset})"),
        }
    }

    fn is_array(&self, ctype: Option<TypeId>) -> bool {
        ctype.is_some_and(|t| matches!(self.program.types[t], CType::Array { .. }))
    }

    /// The type by which a cell is read where its text says the type.
    fn cell_type(&self, variable: &Variable) -> &str {
        match variable.ctype.map(|t| &self.program.types[t]) {
            Some(CType::Integer { name, bits, .. }) if *bits == variable.bits => name,
            Some(CType::Float { bits: 32 }) => "float",
            Some(CType::Float { bits: 64 }) => "double",
            Some(CType::Bool) => "_Bool",
            Some(CType::Pointer(_)) => "void *",
            _ => c_type_of(u64::from(variable.bits)),
        }
    }

    /// The name of memory that has none: by a pointer expression that reaches it now.
    fn reached_name(&self, v: VarId, position: Position, ways: &Ways, depth: usize) -> String {
        let variable = &self.trace.variables[v.0 as usize];
        let address = variable.address.unwrap_or(0);
        if depth == 0
            && let Some((object, _)) = self.pointers.object_of(variable)
        {
            let named = |v: VarId| self.name(v, position, &Ways::new(), DEPTH);
            let (program, trace) = (self.program, self.trace);
            let found = || self.pointers.ways(program, trace, position.activation, position.values, named);
            let ways = ways.get_or_init(found);
            if let Some(text) = ways.get(&object).and_then(|w| w.name(self.program, self.trace, v)) {
                return text;
            }
        }
        if depth < DEPTH {
            let reaches = |p: &&TermId| {
                let value = self.trace.terms.evaluate(**p, &mut |u| position.values[u.0 as usize]);
                value.is_some_and(|x| x.raw() as u64 == address)
            };
            let text = variable.paths.iter().rev().filter(reaches).find_map(|p| self.lvalue(*p, v, position, depth));
            if let Some(text) = text {
                return text;
            }
        }
        let cell = self.cell_type(variable);
        match self.pointers.object_of(variable) {
            Some((object, 0)) => format!("*({cell} *){}", self.memory(object)),
            Some((object, offset)) => format!("*({cell} *)({} + {offset})", self.memory(object)),
            None => format!("*({cell} *){address:#x}"),
        }
    }

    /// An object without a name that nothing visible points to: by the line that made it.
    pub(crate) fn memory(&self, object: u32) -> String {
        let made = |o: &Object| match o.kind {
            ObjectKind::Heap { at, .. } => Some(at.map(|a| a.line)),
            ObjectKind::Local { activation, local, .. } => {
                let function = self.trace.activations[activation as usize].function;
                match self.unnamed.get(&(function, local))? {
                    Unnamed::Object(at) | Unnamed::Temporary(at) => Some(at.map(|a| a.line)),
                    Unnamed::Result => Some(None),
                }
            }
            _ => None,
        };
        let line = made(&self.trace.objects[object as usize]).flatten();
        let mut same = (0..self.trace.objects.len()).filter(|o| made(&self.trace.objects[*o]) == Some(line));
        let number = same.by_ref().position(|o| o == object as usize).unwrap_or(0) + 1;
        let name = line.map_or("memory".into(), |line| format!("memory@{line}"));
        if number > 1 || same.next().is_some() { format!("{name}#{number}") } else { name }
    }

    /// A pointer expression as an lvalue.
    fn lvalue(&self, pointer: TermId, v: VarId, position: Position, depth: usize) -> Option<String> {
        let bits = u64::from(self.trace.variables[v.0 as usize].bits);
        let path = path(self.program, &self.trace.terms, &self.trace.variables, pointer)?;
        if path.base == v {
            return None;
        }
        let base = self.through_pointer(path.base, position);
        let base = base.unwrap_or_else(|| self.name(path.base, position, &Ways::new(), depth + 1));
        let (element, within) = path.element(&self.program.types)?;
        let (suffix, _) = part(&self.program.types, path.target, within * 8, bits)?;
        let index = match path.index {
            None if element == 0 && bits > 8 => String::new(),
            None => element.to_string(),
            Some((index, _)) => {
                let value = self.trace.terms.evaluate(index, &mut |u| position.values[u.0 as usize])?;
                let number = signed_value(value.raw(), self.trace.terms.width(index));
                (number + i128::from(element)).to_string()
            }
        };
        Some(pointed(&base, &index, &suffix))
    }

    /// A number of a type.
    pub(crate) fn number(&self, value: u128, bits: u32, ctype: Option<TypeId>, signed: bool) -> String {
        match ctype.map(|t| &self.program.types[t]) {
            Some(CType::Float { bits: 32 }) => single_text(f32::from_bits(value as u32)),
            Some(CType::Float { bits: 64 }) => double_text(f64::from_bits(value as u64)),
            Some(CType::Bool) if value < 2 => (if value == 1 { "true" } else { "false" }).into(),
            Some(CType::Enum { constants, signed, .. }) => {
                let number = if *signed { signed_value(value, bits) } else { value as i128 };
                let named = constants.iter().find(|(_, c)| *c == number).map(|(n, _)| n.clone());
                named.unwrap_or_else(|| number.to_string())
            }
            Some(CType::Integer { name, signed, .. }) => {
                let number = if *signed { signed_value(value, bits) } else { value as i128 };
                match number {
                    34 if name == "char" => "'\"'".into(),
                    32..=126 if name == "char" => format!("'{}'", (value as u8 as char).escape_default()),
                    _ => number.to_string(),
                }
            }
            _ if signed => signed_value(value, bits).to_string(),
            _ => value.to_string(),
        }
    }

    /// An address: of a named object where there is one.
    pub(crate) fn address(&self, address: u64, position: Position) -> String {
        if address == 0 {
            return "NULL".into();
        }
        if let Some(function) = self.trace.functions.iter().position(|f| *f == address) {
            return self.program.functions[function].name.clone();
        }
        // The end of an object is one of its addresses where nothing else is there; so is what a call has left behind.
        let text = [(0, false), (1, false), (0, true)];
        let text = text.into_iter().find_map(|(beyond, left)| self.address_in(address, beyond, left, position));
        text.unwrap_or_else(|| format!("{address:#x}"))
    }

    /// An address in a declared object, or so many bytes beyond it; also in locals of calls that are over.
    fn address_in(&self, address: u64, beyond: u64, left: bool, position: Position) -> Option<String> {
        let from = position.activation;
        let within = |o: &&Object| o.base > 0 && address >= o.base && address - o.base < o.size.max(1) + beyond;
        for object in self.trace.objects.iter().skip(1).rev().filter(within) {
            let (name, ctype) = match object.kind {
                ObjectKind::Global(g) if self.program.globals[g.index()].name.is_none() => {
                    let text = characters::literal(self.trace.literals.get(&g)?);
                    let offset = address - object.base;
                    return Some(if offset == 0 { text } else { format!("{text} + {offset}") });
                }
                ObjectKind::Global(g) => (self.apart.global(g, from), self.program.globals[g.index()].ctype),
                ObjectKind::Local { activation, local, ctype } => {
                    let function = self.trace.activations[activation as usize].function;
                    match self.apart.is_active(activation, from) {
                        true => (self.apart.local(activation, local, position), ctype),
                        false if !left => continue,
                        false => (self.program.functions[function.index()].locals[local.index()].name.clone(), ctype),
                    }
                }
                _ => return None,
            };
            let (name, offset) = (name?, address - object.base);
            let element = match ctype.map(|t| &self.program.types[t]) {
                Some(CType::Array { element, .. }) => self.program.types.size(*element),
                _ => None,
            };
            // The part that begins there: `&lines[2][6]`.
            let begins = |bits| ctype.and_then(|t| part(&self.program.types, t, offset * 8, bits));
            let inner = [8, 16, 32, 64].into_iter().find_map(begins);
            return Some(match (offset, element.filter(|s| *s > 0 && offset.is_multiple_of(*s))) {
                (0, _) if self.is_array(ctype) => name,
                (0, _) => format!("&{name}"),
                (_, Some(size)) => format!("{name} + {}", offset / size),
                _ => match inner {
                    Some((suffix, _)) => format!("&{name}{suffix}"),
                    None => format!("(char *)&{name} + {offset}"),
                },
            });
        }
        None
    }

    /// The declared object that a variable is a part of: its name, its type and where the variable is in it.
    pub(crate) fn declared(&self, v: VarId, position: Position) -> Option<(String, TypeId, u64)> {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Global { global, offset } => {
                let name = self.apart.global(global, position.activation)?;
                Some((name, self.program.globals[global.index()].ctype?, offset))
            }
            Storage::Local { activation, local, offset } => {
                let function = self.trace.activations[activation as usize].function;
                let name = self.apart.local(activation, local, position)?;
                Some((name, self.program.functions[function.index()].locals[local.index()].ctype?, offset))
            }
            _ => None,
        }
    }
}

/// What temporaries that are assigned only once are assigned.
fn carries(trace: &Trace, is_temporary: impl Fn(FunctionId, LocalId) -> bool) -> HashMap<VarId, TermId> {
    let mut found: HashMap<VarId, Option<TermId>> = HashMap::new();
    for step in trace.steps.iter().filter(|s| s.kind == Kind::Internal) {
        let Action::Assign { to, value, .. } = step.action else { continue };
        let Storage::Local { activation, local, .. } = trace.variables[to.0 as usize].storage else { continue };
        if is_temporary(trace.activations[activation as usize].function, local) {
            found.entry(to).and_modify(|v| *v = None).or_insert(Some(value));
        }
    }
    found.into_iter().filter_map(|(v, value)| Some((v, value?))).collect()
}

pub(crate) fn c_type_of(bits: u64) -> &'static str {
    match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long",
    }
}

/// Bits as a two's complement number.
pub(crate) fn signed_value(value: u128, bits: u32) -> i128 {
    if bits < 128 && value >> (bits - 1) & 1 == 1 { value as i128 - (1i128 << bits) } else { value as i128 }
}

/// A `double` as C writes it.
pub fn double_text(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NAN".into(),
        _ if value.is_infinite() => (if value > 0.0 { "INFINITY" } else { "-INFINITY" }).into(),
        _ => format!("{value:?}"),
    }
}

/// A `float` as C writes it, without its suffix.
pub fn single_text(value: f32) -> String {
    if value.is_finite() { format!("{value:?}") } else { double_text(f64::from(value)) }
}

/// What something outside gives: a function by its call, which call behind its name; what has another name than functions
/// have, such as `*`, by that.
pub fn called(callee: &str, which: &str) -> String {
    match callee.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        true => format!("{callee}{which}()"),
        false => format!("{callee}{which}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, INT, at};
    use wherefore_formula::BinaryOp;

    #[test]
    fn results_of_several_calls_in_one_formula_are_told_apart() {
        let mut fixture = Fixture::new();
        let results = [1, 2].map(|activation| fixture.variable(Storage::Result { activation }, INT));
        let [a, b] = results.map(|r| fixture.term(r));
        let external = Storage::External { callee: "getchar".into(), at: at(7, 1) };
        let [c, d] = [external.clone(), external].map(|s| fixture.variable(s, INT));
        let [c, d] = [c, d].map(|r| fixture.term(r));
        let terms = &mut fixture.trace.terms;
        let sum = terms.binary(BinaryOp::Add, a, b);
        let (seven, order) = (terms.bits(32, 7), terms.sle(c, d));
        let (sum, one) = (terms.eq(sum, seven), terms.eq(a, seven));
        assert_eq!(fixture.text(&[sum]), "f@10() + f@11() == 7");
        assert_eq!(fixture.text(&[one]), "f() == 7");
        assert_eq!(fixture.text(&[order]), "getchar@7() <= getchar@7#2()");
    }

    #[test]
    fn numbers_of_floating_point_are_c() {
        assert_eq!(double_text(9.5), "9.5");
        assert_eq!(double_text(10.0), "10.0");
        assert_eq!(double_text(f64::NEG_INFINITY), "-INFINITY");
        assert_eq!(single_text(0.1), "0.1");
    }
}
