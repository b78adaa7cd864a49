//! Text form of a program, for tests and debugging.
//!
//! One command per line, with its place in the source behind `;`. Registers are `%n`, locals `$name` (or `$n`),
//! globals `@name`, blocks `bn`; widths follow a colon.

use crate::{
    BlockId, CType, Callee, CastOp, Command, FloatCastOp, Function, Global, GlobalId, Local, LocalId, Located, Operand,
    Operation, Origin, Place, Program, RegId, Terminator, TypeId,
};
use std::fmt::Write;

/// The whole program as text.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    for (number, file) in program.files.iter().enumerate() {
        line(&mut out, format_args!("file {number} {file}"));
    }
    for global in &program.globals {
        line(&mut out, format_args!("{}", global_line(program, global)));
    }
    for symbol in &program.externals {
        line(&mut out, format_args!("external {symbol}"));
    }
    for note in &program.notes {
        line(&mut out, format_args!("note {}: {}", place(note.at, None), note.message));
    }
    for function in &program.functions {
        out.push('\n');
        Printer { program, function }.function(&mut out);
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string");
    out.push('\n');
}

/// `line:column`, with the file in front when it is not `usual`.
fn place(at: Option<Origin>, usual: Option<Origin>) -> String {
    match at {
        None => "-".to_string(),
        Some(o) if usual.is_some_and(|u| u.file == o.file) => format!("{}:{}", o.line, o.column),
        Some(o) => format!("{}:{}:{}", o.file.0, o.line, o.column),
    }
}

fn global_line(program: &Program, global: &Global) -> String {
    let mut text = format!("global {}", global.symbol);
    if let Some(name) = &global.name {
        write!(text, " {name}").expect("writing to a string");
    }
    if let Some(ctype) = global.ctype {
        write!(text, ": {}", type_name(program, ctype)).expect("writing to a string");
    }
    write!(text, ", {} bytes", global.size).expect("writing to a string");
    for (flag, name) in [(global.constant, "constant"), (global.external, "external")] {
        if flag {
            write!(text, ", {name}").expect("writing to a string");
        }
    }
    if let Some(function) = global.function {
        write!(text, ", in {}", program.functions[function.index()].name).expect("writing to a string");
    }
    write!(text, " ; {}", place(global.origin, None)).expect("writing to a string");
    text
}

/// A type as a C programmer would write it, roughly.
fn type_name(program: &Program, id: TypeId) -> String {
    match &program.types[id] {
        CType::Void => "void".to_string(),
        CType::Bool => "_Bool".to_string(),
        CType::Integer { name, .. } => name.clone(),
        CType::Float { bits } => format!("float{bits}"),
        CType::Enum { name, .. } => format!("enum {name}"),
        CType::Pointer(to) => match &program.types[*to] {
            // Named only: a list's node points to its own type.
            CType::Record { .. } => format!("{} *", record_name(program, *to)),
            _ => format!("{} *", type_name(program, *to)),
        },
        CType::Function => "function".to_string(),
        CType::Array { element, count } => {
            let count = count.map(|c| c.to_string()).unwrap_or_default();
            format!("{}[{count}]", type_name(program, *element))
        }
        CType::Record { fields, .. } => {
            let mut text = record_name(program, id);
            text.push_str(" {");
            for field in fields {
                let what = match &program.types[field.ctype] {
                    CType::Record { .. } => record_name(program, field.ctype),
                    _ => type_name(program, field.ctype),
                };
                let kind = if field.bit_field { " bits" } else { "" };
                write!(text, " {}: {what} @{}+{}{kind};", field.name, field.offset, field.size)
                    .expect("writing to a string");
            }
            text.push_str(" }");
            text
        }
    }
}

fn record_name(program: &Program, id: TypeId) -> String {
    match &program.types[id] {
        CType::Record { name, union, .. } => {
            format!("{} {name}", if *union { "union" } else { "struct" })
        }
        _ => type_name(program, id),
    }
}

