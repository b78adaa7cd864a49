//! What the locals without a name are for: the compiler makes them for results, on the way of a value, and for objects
//! that C itself leaves without a name.

use crate::{Command, Function, LocalId, Operand, Origin, Place, Terminator};
use std::collections::HashMap;

/// A local without a name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unnamed {
    /// What the function returns is collected here.
    Result,
    /// A value on its way: a struct that is passed, a literal that is copied at once. Where it is first used.
    Temporary(Option<Origin>),
    /// An object that the program can point to: a compound literal, memory of `alloca`. Where it is first used.
    Object(Option<Origin>),
}

/// What each local without a name is for; named ones are left out.
pub fn unnamed(function: &Function) -> HashMap<LocalId, Unnamed> {
    let mut all = HashMap::new();
    for (index, local) in function.locals.iter().enumerate() {
        if local.name.is_none() {
            let id = LocalId(index as u32);
            all.insert(id, Unnamed::Temporary(first_use(function, id)));
        }
    }
    if all.is_empty() {
        return all;
    }
    let commands = || function.blocks.iter().flat_map(|b| &b.commands);
    for command in commands() {
        let pointed: Vec<&Operand> = match &command.it {
            // What is only read, written and copied is not pointed to.
            Command::Load { .. } | Command::Copy { .. } | Command::Fill { .. } => vec![],
            Command::Store { value, .. } => vec![value],
            Command::Allocate { local, target: Some(_) } => {
                all.entry(*local).and_modify(|u| *u = Unnamed::Object(command.at));
                vec![]
            }
            other => other.operands(),
        };
        for operand in pointed {
            if let Operand::Local(local, _) = operand
                && let Some(known) = all.get_mut(local)
                && let Unnamed::Temporary(at) = *known
            {
                *known = Unnamed::Object(at);
            }
        }
    }
    for local in results(function) {
        all.entry(local).and_modify(|u| *u = Unnamed::Result);
    }
    all
}

fn place(place: &Place) -> Option<(LocalId, u64)> {
    match place {
        Place::Local(local, offset) => Some((*local, *offset)),
        Place::Memory(Operand::Local(local, offset)) => Some((*local, *offset as u64)),
        Place::Memory(_) => None,
    }
}

/// Where the source first speaks of a local.
fn first_use(function: &Function, wanted: LocalId) -> Option<Origin> {
    let uses = |c: &Command| match c {
        Command::Load { place: p, .. } | Command::Store { place: p, .. } => place(p).is_some_and(|p| p.0 == wanted),
        Command::Allocate { .. } => false,
        other => other.operands().iter().any(|o| matches!(o, Operand::Local(l, _) if *l == wanted)),
    };
    function.blocks.iter().flat_map(|b| &b.commands).filter(|c| uses(&c.it)).find_map(|c| c.at)
}

/// The locals that are returned as they are, and those that are copied there.
fn results(function: &Function) -> Vec<LocalId> {
    let commands = || function.blocks.iter().flat_map(|b| &b.commands);
    let mut found = vec![];
    for block in &function.blocks {
        let Terminator::Return(Some(Operand::Register(result))) = &block.terminator.it else { continue };
        for command in commands() {
            let Command::Load { target, place: p, .. } = &command.it else { continue };
            let Some((local, 0)) = place(p).filter(|_| target == result) else { continue };
            let bytes = u64::from(function.registers[target.index()].div_ceil(8));
            if function.locals[local.index()].size.is_some_and(|size| size <= bytes) {
                found.push(local);
            }
        }
    }
    let mut at = 0;
    while let Some(&to) = found.get(at) {
        at += 1;
        for command in commands() {
            if let Command::Copy { to: Operand::Local(l, 0), from: Operand::Local(from, 0), .. } = &command.it
                && *l == to
                && !found.contains(from)
                // What is copied to a variable of the program is not collected in it.
                && function.locals[from.index()].name.is_none()
            {
                found.push(*from);
            }
        }
    }
    found.retain(|l| function.locals[l.index()].name.is_none());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Local, Located, Operation, RegId};

    fn local(name: Option<&str>, size: u64) -> Local {
        let name = name.map(String::from);
        Local { name, ctype: None, size: Some(size), escapes: true, param: None, scope: vec![], origin: None }
    }

    /// `*$1 = 7; %0 = $1 + 0; copy $2 := $0; return load $2`
    fn function() -> Function {
        let at = Some(Origin { file: crate::FileId(0), line: 3, column: 1 });
        let memory = |l: u32| Place::Memory(Operand::Local(LocalId(l), 0));
        let constant = |bits| Operand::Constant { bits, value: 7 };
        let commands = vec![
            Command::Store { place: memory(1), value: constant(32), bits: 32 },
            Command::Define { target: RegId(0), value: Operation::Copy(Operand::Local(LocalId(1), 0)) },
            Command::Copy {
                to: Operand::Local(LocalId(2), 0),
                from: Operand::Local(LocalId(0), 0),
                length: constant(64),
                apart: true,
            },
            Command::Store { place: memory(3), value: constant(32), bits: 32 },
            Command::Load { target: RegId(1), place: memory(2), logged: false, volatile: false },
        ];
        let located = commands.into_iter().map(|it| Located { it, at }).collect();
        let value = Terminator::Return(Some(Operand::Register(RegId(1))));
        Function {
            name: "f".into(),
            origin: None,
            params: vec![],
            params_recorded: false,
            locals: vec![local(None, 4), local(None, 4), local(None, 8), local(None, 4), local(Some("x"), 4)],
            registers: vec![64, 64],
            result: Some(64),
            result_type: None,
            variadic: false,
            blocks: vec![Block { commands: located, terminator: Located { it: value, at } }],
            first_block: 0,
            members: vec![],
            within: vec![],
        }
    }

    #[test]
    fn results_objects_and_temporaries_are_told_apart() {
        let all = unnamed(&function());
        assert_eq!(all[&LocalId(0)], Unnamed::Result, "copied to what is returned");
        assert!(matches!(all[&LocalId(1)], Unnamed::Object(Some(at)) if at.line == 3));
        assert_eq!(all[&LocalId(2)], Unnamed::Result);
        assert!(matches!(all[&LocalId(3)], Unnamed::Temporary(Some(_))));
        assert!(!all.contains_key(&LocalId(4)), "it has a name");
    }
}
