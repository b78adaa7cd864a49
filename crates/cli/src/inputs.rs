//! `--input NAME=VALUE` and `--nondet`, read with the types of the program.

use crate::UsageError;
use std::borrow::Cow;
use wherefore_case::{Input, InputValue};
use wherefore_program::{CType, Function, Program, TypeId};
use wherefore_report as report;

/// The most scalars of one element that a pointer points to.
const MOST_SCALARS: usize = 4096;

/// The inputs of a run.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// For the runner.
    pub inputs: Vec<Input>,
    /// For the report: what the user wrote.
    pub given: Vec<report::Input>,
    /// Globals that were given.
    pub globals: Vec<u32>,
    /// Warnings.
    pub missing: Vec<String>,
}

/// Read the inputs for an entry function.
pub fn parse(program: &Program, entry: &str, texts: &[String]) -> Result<Inputs, UsageError> {
    let Some(function) = program.function(entry).map(|f| &program.functions[f.index()]) else {
        return Err(UsageError(format!("there is no function `{entry}`")));
    };
    let mut result = Inputs::default();
    let mut seen = std::collections::HashSet::new();
    for text in texts {
        let Some((name, value)) = text.split_once('=') else {
            return Err(UsageError(format!("--input {text}: expected NAME=VALUE")));
        };
        let (name, value) = (name.trim(), value.trim());
        if !seen.insert(name.to_string()) {
            return Err(UsageError(format!("--input {name} is given twice")));
        }
        result.given.push(report::Input { name: name.into(), value: value.into() });
        if let Some((index, ctype, bits)) = parameter(program, function, name).filter(|_| !program.is_main(function)) {
            let value = read(program, ctype, bits, name, value)?;
            result.inputs.push(Input::Argument { index, value });
        } else if let Some(id) = global(program, name) {
            let declared = &program.globals[id];
            if declared.constant || declared.external {
                return Err(UsageError(format!("--input {name}: the variable cannot be set")));
            }
            let value = read(program, declared.ctype, declared.size as u32 * 8, name, value)?;
            result.inputs.push(Input::Global { id: id as u32, value });
            result.globals.push(id as u32);
        } else {
            return Err(unknown(program, function, name));
        }
    }
    if !program.is_main(function) {
        for local in function.locals.iter().filter(|l| l.param.is_some()) {
            if let Some(name) = local.name.as_ref().filter(|n| !seen.contains(*n)) {
                result.missing.push(name.clone());
                result.given.push(report::Input { name: name.clone(), value: "0".into() });
            }
        }
    }
    Ok(result)
}

/// The index, type and width of a parameter.
pub fn parameter(program: &Program, function: &Function, name: &str) -> Option<(u32, Option<TypeId>, u32)> {
    let local = function.locals.iter().find(|l| l.param.is_some() && l.name.as_deref() == Some(name))?;
    let index = local.param?;
    let register = function.params.get(index as usize)?;
    let bits = local.ctype.and_then(|t| program.types.size(t)).map_or(0, |s| s as u32 * 8);
    Some((index, local.ctype, if bits > 0 { bits } else { function.registers[register.index()] }))
}

/// The global of a name.
pub fn global(program: &Program, name: &str) -> Option<usize> {
    program.globals.iter().position(|g| g.name.as_deref() == Some(name) && g.function.is_none())
}

/// The error for a name that is nothing that could be given.
pub fn unknown(program: &Program, function: &Function, name: &str) -> UsageError {
    let params = function.locals.iter().filter(|l| l.param.is_some()).filter_map(|l| l.name.clone());
    let globals = program.globals.iter().filter(|g| !g.external && !g.constant).filter_map(|g| g.name.clone());
    let known: Vec<String> = params.chain(globals).take(12).collect();
    let known = if known.is_empty() { "there are none".to_string() } else { format!("known: {}", known.join(", ")) };
    UsageError(format!("--input {name}: neither a parameter of {}() nor a global variable ({known})", function.name))
}

