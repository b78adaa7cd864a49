//! `<string.h>`, and numbers in texts.

use crate::machine::Machine;
use crate::operation::mask;
use crate::stop::{Going, give_up};

const LONGEST: u64 = 1 << 24;

fn order(difference: i32) -> u128 {
    mask(difference as i128 as u128, 32)
}

/// The difference of the first bytes that differ; a text ends with a zero.
fn compared(a: &[u8], b: &[u8]) -> u128 {
    let at = |text: &[u8], n: usize| i32::from(text.get(n).copied().unwrap_or(0));
    let first = (0..=a.len().max(b.len())).map(|n| at(a, n) - at(b, n)).find(|difference| *difference != 0);
    order(first.unwrap_or(0))
}

impl Machine<'_> {
    pub(super) fn strings(&mut self, name: &str, values: &[u128]) -> Going<Option<u128>> {
        let argument = |number: usize| values[number] as u64;
        let text = |machine: &Self, number: usize, most: u64| machine.memory.text(values[number] as u64, most);
        Ok(Some(match name {
            "strlen" => text(self, 0, LONGEST)?.len() as u128,
            "strnlen" => text(self, 0, argument(1))?.len() as u128,
            "strcmp" => compared(&text(self, 0, LONGEST)?, &text(self, 1, LONGEST)?),
            "strncmp" => compared(&text(self, 0, argument(2))?, &text(self, 1, argument(2))?),
            "memcmp" => {
                let (a, b) = (self.memory.read(argument(0), argument(2))?, self.memory.read(argument(1), argument(2))?);
                let first = a.iter().zip(&b).map(|(a, b)| i32::from(*a) - i32::from(*b)).find(|d| *d != 0);
                order(first.unwrap_or(0))
            }
            "memcpy" | "memmove" => {
                let bytes = self.memory.read(argument(1), argument(2))?;
                self.memory.write(argument(0), &bytes)?;
                values[0]
            }
            "memset" => {
                self.memory.check(argument(0), argument(2))?;
                self.memory.write(argument(0), &vec![values[1] as u8; argument(2) as usize])?;
                values[0]
            }
            "strcpy" | "stpcpy" => {
                let mut bytes = text(self, 1, LONGEST)?;
                let end = argument(0) + bytes.len() as u64;
                bytes.push(0);
                self.memory.write(argument(0), &bytes)?;
                if name == "strcpy" { values[0] } else { end.into() }
            }
            "strncpy" => {
                let mut bytes = text(self, 1, argument(2))?;
                self.memory.check(argument(0), argument(2))?;
                bytes.resize(argument(2) as usize, 0);
                self.memory.write(argument(0), &bytes)?;
                values[0]
            }
            "strcat" | "strncat" => {
                let most = if name == "strcat" { LONGEST } else { argument(2) };
                let mut bytes = text(self, 1, most)?;
                let end = argument(0) + text(self, 0, LONGEST)?.len() as u64;
                bytes.push(0);
                self.memory.write(end, &bytes)?;
                values[0]
            }
            "strchr" | "strrchr" => {
                let mut bytes = text(self, 0, LONGEST)?;
                bytes.push(0);
                let is_it = |byte: &u8| *byte == values[1] as u8;
                let found = if name == "strchr" { bytes.iter().position(is_it) } else { bytes.iter().rposition(is_it) };
                found.map_or(0, |at| values[0] + at as u128)
            }
            "strstr" => {
                let (all, part) = (text(self, 0, LONGEST)?, text(self, 1, LONGEST)?);
                let found = (0..=all.len()).find(|at| all[*at..].starts_with(&part));
                found.map_or(0, |at| values[0] + at as u128)
            }
            "strdup" => {
                let mut bytes = text(self, 0, LONGEST)?;
                bytes.push(0);
                let address = self.memory.allocate(&mut self.heap, bytes.len() as u64)?;
                self.memory.write(address, &bytes)?;
                address.into()
            }
            "atoi" | "atol" => {
                let bytes = text(self, 0, 64)?;
                match whole(&bytes) {
                    Some(number) => mask(number as u128, if name == "atoi" { 32 } else { 64 }),
                    None => return give_up("a number in a text that does not fit"),
                }
            }
            _ => return Ok(None),
        }))
    }
}

/// The number that a text begins with, if it fits.
fn whole(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = if end == 0 { 0 } else { digits[..end].parse().ok()? };
    Some(sign * i128::from(number))
}
