//! What is there when a run begins.

use crate::machine::Machine;
use crate::stop::Going;
use std::os::unix::ffi::OsStrExt;
use wherefore_case::{Input, InputValue};
use wherefore_record::{GlobalImage, object_address};

/// Where things lie that have no address yet.
const CODE: u64 = 0x10_0000;
const GLOBALS: u64 = 0x1000_0000;
const STACK: u64 = 1 << 60;
const HEAP: u64 = 1 << 61;
/// Globals that are longer have no image.
const LARGEST: u64 = 1 << 16;

impl Machine<'_> {
    /// Puts globals, inputs and arguments where they belong and calls the entry.
    pub fn start(&mut self) -> Going<()> {
        (self.stack, self.heap) = (STACK, HEAP);
        self.tables()?;
        self.globals()?;
        let entry = self.run.entry;
        let function = self.function(entry);
        let mut values = vec![0u128; function.params.len()];
        if self.run.program.is_main(function) {
            self.arguments(&mut values)?;
        }
        for input in &self.run.given.inputs {
            if let Input::Argument { index, value } = input {
                let bits = function.params.get(*index as usize).map(|r| function.registers[r.index()]);
                let value = match value {
                    InputValue::Bits(bytes) => number(bytes),
                    InputValue::Object(bytes) => {
                        let address = object_address(*index);
                        self.memory.put(address, bytes.len() as u64);
                        self.memory.write(address, bytes)?;
                        address.into()
                    }
                };
                if let (Some(to), Some(bits)) = (values.get_mut(*index as usize), bits) {
                    *to = crate::operation::mask(value, bits);
                }
            }
        }
        self.enter(entry, &values, false)
    }

    fn tables(&mut self) -> Going<()> {
        let program = self.run.program;
        if let Some(tables) = self.run.tables {
            self.images.clone_from(&tables.globals);
            self.functions.clone_from(&tables.functions);
            self.externals.clone_from(&tables.externals);
            for image in &self.images {
                if image.address != 0 {
                    self.memory.put(image.address, image.size);
                    if let Some(content) = &image.content {
                        self.memory.write(image.address, content)?;
                    }
                }
            }
            return Ok(());
        }
        let mut next = GLOBALS;
        for global in &program.globals {
            let address = self.memory.allocate(&mut next, global.size)?;
            self.images.push(GlobalImage { address, size: global.size, content: None });
        }
        self.functions = (0..program.functions.len() as u64).map(|n| CODE + 16 * n).collect();
        let externals = program.functions.len() as u64;
        self.externals = (0..program.externals.len() as u64).map(|n| CODE + 16 * (externals + n)).collect();
        Ok(())
    }

    /// Globals that are given, and then all as they are.
    fn globals(&mut self) -> Going<()> {
        for input in &self.run.given.inputs {
            if let Input::Global { id, value: InputValue::Bits(bytes) } = input {
                let image = &self.images[*id as usize];
                let count = bytes.len().min(image.size as usize);
                self.memory.write(image.address, &bytes[..count])?;
            } else if let Input::Global { id, value: InputValue::Object(bytes) } = input {
                let address = self.memory.allocate(&mut self.heap, bytes.len() as u64)?;
                self.memory.write(address, bytes)?;
                self.memory.store(self.images[*id as usize].address, 64, address.into())?;
            }
        }
        for image in &mut self.images {
            let is_short = image.address != 0 && image.size <= LARGEST;
            let is_known = self.run.tables.is_none() || image.content.is_some();
            if is_short && is_known {
                image.content = Some(self.memory.read(image.address, image.size)?);
            }
        }
        Ok(())
    }

    /// `argc` and `argv`.
    fn arguments(&mut self, values: &mut [u128]) -> Going<()> {
        let given = &self.run.given.arguments;
        let texts = std::iter::once(&b"program"[..]).chain(given.iter().map(|argument| argument.as_bytes()));
        let mut pointers = vec![];
        for text in texts {
            let address = self.memory.allocate(&mut self.heap, text.len() as u64 + 1)?;
            self.memory.write(address, text)?;
            pointers.push(address);
        }
        let argv = self.memory.allocate(&mut self.heap, 8 * (pointers.len() as u64 + 1))?;
        for (at, pointer) in (argv..).step_by(8).zip(&pointers) {
            self.memory.store(at, 64, (*pointer).into())?;
        }
        let all = [pointers.len() as u128, argv.into()];
        values.iter_mut().zip(all).for_each(|(value, given)| *value = given);
        Ok(())
    }
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().take(16).rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