/// A value of a type.
fn read(program: &Program, ctype: Option<TypeId>, bits: u32, name: &str, text: &str) -> Result<InputValue, UsageError> {
    let wrong = |what: &str| UsageError(format!("--input {name}={text}: {what}"));
    let bytes = |value: u128| InputValue::Bits(value.to_le_bytes()[..(bits as usize / 8).clamp(1, 16)].to_vec());
    match ctype.map(|t| &program.types[t]) {
        Some(CType::Float { bits: 32 }) => {
            let value: f32 = text.parse().map_err(|_| wrong("not a number"))?;
            Ok(bytes(u128::from(value.to_bits())))
        }
        Some(CType::Float { bits: 64 }) => {
            let value: f64 = text.parse().map_err(|_| wrong("not a number"))?;
            Ok(bytes(u128::from(value.to_bits())))
        }
        Some(CType::Float { .. }) => Err(wrong("long double values cannot be given")),
        Some(CType::Record { .. }) => {
            Err(wrong("a struct or union cannot be given; give a global's members in the program"))
        }
        Some(CType::Pointer(to)) => match quoted(text) {
            Some(string) if is_char(program, *to) => Ok(string_object(string)),
            Some(_) => Err(wrong("a string needs a pointer to char")),
            None if text == "NULL" || text == "0" => Ok(bytes(0)),
            None if text.trim_start_matches('&').starts_with('{') => object(program, *to, name, text),
            None => match integer(text) {
                Some(_) => number(text, bits, false, wrong).map(bytes),
                None if is_char(program, *to) => Ok(string_object(text.as_bytes().to_vec())),
                None => Err(wrong("a pointer is NULL, a number, {1,2,3}, or a string for char *")),
            },
        },
        Some(CType::Array { element, count }) => array(program, *element, *count, name, text),
        Some(CType::Enum { constants, .. }) => match constants.iter().find(|(n, _)| n == text) {
            Some((_, value)) => Ok(bytes(*value as u128)),
            None => number(text, bits, true, wrong).map(bytes),
        },
        Some(CType::Bool) => match text {
            "true" | "1" => Ok(bytes(1)),
            "false" | "0" => Ok(bytes(0)),
            _ => Err(wrong("expected true or false")),
        },
        Some(CType::Integer { signed, .. }) => number(text, bits, *signed, wrong).map(bytes),
        _ => number(text, bits, true, wrong).map(bytes),
    }
}

/// `{1,2,3}` or a string for an array of char.
fn array(
    program: &Program,
    element: TypeId,
    count: Option<u64>,
    name: &str,
    text: &str,
) -> Result<InputValue, UsageError> {
    let wrong = |what: &str| UsageError(format!("--input {name}={text}: {what}"));
    if is_char(program, element)
        && let Some(mut string) = quoted(text)
    {
        string.push(0);
        return Ok(InputValue::Bits(string));
    }
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    let Some(inner) = inner else { return Err(wrong("an array is written {1,2,3}")) };
    let bits = program.types.size(element).map_or(0, |s| s as u32 * 8);
    let mut bytes = vec![];
    for part in inner.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        match read(program, Some(element), bits, name, part)? {
            InputValue::Bits(more) => bytes.extend(more),
            InputValue::Object(_) => return Err(wrong("strings inside arrays are not possible")),
        }
    }
    if count.is_some_and(|c| bytes.len() as u64 > c * u64::from(bits / 8)) {
        return Err(wrong("too many elements"));
    }
    Ok(InputValue::Bits(bytes))
}

/// `{1,2,3}` or `&{1,2,3}`: an object that a pointer points to, by its scalars in order; as many elements as are given.
fn object(program: &Program, element: TypeId, name: &str, text: &str) -> Result<InputValue, UsageError> {
    let wrong = |what: &str| UsageError(format!("--input {name}={text}: {what}"));
    let inner = text.trim_start_matches('&').strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    let Some(inner) = inner else { return Err(wrong("what a pointer points to is written {1,2,3}")) };
    let (Some(size), Some(scalars)) = (
        program.types.size(element).filter(|s| *s > 0),
        program.types.scalars(element, MOST_SCALARS).filter(|s| !s.is_empty()),
    ) else {
        return Err(wrong("objects of this type cannot be given"));
    };
    let mut bytes = vec![];
    // As in C, inner braces may be left out; they say nothing that the order does not.
    let parts = inner.split([',', '{', '}']).map(str::trim).filter(|p| !p.is_empty());
    for (number, part) in parts.enumerate() {
        let (at, scalar) = scalars[number % scalars.len()];
        let at = (number / scalars.len()) as u64 * size + at;
        let bits = program.types.size(scalar).map_or(0, |s| s as u32 * 8);
        let InputValue::Bits(value) = read(program, Some(scalar), bits, name, part)? else {
            return Err(wrong("pointers inside of it can only be NULL"));
        };
        bytes.resize(at as usize, 0);
        bytes.extend(value);
    }
    // Whole elements, and at least one.
    bytes.resize(bytes.len().max(1).next_multiple_of(size as usize), 0);
    Ok(InputValue::Object(bytes))
}

/// A string as an object: its end belongs to it.
fn string_object(mut string: Vec<u8>) -> InputValue {
    string.push(0);
    InputValue::Object(string)
}

fn is_char(program: &Program, ctype: TypeId) -> bool {
    matches!(program.types[ctype], CType::Integer { bits: 8, .. })
}

/// The bytes of a string literal; `\\xhh` has two digits, so that what follows is not a part of it.
fn quoted(text: &str) -> Option<Vec<u8>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = vec![];
    let mut rest = inner.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b't', after @ ..]) => (b'\t', after),
            (b'\\', [b'0', after @ ..]) => (0, after),
            (b'\\', [c @ (b'\\' | b'"'), after @ ..]) => (*c, after),
            (b'\\', [b'x', high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
                (digit(*high) << 4 | digit(*low), after)
            }
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Some(bytes)
}

