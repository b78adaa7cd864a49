//! Which values are simple: small numbers, letters, names of an enumeration.

use crate::attempt::Attempt;
use crate::form::Form;
use crate::space::Space;
use std::collections::BTreeMap;
use wherefore_formula::{TermId, VarId};
use wherefore_program::{CType, Program};

/// How many degrees of simplicity there are; at the last one every value will do.
pub(crate) const DEGREES: u32 = 5;

/// That an input is simple, to some degree; `None` when every value is.
pub(crate) fn simple(space: &mut Space, program: &Program, variable: VarId, form: Form, degree: u32) -> Option<TermId> {
    let source = space.source(variable);
    if degree + 1 >= DEGREES || form == Form::Truth {
        return None;
    }
    let term = space.term(source, form.bits());
    let terms = &mut space.terms;
    match form {
        // Both values are.
        Form::Truth => None,
        Form::Byte => {
            let (first, last) = if degree == 0 { (b'0', b'z') } else { (b' ', b'~') };
            let (first, last) = (terms.bits(8, u128::from(first)), terms.bits(8, u128::from(last)));
            let (from, to) = (terms.uge(term, first), terms.ule(term, last));
            Some(terms.and2(from, to))
        }
        Form::Character => {
            let (first, last) = if degree == 0 { (b'0', b'z') } else { (b' ', b'~') };
            let (first, last) = (terms.bits(8, u128::from(first)), terms.bits(8, u128::from(last)));
            let (from, to, end) = (terms.uge(term, first), terms.ule(term, last), terms.bits(8, 0));
            let (is_plain, is_end) = (terms.and2(from, to), terms.eq(term, end));
            Some(terms.or2(is_plain, is_end))
        }
        Form::Enumeration { ctype, bits, .. } if degree < 2 => {
            let CType::Enum { constants, .. } = &program.types[ctype] else { return None };
            let one_of: Vec<TermId> = constants
                .iter()
                .map(|(_, value)| {
                    let value = terms.bits(bits, *value as u128);
                    terms.eq(term, value)
                })
                .collect();
            Some(terms.or(one_of))
        }
        Form::Integer { bits, signed } | Form::Enumeration { bits, signed, .. } => {
            // 0 to 7, then -8 to 7, then what one and two bytes hold.
            let width = [4, 4, 8, 16][degree as usize];
            let least = if degree == 0 || !signed { 0 } else { u128::MAX << (width - 1) };
            let most = if signed || degree < 2 { (1 << (width - 1)) - 1 } else { (1 << width) - 1 };
            if bits <= width {
                return None;
            }
            let (least, most) = (terms.bits(bits, least), terms.bits(bits, most));
            let (from, to) = if signed {
                (terms.sge(term, least), terms.sle(term, most))
            } else {
                (terms.uge(term, least), terms.ule(term, most))
            };
            Some(terms.and2(from, to))
        }
        Form::Real { bits } => {
            let (fraction, bias) = if bits == 32 { (23, 127) } else { (52, 1023) };
            let exponent = terms.extract(term, fraction, bits - 1 - fraction);
            let width = bits - 1 - fraction;
            let (zero, all) = (terms.bits(bits, 0), terms.bits(width, u128::MAX));
            // 0, or few digits and not far from 1; then numbers: not all bits of the exponent are set.
            let (digits, least, most) = match degree {
                0 => (4, bias, bias + 6),
                1 => (10, bias - 8, bias + 20),
                _ => return Some(terms.ne(exponent, all)),
            };
            let rest = terms.extract(term, 0, fraction - digits);
            let none = terms.bits(fraction - digits, 0);
            let (least, most) = (terms.bits(width, least), terms.bits(width, most));
            let parts = [terms.eq(rest, none), terms.uge(exponent, least), terms.ule(exponent, most)];
            let (short, is_zero) = (terms.and(parts), terms.eq(term, zero));
            Some(terms.or2(short, is_zero))
        }
    }
}

/// Bring large numbers nearer to 0, one by one, as long as everything needed holds.
pub(crate) fn shrink(
    space: &Space,
    from: &Attempt,
    forms: &BTreeMap<VarId, Form>,
    needed: &[TermId],
    values: &mut BTreeMap<VarId, u128>,
) {
    let holds = |values: &BTreeMap<VarId, u128>| {
        let mut value = |v: VarId| Some(values.get(&v).copied().unwrap_or_else(|| from.value(space, v)));
        let all = space.terms.evaluate_all(needed, &mut value);
        all.iter().all(|v| v.and_then(|v| v.as_bool()) == Some(true))
    };
    let variables: Vec<VarId> = values.keys().copied().collect();
    for variable in variables {
        let Some(&(Form::Integer { bits, signed } | Form::Enumeration { bits, signed, .. })) = forms.get(&variable)
        else {
            continue;
        };
        let unused = 128 - bits;
        let number = |raw: u128| if signed { ((raw << unused) as i128) >> unused } else { raw as i128 };
        let raw = |number: i128| (number as u128) << unused >> unused;
        let mut best = number(values[&variable]);
        // Halving the distance finds the edge of an interval; the numbers around 0 cost little more.
        let (mut near, mut tries) = (0, 0);
        while near != best && tries < 80 {
            tries += 1;
            let middle = near + (best - near) / 2;
            let candidate = if tries == 1 { near } else { middle };
            let old = values.insert(variable, raw(candidate));
            if holds(values) {
                best = candidate;
            } else {
                values.insert(variable, old.unwrap_or_default());
                near = if candidate == near { near + (best - near).signum() } else { candidate };
            }
        }
    }
}
