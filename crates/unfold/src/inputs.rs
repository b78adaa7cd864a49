//! Inputs that are left open: which there are, and the input that a model of the formula stands for.

use crate::{Event, Source, TestInput, Unfolding};
use wherefore_formula::{Sort, TermId, VarId};

impl Unfolding {
    /// The inputs that are variables, nondeterministic values apart, and where they come from.
    pub fn inputs(&self) -> impl Iterator<Item = (VarId, Sort, &Source)> {
        self.inputs.iter().map(|(var, sort, source)| (*var, *sort, source))
    }

    /// Whether the program may read standard input.
    pub fn reads_stdin(&self) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Read { read, .. } if !read.is_nondet()))
    }

    /// The input of the run that a model describes; `model` gives the values of variables. What is not open is as
    /// `given`.
    pub fn input_of(
        &self,
        given: &TestInput,
        is_open: &dyn Fn(&Source) -> bool,
        model: &mut dyn FnMut(VarId) -> u128,
    ) -> TestInput {
        let mut input = given.clone();
        for (var, _, source) in self.inputs().filter(|(.., source)| is_open(source)) {
            source.give(&mut input, model(var));
        }
        let reads = self.events.iter().filter_map(|event| match event {
            Event::Read { guard, read } if read.is_nondet() => Some((*guard, read.results.first()?.0)),
            _ => None,
        });
        let (guards, results): (Vec<TermId>, Vec<VarId>) = reads.unzip();
        let taken = self.terms.evaluate_all(&guards, &mut |var| Some(model(var)));
        let read = taken.iter().zip(results).filter(|(taken, _)| taken.is_some_and(|t| t.raw() == 1));
        input.nondet = read.map(|(_, var)| model(var) as u64).collect();
        input
    }
}

impl Source {
    /// Makes a test give a value. The text of an argument is not changed by a number in it.
    fn give(&self, test: &mut TestInput, value: u128) {
        match self {
            Source::Parameter(n) => {
                if let Some(parameter) = test.parameters.get_mut(*n as usize) {
                    *parameter = value;
                }
            }
            Source::Object(n, offset, width) => {
                let bytes = test.objects.iter_mut().find(|(number, _)| number == n).map(|(_, bytes)| bytes);
                write(bytes, *offset, *width, value);
            }
            Source::Global(global, offset, width) => {
                let bytes = test.globals.iter_mut().find(|(g, _)| g == global).map(|(_, bytes)| bytes);
                write(bytes, *offset, *width, value);
            }
            Source::ArgumentCount | Source::ArgumentByte(..) | Source::ArgumentNumber(..) => {}
        }
    }
}

/// Writes a value into bytes, if they have a place for it.
fn write(bytes: Option<&mut Vec<u8>>, offset: u64, width: u32, value: u128) {
    let place = offset as usize..(offset + u64::from(width)) as usize;
    if let Some(place) = bytes.and_then(|bytes| bytes.get_mut(place)) {
        place.copy_from_slice(&value.to_le_bytes()[..width as usize]);
    }
}
