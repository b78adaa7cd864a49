//! A `main` for an entry function of another name.

use crate::Error;
use crate::llvm::{Builder, Module, Value};
use wherefore_program::{CType, FunctionId, Program};

/// Starts the recording.
const BEGIN: &str = "__wf_begin";

/// Gives the argument of a parameter, as 64 bits.
const ARGUMENT: &str = "__wf_argument";

/// Whether arguments can be made for every parameter of an entry function.
pub(crate) fn check_entry(program: &Program, id: FunctionId, function: Value) -> Result<(), Error> {
    let entry = &program.functions[id.index()];
    let needs = |what: String| {
        let at = match entry.origin {
            Some(o) => format!("{}:{}", program.files[o.file.index()], o.line),
            None => "the program".to_string(),
        };
        Err(Error::EntryNeeds { name: entry.name.clone(), at, what })
    };
    if entry.result_type.is_some_and(|t| matches!(program.types[t], CType::Record { .. })) && entry.result.is_none() {
        return needs("room for the struct it returns".to_string());
    }
    for local in entry.locals.iter().filter(|l| l.param.is_some()) {
        let name = local.name.as_deref().unwrap_or("");
        let kind = match local.ctype.map(|t| &program.types[t]) {
            Some(CType::Record { union: false, .. }) => "a struct",
            Some(CType::Record { union: true, .. }) => "a union",
            Some(CType::Integer { bits: 65.., .. }) => "an integer of more than 64 bits",
            Some(CType::Float { bits: 65.. }) => "a long double",
            Some(CType::Array { .. }) => "a vector",
            _ => continue,
        };
        return needs(format!("{kind} for `{name}`"));
    }
    for (number, param) in function.params().into_iter().enumerate() {
        if !is_simple(param) {
            return needs(format!("an argument {number} that is neither a number nor a pointer"));
        }
    }
    Ok(())
}

fn is_simple(param: Value) -> bool {
    let ty = param.ty();
    ty.is_integer() || ty.is_pointer() || ty.is_plain_float()
}

/// Adds `int main(void)`, which starts the recording and calls the entry with the run's arguments. The program's own
/// `main` gets another symbol.
pub(crate) fn make_entry(module: &Module, entry: Value) {
    if let Some(main) = module.named_function("main") {
        main.set_name("__wf_user_main");
    }
    let builder = Builder::new(module);
    let int = builder.int_type(32);
    let begin = builder.function(BEGIN, builder.function_type(builder.void_type(), &[]));
    let argument = builder.function(ARGUMENT, builder.function_type(builder.int_type(64), &[int, int]));
    let main = builder.function("main", builder.function_type(int, &[]));
    builder.at_end(builder.append_block(main));
    builder.call(begin, &[]);
    let mut arguments = vec![];
    for (number, param) in entry.params().into_iter().enumerate() {
        let bits = module.width(param.ty());
        let index = builder.int(32, number as u64);
        let word = builder.call(argument, &[index, builder.int(32, bits)]);
        arguments.push(builder.of_word(word, param.ty()));
    }
    builder.call(entry, &arguments);
    builder.ret(builder.int(32, 0));
}
