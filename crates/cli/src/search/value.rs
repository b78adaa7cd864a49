//! Values as they are written on the command line.

use crate::inputs;
use crate::options::Run;
use wherefore_program::{CType, Program};
use wherefore_search::{Chosen, Form, Source, form_of};

/// The value of a parameter or global, as `--input` takes it.
pub fn input(program: &Program, form: Form, bits: u128) -> String {
    match form {
        Form::Truth => if bits == 0 { "false" } else { "true" }.into(),
        Form::Enumeration { ctype, .. } => {
            let CType::Enum { constants, .. } = &program.types[ctype] else { return number(form, bits).to_string() };
            let value = number(form, bits);
            let name = constants.iter().find(|(_, v)| *v == value);
            name.map_or_else(|| value.to_string(), |(name, _)| name.clone())
        }
        Form::Real { bits: 32 } => f32::from_bits(bits as u32).to_string(),
        Form::Real { .. } => f64::from_bits(bits as u64).to_string(),
        Form::Integer { .. } | Form::Byte | Form::Character => number(form, bits).to_string(),
    }
}

/// The object that a parameter points to, as far as the run used it: a string, or its scalars in order.
pub fn object(program: &Program, options: &Run, parameter: u32, chosen: &[Chosen]) -> String {
    let used: Vec<(u64, &Chosen)> = chosen
        .iter()
        .filter_map(|c| match c.source {
            Source::Pointed { parameter: of, offset } if of == parameter => Some((offset, c)),
            _ => None,
        })
        .collect();
    let entry = program.function(&options.entry).map(|f| &program.functions[f.index()]);
    let ctype = entry.and_then(|f| f.locals.iter().find(|l| l.param == Some(parameter))).and_then(|l| l.ctype);
    let Some(CType::Pointer(element)) = ctype.map(|t| &program.types[t]) else { return "NULL".into() };
    let last = used.iter().map(|(offset, _)| *offset).max().unwrap_or(0);
    if used.iter().any(|(_, c)| c.form == Form::Character) {
        let mut bytes = vec![0; last as usize + 1];
        used.iter().for_each(|(offset, c)| bytes[*offset as usize] = c.bits as u8);
        while bytes.pop_if(|b| *b == 0).is_some() {}
        return inputs::literal(&bytes);
    }
    if matches!(program.types[*element], CType::Integer { bits: 8, .. }) && used.is_empty() {
        return "\"\"".into();
    }
    let size = program.types.size(*element).unwrap_or(1).max(1);
    let scalars = program.types.scalars(*element, usize::MAX).unwrap_or_default();
    let mut parts: Vec<String> = vec![];
    for n in 0..=last / size {
        for (at, ctype) in scalars.iter().filter(|(at, _)| n * size + at <= last) {
            let value = used.iter().find(|(offset, _)| *offset == n * size + at);
            parts.push(match value {
                Some((_, c)) => input(program, c.form, c.bits),
                None if matches!(program.types[*ctype], CType::Pointer(_)) => "NULL".into(),
                None => form_of(program, *ctype).map_or("0".into(), |form| input(program, form, 0)),
            });
        }
    }
    format!("{{{}}}", parts.join(","))
}

/// A nondeterministic value, as `--nondet` takes it: a floating point number must not look like an integer.
pub fn nondet(form: Form, bits: u128) -> String {
    match form {
        Form::Real { bits: 32 } if f32::from_bits(bits as u32).is_finite() => {
            format!("{:?}f", f32::from_bits(bits as u32))
        }
        Form::Real { bits: 64 } if f64::from_bits(bits as u64).is_finite() => {
            format!("{:?}", f64::from_bits(bits as u64))
        }
        Form::Real { .. } => format!("{bits:#x}"),
        _ => number(form, bits).to_string(),
    }
}

fn number(form: Form, bits: u128) -> i128 {
    let signed = matches!(form, Form::Integer { signed: true, .. } | Form::Enumeration { signed: true, .. });
    let unused = 128 - form.bits();
    if signed { ((bits << unused) as i128) >> unused } else { (bits << unused >> unused) as i128 }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn numbers_have_their_sign() {
        let int = |bits, signed| Form::Integer { bits, signed };
        let program = Program::default();
        assert_eq!(input(&program, int(32, true), 0xffff_ffff), "-1");
        assert_eq!(input(&program, int(32, false), 0xffff_ffff), "4294967295");
        assert_eq!(input(&program, int(8, true), 0x80), "-128");
        assert_eq!(input(&program, Form::Truth, 1), "true");
        assert_eq!(nondet(Form::Real { bits: 64 }, u128::from(2f64.to_bits())), "2.0");
        assert_eq!(nondet(Form::Real { bits: 32 }, u128::from(0.5f32.to_bits())), "0.5f");
    }
}
