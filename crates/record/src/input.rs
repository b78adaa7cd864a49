//! Inputs of a run and the text in which the runtime reads them.

use crate::layout::{OBJECT_ROOM, OBJECTS};
use std::fmt::Write;
use wherefore_case::{Input, InputValue};

/// Where the object lies that a parameter of the entry function points to when it is given one.
pub fn object_address(parameter: u32) -> u64 {
    OBJECTS + u64::from(parameter & 0x7fff) * OBJECT_ROOM
}

/// The inputs as the runtime reads them: `a0=2a000000;g3=s:6869;`.
pub(crate) fn encode_inputs(inputs: &[Input]) -> String {
    let mut text = String::new();
    for input in inputs {
        let (kind, number, value) = match input {
            Input::Argument { index, value } => ('a', index, value),
            Input::Global { id, value } => ('g', id, value),
        };
        let (prefix, bytes) = match value {
            InputValue::Bits(bytes) => ("", bytes),
            InputValue::Object(bytes) => ("s:", bytes),
        };
        write!(text, "{kind}{number}={prefix}").expect("a string takes any text");
        for byte in bytes {
            write!(text, "{byte:02x}").expect("a string takes any text");
        }
        text.push(';');
    }
    text
}

/// Nondeterministic values as the runtime reads them: `2a,ffffffff`.
pub(crate) fn encode_nondet(values: &[u64]) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(text, "{comma}{value:x}").expect("a string takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_as_text() {
        let inputs = [
            Input::Argument { index: 0, value: InputValue::Bits(vec![0x2a, 0]) },
            Input::Global { id: 13, value: InputValue::Object(b"hi".to_vec()) },
            Input::Argument { index: 1, value: InputValue::Object(vec![]) },
        ];
        assert_eq!(encode_inputs(&inputs), "a0=2a00;g13=s:6869;a1=s:;");
        assert_eq!(encode_nondet(&[42, u64::MAX, 0]), "2a,ffffffffffffffff,0");
        assert_eq!(encode_nondet(&[]), "");
    }
}
