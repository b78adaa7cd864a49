//! Preconditions tried natively: every input that satisfies one must fail.
//!
//! All inputs of many programs are tried by one executable. An input that does not satisfy the precondition is not run;
//! each that does runs in a process of its own. Signed overflow ends a run without a verdict: explanations take for
//! granted that there is none where the recorded run had none.

use super::native::renamed;
use super::render::literal;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A precondition and the inputs it is tried on.
pub struct Trial {
    /// The program.
    pub text: String,
    pub entry: String,
    /// Types and names of the parameters of the entry.
    pub parameters: Vec<(String, String)>,
    /// What is claimed to be enough to fail; C over the parameters.
    pub precondition: String,
    /// The recorded input first.
    pub inputs: Vec<Vec<i128>>,
}

/// What the trials of a precondition show.
#[derive(Clone, Default, Debug)]
pub struct Tried {
    /// How many inputs satisfy the precondition.
    pub satisfied: usize,
    /// Those of them that fail, and those without a verdict.
    pub failed: usize,
    pub undecided: usize,
    /// An input that satisfies the precondition and passes.
    pub passes: Option<Vec<i128>>,
    /// Whether the recorded input does not satisfy it.
    pub excludes_recorded: bool,
}

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static int wf_verdict(void (*run)(int), int input) {
  int status = 0, child = fork();
  struct itimerval long_enough = {.it_value.tv_usec = 200000}; // Of computing: the machine may be busy.
  if (child == 0) { setitimer(ITIMER_VIRTUAL, &long_enough, NULL); run(input); _exit(0); }
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) return 'p';
  int signal = WTERMSIG(status);
  return signal == SIGILL || signal == SIGTRAP || signal == SIGVTALRM ? 'u' : 'f';
}
"#;

const MAIN: &str = r#"
int main(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (!freopen("/dev/null", "w", stderr)) return 1;
  for (unsigned unit = 0; unit < sizeof wf_units / sizeof *wf_units; unit++) {
    for (int input = 0; input < wf_units[unit].inputs; input++) {
      int verdict = wf_units[unit].holds(input) ? wf_verdict(wf_units[unit].run, input) : '-';
      printf("%u %d %c\n", unit, input, verdict);
      fflush(stdout);
    }
  }
  return 0;
}
"#;

/// Try preconditions; an error for those that are not C.
pub fn tried(trials: &[Trial], directory: &Path) -> Vec<Result<Tried, String>> {
    match together(trials, directory) {
        Ok(all) => all.into_iter().map(Ok).collect(),
        Err(message) if trials.len() == 1 => vec![Err(message)],
        Err(_) => trials.chunks(trials.len().div_ceil(2)).flat_map(|half| tried(half, directory)).collect(),
    }
}

fn together(trials: &[Trial], directory: &Path) -> Result<Vec<Tried>, String> {
    let mut text = PRELUDE.trim_start().to_string();
    let mut units = String::new();
    for (unit, trial) in trials.iter().enumerate() {
        writeln!(text, "{}", written(trial, unit)).expect("strings take everything");
        write!(units, "{{{}, wf_holds_{unit}, wf_run_{unit}}}, ", trial.inputs.len()).expect("strings take everything");
    }
    writeln!(
        text,
        "static const struct {{ int inputs; int (*holds)(int); void (*run)(int); }} wf_units[] = {{{units}}};"
    )
    .expect("strings take everything");
    text.push_str(MAIN.trim_start());
    let (source, executable) = (directory.join("trials.c"), directory.join("trials"));
    std::fs::write(&source, &text).expect("the scratch directory can be written");
    let compiled = Command::new("clang-19")
        .args(["-w", "-O0", "-fsanitize=signed-integer-overflow", "-fsanitize-trap=all", "-o"])
        .args([&executable, &source])
        .output()
        .expect("clang-19 is installed");
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let output = Command::new(&executable).output().expect("what was just linked can be run");
    let mut all = vec![Tried::default(); trials.len()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [unit, input, verdict] = words[..] else { continue };
        let (Ok(unit), Ok(input)) = (unit.parse::<usize>(), input.parse::<usize>()) else { continue };
        let tried = &mut all[unit];
        match verdict {
            "-" => tried.excludes_recorded |= input == 0,
            "p" => tried.passes = tried.passes.take().or_else(|| Some(trials[unit].inputs[input].clone())),
            "f" => tried.failed += 1,
            _ => tried.undecided += 1,
        }
        tried.satisfied += usize::from(verdict != "-");
    }
    Ok(all)
}

/// A program with its inputs, its precondition and a call of its entry.
fn written(trial: &Trial, unit: usize) -> String {
    let mut text: String =
        trial.text.lines().filter(|l| !l.starts_with("#include")).map(|l| format!("{}\n", renamed(l, unit))).collect();
    let mut access = String::new();
    let mut arguments = vec![];
    for (index, (kind, name)) in trial.parameters.iter().enumerate() {
        let values: Vec<String> = trial.inputs.iter().map(|i| literal(i[index])).collect();
        writeln!(text, "static const {kind} wf_in_{unit}_{index}[] = {{{}}};", values.join(", "))
            .expect("strings take everything");
        write!(access, "{kind} {name} = wf_in_{unit}_{index}[wf_input]; ").expect("strings take everything");
        arguments.push(name.as_str());
    }
    let (entry, arguments) = (renamed(&trial.entry, unit), arguments.join(", "));
    let quiet = "__attribute__((no_sanitize(\"undefined\")))";
    writeln!(text, "{quiet} static int wf_holds_{unit}(int wf_input) {{ {access} return {}; }}", trial.precondition)
        .expect("strings take everything");
    writeln!(text, "static void wf_run_{unit}(int wf_input) {{ {access} {entry}({arguments}); }}")
        .expect("strings take everything");
    text
}
