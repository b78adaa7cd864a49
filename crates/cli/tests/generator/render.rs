//! From a sketch to a program: names are chosen, every statement gets a line of its own.

use super::scalar::Scalar;
use super::scope::{Cell, Scopes, Type};
use super::sketch::{Divisor, Expression, Function, Global, Memory, Operator, Parameter, Pick, Sketch, Statement};
use std::sync::Arc;

/// What can be done at a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing.
    Other,
    /// Code may stand before it: the start of a compound statement, a jump.
    Before,
    /// Code may stand before and after it.
    Statement,
    /// The first line of the function, after which code may stand.
    Entry(String),
    /// A place where the program may fail; empty if it does not fail there.
    Place,
}

/// A line of a program.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub role: Role,
    /// What is visible after it.
    pub scopes: Arc<Scopes>,
}

/// A program without its assertion.
#[derive(Clone, Debug)]
pub struct Program {
    pub lines: Vec<Line>,
    pub entry: String,
    /// Parameters of the entry and their values.
    pub inputs: Vec<(String, i128)>,
}

/// Loops in loops, not counting calls.
const LOOPS: usize = 2;

/// Write a sketch down.
pub fn render(sketch: &Sketch) -> Program {
    let scopes = Scopes { levels: vec![vec![]], structs: sketch.structs.clone() };
    let mut renderer = Renderer {
        sketch,
        scopes,
        lines: vec![],
        current: 0,
        result: None,
        loops: 0,
        breakable: 0,
        around: 0,
        stuck: false,
        names: 0,
    };
    renderer.line("#include <alloca.h>", Role::Other);
    renderer.line("#include <assert.h>", Role::Other);
    renderer.line("#include <stdbool.h>", Role::Other);
    renderer.line("#include <stdlib.h>", Role::Other);
    for (number, members) in sketch.structs.iter().enumerate() {
        let members: Vec<String> = members.iter().enumerate().map(|(m, s)| format!("{} m{m};", s.name())).collect();
        renderer.line(&format!("struct S{number} {{ {} }};", members.join(" ")), Role::Other);
    }
    for (number, global) in sketch.globals.iter().enumerate() {
        let name = format!("g{number}");
        match global {
            Global::Scalar(scalar, value) => renderer.scalar("", &name, *scalar, &literal(*value), Role::Other),
            Global::Array(scalar, values) => renderer.array(&name, *scalar, values, Role::Other),
            Global::Struct(pick, values) => renderer.structure(&name, *pick, values, Role::Other),
        }
    }
    for (number, function) in sketch.functions.iter().enumerate() {
        renderer.current = number;
        renderer.function(number, function);
    }
    renderer.current = sketch.functions.len();
    renderer.main()
}

/// A number as C writes it.
pub fn literal(value: impl Into<i128>) -> String {
    let value = value.into();
    match i64::try_from(value) {
        Ok(i64::MIN) => "(-9223372036854775807 - 1)".into(),
        Ok(value) => value.to_string(),
        Err(_) => format!("{value}u"),
    }
}

struct Renderer<'a> {
    sketch: &'a Sketch,
    scopes: Scopes,
    lines: Vec<Line>,
    /// Functions with smaller numbers can be called.
    current: usize,
    result: Option<Scalar>,
    loops: usize,
    breakable: usize,
    /// Loops of C that are around, not those made by `goto`.
    around: usize,
    /// Whether `continue` would go round the innermost one for ever.
    stuck: bool,
    names: usize,
}

fn pick<T>(list: &[T], which: Pick) -> Option<&T> {
    (!list.is_empty()).then(|| &list[which as usize % list.len()])
}

