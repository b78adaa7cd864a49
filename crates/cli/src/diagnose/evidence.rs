//! The values that repair each test, tried natively: the program runs with them forced.

use super::present::Tried;
use super::problem::Problem;
use std::collections::HashMap;
use wherefore_case::Case;
use wherefore_diagnose::{Evidence, Execution, FormulaOracle, PerTest, Ranked, Together};
use wherefore_program::Slot;
use wherefore_record::{Forced, Input, InputValue, Server};
use wherefore_session::Native;
use wherefore_unfold::Instance;
use wherefore_wording::{double_text, single_text};

/// Diagnoses for which so many tests are tried; of the others one test each.
const THOROUGH: usize = 10;
const TESTS: usize = 10;
/// Diagnoses that are tried at all, and those where an edit that passes all tests says more.
const TRIED: usize = 100;
const TRIED_BESIDE_EDITS: usize = 10;

/// What is needed to try values.
pub struct Trial<'a> {
    /// The program and its tests.
    pub problem: &'a Problem<'a>,
    /// The formula.
    pub search: &'a Together,
    /// All tests.
    pub cases: &'a [Case],
    /// How they are run.
    pub native: &'a Native<'a>,
    /// Contents of globals at the start.
    pub images: &'a [Option<Vec<u8>>],
    /// Whether there is an edit that passes all tests.
    pub beside_edits: bool,
}

impl Trial<'_> {
    /// For each diagnosis, what repairs the tests.
    pub fn all(&self, ranked: &[Ranked], per_test: &[PerTest]) -> anyhow::Result<Vec<Vec<Tried>>> {
        let mut oracle = self.search.oracle();
        let mut server = self.native.server()?;
        let mut all: Vec<Vec<Tried>> = vec![vec![]; ranked.len()];
        let mut tests = vec![0; ranked.len()];
        let (tried, each) = if self.beside_edits { (TRIED_BESIDE_EDITS, 1) } else { (TRIED, TESTS) };
        // Test by test, so that each solver is built once.
        for (test, found) in per_test.iter().enumerate().filter(|(_, t)| t.agreement.is_some()) {
            for (n, diagnosis) in ranked.iter().enumerate().take(tried) {
                let enough = if n < THOROUGH { each } else { 1 };
                if self.search.limits.expired().is_some() || tests[n] >= enough {
                    continue;
                }
                let repairs = found.found.sets.iter().any(|own| own.iter().all(|s| diagnosis.set.contains(s)));
                if repairs && let Some(evidence) = oracle.evidence(test, &diagnosis.set) {
                    let tried = self.try_one(&oracle, &mut server, test, &evidence)?;
                    tests[n] += usize::from(!tried.is_empty());
                    all[n].extend(tried);
                }
            }
        }
        Ok(all)
    }

    /// Runs a test with the values forced, and says which they are.
    fn try_one(
        &self,
        oracle: &FormulaOracle,
        server: &mut Server,
        test: usize,
        evidence: &Evidence,
    ) -> anyhow::Result<Vec<Tried>> {
        let number = self.problem.failing[test].0;
        let case = &self.cases[number];
        let instances = &oracle.unfolding().instances;
        let replayed = match self.forced(instances, evidence) {
            Some((forced, globals)) => {
                let observed = self.native.run(server, case, &forced, &globals)?;
                Some(observed.applied == forced.len() && observed.passes(&case.expected))
            }
            // A text or a pointer cannot be forced.
            None => None,
        };
        let changed = evidence.executions.iter().filter(|e| e.needed != e.computed);
        let tried = changed.map(|execution| {
            let instance = &instances[execution.instance];
            let statement = &self.problem.statements.list[instance.statement as usize];
            let width = oracle.unfolding().terms.width(instance.computed);
            let told = match instance.slot == Some(Slot::Condition) && width == 1 {
                true => decision(&statement.text, !statement.macros.is_empty(), execution.needed != 0),
                false => [execution.computed, execution.needed].map(|value| told(instance, width, value)),
            };
            let [was, value] = told;
            Tried { test: number, at: statement.at.clone(), text: statement.text.clone(), was, value, replayed }
        });
        let mut tried: Vec<Tried> = tried.collect();
        // Once a value is another one, what would be computed next is nothing that the program ever did.
        tried.iter_mut().skip(1).filter(|later| later.was.parse::<f64>().is_ok()).for_each(|later| later.was.clear());
        for (statement, text) in &evidence.texts {
            let statement = &self.problem.statements.list[*statement as usize];
            tried.push(Tried {
                test: number,
                at: statement.at.clone(),
                text: statement.text.clone(),
                was: String::new(),
                value: format!("writing {}", quoted(text)),
                replayed,
            });
        }
        Ok(tried)
    }

    /// The values as the runtime takes them; `None` if they cannot be given natively.
    fn forced(&self, instances: &[Instance], evidence: &Evidence) -> Option<(Vec<Forced>, Vec<Input>)> {
        if evidence.text {
            return None;
        }
        let mut occurrences: HashMap<u32, u32> = HashMap::new();
        let mut forced = vec![];
        let mut globals: HashMap<u32, Vec<u8>> = HashMap::new();
        for Execution { instance, computed, needed } in &evidence.executions {
            let instance = &instances[*instance];
            if let Some((global, offset)) = instance.global {
                // What is constant cannot be set in the running program.
                if self.problem.program.globals[global.index()].constant {
                    return None;
                }
                let image = self.images.get(global.index())?.as_ref()?;
                let bytes = globals.entry(global.0).or_insert_with(|| image.clone());
                if needed != computed {
                    let width = self.search.unfolding.terms.width(instance.computed) as usize / 8;
                    let start = offset as usize;
                    bytes.get_mut(start..start + width)?.copy_from_slice(&needed.to_le_bytes()[..width]);
                }
                continue;
            }
            let point = instance.point?;
            let occurrence = occurrences.entry(point).or_insert(0);
            let this = *occurrence;
            *occurrence += 1;
            if needed == computed {
                continue;
            }
            if !self.native.forceable.get(point as usize).copied().unwrap_or(false) {
                return None;
            }
            let value = match (instance.slot, instance.pointer) {
                // Addresses differ from run to run; distances do not.
                (Some(Slot::Address), _) => needed.wrapping_sub(*computed) as u64,
                (_, true) if *needed != 0 => return None,
                _ => *needed as u64,
            };
            forced.push(Forced { point, occurrence: this, value });
        }
        let globals = globals.into_iter().map(|(id, bytes)| Input::Global { id, value: InputValue::Bits(bytes) });
        Some((forced, globals.collect()))
    }
}

