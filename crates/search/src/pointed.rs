//! Pointer parameters of the entry function: each is null, or points to a fresh object whose content is searched too.

use crate::form::{Form, form_of};
use crate::subject::Subject;
use wherefore_program::{CType, Local, Program, TypeId};
use wherefore_record::{Input, object_address};

/// Elements of an array whose length nobody knows, the end of a string included.
const ELEMENTS: u64 = 8;
/// Structs of one.
const STRUCTS: u64 = 4;
/// The most scalars of one struct.
const SCALARS: usize = 64;

/// A pointer parameter and what it points to when it is not null.
#[derive(Clone, Debug)]
pub struct Pointed {
    /// The parameter, by its index.
    pub parameter: u32,
    /// Its name.
    pub name: String,
    /// The type of an element.
    pub element: TypeId,
    /// The size of an element in bytes.
    pub size: u64,
    /// How many elements there are.
    pub count: u64,
    /// Whether it is a string.
    pub is_text: bool,
    /// Offsets and forms of what is searched in all of it; everything else is zero.
    pub scalars: Vec<(u64, Form)>,
}

impl Pointed {
    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.size * self.count
    }

    /// Its address in every run in which it is there.
    pub fn address(&self) -> u64 {
        object_address(self.parameter)
    }
}

/// The pointer parameters that are inputs.
pub fn pointed(subject: &Subject) -> Vec<Pointed> {
    let program = subject.program;
    open(subject).into_iter().filter_map(|(parameter, local, to)| object(program, parameter, local, to)).collect()
}

/// What is not searched of pointer parameters, in words.
pub(crate) fn left_out(subject: &Subject) -> Vec<String> {
    let (program, open, pointed) = (subject.program, open(subject), pointed(subject));
    let mut left = vec![];
    for (parameter, local, to) in &open {
        let name = local.name.as_deref().unwrap_or_default();
        if !pointed.iter().any(|p| p.parameter == *parameter) {
            left.push(format!("`{name}` was null in every run; what else it may be was not searched"));
        } else if has_other_parts(program, *to) {
            left.push(format!("pointers in what `{name}` points to were null in every run"));
        }
    }
    let is_variable = |g: &wherefore_program::Global| g.name.is_some() && !g.constant;
    if pointed.len() > 1 || !pointed.is_empty() && program.globals.iter().any(is_variable) {
        left.push("pointers to one and the same object, or to a variable of the program, were not searched".into());
    }
    left
}

/// The pointer parameters that have no value, and what they point to.
fn open<'p>(subject: &Subject<'p>) -> Vec<(u32, &'p Local, TypeId)> {
    let entry = &subject.program.functions[subject.entry.index()];
    let is_fixed = |k: u32| subject.fixed.iter().any(|i| matches!(i, Input::Argument { index, .. } if *index == k));
    let pointer = |local: &'p Local| match subject.program.types[local.ctype?] {
        CType::Pointer(to) => Some((local.param.filter(|k| !is_fixed(*k))?, local, to)),
        _ => None,
    };
    let mut all: Vec<_> = entry.locals.iter().filter(|_| !subject.program.is_main(entry)).filter_map(pointer).collect();
    all.sort_by_key(|(k, ..)| *k);
    all.dedup_by_key(|(k, ..)| *k);
    all
}

fn object(program: &Program, parameter: u32, local: &Local, element: TypeId) -> Option<Pointed> {
    let size = program.types.size(element).filter(|size| *size > 0)?;
    // What a library declares under a name of its own, only the library can make.
    if matches!(&program.types[element], CType::Record { name, .. } if name.starts_with('_')) {
        return None;
    }
    let is_text = is_char(program, element);
    let count = match &program.types[element] {
        CType::Record { .. } | CType::Array { .. } => STRUCTS,
        _ => ELEMENTS,
    };
    let parts = program.types.scalars(element, SCALARS)?;
    let form = |ctype: TypeId| {
        if is_char(program, ctype) && is_text { Some(Form::Character) } else { form_of(program, ctype) }
    };
    let mut scalars: Vec<(u64, Form)> = (0..count)
        .flat_map(|n| parts.iter().filter_map(move |(at, ctype)| Some((n * size + at, form(*ctype)?))))
        .collect();
    if is_text {
        // A string ends.
        scalars.pop();
    }
    let name = local.name.clone()?;
    Some(Pointed { parameter, name, element, size, count, is_text, scalars })
}

fn is_char(program: &Program, ctype: TypeId) -> bool {
    matches!(&program.types[ctype], CType::Integer { bits: 8, name, .. } if name.ends_with("char"))
}

/// Whether an object has parts that are not searched.
fn has_other_parts(program: &Program, ctype: TypeId) -> bool {
    let scalars = program.types.scalars(ctype, SCALARS);
    scalars.is_none_or(|all| all.iter().any(|(_, part)| form_of(program, *part).is_none()))
}