impl Renderer<'_> {
    fn line(&mut self, text: &str, role: Role) {
        let indent = "  ".repeat(self.scopes.levels.len() - 1);
        let text = if text.is_empty() { String::new() } else { format!("{indent}{text}") };
        self.lines.push(Line { text, role, scopes: Arc::new(self.scopes.clone()) });
    }

    fn statement(&mut self, text: &str) {
        self.line(text, Role::Statement);
    }

    fn fresh(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn scalar(&mut self, storage: &str, name: &str, scalar: Scalar, value: &str, role: Role) {
        self.scopes.declare(name, Type::Scalar(scalar), true);
        self.line(&format!("{storage}{} {name} = {value};", scalar.name()), role);
    }

    fn array(&mut self, name: &str, scalar: Scalar, values: &[i64], role: Role) {
        self.scopes.declare(name, Type::Array(scalar, values.len()), true);
        let list: Vec<String> = values.iter().map(|v| literal(*v)).collect();
        let text = format!("{} {name}[{}] = {{{}}};", scalar.name(), values.len(), list.join(", "));
        self.line(&text, role);
    }

    fn structure(&mut self, name: &str, which: Pick, values: &[i64], role: Role) {
        let number = which as usize % self.scopes.structs.len();
        self.scopes.declare(name, Type::Struct(number), true);
        let members = self.scopes.structs[number].len();
        let list: Vec<String> = values.iter().take(members).map(|v| literal(*v)).collect();
        self.line(&format!("struct S{number} {name} = {{{}}};", list.join(", ")), role);
    }

    fn function(&mut self, number: usize, function: &Function) {
        self.names = 0;
        self.result = function.result;
        self.scopes.levels.push(vec![]);
        let mut parameters = vec![];
        let mut own = vec![];
        if function.recursive {
            self.scopes.declare("n", Type::Scalar(Scalar::Int), false);
            parameters.push("int n".to_string());
            own.push("n - 1".to_string());
        }
        for parameter in &function.parameters {
            let name = self.fresh('a');
            let (kind, text) = match parameter {
                Parameter::Value(scalar) => (Type::Scalar(*scalar), format!("{} {name}", scalar.name())),
                Parameter::Out(scalar) => (Type::Pointer(*scalar), format!("{} *{name}", scalar.name())),
                Parameter::Struct(which) => {
                    let number = *which as usize % self.scopes.structs.len();
                    (Type::StructPointer(number), format!("struct S{number} *{name}"))
                }
                Parameter::Whole(which) => {
                    let number = *which as usize % self.scopes.structs.len();
                    (Type::Struct(number), format!("struct S{number} {name}"))
                }
            };
            self.scopes.declare(&name, kind, true);
            parameters.push(text);
            own.push(name);
        }
        let list = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
        let result = function.result.map_or("void", Scalar::name);
        self.line_outside(&format!("{result} f{number}({list}) {{"), Role::Entry(format!("f{number}")));
        let value = |text: String| if function.result.is_some() { format!("return {text};") } else { "return;".into() };
        if function.recursive {
            self.line("if (n <= 0) {", Role::Before);
            self.line(&format!("  {}", value("1".into())), Role::Before);
            self.line("}", Role::Other);
        }
        self.statements(&function.body);
        let again = format!("f{number}({})", own.join(", "));
        let text = if function.result.is_some() { self.expression(&function.value) } else { String::new() };
        match (function.recursive, function.result.is_some()) {
            (true, true) => self.line(&value(format!("{} + {again}", text)), Role::Before),
            (true, false) => self.statement(&format!("{again};")),
            (false, true) => self.line(&value(text), Role::Before),
            (false, false) => {}
        }
        self.scopes.levels.pop();
        self.line("}", Role::Other);
    }

    /// A line of the scope around the current one that sees the current one.
    fn line_outside(&mut self, text: &str, role: Role) {
        self.line(text, role);
        let line = self.lines.last_mut().expect("just written");
        line.text = line.text.trim_start().to_string();
    }

    fn main(mut self) -> Program {
        self.names = 0;
        self.result = None;
        self.scopes.levels.push(vec![]);
        let mut inputs = vec![];
        let mut parameters = vec![];
        for (scalar, value) in &self.sketch.parameters {
            let name = self.fresh('a');
            self.scopes.declare(&name, Type::Scalar(*scalar), true);
            parameters.push(format!("{} {name}", scalar.name()));
            // What is given has to be a value of the type.
            inputs.push((name, scalar.number(scalar.pattern(i128::from(*value)))));
        }
        let entry = if inputs.is_empty() { "main" } else { "start" };
        let list = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
        self.line_outside(&format!("int {entry}({list}) {{"), Role::Entry(entry.into()));
        self.statements(&self.sketch.body);
        self.line("", Role::Place);
        self.line("return 0;", Role::Before);
        self.scopes.levels.pop();
        self.line("}", Role::Other);
        Program { lines: self.lines, entry: entry.into(), inputs }
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|s| self.one(s));
    }

    /// Statements in a scope of their own; the caller writes the braces.
    fn block(&mut self, statements: &[Statement]) {
        self.scopes.levels.push(vec![]);
        self.statements(statements);
        self.scopes.levels.pop();
    }

    fn one(&mut self, statement: &Statement) {
        match statement {
            Statement::Declare(scalar, value) => {
                let value = self.expression(value);
                let name = self.fresh('x');
                self.scalar("", &name, *scalar, &value, Role::Statement);
            }
            Statement::Shadow(scalar, which, value) => {
                let here = self.scopes.levels.len() - 1;
                let outer = self.scopes.variables().into_iter().filter(|(depth, v)| *depth < here && v.free);
                let names: Vec<String> = outer.map(|(_, v)| v.name.clone()).collect();
                let name = pick(&names, *which).cloned().unwrap_or_else(|| self.fresh('x'));
                self.scalar("", &name, *scalar, &literal(*value), Role::Statement);
            }
            Statement::Static(scalar, value) => {
                let name = self.fresh('c');
                // Initialised before the run: not a step of it.
                self.scalar("static ", &name, *scalar, &literal(*value), Role::Before);
            }
            Statement::Array(scalar, values) => {
                let name = self.fresh('r');
                self.array(&name, *scalar, values, Role::Before);
            }
            Statement::Struct(which, values) => {
                let name = self.fresh('s');
                self.structure(&name, *which, values, Role::Before);
            }
            Statement::Memory(memory, scalar, values) => self.memory(*memory, *scalar, values),
            Statement::Distance(array, from, to) => self.distance(*array, *from, *to),
            Statement::Pointer(target) => {
                if let Some(cell) = pick(&self.scopes.writable(), *target) {
                    let name = self.fresh('p');
                    self.scopes.declare(&name, Type::Pointer(cell.scalar), true);
                    self.statement(&format!("{} *{name} = {};", cell.scalar.name(), address(cell)));
                }
            }
            Statement::StructPointer(target) => {
                if let Some((text, number)) = pick(&self.struct_addresses(), *target) {
                    let name = self.fresh('p');
                    self.scopes.declare(&name, Type::StructPointer(*number), true);
                    self.statement(&format!("struct S{number} *{name} = {text};"));
                }
            }
            Statement::Retarget(pointer, target) => self.retarget(*pointer, *target),
            Statement::Assign(target, value) => {
                let value = self.expression(value);
                if let Some(cell) = pick(&self.scopes.writable(), *target) {
                    self.statement(&format!("{} = {value};", cell.text));
                }
            }
            Statement::AssignElement(array, index, value) => {
                if let Some(element) = self.element(*array, index) {
                    let value = self.expression(value);
                    self.statement(&format!("{element} = {value};"));
                }
            }
            Statement::Compound(target, operator, value) => {
                let value = self.operand(*operator, value);
                if let Some(cell) = pick(&self.scopes.writable(), *target) {
                    self.statement(&format!("{} {}= {value};", cell.text, operator.text()));
                }
            }
            Statement::Step { target, up, prefix } => {
                if let Some(cell) = pick(&self.scopes.writable(), *target) {
                    self.statement(&format!("{};", step(cell, *up, *prefix)));
                }
            }
            Statement::StepValue { to, from, up, prefix } => {
                let cells = self.scopes.writable();
                if let (Some(to), Some(from)) = (pick(&cells, *to), pick(&cells, *from))
                    && to.text != from.text
                {
                    self.statement(&format!("{} = {};", to.text, step(from, *up, *prefix)));
                }
            }
            Statement::Copy(to, from) => self.copy(*to, *from),
            Statement::If(cases, otherwise) => self.choice(cases, otherwise),
            Statement::For(..)
            | Statement::While(..)
            | Statement::DoWhile(..)
            | Statement::Forever { .. }
            | Statement::Again(..)
            | Statement::Into { .. }
                if self.loops == LOOPS => {}
            Statement::Forever { rounds, first, before, condition, after } => {
                let name = self.counter('w');
                self.line("for (;;) {", Role::Before);
                self.scopes.levels.push(vec![]);
                self.statement(&format!("{name}++;"));
                if *first {
                    self.jump_if(&format!("{name} > {rounds}"), "break;");
                }
                self.looped(before, !*first);
                let condition = self.closed(condition);
                let ends = if *first { condition } else { format!("{name} >= {rounds} || {condition}") };
                self.jump_if(&ends, "break;");
                self.looped(after, false);
                self.scopes.levels.pop();
                self.line("}", Role::Other);
            }
            Statement::Again(rounds, body, condition) => {
                let (name, label) = (self.counter('w'), self.fresh('L'));
                self.line(&format!("{label}: ;"), Role::Other);
                self.statement(&format!("{name}++;"));
                self.line("{", Role::Other);
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                self.line("}", Role::Other);
                let condition = self.closed(condition);
                self.jump_if(&format!("{name} < {rounds} && {condition}"), &format!("goto {label};"));
            }
            Statement::Into { enter, rounds, condition, before, after } => {
                let (name, label) = (self.counter('w'), self.fresh('L'));
                self.jump(enter, &format!("goto {label};"));
                let condition = self.closed(condition);
                self.line(&format!("while ({name} < {rounds} && {condition}) {{"), Role::Before);
                self.scopes.levels.push(vec![]);
                self.statement(&format!("{name}++;"));
                self.line("{", Role::Other);
                self.scopes.levels.push(vec![]);
                self.looped(before, false);
                self.scopes.levels.pop();
                self.line("}", Role::Other);
                self.line(&format!("{label}: ;"), Role::Other);
                self.line("{", Role::Other);
                self.scopes.levels.push(vec![]);
                self.looped(after, false);
                self.scopes.levels.pop();
                self.line("}", Role::Other);
                self.scopes.levels.pop();
                self.line("}", Role::Other);
            }
            Statement::Exit(condition) => self.jump(condition, "exit(0);"),
            Statement::For(rounds, body) => {
                let name = format!("i{}", self.loops);
                let scalar = Type::Scalar(Scalar::Int);
                self.line(&format!("for (int {name} = 0; {name} < {rounds}; {name}++) {{"), Role::Before);
                self.scopes.levels.push(vec![]);
                self.scopes.declare(&name, scalar, false);
                self.looped(body, false);
                self.scopes.levels.pop();
                self.line("}", Role::Other);
            }
            Statement::While(rounds, condition, body) => {
                let name = self.counter('w');
                let condition = self.closed(condition);
                self.line(&format!("while ({name} < {rounds} && {condition}) {{"), Role::Before);
                self.scopes.levels.push(vec![]);
                self.statement(&format!("{name}++;"));
                self.looped(body, false);
                self.scopes.levels.pop();
                self.line("}", Role::Other);
            }
            Statement::DoWhile(rounds, body, condition) => {
                let name = self.counter('d');
                self.line("do {", Role::Before);
                self.scopes.levels.push(vec![]);
                self.statement(&format!("{name}++;"));
                self.looped(body, false);
                self.scopes.levels.pop();
                let condition = self.closed(condition);
                self.line(&format!("}} while ({name} < {rounds} && {condition});"), Role::Other);
            }
            Statement::Break(condition) if self.breakable > 0 => self.jump(condition, "break;"),
            Statement::Continue(condition) if self.around > 0 && !self.stuck => self.jump(condition, "continue;"),
            Statement::Break(_) | Statement::Continue(_) => {}
            Statement::Switch(value, cases, default) => self.switch(value, cases, default),
            Statement::Call(function, arguments) => {
                if let Some(call) = self.call(*function, arguments, false, true) {
                    self.statement(&format!("{call};"));
                }
            }
            Statement::AssignCall(target, function, arguments) => {
                let Some(call) = self.call(*function, arguments, true, true) else { return };
                if let Some(cell) = pick(&self.scopes.writable(), *target) {
                    self.statement(&format!("{} = {call};", cell.text));
                }
            }
            Statement::Return(condition, value) => {
                // The entry goes on to its end, where it fails.
                if self.current < self.sketch.functions.len() {
                    let text = match self.result {
                        Some(_) => format!("return {};", self.expression(value)),
                        None => "return;".into(),
                    };
                    self.jump(condition, &text);
                }
            }
            Statement::Goto(condition, body) => {
                let label = self.fresh('L');
                self.jump(condition, &format!("goto {label};"));
                self.line("{", Role::Other);
                self.block(body);
                self.line("}", Role::Other);
                self.line(&format!("{label}: ;"), Role::Other);
            }
            Statement::Place => self.line("", Role::Place),
        }
    }

    fn memory(&mut self, memory: Memory, scalar: Scalar, values: &[i64]) {
        let (name, count) = (self.fresh('m'), values.len());
        let list: Vec<String> = values.iter().map(|v| literal(*v)).collect();
        let kind = scalar.name();
        match memory {
            Memory::Literal => {
                self.scopes.declare(&name, Type::Block(scalar, count), true);
                return self.line(&format!("{kind} *{name} = ({kind}[]){{{}}};", list.join(", ")), Role::Before);
            }
            Memory::Alloca => {
                self.scopes.declare(&name, Type::Block(scalar, count), true);
                self.line(&format!("{kind} *{name} = alloca({count} * sizeof({kind}));"), Role::Before);
            }
            Memory::VariableLength => {
                let length = self.fresh('l');
                self.statement(&format!("int {length} = {count};"));
                self.line(&format!("{kind} {name}[{length}];"), Role::Before);
                self.scopes.declare(&name, Type::Array(scalar, count), true);
            }
        }
        for (index, value) in list.iter().enumerate() {
            self.statement(&format!("{name}[{index}] = {value};"));
        }
    }

    fn distance(&mut self, array: Pick, from: u8, to: u8) {
        let variables = self.scopes.variables();
        let arrays: Vec<(String, Scalar, usize)> = variables
            .iter()
            .filter_map(|(_, v)| match v.kind {
                Type::Array(scalar, count) | Type::Block(scalar, count) => Some((v.name.clone(), scalar, count)),
                _ => None,
            })
            .collect();
        let Some((array, scalar, count)) = pick(&arrays, array) else { return };
        let mut pointer = |index: u8| {
            let name = self.fresh('p');
            self.scopes.declare(&name, Type::Pointer(*scalar), true);
            self.statement(&format!("{} *{name} = &{array}[{}];", scalar.name(), index as usize % count));
            name
        };
        let (from, to) = (pointer(from), pointer(to));
        let name = self.fresh('x');
        self.scalar("", &name, Scalar::Long, &format!("{to} - {from}"), Role::Statement);
    }

    /// A variable that counts the rounds of a loop.
    fn counter(&mut self, letter: char) -> String {
        let name = self.fresh(letter);
        self.scopes.declare(&name, Type::Scalar(Scalar::Int), false);
        self.statement(&format!("int {name} = 0;"));
        name
    }

    /// A part of the body of a loop; `stuck` if `continue` would not come by where the loop ends.
    fn looped(&mut self, body: &[Statement], stuck: bool) {
        let outer = std::mem::replace(&mut self.stuck, stuck);
        self.loops += 1;
        self.around += 1;
        self.breakable += 1;
        self.statements(body);
        self.breakable -= 1;
        self.around -= 1;
        self.loops -= 1;
        self.stuck = outer;
    }

    fn jump(&mut self, condition: &Expression, jump: &str) {
        let condition = self.expression(condition);
        self.jump_if(&condition, jump);
    }

    fn jump_if(&mut self, condition: &str, jump: &str) {
        self.line(&format!("if ({condition}) {{"), Role::Before);
        self.line(&format!("  {jump}"), Role::Before);
        self.line("}", Role::Other);
    }

    fn choice(&mut self, cases: &[(Expression, Vec<Statement>)], otherwise: &[Statement]) {
        for (number, (condition, body)) in cases.iter().enumerate() {
            let condition = self.expression(condition);
            let (start, role) = if number == 0 { ("if", Role::Before) } else { ("} else if", Role::Other) };
            self.line(&format!("{start} ({condition}) {{"), role);
            self.block(body);
        }
        if !otherwise.is_empty() {
            self.line("} else {", Role::Other);
            self.block(otherwise);
        }
        self.line("}", Role::Other);
    }

    fn switch(&mut self, value: &Expression, cases: &[(i8, Vec<Statement>, bool)], default: &[Statement]) {
        let value = self.expression(value);
        self.line(&format!("switch ({value}) {{"), Role::Before);
        self.breakable += 1;
        let mut seen = vec![];
        for (label, body, falls) in cases {
            if seen.contains(label) {
                continue;
            }
            seen.push(*label);
            self.line(&format!("case {label}: {{"), Role::Other);
            self.block(body);
            self.line("}", Role::Other);
            if !falls {
                self.line("break;", Role::Before);
            }
        }
        if !default.is_empty() {
            self.line("default: {", Role::Other);
            self.block(default);
            self.line("}", Role::Other);
        }
        self.breakable -= 1;
        self.line("}", Role::Other);
    }

    fn retarget(&mut self, pointer: Pick, target: Pick) {
        let variables = self.scopes.variables();
        let pointers: Vec<(usize, String, Scalar)> = variables
            .iter()
            .filter_map(|(depth, v)| match v.kind {
                Type::Pointer(scalar) if *depth > 0 => Some((*depth, v.name.clone(), scalar)),
                _ => None,
            })
            .collect();
        let Some((depth, name, scalar)) = pick(&pointers, pointer) else { return };
        // A pointer never outlives its target.
        let lasting = |c: &Cell| c.scalar == *scalar && c.depth <= *depth && c.text != format!("*{name}");
        let targets: Vec<Cell> = self.scopes.writable().into_iter().filter(lasting).collect();
        if let Some(cell) = pick(&targets, target) {
            self.statement(&format!("{name} = {};", address(cell)));
        }
    }

    /// Addresses of structs, with the number of the struct.
    fn struct_addresses(&self) -> Vec<(String, usize)> {
        let variables = self.scopes.variables().into_iter();
        variables
            .filter_map(|(_, v)| match v.kind {
                Type::Struct(number) => Some((format!("&{}", v.name), number)),
                Type::StructPointer(number) => Some((v.name.clone(), number)),
                _ => None,
            })
            .collect()
    }

    fn copy(&mut self, to: Pick, from: Pick) {
        let lvalue = |address: &str| address.strip_prefix('&').map_or(format!("*{address}"), String::from);
        let structs = self.struct_addresses();
        let Some((to, number)) = pick(&structs, to) else { return };
        let same: Vec<&(String, usize)> = structs.iter().filter(|(text, n)| n == number && text != to).collect();
        if let Some((from, _)) = pick(&same, from) {
            // Several cells change at once.
            self.line(&format!("{} = {};", lvalue(to), lvalue(from)), Role::Before);
        }
    }

    fn element(&mut self, array: Pick, index: &Expression) -> Option<String> {
        let variables = self.scopes.variables();
        let arrays: Vec<(String, usize)> = variables
            .iter()
            .filter_map(|(_, v)| match v.kind {
                Type::Array(_, count) => Some((v.name.clone(), count)),
                _ => None,
            })
            .collect();
        let (name, count) = pick(&arrays, array)?;
        Some(match index {
            Expression::Constant(value) => format!("{name}[{}]", value.rem_euclid(*count as i64)),
            _ => format!("{name}[(unsigned){} % {count}]", self.closed(index)),
        })
    }

    /// A call; `valued` if its result is used, `apart` if statements can stand before it.
    fn call(&mut self, which: Pick, arguments: &[Expression], valued: bool, apart: bool) -> Option<String> {
        let sketch = self.sketch;
        let callable: Vec<usize> =
            (0..self.current).filter(|f| !valued || sketch.functions[*f].result.is_some()).collect();
        let number = *pick(&callable, which)?;
        let function = &sketch.functions[number];
        let mut texts = vec![];
        if function.recursive {
            texts.push((1 + which % 3).to_string());
        }
        for (index, parameter) in function.parameters.iter().enumerate() {
            let argument = arguments.get(index);
            let which = which.wrapping_add(index as u16);
            texts.push(match parameter {
                Parameter::Value(_) => argument.map_or("2".into(), |a| self.expression(a)),
                Parameter::Out(scalar) => {
                    let cells = self.scopes.writable().into_iter().filter(|c| c.scalar == *scalar);
                    match pick(&cells.collect::<Vec<_>>(), which) {
                        Some(cell) => address(cell),
                        None if apart => {
                            let name = self.fresh('t');
                            self.scalar("", &name, *scalar, "1", Role::Statement);
                            format!("&{name}")
                        }
                        None => return None,
                    }
                }
                Parameter::Whole(kind) => {
                    let kind = *kind as usize % self.scopes.structs.len();
                    let structs = self.struct_addresses().into_iter().filter(|s| s.1 == kind);
                    let members = self.scopes.structs[kind].len();
                    match pick(&structs.collect::<Vec<_>>(), which) {
                        Some((text, _)) => text.strip_prefix('&').map_or(format!("*{text}"), String::from),
                        None => {
                            let list: Vec<String> =
                                (0..members).map(|m| argument.map_or(m.to_string(), |a| self.expression(a))).collect();
                            format!("(struct S{kind}){{{}}}", list.join(", "))
                        }
                    }
                }
                Parameter::Struct(kind) => {
                    let kind = *kind as usize % self.scopes.structs.len();
                    let structs = self.struct_addresses().into_iter().filter(|s| s.1 == kind);
                    match pick(&structs.collect::<Vec<_>>(), which) {
                        Some((text, _)) => text.clone(),
                        None if apart => {
                            let name = self.fresh('s');
                            self.structure(&name, kind as u16, &[1, 2, 3], Role::Before);
                            format!("&{name}")
                        }
                        None => return None,
                    }
                }
            });
        }
        Some(format!("f{number}({})", texts.join(", ")))
    }

    /// The right operand of an operator, kept where C defines the result if it is guarded.
    fn operand(&mut self, operator: Operator, operand: &Expression) -> String {
        match operator {
            Operator::Divide(Divisor::Constant(number)) | Operator::Remainder(Divisor::Constant(number)) => {
                number.to_string()
            }
            Operator::Divide(divisor) | Operator::Remainder(divisor)
                if divisor == Divisor::Guarded || !is_computed(operand) =>
            {
                format!("(({} & 7) + 1)", self.closed(operand))
            }
            Operator::Left | Operator::Right => format!("({} & 7)", self.closed(operand)),
            _ => self.closed(operand),
        }
    }

    /// An expression that can stand beside any operator.
    fn closed(&mut self, expression: &Expression) -> String {
        let text = self.expression(expression);
        let is_atom = text.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c));
        if is_atom { text } else { format!("({text})") }
    }

    fn expression(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(value) => literal(*value),
            Expression::Variable(which) => pick(&self.scopes.cells(), *which).map_or("3".into(), |c| c.text.clone()),
            Expression::Element(array, index) => self.element(*array, index).unwrap_or_else(|| self.expression(index)),
            Expression::Negate(a) => format!("-{}", self.closed(a)),
            Expression::Complement(a) => format!("~{}", self.closed(a)),
            Expression::Not(a) => format!("!{}", self.closed(a)),
            Expression::Binary(operator, a, b) => {
                format!("{} {} {}", self.closed(a), operator.text(), self.operand(*operator, b))
            }
            Expression::Compare(operator, a, b) => format!("{} {operator} {}", self.closed(a), self.closed(b)),
            Expression::And(a, b) => format!("{} && {}", self.closed(a), self.closed(b)),
            Expression::Or(a, b) => format!("{} || {}", self.closed(a), self.closed(b)),
            Expression::Choice(c, a, b) => {
                format!("{} ? {} : {}", self.closed(c), self.closed(a), self.closed(b))
            }
            Expression::Cast(scalar, a) => format!("({}){}", scalar.name(), self.closed(a)),
            Expression::Call(which, arguments) => {
                self.call(*which, arguments, true, false).unwrap_or_else(|| "5".into())
            }
        }
    }
}

/// Whether the program computes the value when it runs: what is divided by a constant zero is up to the compiler.
fn is_computed(expression: &Expression) -> bool {
    match expression {
        Expression::Variable(_) | Expression::Element(..) => true,
        Expression::Binary(_, a, b) => is_computed(a) || is_computed(b),
        Expression::Negate(a) | Expression::Complement(a) | Expression::Cast(_, a) => is_computed(a),
        _ => false,
    }
}

fn address(cell: &Cell) -> String {
    let text = cell.address.clone().unwrap_or_default();
    // `&*p` is `p`.
    text.strip_prefix("&*").map(String::from).unwrap_or(text)
}

fn step(cell: &Cell, up: bool, prefix: bool) -> String {
    let (operator, text) = (if up { "++" } else { "--" }, &cell.text);
    let text = if text.starts_with('*') { format!("({text})") } else { text.clone() };
    if prefix { format!("{operator}{text}") } else { format!("{text}{operator}") }
}
