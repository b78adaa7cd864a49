//! The inputs found, saved as tests.

use super::report;
use crate::options::Run;
use crate::test_files::TestFiles;
use std::io;
use std::path::Path;
use wherefore_case::Expected;
use wherefore_program::Program;
use wherefore_search::Found;

/// Saves the inputs found as a directory of tests, the failing ones first.
pub fn save(directory: &Path, options: &Run, program: &Program, found: &Found) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let fixed = options.stdin.as_deref().map(std::fs::read).transpose()?;
    for (n, case) in found.failing.iter().chain(&found.passing).enumerate() {
        let (named, nondet) = report::values(options, program, case);
        let test = TestFiles {
            name: report::name(n + 1),
            stdin: case.given.stdin.clone().or_else(|| fixed.clone()),
            arguments: case.given.arguments.clone(),
            inputs: named.into_iter().map(|i| (i.name, i.value)).collect(),
            nondet,
            expected: Expected { stdout: None, status: options.expect_status },
        };
        test.write(directory)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs;
    use crate::options::{Cli, Command};
    use clap::Parser;
    use proptest::collection::vec;
    use proptest::option::of;
    use proptest::prelude::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use wherefore_case::{Given, Input, InputValue};
    use wherefore_program::GlobalId;
    use wherefore_search::{Chosen, Form, Source, Tried};

    const PROGRAM: &str = "int array[3]; struct point { short x; double y; };
int f(int a, unsigned char b, double d, char *s, int *p, struct point *q) { return a + b + d + *s + *p + q->x; }
int main(void) { return f(array[0], 0, 0, 0, 0, 0); }";

    const SHORT: Form = Form::Integer { bits: 16, signed: true };
    const INT: Form = Form::Integer { bits: 32, signed: true };
    const DOUBLE: Form = Form::Real { bits: 64 };

    fn options() -> Run {
        let all = ["wherefore", "search", "prog.c", "--entry", "f", "--expect-status", "7"];
        match Cli::try_parse_from(all).expect("it is understood").command {
            Command::Search(options) => options.run,
            other => panic!("{other:?}"),
        }
    }

    /// A number; which NaN it is is not written down.
    fn real() -> impl Strategy<Value = f64> {
        any::<f64>().prop_filter("a number", |v| !v.is_nan())
    }

    fn nondet() -> impl Strategy<Value = (Form, u64)> {
        prop_oneof![
            any::<u32>().prop_map(|v| (INT, u64::from(v))),
            any::<u64>().prop_map(|v| (Form::Integer { bits: 64, signed: false }, v)),
            any::<u32>().prop_map(|v| (Form::Real { bits: 32 }, u64::from(v))),
            any::<u64>().prop_map(|v| (DOUBLE, v)),
        ]
    }

    /// What is chosen and given for a parameter or global whose scalars have these places and values.
    fn scalars(parts: &[(Source, Form, u64)]) -> (Vec<Chosen>, Vec<u8>) {
        let chosen = parts.iter().map(|&(source, form, bits)| Chosen { source, form, bits: bits.into() }).collect();
        let bytes = |&(_, form, bits): &(Source, Form, u64)| bits.to_le_bytes()[..form.bits() as usize / 8].to_vec();
        (chosen, parts.iter().flat_map(bytes).collect())
    }

    /// Places and values of its scalars, and all its bytes.
    type Object = (Vec<(u64, Form, u64)>, Vec<u8>);

    /// What is chosen for a pointer, and what it is given: null or an object.
    fn pointer(parameter: u32, object: Option<Object>) -> (Vec<Chosen>, Input) {
        let pointer = Chosen { source: Source::Pointer(parameter), form: Form::Truth, bits: object.is_some().into() };
        let (parts, value) = match object {
            Some((parts, bytes)) => (parts, InputValue::Object(bytes)),
            None => (vec![], InputValue::Bits(vec![0; 8])),
        };
        let part = |(offset, form, bits)| (Source::Pointed { parameter, offset }, form, bits);
        let (parts, _) = scalars(&parts.into_iter().map(part).collect::<Vec<_>>());
        ([vec![pointer], parts].concat(), Input::Argument { index: parameter, value })
    }

    fn text(text: Vec<u8>) -> Object {
        let parts = text.iter().zip(0..).map(|(c, at)| (at, Form::Character, u64::from(*c))).collect();
        (parts, [text, vec![0]].concat())
    }

    fn numbers(numbers: Vec<i32>) -> Object {
        let parts = numbers.iter().zip(0..).map(|(v, n)| (4 * n, INT, u64::from(*v as u32))).collect();
        (parts, numbers.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    fn points(points: Vec<(i16, f64)>) -> Object {
        let parts = |((x, y), n): (&(i16, f64), u64)| {
            [(16 * n, SHORT, u64::from(*x as u16)), (16 * n + 8, DOUBLE, y.to_bits())]
        };
        let bytes = |(x, y): &(i16, f64)| [&x.to_le_bytes()[..], &[0; 6], &y.to_le_bytes()].concat();
        (points.iter().zip(0..).flat_map(parts).collect(), points.iter().flat_map(bytes).collect())
    }

    /// What a search may find.
    fn case(array: u32) -> impl Strategy<Value = Tried> {
        let parameters = (any::<i32>(), any::<u8>(), real()).prop_map(|(a, b, d)| {
            let byte = Form::Integer { bits: 8, signed: false };
            let all = [(INT, u64::from(a as u32)), (byte, b.into()), (DOUBLE, d.to_bits())];
            let one = |((form, bits), index): ((Form, u64), u32)| {
                let (chosen, bytes) = scalars(&[(Source::Parameter(index), form, bits)]);
                (chosen, Input::Argument { index, value: InputValue::Bits(bytes) })
            };
            all.into_iter().zip(0..).map(one).collect::<Vec<_>>()
        });
        let pointers = (of(vec(1u8..=255, 0..8)), of(vec(any::<i32>(), 1..8)), of(vec((any::<i16>(), real()), 1..4)))
            .prop_map(|(s, p, q)| [pointer(3, s.map(text)), pointer(4, p.map(numbers)), pointer(5, q.map(points))]);
        let global = any::<[i32; 3]>().prop_map(move |elements| {
            let id = GlobalId(array);
            let parts: Vec<_> = elements
                .iter()
                .zip(0..)
                .map(|(v, n)| (Source::Global { id, offset: 4 * n }, INT, u64::from(*v as u32)))
                .collect();
            let (chosen, bytes) = scalars(&parts);
            (chosen, Input::Global { id: array, value: InputValue::Bits(bytes) })
        });
        let stdin = of(vec(any::<u8>(), 0..5));
        let arguments = vec(vec(1u8..=255, 0..4).prop_map(OsString::from_vec), 0..3);
        (parameters, pointers, global, vec(nondet(), 0..4), stdin, arguments).prop_map(
            |(parameters, pointers, global, values, stdin, arguments)| {
                let named = parameters.into_iter().chain(pointers).chain([global]);
                let (chosen, inputs): (Vec<Vec<Chosen>>, Vec<Input>) = named.unzip();
                let nondet = values.iter().map(|(_, bits)| *bits).collect();
                let values = values.into_iter().zip(0..).map(|((form, bits), n)| (Source::Nondet(n), form, bits));
                let (values, _) = scalars(&values.collect::<Vec<_>>());
                let given = Given { inputs, nondet, stdin, arguments };
                Tried { given, chosen: [chosen.concat(), values].concat(), failure: None }
            },
        )
    }

    #[test]
    fn what_is_saved_is_read_as_what_was_given() {
        let program = wherefore_fixtures::program(PROGRAM);
        let array = inputs::global(&program, "array").expect("a global") as u32;
        let options = options();
        proptest!(|(case in case(array))| {
            let directory = tempfile::tempdir().expect("a directory");
            let found = Found { passing: vec![case.clone()], ..Found::default() };
            save(directory.path(), &options, &program, &found).expect("it is saved");
            let mut tests = TestFiles::read_all(directory.path()).expect("they are read");
            prop_assert_eq!(tests.len(), 1);
            let test = tests.remove(0).case(&program, "f").expect("it is understood");
            prop_assert_eq!(test.expected, Expected { stdout: None, status: Some(7) });
            // A program takes as many of the low bits as it needs.
            let forms = case.chosen.iter().filter(|c| matches!(c.source, Source::Nondet(_))).map(|c| c.form);
            let low = |(bits, form): (u64, Form)| bits << (64 - form.bits()) >> (64 - form.bits());
            let nondet = test.given.nondet.iter().copied().zip(forms).map(low).collect();
            prop_assert_eq!(Given { nondet, ..test.given }, case.given);
        });
    }
}
