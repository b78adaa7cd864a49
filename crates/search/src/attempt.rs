//! Values for the inputs, and the run that is made with them.

use crate::chosen::Source;
use crate::form::Form;
use crate::pointed::pointed;
use crate::space::Space;
use crate::stdin::{Content, Item, render};
use crate::subject::{Subject, scalars};
use std::collections::BTreeMap;
use wherefore_case::Given;
use wherefore_formula::VarId;
use wherefore_record::{Input, InputValue};

/// Values for the inputs. One without a value is 0, or what the user gave; a pointer points to an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Attempt {
    /// The values by variables.
    pub values: BTreeMap<VarId, u128>,
    /// The items of standard input.
    pub items: Vec<Item>,
}

impl Attempt {
    /// The value of a variable.
    pub fn value(&self, space: &Space, variable: VarId) -> u128 {
        if let Some(value) = self.values.get(&variable) {
            return *value;
        }
        match space.source(variable) {
            Source::More(k) => u128::from((k as usize) < self.items.len()),
            Source::Item(k) => self.items.get(k as usize).map_or(0, Item::default_bits),
            Source::Argument(k) => space.arguments.get(&k).map_or(0, |value| u128::from(*value as u64)),
            Source::Pointer(_) => 1,
            _ => 0,
        }
    }

    fn of(&self, space: &mut Space, source: Source) -> u128 {
        let variable = space.variable(source);
        self.value(space, variable)
    }

    /// The text of standard input.
    pub fn content(&self, space: &mut Space) -> Content {
        render(&self.items, |k| self.of(space, Source::Item(k as u32)))
    }

    /// What a run with these values is given; some inputs have a form by the run they come from.
    pub fn given(&self, space: &mut Space, subject: &Subject, forms: &BTreeMap<VarId, Form>) -> Given {
        let mut inputs = subject.fixed.clone();
        for (index, form) in parameters(subject) {
            let value = bytes(form, self.of(space, Source::Parameter(index)));
            inputs.push(Input::Argument { index, value: InputValue::Bits(value) });
        }
        for pointed in pointed(subject) {
            let index = pointed.parameter;
            let value = if self.of(space, Source::Pointer(index)) == 0 {
                InputValue::Bits(vec![0; 8])
            } else {
                let mut content = vec![0; pointed.bytes() as usize];
                for (offset, form) in &pointed.scalars {
                    let value = bytes(*form, self.of(space, Source::Pointed { parameter: index, offset: *offset }));
                    content[*offset as usize..][..value.len()].copy_from_slice(&value);
                }
                InputValue::Object(content)
            };
            inputs.push(Input::Argument { index, value });
        }
        for &id in &subject.globals {
            let parts = scalars(subject.program, id);
            let value = parts
                .iter()
                .flat_map(|(offset, form)| bytes(*form, self.of(space, Source::Global { id, offset: *offset })));
            let value = value.collect();
            inputs.push(Input::Global { id: id.0, value: InputValue::Bits(value) });
        }
        let mut nondet = subject.nondet.clone();
        let mut arguments = subject.arguments.clone();
        for (&variable, &value) in &self.values {
            match space.source(variable) {
                Source::Nondet(k) => {
                    let k = k as usize;
                    nondet.resize(nondet.len().max(k + 1), 0);
                    nondet[k] = value as u64;
                }
                Source::Argument(k) => {
                    let bits = forms.get(&variable).map_or(64, |f| f.bits());
                    if let Some(argument) = arguments.get_mut((k as usize).wrapping_sub(1)) {
                        // As wide as the function that reads it.
                        *argument = ((value as i64) << (64 - bits) >> (64 - bits)).to_string().into();
                    }
                }
                _ => {}
            }
        }
        let stdin = subject.stdin.then(|| self.content(space).bytes);
        Given { inputs, nondet, stdin, arguments }
    }
}

/// The parameters that are inputs, by their index.
pub(crate) fn parameters(subject: &Subject) -> Vec<(u32, Form)> {
    let entry = &subject.program.functions[subject.entry.index()];
    if subject.program.is_main(entry) {
        return vec![];
    }
    let is_fixed = |k: u32| subject.fixed.iter().any(|i| matches!(i, Input::Argument { index, .. } if *index == k));
    let mut all: Vec<(u32, Form)> = entry
        .locals
        .iter()
        .filter_map(|local| {
            let index = local.param.filter(|k| !is_fixed(*k))?;
            local.name.as_ref()?;
            Some((index, crate::form::form_of(subject.program, local.ctype?)?))
        })
        .collect();
    all.sort_unstable();
    all.dedup_by_key(|(index, _)| *index);
    all
}

/// A value in memory.
fn bytes(form: Form, value: u128) -> Vec<u8> {
    value.to_le_bytes()[..form.bits().div_ceil(8) as usize].to_vec()
}
