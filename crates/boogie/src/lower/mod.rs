//! From what is meant to the program model: procedures with bodies become functions.

mod blocks;
mod body;
mod calls;
mod expressions;
mod initial;

use crate::core::{Module, Procedure};
use crate::places::{Span, place};
use crate::types::Type;
use body::{Asked, Body};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use wherefore_program::{
    CType, FileId, Function, FunctionId, Global, GlobalId, Note, Origin, Program, TypeId, Types, Undefined,
};

/// A note of what a program takes for granted.
const OPEN: &str = "nobody says what the function gives: it is 0 wherever no run can tell";

/// What `if (*)` decides on.
pub const EITHER: &str = "*";
/// What a `goto` with several labels decides on; the star tells it from a procedure.
pub const GOTO: &str = "goto *";
/// The same of more than two.
pub const GOTO_SEVERAL: &str = "goto **";

/// What all procedures share.
struct Whole<'a> {
    module: &'a Module,
    text: &'a str,
    /// Functions of procedures with a body.
    functions: HashMap<usize, FunctionId>,
    /// Where several results are handed over, by procedure and number.
    results: HashMap<(usize, usize), GlobalId>,
    types: RefCell<Vec<(Type, TypeId)>>,
    table: RefCell<Types>,
    undefined: RefCell<Vec<Undefined>>,
    site: Cell<u32>,
}

/// Lowers a module for runs that start in one of its procedures.
pub fn lower(module: &Module, entry: usize, path: &str, text: &str) -> Program {
    let with_bodies: Vec<usize> =
        (0..module.procedures.len()).filter(|p| module.procedures[*p].body.is_some()).collect();
    let functions = with_bodies.iter().zip(0..).map(|(p, id)| (*p, FunctionId(id))).collect();
    let mut whole = Whole {
        module,
        text,
        functions,
        results: HashMap::new(),
        types: RefCell::default(),
        table: RefCell::default(),
        undefined: RefCell::default(),
        site: Cell::new(0),
    };
    let mut program = Program { files: vec![path.into()], ..Program::default() };
    for variable in &module.globals {
        program.globals.push(whole.global(&variable.name, &variable.ty, &variable.span));
    }
    for &number in &with_bodies {
        let procedure = &module.procedures[number];
        if procedure.results > 1 {
            for (index, result) in procedure.locals[procedure.result_range()].iter().enumerate() {
                whole.results.insert((number, index), GlobalId(program.globals.len() as u32));
                let name = format!("{}.{}", procedure.name, result.name);
                program.globals.push(whole.global(&name, &result.ty, &result.span));
            }
        }
    }
    for &number in &with_bodies {
        let mut function = whole.function(&module.procedures[number], number, number == entry);
        function.first_block = program.functions.last().map_or(0, |f| f.first_block + f.blocks.len() as u32);
        program.functions.push(function);
    }
    program.notes.extend(module.open_functions().map(|function| Note {
        at: Some(whole.origin(&function.span)),
        message: format!("`{}` has no body; {OPEN}", function.name),
    }));
    program.types = whole.table.into_inner();
    program.undefined = whole.undefined.into_inner();
    program.undefined.sort_by(|a, b| a.name.cmp(&b.name));
    program
}

impl Module {
    /// Functions without a body that need arguments.
    fn open_functions(&self) -> impl Iterator<Item = &crate::core::Variable> {
        self.open.iter().map(|id| &self.globals[*id])
    }
}

impl Whole<'_> {
    fn origin(&self, span: &Span) -> Origin {
        let (line, column) = place(self.text, span.start);
        Origin { file: FileId(0), line, column }
    }

    fn global(&self, name: &str, ty: &Type, span: &Span) -> Global {
        Global {
            symbol: name.into(),
            name: Some(name.into()),
            function: None,
            scope: vec![],
            ctype: Some(self.ctype(ty)),
            size: ty.size(),
            constant: false,
            external: false,
            origin: Some(self.origin(span)),
        }
    }

    /// The type as the program model has it: of a map an array, of each index one.
    fn ctype(&self, ty: &Type) -> TypeId {
        if let Some((_, id)) = self.types.borrow().iter().find(|(known, _)| known == ty) {
            return *id;
        }
        let ctype = match ty {
            Type::Bool => CType::Bool,
            Type::Int => CType::Integer { name: "int".into(), bits: 64, signed: true },
            Type::Bits(_) => {
                CType::Integer { name: ty.to_string(), bits: ty.stored_bits().expect("no map"), signed: false }
            }
            Type::Map(..) => {
                let (_, of) = ty.flattened();
                let mut element = self.ctype(of);
                let window = ty.window();
                for count in window[1..].iter().rev() {
                    element = self.add(CType::Array { element, count: Some(*count) });
                }
                CType::Array { element, count: Some(window[0]) }
            }
        };
        let id = self.add(ctype);
        self.types.borrow_mut().push((ty.clone(), id));
        id
    }

    fn add(&self, ctype: CType) -> TypeId {
        let mut table = self.table.borrow_mut();
        table.0.push(ctype);
        TypeId(table.0.len() as u32 - 1)
    }

    /// The function of a procedure. It is lowered twice: the first time shows which variables are read before they are set
    /// and so begin with any value, and of which globals the value at the beginning is asked for.
    fn function(&self, procedure: &Procedure, number: usize, is_entry: bool) -> Function {
        let site = self.site.get();
        let undefined = self.undefined.borrow().clone();
        let (first, old) = Body::new(self, procedure, number, is_entry, Asked::default()).lower();
        let asked = Asked { initial: initial::read_before_set(&first, procedure), old };
        self.site.set(site);
        *self.undefined.borrow_mut() = undefined;
        Body::new(self, procedure, number, is_entry, asked).lower().0
    }

    fn next_site(&self) -> u32 {
        let site = self.site.get();
        self.site.set(site + 1);
        site
    }

    /// The name that a value which may be any is called by, and that of the function that gives such values.
    fn any(&self, name: &str, of: &str, ty: &Type) -> String {
        let stand_in = match ty {
            Type::Bool => "__VERIFIER_nondet_bool",
            Type::Int => "__VERIFIER_nondet_long",
            Type::Bits(_) | Type::Map(..) => "__VERIFIER_nondet_ulong",
        };
        let mut all = self.undefined.borrow_mut();
        for name in [name.to_string(), format!("{name} of {of}"), format!("{name} of {of}: {ty}")] {
            match all.iter().find(|known| known.name == name) {
                Some(known) if known.stand_in == stand_in => return name,
                Some(_) => {}
                None => {
                    all.push(Undefined { name: name.clone(), stand_in: stand_in.into() });
                    return name;
                }
            }
        }
        stand_in.into()
    }
}