/// A value for a person.
fn told(instance: &Instance, width: u32, value: u128) -> String {
    match (instance.slot, instance.pointer) {
        (Some(Slot::Address), _) => "another element".into(),
        (_, true) if value == 0 => "NULL".into(),
        (_, true) => "another pointer".into(),
        _ if instance.floating && width == 32 => single_text(f32::from_bits(value as u32)),
        _ if instance.floating && width == 64 => double_text(f64::from_bits(value as u64)),
        _ => {
            let shift = 128 - width;
            (((value << shift) as i128) >> shift).to_string()
        }
    }
}

/// How a statement decided, and how it has to. The compiler drops a `!` where it branches and goes the other way instead,
/// so that the text has to tell what the decision is about; where it does not, no more is said than that it is another one.
fn decision(text: &str, has_macros: bool, needed: bool) -> [String; 2] {
    let truth = |b: bool| if b { "true" } else { "false" }.to_string();
    let denies = |text: &str| text.replace("!=", "").contains('!');
    // The condition of a loop is computed as a whole.
    let is_loop = ["while", "for", "do"].iter().any(|word| text.starts_with(word));
    let condition = text.strip_prefix("if").map(|rest| rest.trim_start().trim_start_matches('(').trim_start());
    let inside = condition.and_then(|condition| condition.strip_prefix('!'));
    let needed = match inside {
        _ if has_macros => None,
        _ if is_loop || !denies(text) => Some(needed),
        Some(inside) if !denies(inside) && !inside.contains("&&") && !inside.contains("||") => Some(!needed),
        _ => None,
    };
    match needed {
        Some(needed) => [truth(!needed), truth(needed)],
        None => [String::new(), "the other way".into()],
    }
}

/// A text as C writes it.
fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", text.escape_ascii().to_string().replace("\\'", "'"))
}

#[cfg(test)]
mod tests {
    use super::decision;

    #[test]
    fn a_condition_is_told_as_it_is_written() {
        let told = |text: &str| decision(text, false, true).join(" ");
        assert_eq!(told("if (x > 3)"), "false true");
        assert_eq!(told("if (!(x > 3))"), "true false", "the compiler decides about x > 3");
        assert_eq!(told("if (x != 3)"), "false true");
        assert_eq!(told("while (!(x > 3))"), "false true", "here it does not");
        assert_eq!(told("if (a && !b)"), " the other way");
        assert_eq!(told("if (!(a || b))"), " the other way");
        assert_eq!(told("x = !c ? 1 : 2;"), " the other way");
        assert_eq!(decision("if (NOT(a))", true, true).join(" "), " the other way");
    }
}
