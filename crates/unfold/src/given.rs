//! What a run is given, as the formula sees it.

use crate::TestInput;
use wherefore_case::{Given, Input, InputValue};
use wherefore_program::{FunctionId, GlobalId, Program};

/// What a run is given cannot be a part of a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a text or object cannot be given to a global in a formula")]
pub struct NoNumber;

impl TestInput {
    /// What a run that starts in a function is given; the program knows itself by a name.
    ///
    /// # Errors
    /// When a global points to a text or object, where the formula has a number.
    pub fn new(given: &Given, program: &Program, entry: FunctionId, name: &[u8]) -> Result<TestInput, NoNumber> {
        let arguments = given.arguments.iter().map(|a| a.as_encoded_bytes().to_vec());
        let mut input = TestInput {
            arguments: std::iter::once(name.to_vec()).chain(arguments).collect(),
            stdin: given.stdin.clone().unwrap_or_default(),
            nondet: given.nondet.clone(),
            parameters: vec![0; program.functions[entry.index()].params.len()],
            objects: vec![],
            globals: vec![],
        };
        for one in &given.inputs {
            match one {
                Input::Argument { index, value: InputValue::Bits(bytes) } => {
                    let value = bytes.iter().rev().fold(0u128, |v, b| v << 8 | u128::from(*b));
                    if let Some(parameter) = input.parameters.get_mut(*index as usize) {
                        *parameter = value;
                    }
                }
                Input::Global { id, value: InputValue::Bits(bytes) } => {
                    input.globals.push((GlobalId(*id), bytes.clone()));
                }
                Input::Argument { index, value: InputValue::Object(bytes) } => {
                    if let Some(parameter) = input.parameters.get_mut(*index as usize) {
                        *parameter = 1;
                    }
                    input.objects.push((*index, bytes.clone()));
                }
                Input::Global { value: InputValue::Object(_), .. } => return Err(NoNumber),
            }
        }
        Ok(input)
    }
}