/// Bytes as a string literal that [`--input`](parse) reads.
pub fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            0 => text.push_str("\\0"),
            b'"' | b'\\' => text.extend(['\\', byte as char]),
            b' '..=b'~' => text.push(byte as char),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push('"');
    text
}

/// The same value in one line, as a file has it.
pub fn in_one_line(value: &str) -> Cow<'_, str> {
    if !value.contains('\n') {
        return value.into();
    }
    if let Some(string) = quoted(value) {
        return literal(&string).into();
    }
    let value = value.replace("'\n'", "'\\n'");
    match value.starts_with(['{', '&', '\'']) {
        true => value.replace('\n', " ").into(),
        // A string without quotes.
        false => literal(value.as_bytes()).into(),
    }
}

/// A C integer: decimal, hexadecimal, octal, or a character. One that is too long for anything becomes the longest.
fn integer(text: &str) -> Option<i128> {
    if let Some(c) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return match c {
            "\\n" => Some(10),
            "\\t" => Some(9),
            "\\0" => Some(0),
            _ => c.chars().next().filter(|_| c.chars().count() == 1).map(|c| c as i128),
        };
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    let (radix, digits) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => (16, hex),
        None if digits.len() > 1 && digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    // Too many digits for us are too many for every type.
    let value = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if negative { -value } else { value })
}

fn number(text: &str, bits: u32, signed: bool, wrong: impl Fn(&str) -> UsageError) -> Result<u128, UsageError> {
    let value = integer(text).ok_or_else(|| wrong("not a number"))?;
    let bits = bits.clamp(1, 64);
    let smallest = if signed { -(1i128 << (bits - 1)) } else { 0 };
    // 0xffffffff is accepted for an int: it is how people write bit patterns.
    if value < smallest || value >= 1i128 << bits {
        return Err(wrong("the number does not fit the type"));
    }
    Ok(value as u128)
}

/// Values of nondeterministic calls as bit patterns.
pub fn nondet(texts: &[String]) -> Result<Vec<u64>, UsageError> {
    let read = |text: &String| {
        let text = text.trim();
        match integer(text) {
            Some(value) if (-(1 << 63)..1 << 64).contains(&value) => Ok(value as u64),
            Some(_) => Err(UsageError(format!("--nondet {text}: not a number that fits into 64 bits"))),
            None => text
                .strip_suffix('f')
                .and_then(|t| t.parse::<f32>().ok())
                .map(|v| u64::from(v.to_bits()))
                .or_else(|| text.parse::<f64>().ok().map(f64::to_bits))
                .ok_or_else(|| UsageError(format!("--nondet {text}: not a number"))),
        }
    };
    texts.iter().filter(|t| !t.trim().is_empty()).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_as_c_writes_them() {
        for (text, value) in [
            ("0", 0),
            ("-7", -7),
            ("+7", 7),
            ("0x1F", 31),
            ("-0xff", -255),
            ("010", 8),
            ("10UL", 10),
            ("'A'", 65),
            ("'\\n'", 10),
            ("99999999999999999999999", 99_999_999_999_999_999_999_999),
        ] {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        assert_eq!(integer(&"9".repeat(60)), Some(i128::MAX));
        for text in ["", "-", "--5", "0x", "0x-5", "08", "1.5", "12abc", "x", "''", "'ab'", "5 "] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn strings_are_read_as_they_are_written() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(quoted(&literal(&all)), Some(all));
        assert_eq!(literal(b"a\"\x01b\0"), "\"a\\\"\\x01b\\0\"");
        assert_eq!(quoted("\"a\\qb\""), Some(b"a\\qb".to_vec()));
    }

    #[test]
    fn values_of_several_lines_fit_in_one() {
        assert_eq!(in_one_line("a\\nb"), "a\\nb");
        assert_eq!(in_one_line("\"a\nb\""), "\"a\\nb\"");
        assert_eq!(in_one_line("a\nb"), "\"a\\nb\"");
        assert_eq!(in_one_line("{1,\n'\n'}"), "{1, '\\n'}");
        assert_eq!(in_one_line("'\n'"), "'\\n'");
    }

    #[test]
    fn nondeterministic_values_are_integers_or_floating() {
        let read = |text: &str| nondet(&[text.to_string()]).map(|v| v[0]).map_err(|e| e.to_string());
        assert_eq!(read("-1"), Ok(u64::MAX));
        assert_eq!(read("0xffffffffffffffff"), Ok(u64::MAX));
        assert_eq!(read("1.5"), Ok(1.5f64.to_bits()));
        assert_eq!(read("1.5f"), Ok(u64::from(1.5f32.to_bits())));
        assert_eq!(read("1e30"), Ok(1e30f64.to_bits()));
        for long in ["18446744073709551616", "-9223372036854775809", "99999999999999999999999"] {
            assert_eq!(read(long), Err(format!("--nondet {long}: not a number that fits into 64 bits")));
        }
        assert_eq!(read("x"), Err("--nondet x: not a number".to_string()));
    }
}
