//! How much room runs with an edit have on their stack.
//!
//! An edit may make a function call itself without end. That such a run ends takes a thousand times as long as most runs do
//! where the stack is as large as usual, since the system gets each page of it ready. What the tests do as they are says
//! how much of it an edit can need.

use super::tested::Tested;
use std::collections::HashMap;
use wherefore_program::{Function, Program};
use wherefore_record::RunLimits;

/// How much more an edit may need than the tests do as they are, and what it may need in any case: the library needs some.
const MORE: u64 = 4;
const LEAST_KIB: u64 = 1 << 10;

/// How often a test calls each function, at most.
#[derive(Default)]
pub struct Calls(HashMap<String, u64>);

impl Calls {
    /// Those of the tests of a program.
    pub fn new(program: &Program, tested: &Tested) -> Calls {
        let mut calls: HashMap<String, u64> = HashMap::new();
        for function in &program.functions {
            let entered = |counts: &Vec<u32>| counts.get(function.first_block as usize).copied().unwrap_or(0);
            let most = tested.observed.iter().map(|seen| u64::from(entered(&seen.counts))).max().unwrap_or(0);
            let known = calls.entry(function.name.clone()).or_default();
            *known = most.max(*known);
        }
        Calls(calls)
    }

    /// The room for a stack that is enough for a program with edits: some times of what it would take if no call of the tests
    /// as they are ever returned.
    pub fn stack_kib(&self, edited: &Program) -> u64 {
        let usual = RunLimits::default().stack_kib;
        let called = |function: &Function| self.0.get(&function.name).copied().unwrap_or(0);
        let all = edited.functions.iter().filter(|function| called(function) > 0);
        let needed = all.map(|function| Some(called(function).saturating_mul(frame(function)?)));
        // Of arrays whose length only the run knows nothing is known.
        let needed = needed.sum::<Option<u64>>().map(|bytes| LEAST_KIB + MORE * bytes.div_ceil(1 << 10));
        needed.unwrap_or(usual).min(usual)
    }
}

/// What a call takes, or somewhat more: its variables, its values between, and what the machine keeps of it; `None` if that
/// is not known.
fn frame(function: &Function) -> Option<u64> {
    let locals: u64 = function.locals.iter().map(|local| local.size).sum::<Option<u64>>()?;
    let registers: u64 = function.registers.iter().map(|bits| u64::from(bits.div_ceil(8)).max(8)).sum();
    Some(locals + registers + 64)
}