struct Printer<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Printer<'_> {
    fn function(&self, out: &mut String) {
        let f = self.function;
        let mut params: Vec<String> = f.params.iter().map(|p| self.register(*p)).collect();
        if f.variadic {
            params.push("...".to_string());
        }
        let result = f.result.map(|bits| format!(" -> {bits}")).unwrap_or_default();
        let ctype = f.result_type.map(|t| format!(" {}", self.short_type(t))).unwrap_or_default();
        let recorded = if f.params_recorded { ", parameters recorded" } else { "" };
        let (params, at) = (params.join(", "), place(f.origin, None));
        line(out, format_args!("function {}({params}){result}{ctype}{recorded} ; {at}", f.name));
        for (number, local) in f.locals.iter().enumerate() {
            line(out, format_args!("  local {}", self.local_line(number, local)));
        }
        for (number, block) in f.blocks.iter().enumerate() {
            line(out, format_args!("  b{number}: #{}", f.first_block + number as u32));
            for command in &block.commands {
                line(out, format_args!("    {} ; {}", self.command(&command.it), place(command.at, f.origin)));
            }
            let Located { it, at } = &block.terminator;
            line(out, format_args!("    {} ; {}", self.terminator(it), place(*at, f.origin)));
        }
    }

    fn local_line(&self, number: usize, local: &Local) -> String {
        let mut text = self.local(LocalId(number as u32));
        if let Some(ctype) = local.ctype {
            write!(text, ": {}", type_name(self.program, ctype)).expect("writing to a string");
        }
        match local.size {
            Some(size) => write!(text, ", {size} bytes"),
            None => write!(text, ", size at run time"),
        }
        .expect("writing to a string");
        if local.escapes {
            text.push_str(", escapes");
        }
        if let Some(param) = local.param {
            write!(text, ", parameter {param}").expect("writing to a string");
        }
        write!(text, " ; {}", place(local.origin, self.function.origin)).expect("writing to a string");
        text
    }

    fn short_type(&self, id: TypeId) -> String {
        match &self.program.types[id] {
            CType::Record { .. } => record_name(self.program, id),
            _ => type_name(self.program, id),
        }
    }

    fn register(&self, id: RegId) -> String {
        match self.function.registers.get(id.index()) {
            Some(bits) => format!("%{}:{bits}", id.0),
            None => format!("%{}:?", id.0),
        }
    }

    fn local(&self, id: LocalId) -> String {
        let named = |l: &Local| l.name.clone();
        match self.function.locals.get(id.index()).and_then(named) {
            Some(name) => {
                let twins = self.function.locals.iter().filter(|l| l.name.as_ref() == Some(&name)).count();
                if twins > 1 { format!("${name}.{}", id.0) } else { format!("${name}") }
            }
            None => format!("${}", id.0),
        }
    }

    fn global(&self, id: GlobalId) -> String {
        match self.program.globals.get(id.index()) {
            Some(global) => format!("@{}", global.name.as_ref().unwrap_or(&global.symbol)),
            None => format!("@{}?", id.0),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Register(id) => format!("%{}", id.0),
            Operand::Constant { bits, value } => {
                let shifted = (*value as i128) << (128 - (*bits).clamp(1, 128)) >> (128 - (*bits).clamp(1, 128));
                format!("{shifted}:{bits}")
            }
            Operand::Global(id, offset) => format!("&{}{}", self.global(*id), signed(*offset)),
            Operand::Local(id, offset) => format!("&{}{}", self.local(*id), signed(*offset)),
            Operand::Function(id) => match self.program.functions.get(id.index()) {
                Some(f) => format!("&{}", f.name),
                None => format!("&function {}?", id.0),
            },
            Operand::External(symbol) => format!("&external {symbol}"),
            Operand::Undefined { bits } => format!("undefined:{bits}"),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|o| self.operand(o)).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Local(id, 0) => self.local(*id),
            Place::Local(id, offset) => format!("{}+{offset}", self.local(*id)),
            Place::Memory(address) => format!("[{}]", self.operand(address)),
        }
    }

    fn command(&self, command: &Command) -> String {
        match command {
            Command::Define { target, value } => {
                format!("{} = {}", self.register(*target), self.operation(value))
            }
            Command::Load { target, place, logged, volatile } => format!(
                "{} = load{}{} {}",
                self.register(*target),
                if *volatile { " volatile" } else { "" },
                if *logged { " logged" } else { "" },
                self.place(place),
            ),
            Command::Store { place, value, bits } => {
                format!("store:{bits} {} := {}", self.place(place), self.operand(value))
            }
            Command::Allocate { local, target } => match target {
                Some(target) => format!("{} = allocate {}", self.register(*target), self.local(*local)),
                None => format!("allocate {}", self.local(*local)),
            },
            Command::Copy { to, from, length, .. } => {
                format!("copy [{}] := [{}], {} bytes", self.operand(to), self.operand(from), self.operand(length))
            }
            Command::Fill { to, byte, length } => {
                format!("fill [{}] := {}, {} bytes", self.operand(to), self.operand(byte), self.operand(length))
            }
            Command::Call { target, callee, arguments, site } => {
                let target = target.map(|t| format!("{} = ", self.register(t))).unwrap_or_default();
                format!("{target}call {}({}) site {site}", self.callee(callee), self.operands(arguments))
            }
        }
    }

    fn callee(&self, callee: &Callee) -> String {
        match callee {
            Callee::Function(id) => self.operand(&Operand::Function(*id)).replacen('&', "", 1),
            Callee::External(symbol) => format!("external {symbol}"),
            Callee::Pointer(operand) => format!("*{}", self.operand(operand)),
            Callee::Assembly => "assembly".to_string(),
        }
    }

    fn operation(&self, operation: &Operation) -> String {
        let o = |operand: &Operand| self.operand(operand);
        match operation {
            Operation::Copy(a) => o(a),
            Operation::Binary { op, left, right, no_signed_wrap, no_unsigned_wrap } => format!(
                "{}{}{} {}, {}",
                lower(op),
                if *no_signed_wrap { " nsw" } else { "" },
                if *no_unsigned_wrap { " nuw" } else { "" },
                o(left),
                o(right)
            ),
            Operation::Compare(op, a, b) => format!("compare {} {}, {}", lower(op), o(a), o(b)),
            Operation::Cast(op, a) => {
                let op = match op {
                    CastOp::Truncate => "truncate",
                    CastOp::ZeroExtend => "zero-extend",
                    CastOp::SignExtend => "sign-extend",
                };
                format!("{op} {}", o(a))
            }
            Operation::Select(c, a, b) => format!("{} ? {} : {}", o(c), o(a), o(b)),
            Operation::Extract { value, low } => format!("extract {} from bit {low}", o(value)),
            Operation::Insert { value, part, low } => {
                format!("insert {} at bit {low}: {}", o(value), o(part))
            }
            Operation::FloatBinary(op, a, b) => format!("float-{} {}, {}", lower(op), o(a), o(b)),
            Operation::FloatCompare(op, a, b) => {
                format!("float-compare {} {}, {}", lower(op), o(a), o(b))
            }
            Operation::FloatCast(op, a) => {
                let op = match op {
                    FloatCastOp::FromSigned => "float-from-signed",
                    FloatCastOp::FromUnsigned => "float-from-unsigned",
                    FloatCastOp::ToSigned => "float-to-signed",
                    FloatCastOp::ToUnsigned => "float-to-unsigned",
                    FloatCastOp::Resize => "float-resize",
                };
                format!("{op} {}", o(a))
            }
            Operation::FloatNegate(a) => format!("float-negate {}", o(a)),
            Operation::FloatAbs(a) => format!("float-abs {}", o(a)),
            Operation::FloatSqrt(a) => format!("float-sqrt {}", o(a)),
            Operation::Phi(ways) => {
                let ways: Vec<String> = ways.iter().map(|(b, a)| format!("{} from {}", o(a), block(*b))).collect();
                format!("phi {}", ways.join(", "))
            }
            Operation::Opaque { what, operands } => {
                format!("opaque \"{what}\" ({})", self.operands(operands))
            }
        }
    }

    fn terminator(&self, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Goto(to) => format!("goto {}", block(*to)),
            Terminator::Branch { condition, then, otherwise } => {
                format!("branch {} ? {} : {}", self.operand(condition), block(*then), block(*otherwise))
            }
            Terminator::Switch(switch) => {
                let mut text = format!("switch {}", self.operand(&switch.value));
                for (value, to) in &switch.cases {
                    write!(text, ", {value} to {}", block(*to)).expect("writing to a string");
                }
                write!(text, ", else {}", block(switch.default)).expect("writing to a string");
                text
            }
            Terminator::Return(None) => "return".to_string(),
            Terminator::Return(Some(value)) => format!("return {}", self.operand(value)),
            Terminator::Unreachable => "unreachable".to_string(),
        }
    }
}

fn block(id: BlockId) -> String {
    format!("b{}", id.0)
}

fn signed(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!("{offset:+}") }
}

fn lower(op: &impl std::fmt::Debug) -> String {
    format!("{op:?}").to_lowercase()
}
