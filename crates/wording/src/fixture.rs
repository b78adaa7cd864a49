//! A small program and trace for tests: `main` calls `f` twice; variables are added as a test needs them.

use crate::naming::{Names, Position};
use wherefore_formula::{Sort, TermId, Terms, VarId};
use wherefore_program::{
    CType, Field, FileId, Function, FunctionId, Global, GlobalId, Local, LocalId, Origin, Program, TypeId, Types,
};
use wherefore_trace::{Activation, Storage, Trace, Variable};

pub const INT: TypeId = TypeId(0);
pub const UNSIGNED: TypeId = TypeId(1);
pub const DOUBLE: TypeId = TypeId(2);
pub const INT_POINTER: TypeId = TypeId(3);
/// `struct pair { int lo, hi; }`
pub const PAIR: TypeId = TypeId(4);
/// `int [4]`
pub const ARRAY: TypeId = TypeId(5);

pub const MAIN: FunctionId = FunctionId(0);
pub const F: FunctionId = FunctionId(1);

pub struct Fixture {
    pub program: Program,
    pub trace: Trace,
}

pub fn at(line: u32, column: u32) -> Option<Origin> {
    Some(Origin { file: FileId(0), line, column })
}

fn types() -> Types {
    let integer = |name: &str, signed| CType::Integer { name: name.into(), bits: 32, signed };
    let field = |name: &str, offset| Field { name: name.into(), offset, size: 32, bit_field: false, ctype: INT };
    let pair =
        CType::Record { name: "pair".into(), union: false, size: 8, fields: vec![field("lo", 0), field("hi", 32)] };
    Types(vec![
        integer("int", true),
        integer("unsigned int", false),
        CType::Float { bits: 64 },
        CType::Pointer(INT),
        pair,
        CType::Array { element: INT, count: Some(4) },
    ])
}

fn function(name: &str) -> Function {
    Function {
        name: name.into(),
        origin: at(1, 1),
        params: vec![],
        params_recorded: false,
        locals: vec![],
        registers: vec![],
        result: Some(32),
        result_type: Some(INT),
        variadic: false,
        blocks: vec![],
        first_block: 0,
        members: vec![],
        within: vec![],
    }
}

impl Fixture {
    /// `main` and two calls of `f` from it, in lines 10 and 11.
    pub fn new() -> Self {
        let functions = vec![function("main"), function("f")];
        let program = Program { files: vec!["a.c".into()], functions, types: types(), ..Program::default() };
        let called = |line| Activation { function: F, caller: Some(0), call: at(line, 1) };
        let main = Activation { function: MAIN, caller: None, call: None };
        let trace = Trace {
            terms: Terms::new(),
            variables: vec![],
            steps: vec![],
            numbers: vec![],
            branches: vec![],
            functions: vec![],
            objects: vec![],
            activations: vec![main, called(10), called(11)],
            failure: None,
            departure: None,
            initial: vec![],
            events: 0,
            depth: None,
            is_sliced: false,
            rounds: None,
            others: None,
            is_interrupted: false,
            statements: 0,
            notes: vec![],
            overflows: vec![],
            assumed: vec![],
            literals: Default::default(),
            calls: Default::default(),
        };
        Fixture { program, trace }
    }

    pub fn variable(&mut self, storage: Storage, ctype: TypeId) -> VarId {
        let bits = self.program.types.size(ctype).expect("a size") as u32 * 8;
        let id = VarId(self.trace.variables.len() as u32);
        let ctype = Some(ctype);
        self.trace.variables.push(Variable { storage, bits, ctype, address: None, paths: vec![], definition: None });
        self.trace.initial.push(None);
        id
    }

    /// A local of a function, declared in a line and a scope, as it is in an activation.
    pub fn local(&mut self, activation: u32, name: &str, ctype: TypeId, line: u32, scope: &[u32]) -> VarId {
        let function = self.trace.activations[activation as usize].function;
        let locals = &mut self.program.functions[function.index()].locals;
        let known = locals.iter().position(|l| l.name.as_deref() == Some(name) && l.origin == at(line, 3));
        let local = known.unwrap_or_else(|| {
            locals.push(Local {
                name: Some(name.into()),
                ctype: Some(ctype),
                size: self.program.types.size(ctype),
                escapes: false,
                param: None,
                scope: scope.to_vec(),
                origin: at(line, 3),
            });
            locals.len() - 1
        });
        self.variable(Storage::Local { activation, local: LocalId(local as u32), offset: 0 }, ctype)
    }

    /// A global, or a `static` of a function.
    pub fn global(&mut self, name: &str, function: Option<FunctionId>, line: u32) -> VarId {
        let global = GlobalId(self.program.globals.len() as u32);
        self.program.globals.push(Global {
            symbol: format!("{name}.{line}"),
            name: Some(name.into()),
            function,
            scope: vec![],
            ctype: Some(INT),
            size: 4,
            constant: false,
            external: false,
            origin: at(line, 0),
        });
        self.variable(Storage::Global { global, offset: 0 }, INT)
    }

    pub fn term(&mut self, v: VarId) -> TermId {
        let bits = self.trace.variables[v.0 as usize].bits;
        self.trace.terms.var(v, Sort::Bits(bits))
    }

    /// The name of a variable, seen from an activation.
    pub fn name(&self, v: VarId, from: u32) -> String {
        let position = Position { activation: from, at_entry: false, values: &self.trace.initial };
        Names::new(&self.program, &self.trace).variable(v, position)
    }

    /// Formulas, seen from `main`.
    pub fn text(&self, atoms: &[TermId]) -> String {
        let position = Position { activation: 0, at_entry: false, values: &self.trace.initial };
        Names::new(&self.program, &self.trace).conjunction(atoms, position)
    }
}
