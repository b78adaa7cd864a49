//! What is searched: everything that no option fixes.

use crate::UsageError;
use crate::inputs::{self, global, parameter, unknown};
use crate::options::Run;
use wherefore_program::{GlobalId, Program};
use wherefore_search::{Subject, is_searched};

/// The inputs that the options leave open.
pub fn subject<'p>(options: &Run, program: &'p Program) -> Result<Subject<'p>, UsageError> {
    let (open, given): (Vec<String>, Vec<String>) =
        options.input.iter().cloned().partition(|text| text.split_once('=').is_some_and(|(_, v)| v.trim() == "?"));
    let parsed = inputs::parse(program, &options.entry, &given)?;
    let entry = program.function(&options.entry).expect("the inputs were read for it");
    let function = &program.functions[entry.index()];
    let mut globals = vec![];
    for text in &open {
        let name = text.split_once('=').map_or("", |(name, _)| name.trim());
        if given.iter().any(|g| g.split_once('=').is_some_and(|(n, _)| n.trim() == name)) {
            return Err(UsageError(format!("--input {name} is given twice")));
        }
        if parameter(program, function, name).is_some() && !program.is_main(function) {
            continue;
        }
        let Some(id) = global(program, name) else { return Err(unknown(program, function, name)) };
        let declared = &program.globals[id];
        if declared.constant || declared.external {
            return Err(UsageError(format!("--input {name}: the variable cannot be set")));
        }
        let id = GlobalId(id as u32);
        if !is_searched(program, id) {
            return Err(UsageError(format!("--input {name}=?: only numbers and arrays of numbers can be searched")));
        }
        if !globals.contains(&id) {
            globals.push(id);
        }
    }
    Ok(Subject {
        program,
        entry,
        fixed: parsed.inputs,
        globals,
        nondet: inputs::nondet(&options.nondet)?,
        stdin: options.stdin.is_none(),
        arguments: options.arguments.clone(),
        expected: options.expected(),
    })
}
